"""Decide which hand-in of each student counts, and lay it out as `submitted/STUDENT/hwN/`."""

import os
import shutil
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from course.grading.book.late import moment, zone_of
from course.grading.classroom.settings import Settings
from course.grading.intake.downloads import File, HandIn, Line
from course.grading.intake.names import plain
from course.grading.intake.people import People, folder_name, stranger
from course.grading.intake.record import Collected
from course.grading.submission import UngradedError, find, load


@dataclass(frozen=True)
class Choice:
    """A hand-in of a student, from a download or from before."""

    student: str
    files: tuple[File, ...]  # several only where nothing says which is meant
    time: datetime | None
    serial: int  # a number of the platform's that grows
    order: int  # of the downloads; 0 for what is there, and -1 for what was before
    record: Collected

    @property
    def digest(self) -> str:
        """What is compared with what was there."""
        return self.record.content


class Layout:
    """Lay out hand-ins; what was done with each file is in `lines`.

    Parameters
    ----------
    settings
        Of the class.
    number, notebook
        The assignment's, and the name with which its notebook was handed out.
    take
        ``"last"`` or ``"first"``.
    people
        Who is who.
    graded
        Who was graded, by the digest of what was, and with how many points.
    """

    def __init__(
        self, settings: Settings, number: str, notebook: str, take: str, people: People,
        graded: Mapping[str, tuple[str, str]],
    ):  # fmt: skip
        self.settings, self.number, self.notebook = settings, number, notebook
        self.take, self.people, self.graded = take, people, graded
        self.lines: list[Line] = []
        # By what else somebody would have been called, had they not been known.
        self._aliases: dict[str, Choice] = {}

    def lay(self, found: Sequence[HandIn], before: Mapping[str, Collected]) -> dict[str, Collected]:
        """Put what counts in its place; return what is collected now, of everybody."""
        mine = defaultdict(list)
        self._find_namesakes(found)
        for hand_in in found:
            for choice in self._choices(hand_in):
                mine[choice.student].append(choice)
        now = dict(before)
        for student in sorted(mine):
            if not any(choice.files for choice in mine[student]):
                now[student] = self._without(student, mine[student][-1], before.get(student))
                continue
            old = self._earlier(student)
            choices = [
                replace(one, order=-1) if one.digest in old else one
                for one in _timed(mine[student])
                if one.files
            ]
            choices = [*self._there(student, before.get(student)), *choices]
            best = self._best(choices)
            self._put(student, best, choices)
            now[student] = best.record
        for student, choice in self._aliases.items():
            if student in now and student not in mine and not self.people.knows(student):
                self._take_back(student, choice, now)
        return now

    def _take_back(self, student: str, choice: Choice, now: dict[str, Collected]) -> None:
        """Put aside what lies under a name from when nobody knew whose it was."""
        if now[student].content != choice.digest:
            return
        del now[student]
        place = self.settings.submitted / student / self.number
        words = f"the same is {choice.student}'s, as is known now"
        if place.is_dir():
            words += f": what was laid out is in {self._aside(place, student)}"
            if not any(place.parent.iterdir()):
                place.parent.rmdir()
        if student in self.graded:
            words += f"; graded: `gradebook student {student!r} --delete` deletes the marks"
        self.lines.append(Line(student, "", words))

    def _choices(self, hand_in: HandIn) -> list[Choice]:
        """Say whose a hand-in is, and which of its notebooks is meant."""
        one = hand_in.named
        if not hand_in.files and not hand_in.left:
            return []
        owners = self.people.find(one)
        who = ", ".join(owner.student for owner in owners)
        files = self._meant(hand_in, who) if hand_in.files else ()
        content = " ".join(sorted(file.digest for file in files))
        first = files[0].name if files else hand_in.left[0]
        named = files[-1].named if files else one
        made = []
        for owner in owners:
            student, is_known = owner.student, owner.is_known
            if student in self._namesakes and not is_known:
                words = (
                    "another one is called so: the roster's id, or --worksheet, tells them apart"
                )
                self.lines.append(Line(student, first, words))
                student = f"{student} {one.ident}"
            if self.people.is_known and not is_known:
                words = "not on the roster, or not alone with that name there"
                self.lines.append(Line(student, first, words))
            if owner.row and owner.row.unread:
                words = f"{owner.row.unread!r} is no time known here"
                self.lines.append(Line(student, first, words))
            time = owner.row.submitted if owner.row else None
            if one.time and time is None:
                time = moment(one.time)
            serial = max((file.named.serial for file in files), default=0)
            place = named.place if one.platform == "canvas" else owner.place
            record = Collected(
                content, time.isoformat() if time else "", one.platform, place, serial,
                hand_in.source, named.late,
            )  # fmt: skip
            made.append(Choice(student, files, time, serial, hand_in.download, record))
            called = stranger(one)
            self._aliases |= dict.fromkeys((called, f"{called} {one.ident}"), made[-1])
        if named.late:
            self.lines.append(Line(who, first, "late, says Canvas, and not when"))
        return made

    def _without(self, student: str, one: Choice, before: Collected | None) -> Collected:
        """Make an empty folder for who handed in what is no notebook: so `grade` hears of them."""
        place = self.settings.submitted / student / self.number
        place.mkdir(parents=True, exist_ok=True)
        was_there = any(place.iterdir())
        words = "what was there stays" if was_there else "`grade` lists it as ungraded, not missing"
        self.lines.append(Line(student, "", f"handed in, and no notebook: {words}"))
        return (was_there and before) or one.record

    def _meant(self, hand_in: HandIn, who: str) -> tuple[File, ...]:
        """Choose among the notebooks of one hand-in: by the name, and by the platform's number."""
        # Of equal ones the one with the right name is kept, else the first.
        ordered = sorted(reversed(hand_in.files), key=lambda file: file.name == self.notebook)
        kept = {file.digest: file for file in ordered}
        for file in hand_in.files:
            if (equal := kept[file.digest]) is not file:
                words = f"left: the same as {equal.name}"
                self.lines.append(Line(who, file.name, words, is_notable=False))
        files = list(kept.values())
        files.sort(key=lambda file: (file.named.serial, file.name))
        exact = [file for file in files if file.name == self.notebook]
        alike = [file for file in files if plain(file.name) == plain(self.notebook)]
        if alike and any(file.named.serial for file in alike):
            meant = alike[-1:] if self.take == "last" else alike[:1]
        else:
            meant = exact or alike or files
        for file in files:
            if file not in meant:
                why = f"left: beside {meant[0].name}, which counts"
                self.lines.append(Line(who, file.name, why))
            elif meant[1:]:
                why = f"laid out, and will not be graded: it is one of {len(meant)}, and none is "
                self.lines.append(Line(who, file.name, f"{why}called {self.notebook}"))
        return tuple(meant)

    def _find_namesakes(self, found: Sequence[HandIn]) -> None:
        """Note which names several have whom nobody here can tell apart."""
        numbers = defaultdict(set)
        for one in (hand_in.named for hand_in in found):
            for owner in self.people.find(one):
                if not owner.is_known:
                    numbers[owner.student].add(one.ident)
        self._namesakes = {student for student, several in numbers.items() if len(several) > 1}

    def _there(self, student: str, record: Collected | None) -> list[Choice]:
        """Return what lies there already, as the oldest hand-in; nothing if there is none."""
        place = self.settings.submitted / student / self.number
        try:
            path, *_ = find(place, self.notebook)
            digest = sha256(load(path)).hexdigest()
        except UngradedError:
            return []
        if record is None or record.content != digest:
            record = Collected(digest)
        time = moment(record.submitted) if record.submitted else None
        return [Choice(student, (), time, record.serial, 0, record)]

    def _earlier(self, student: str) -> set[str]:
        """Return the digests of what lay there before another one took its place."""
        folder = self.settings.folder / "earlier" / student / self.number
        return {sha256(path.read_bytes()).hexdigest() for path in folder.glob("*/*.ipynb")}

    def _best(self, choices: list[Choice]) -> Choice:
        """Choose by time, where all have one, by the platform's number, or by the downloads."""
        if all(choice.time for choice in choices):
            ordered = sorted(choices, key=lambda one: (one.time, one.order))
        elif all(choice.serial for choice in choices):
            ordered = sorted(choices, key=lambda one: (one.serial, one.order))
        else:
            ordered = sorted(choices, key=lambda one: one.order)
        best = ordered[-1 if self.take == "last" else 0]
        same = [one for one in ordered if one.digest == best.digest]
        same = same if self.take == "first" else same[::-1]
        return replace(best, record=max((one.record for one in same), key=_knows))

    def _put(self, student: str, best: Choice, choices: Sequence[Choice]) -> None:
        """Write what counts, put aside what was there, and say so."""
        there = next((one for one in choices if not one.order), None)
        zone = self.settings.of(self.number, "zone")
        told = best.time and f"{best.time.astimezone(zone_of(zone)):%Y-%m-%d %H:%M} ({zone})"
        when = f", handed in {told}" if told else ""
        for one in choices:
            if one.order and one.digest != best.digest:
                than = "first" if self.take == "first" else "last"
                words = f"left: another one counts, the {than}{self._graded(student, best)}"
                self.lines.append(Line(student, one.files[0].name, words))
        name = best.files[0].name if best.files else self.notebook
        if there and there.digest == best.digest:
            is_alone = all(one.digest == best.digest for one in choices)
            words = "as it was" if is_alone else "stays"
            self.lines.append(Line(student, name, f"{words}{when}", is_notable=False))
            return
        place = self.settings.submitted / student / self.number
        new = place.with_name(f".new.{self.number}")  # whole, before what was there is moved
        shutil.rmtree(new, ignore_errors=True)  # of a run that was killed
        new.mkdir(parents=True)
        for n, file in enumerate(best.files, 1):
            called = folder_name(f"{n} {file.name}") if best.files[1:] else self.notebook
            shutil.copyfile(file.path, new / called)
        words = "taken"
        if place.exists() and any(place.iterdir()):
            aside = self._aside(place, student)
            words += f" in place of an earlier one{self._graded(student, there)}"
            words += f", now in {aside}"
        os.replace(new, place)
        self.lines.append(Line(student, name, f"{words}{when}", is_notable=bool(there)))

    def _graded(self, student: str, one: Choice | None) -> str:
        if one is None:
            return ""
        content, told = self.graded.get(student, ("", ""))
        return f" ({told})" if content == one.digest else ""

    def _aside(self, place: Path, student: str) -> str:
        """Move what was there to a folder for earlier hand-ins; return its name there."""
        above = Path("earlier", student, self.number)
        folder = self.settings.folder / above
        folder.mkdir(parents=True, exist_ok=True)
        taken = {int(path.name) for path in folder.iterdir() if path.name.isdecimal()}
        where = str(max(taken, default=0) + 1)
        os.replace(place, folder / where)
        return str(above / where)


def _timed(choices: list[Choice]) -> list[Choice]:
    """Keep a time for the latest alone: a platform tells when somebody handed in last."""
    latest = max(choice.order for choice in choices)
    return [
        one if one.order == latest or one.record.platform == "nbgrader"
        else replace(one, time=None, record=replace(one.record, submitted=""))
        for one in choices
    ]  # fmt: skip


def _knows(record: Collected) -> tuple:
    return bool(record.submitted), record.serial, bool(record.place)
