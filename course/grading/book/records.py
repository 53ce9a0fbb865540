"""What a gradebook tells of students, answers and assignments."""

from dataclasses import dataclass

from course.grading.judge import Mark

# What a teacher should look at: text that may be an answer, where there are 0 points for it, a
# cell because of which all functions failed, and what the platform calls late.
ELSEWHERE, ONE_CELL, LATE = "elsewhere", "one cell", "late"


@dataclass(frozen=True)
class Answer:
    """A written answer and what it was given."""

    question: str
    text: str
    digest: str  # of the text
    points: float | None  # None until somebody has marked it
    comment: str
    lines: str = ""  # what each line of the rubric gave, where it was marked by these


@dataclass(frozen=True)
class Version:
    """What of a student's is in the gradebook: which file, and when it came and was graded."""

    content: str  # the digest of the file
    submitted: str  # in UTC, or nothing where nobody knows
    graded: str  # in UTC


@dataclass(frozen=True)
class Student:
    """Somebody of the class: as folders call them, as people do, as a platform does, and where.

    The group says whose sheet is theirs, where an assignment has variants, and the team with whom
    they hand in.
    """

    student: str
    name: str = ""
    other_id: str = ""
    zone: str = ""
    group: str = ""
    team: str = ""


@dataclass(frozen=True)
class Asked:
    """What a gradebook knows of an assignment."""

    source: str  # the folder that it is made of
    # What marks rested on when it was graded last; see `course.grading.basis`.
    basis: dict[str, str]
    round: int  # how often all were to be graded again
    is_open: bool  # whether the last of these rounds has not come to its end


@dataclass(frozen=True)
class Last:
    """What was graded last of a student: its digests, in which round, and whether it waits."""

    content: str
    digest: str
    round: int
    waits: bool


@dataclass(frozen=True)
class Change:
    """What a student's marks would be after grading again, where it is not what they are."""

    student: str
    marks: list[Mark]  # as they would be
    ungraded: str  # why there would be none
    answers: list[str]  # the questions whose answers are read otherwise than before


@dataclass(frozen=True)
class ByHand:
    """Points that a person gave for a function, beside what the grader finds."""

    points: float
    # What the grader had found when they were given; None where nobody wrote it down.
    then: float | None
    now: float  # what it finds now

    @property
    def is_parted(self) -> bool:
        """Whether the grader finds something else than the person saw, and than they gave."""
        return self.then is not None and self.now not in (self.then, self.points)
