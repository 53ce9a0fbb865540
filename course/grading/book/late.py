"""When something was handed in, and what that costs."""

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from course import BuildError
from course.grading.book.tables import read_table
from course.grading.submission import contents

DAY = timedelta(days=1)
MOST_BYTES = 100  # of a timestamp
FIRST_YEAR, LAST_YEAR = 1990, 2200


@dataclass(frozen=True)
class Policy:
    """One rule for all: each day that begins after the deadline costs a share of the points."""

    # The deadline by the clock on the wall, without a time zone: everybody's own counts.
    due: datetime
    zone: str = "UTC"  # the zone of those who have none of their own
    per_day: float = 0.0  # the share, 0.1 say
    grace: timedelta = timedelta()  # how late something may be without being late

    def days_late(self, submitted: datetime, zone: str = "", extension: float = 0.0) -> int:
        """Return how many days have begun since the deadline; an extension is in days."""
        late = submitted - self.deadline(zone, extension).astimezone(UTC)
        return 0 if late <= self.grace else math.ceil(late / DAY)

    def deadline(self, zone: str = "", extension: float = 0.0) -> datetime:
        """Return the moment until which somebody has time."""
        return self.due.replace(tzinfo=zone_of(zone or self.zone)) + extension * DAY

    def changed(self, **said) -> "Policy":
        """Return one in which something is as it was said; times and shares as people say them.

        Parameters
        ----------
        due
            By the clock on the wall, as `2026-11-30T23:59`, or a datetime without a zone.
        zone
            Its name.
        per_day, grace
            Percent, and minutes.

        Raises
        ------
        BuildError
            If any of it cannot be.
        """
        due, zone = said.get("due", self.due), said.get("zone", self.zone)
        zone_of(zone)
        try:
            when = due if isinstance(due, datetime) else datetime.strptime(due, "%Y-%m-%dT%H:%M")
        except ValueError:
            when = None
        if when is None or when.tzinfo is not None:
            raise BuildError(f"{str(due)!r} is no day and time without a zone, as 2026-11-30T23:59")
        per_day = said.get("per_day", 100 * self.per_day)
        if not 0 <= per_day <= 100:
            raise BuildError(f"a day costs 0 to 100 percent, not {per_day:g}")
        minutes = said.get("grace", self.grace / timedelta(minutes=1))
        if not minutes >= 0:
            raise BuildError(f"there are 0 minutes of grace or more, not {minutes:g}")
        return Policy(when, zone, per_day / 100, timedelta(minutes=minutes))

    def told(self) -> str:
        """Say it in words."""
        grace = self.grace / timedelta(minutes=1)
        spare = f", after {grace:g} minutes of grace" if grace else ""
        cost = f"each day that has begun costs {100 * self.per_day:g} % of the points earned"
        costs = cost + spare if self.per_day else f"being late{spare}{spare and ','} costs nothing"
        return f"due {self.due:%Y-%m-%d %H:%M} ({self.zone}); {costs}"

    def share(self, days: int) -> float:
        """Return the share of the points that is left."""
        return max(0.0, 1.0 - self.per_day * days)


def zone_of(name: str) -> ZoneInfo:
    """Return a time zone.

    Raises
    ------
    BuildError
        If there is none of this name.
    """
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise BuildError(f"{name!r} is no time zone; Europe/Berlin is one, say") from error


def stamped(folder: Path) -> datetime | None:
    """Read the time that nbgrader wrote beside a submission; None if it did not."""
    try:
        data = contents(folder / "timestamp.txt", MOST_BYTES)
        if data is None or len(data) > MOST_BYTES:
            return None
        return moment(data.decode("utf-8"))
    except (OSError, ValueError):
        return None


def moment(text: str, zone: tzinfo = UTC) -> datetime:
    """Read a time with a zone, or without one in this one.

    Raises
    ------
    ValueError
        If it is none.
    """
    found = datetime.fromisoformat(re.sub(r"\s*UTC$", "+00:00", text.strip()))
    if not FIRST_YEAR <= found.year <= LAST_YEAR:
        raise ValueError(f"the year {found.year}")
    return (found.replace(tzinfo=zone) if found.tzinfo is None else found).astimezone(UTC)


def read_times(path: Path, zone: tzinfo = UTC) -> dict[str, datetime]:
    """Read a table of students and the times when they handed in; without a zone, in this one.

    Raises
    ------
    BuildError
        If it cannot be read, or a time is none.
    """
    times = {}
    for row in read_table(path, ["student", "submitted"]):
        try:
            times[row["student"]] = moment(row["submitted"], zone)
        except ValueError as error:
            words = f"{row['submitted']!r} of {row['student']} is no time, as 2026-11-22 23:59"
            raise BuildError(f"reading {path}: {words}") from error
    return times
