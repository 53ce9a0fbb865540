"""The gradebook's tables, and how an older file becomes one of today."""

VERSION = 5
TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE students (
    student TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    other_id TEXT NOT NULL,           -- as the learning platform calls them
    zone TEXT NOT NULL,
    "group" TEXT NOT NULL DEFAULT '', -- whose sheet is theirs, where there are several
    team TEXT NOT NULL DEFAULT '',    -- with whom they hand in
    has_left INTEGER NOT NULL DEFAULT 0 -- whether the roster has them no more
) STRICT;
CREATE TABLE extensions (
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    days REAL NOT NULL,
    PRIMARY KEY (assignment, student)
) STRICT;
CREATE TABLE policies (
    assignment TEXT PRIMARY KEY,
    due TEXT NOT NULL,                -- by the clock on the wall, without a zone
    zone TEXT NOT NULL,
    per_day REAL NOT NULL,
    grace REAL NOT NULL               -- in minutes
) STRICT;
CREATE TABLE submissions (
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    digest TEXT NOT NULL,             -- of what was handed in and of what was asked
    content TEXT NOT NULL,            -- the digest of what was handed in, alone
    ungraded TEXT NOT NULL,           -- why, or nothing
    suspicious TEXT NOT NULL,         -- what to look at, or nothing
    submitted TEXT NOT NULL,          -- in UTC, or nothing where nobody knows
    graded TEXT NOT NULL,
    round INTEGER NOT NULL DEFAULT 0, -- in which all were graded again when this was
    asking INTEGER NOT NULL DEFAULT 0, -- from which, and the secret, its random inputs follow
    PRIMARY KEY (assignment, student)
) STRICT;
CREATE TABLE times (                  -- when it was handed in, as a person says
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    content TEXT NOT NULL,            -- of this and of nothing that is handed in later
    submitted TEXT NOT NULL,
    PRIMARY KEY (assignment, student)
) STRICT;
CREATE TABLE marks (
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    place INTEGER NOT NULL,           -- among the tasks
    task TEXT NOT NULL,
    points REAL NOT NULL,
    most REAL NOT NULL,
    verdict TEXT NOT NULL,
    reason TEXT NOT NULL,
    mistake TEXT NOT NULL,
    PRIMARY KEY (assignment, student, task)
) STRICT;
CREATE TABLE given (                  -- by a person, beside what the grader found
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    task TEXT NOT NULL,
    points REAL NOT NULL,
    comment TEXT NOT NULL,
    found REAL,                       -- by the grader, when the person gave them
    PRIMARY KEY (assignment, student, task)
) STRICT;
CREATE TABLE answers (
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    question TEXT NOT NULL,
    digest TEXT NOT NULL,             -- of the text: another text is marked anew
    text TEXT NOT NULL,
    points REAL,                      -- NULL until somebody has marked it
    comment TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (assignment, student, question)
) STRICT;
CREATE TABLE history (
    number INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    what TEXT NOT NULL
) STRICT;
"""
OF_REGRADING = """
CREATE TABLE assignments (
    assignment TEXT PRIMARY KEY,
    source TEXT NOT NULL,             -- the folder that it is made of
    basis TEXT NOT NULL,              -- what marks rest on, part by part, as JSON
    round INTEGER NOT NULL DEFAULT 0, -- how often all were to be graded again
    is_open INTEGER NOT NULL DEFAULT 0 -- whether the last of these has not come to its end
) STRICT;
CREATE TABLE regraded (               -- what would change, until a person has said yes
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    digest TEXT NOT NULL,
    content TEXT NOT NULL,
    round INTEGER NOT NULL,
    found TEXT NOT NULL,              -- marks, answers and the rest, as JSON
    PRIMARY KEY (assignment, student)
) STRICT;
"""
OF_LOOKS = """
CREATE TABLE looks (                  -- what a teacher should look at, as the grader found it
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    what TEXT NOT NULL,
    words TEXT NOT NULL,
    PRIMARY KEY (assignment, student, what)
) STRICT;
"""
OF_LINES = "ALTER TABLE answers ADD COLUMN lines TEXT NOT NULL DEFAULT '';\n"
OF_STUDENTS = (
    "students", "extensions", "submissions", "times", "marks", "given", "answers", "regraded",
    "looks", "history",
)  # fmt: skip
STEPS = {  # from a version to the next one
    1: "ALTER TABLE submissions ADD COLUMN round INTEGER NOT NULL DEFAULT 0;\n"
    "ALTER TABLE submissions ADD COLUMN asking INTEGER NOT NULL DEFAULT 0;\n"
    f"ALTER TABLE given ADD COLUMN found REAL;\n{OF_REGRADING}",
    2: OF_LOOKS,
    3: OF_LINES + "ALTER TABLE students ADD COLUMN 'group' TEXT NOT NULL DEFAULT '';\n",
    4: "ALTER TABLE students ADD COLUMN team TEXT NOT NULL DEFAULT '';\n"
    "ALTER TABLE students ADD COLUMN has_left INTEGER NOT NULL DEFAULT 0;\n",
}


def statements(version: int | None = None) -> list[str]:
    """Return what makes a gradebook, or one of today of one of that version."""
    if version is None:
        text = TABLES + OF_REGRADING + OF_LOOKS + OF_LINES
    else:
        text = "".join(STEPS[one] for one in range(version, VERSION))
    return [one for one in text.split(";\n") if one.strip()]
