"""What is asked of a submission's functions and what came of it, as plain data."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from course.grading.results import is_failed
from course.grading.wire import WireError

MOST_NAME, MOST_WORDS, MOST_LINE = 100, 300, 10**6  # letters, letters, lines of a cell
ENDINGS = {  # how a call may end, other than by an answer
    "timed out", "late", "out of memory", "exited", "crashed", "bad result", "not there",
}  # fmt: skip


@dataclass(frozen=True)
class Calls:
    """Calls of one function."""

    function: str  # its name
    inputs: tuple[tuple, ...]  # the arguments of each call


@dataclass(frozen=True)
class Reply:
    """What came of one call."""

    kind: str  # `"answer"`, `"odd"` (no tree), `"raised"`, or one of `ENDINGS`
    result: object = None  # of an answer
    # Of an exception: its type and the beginning of its message. Of an odd answer: its type.
    name: str = ""
    words: str = ""
    line: int = 0  # the line of a cell that an exception comes from, or 0
    changed: tuple[int, ...] = ()  # which inputs were changed in place
    # Of an exception: the operation that failed, what met there, and whether that is all. It tells
    # known mistakes apart, and no word of it is shown.
    failed: tuple | None = None

    @property
    def is_stub(self) -> bool:
        """Whether the Ellipsis came back, as from a function that nobody has written."""
        return self.kind == "answer" and self.result is Ellipsis


@dataclass
class Ran:
    """What came of a submission."""

    # Of each function, the replies to its calls; fewer, where a call ended the function.
    replies: dict[str, list[Reply]] = field(default_factory=dict)
    # Of cells that raised or were no Python: index, `"raised"` or `"syntax"`, type, message and
    # line. Of those that took a name from functions: index, `"took"`, the name, their names, and
    # 1 where a call that raises is made once more with what stood there, else 0.
    told: list[tuple] = field(default_factory=list)
    # Of cells that had to be left out: how they ended.
    ended: dict[int, str] = field(default_factory=dict)
    broken: str = ""  # why nothing could be run, if so


def to_tree(ran: Ran):
    """Write what came of a submission as a tree."""
    replies = []
    for name, found in ran.replies.items():
        told = ((r.kind, r.result, r.name, r.words, r.line, r.changed, r.failed) for r in found)
        replies.append((name, tuple(told)))
    return tuple(replies), tuple(ran.told), tuple(ran.ended.items()), ran.broken


def from_tree(tree, calls: Sequence[Calls]) -> Ran:
    """Read what somebody says came of a submission.

    Raises
    ------
    WireError
        If it is not what can come of these calls.
    """
    asked = {one.function: one.inputs for one in calls}
    match tree:
        case (tuple(replies), tuple(told), tuple(ended), str(broken)):
            pass
        case _:
            raise WireError("something else was sent")
    found: dict[str, list[Reply]] = {}
    for one in replies:
        match one:
            case (str(name), tuple(many)) if name in asked and len(many) <= max(
                len(asked[name]), 1
            ):
                n_inputs = max(map(len, asked[name]), default=0)
                found[name] = [_checked(reply, n_inputs) for reply in many]
            case _:
                raise WireError("replies to something that was not asked")
    if found.keys() != asked.keys() or not all(map(is_told, told)):
        raise WireError("something was left out")
    cells: dict[int, str] = {}
    for pair in ended:
        match pair:
            case (int(index), str(how)) if how in ENDINGS - {"not there"}:
                cells[index] = how
            case _:
                raise WireError("a cell that ended in no known way")
    return Ran(found, list(told), cells, broken)


def _checked(reply, n_inputs: int) -> Reply:
    match reply:
        case (str(kind), result, str(name), str(words), int(line), tuple(changed), failed) if (
            kind in ENDINGS | {"answer", "odd", "raised"} and are_places(changed, n_inputs)
        ):
            return checked(Reply(kind, result, name, words, line, changed, failed))
    raise WireError("a reply that is none")


def checked(reply: Reply) -> Reply:
    """Return a reply whose words and numbers are as small as ours are.

    Raises
    ------
    WireError
        If they are not.
    """
    if len(reply.name) > MOST_NAME or len(reply.words) > MOST_WORDS:
        raise WireError("a reply of many words")
    if not 0 <= reply.line < MOST_LINE:
        raise WireError("a reply with numbers that cannot be")
    if not is_failed(reply.failed):
        raise WireError("a reply that failed as nothing can")
    return reply


def are_places(changed: tuple, n_inputs: int) -> bool:
    """Whether these may be the places of inputs, each of them once."""
    places = {*range(n_inputs)}
    return all(type(one) is int for one in changed) and sorted(places & {*changed}) == [*changed]


def is_told(one) -> bool:
    """Whether this is what can be told of a cell."""
    match one:
        case (int(), str(kind), str(name), str(words), int(line)):
            is_short = len(name) <= MOST_NAME and len(words) <= MOST_WORDS
            return kind in ("raised", "syntax", "took") and is_short and 0 <= line < MOST_LINE
    return False
