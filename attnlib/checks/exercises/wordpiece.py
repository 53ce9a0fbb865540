"""Cutting a word into the pieces that a model knows, the longest first."""

from attnlib.checks.exercise import Case, Exercise, Fact, Promise, mistake, wrongly_set
from attnlib.checks.shapes import Shapes
from attnlib.models import encoder

LENGTHS = Promise(
    "words of 1 to 100 letters are right",
    "A word may be one letter, and it may need a hundred pieces, or be one piece of a hundred "
    "letters. Go on until no letter is left, and try the whole rest first, however long.",
)
GREEDY = Promise(
    "what has been cut off is never taken back",
    "Each time the longest piece that is known is taken, and that is final. Where the rest cannot "
    "be cut then, the word is unknown, even if a shorter first piece would have led further.",
)
OTHER = Promise(
    "other words and other vocabularies are right",
    "Does your function keep something from an earlier call, or look for pieces of its own? "
    "Everything should follow from the word and the vocabulary that come in this time.",
)

SHAPES = Shapes('"", {} -> [""]')
UNKNOWN = "[UNK]"


def wordpiece(word, vocabulary):
    """Take the longest piece that is known, each time from where the last one ended.

    A piece that goes on with a word is another one than the same letters at a beginning, and the
    two signs in front of it say so. One rest without a piece makes the whole word unknown.
    """
    pieces, start = [], 0
    while start < len(word):
        end = len(word)
        while end > start and ("##" if start else "") + word[start:end] not in vocabulary:
            end -= 1  # a letter shorter
        if end == start:
            return ["[UNK]"]
        pieces.append(("##" if start else "") + word[start:end])
        start = end
    return pieces


def answer(word, vocabulary):
    """Give what is right, by which answers are judged."""
    return encoder.tokenize(word, vocabulary)[1:-1]


def piece_of(word, start, end):
    """Give a piece as it stands in the vocabulary."""
    return ("##" if start else "") + word[start:end]


def numbered(*pieces):
    """Give a vocabulary of pieces, each with the number of its row."""
    return {piece: row for row, piece in enumerate((UNKNOWN, *pieces))}


SAWS = numbered("saw", "sa", "s", "##a", "##ws", "##w", "##s")
SEEN = numbered("un", "u", "see", "##see", "##seen", "##s", "##n", "##ing", "##i", "ing", "a")
ANTS = numbered("a", "an", "ant", "##nts", "##n", "##t", "##s", "##tse", "##e", "##en")
LETTERS = numbered("abcd", "abc", "a", "##b", "##cdef", "##def", "##e", "##f")


def cases():
    """Two pieces by hand; a word that is known; one that is not; three pieces; signs."""
    yield Case("the small example is right", ("saws", SAWS))
    yield Case("a word that is known stays whole", ("saw", SAWS))
    for word in ("sawx", "sawxy", "xs"):
        yield Case("a word with a rest that is not known is unknown", (word, SAWS))
    for word in ("unseeing", "unseenn"):
        yield Case("three pieces are right", (word, SEEN))
    for word in ("ants", "antse", "antsen"):
        yield Case("the longest piece is taken where a shorter one would do", (word, ANTS))
    yield Case("the longest piece is taken where a shorter one would do", ("abcdef", LETTERS))
    for word in ("inging", "seesee", "una"):
        yield Case("what goes on with a word has its signs", (word, SEEN))


def promised():
    """Give the inputs that hold an answer to each promise."""
    letters = numbered("a", "##a", "##b", "b")
    return {
        LENGTHS: [
            ("a", letters),
            ("x", letters),
            ("ab" * 13, letters),
            ("a" * 100, letters),
            ("b" + "a" * 98 + "x", letters),
            *(
                (name, long)
                for name in ("sawmill" * n for n in (1, 2, 3, 14))
                for long in (numbered(name, "saw", "##mill"), numbered("s", f"##{name[1:]}", "##a"))
            ),
        ],
        GREEDY: [
            ("abc", numbered("ab", "a", "##bc")),
            ("abcd", numbered("a", "##bc", "##b", "##cd")),
        ],
        OTHER: [
            ("saws", numbered("saws", "saw", "##s")),
            ("saws", numbered("s", "##aws")),
            ("saws", numbered("saw")),
            ("sees", numbered("see", "##s")),
            ("saw", numbered("sawing", "a", "##w")),
            ("saws", numbered("s", "sa", "##aws", "##ws", "##a")),
            ("saws", {"saw": 0, "##s": 1, UNKNOWN: 2}),
            ("saws", {"##s": 0, "saw": 1, UNKNOWN: 2}),
        ],
    }


def turned(word, vocabulary, *, signs="##", unknown=lambda pieces, rest: [UNKNOWN], first=max):
    """Cut a word in a way that can be set wrong.

    Parameters
    ----------
    word : str
    vocabulary : dict
    signs : str
        What stands in front of a piece that goes on with a word.
    unknown : callable
        Gives the answer where the rest has no piece.
    first : callable
        Chooses among the ends of all pieces that are known.
    """
    pieces, start = [], 0
    while start < len(word):
        front = signs if start else ""
        ends = range(start + 1, len(word) + 1)
        known = [end for end in ends if front + word[start:end] in vocabulary]
        if not known:
            return unknown(pieces, front + word[start:])
        end = first(known)
        pieces.append(front + word[start:end])
        start = end
    return pieces


shortest = wrongly_set(
    turned,
    "shortest piece first",
    "You took the shortest piece that is known, where the longest should be.",
    "Begin with all that is left of the word, and leave off letters at its end.",
    first=min,
)

no_signs = wrongly_set(
    turned,
    "signs forgotten",
    "You looked up every piece as if it began the word.",
    "Pieces that go on with a word stand in the vocabulary with `##` in front.",
    signs="",
)


@mistake("signs looked up and left out")
def bare(word, vocabulary):
    """You looked up the pieces with their `##`, and returned them without.

    The model has a row for each piece as it stands in the vocabulary, signs included.
    """
    return [bared(piece) for piece in answer(word, vocabulary)]


def bared(piece):
    """Give a piece without its signs."""
    return piece.removeprefix("##")


half = wrongly_set(
    turned,
    "unknown rest alone",
    "You kept the pieces that were found, and called only the rest unknown.",
    "Where one rest has no piece, nothing of the word is kept: one `[UNK]` stands for all of it.",
    unknown=lambda pieces, rest: [*pieces, UNKNOWN],
)

dropped = wrongly_set(
    turned,
    "unknown rest dropped",
    "You returned the pieces that were found, as if nothing had been left over.",
    "A word that cannot be cut to its end is unknown, and `[UNK]` stands for it.",
    unknown=lambda pieces, rest: pieces,
)

whole_rest_dropped = wrongly_set(
    turned,
    "unknown only from the beginning",
    "You returned the pieces that were found, and `[UNK]` only where there are none.",
    "A word that cannot be cut to its end is unknown, and `[UNK]` stands for all of it.",
    unknown=lambda pieces, rest: pieces or [UNKNOWN],
)

as_it_is = wrongly_set(
    turned,
    "unknown rest kept as it is",
    "You returned a rest that the vocabulary does not have.",
    "Each piece has to be known. Where one is not, `[UNK]` stands for the whole word.",
    unknown=lambda pieces, rest: [*pieces, rest],
)


nothing = wrongly_set(
    turned,
    "nothing for an unknown word",
    "You returned an empty list for a word that is unknown.",
    "`[UNK]` stands for it: a list of that one string.",
    unknown=lambda pieces, rest: [],
)


without_brackets = wrongly_set(
    turned,
    "UNK without its brackets",
    "You wrote UNK for a word that is unknown, without its brackets.",
    "The model's row for it is called `[UNK]`.",
    unknown=lambda pieces, rest: ["UNK"],
)


@mistake("signs written but not looked up")
def signs_late(word, vocabulary):
    """You looked up every piece as if it began the word, and wrote the signs then.

    A piece that goes on with a word is known only if it stands in the vocabulary with its `##`.
    """
    found = turned(word, vocabulary, signs="")
    return found if found == [UNKNOWN] else [found[0], *(f"##{piece}" for piece in found[1:])]


@mistake("a rest without its signs")
def signs_or_none(word, vocabulary):
    """You took a piece that begins words for one that goes on with a word.

    What goes on with a word counts only with `##` in front. Where none is known, the word is
    unknown.
    """
    pieces, start = [], 0
    while start < len(word):
        tried = (
            p
            for n in range(len(word), start, -1)
            for p in (piece_of(word, start, n), word[start:n])
        )
        piece = next((p for p in tried if p in vocabulary), None)
        if piece is None:
            return [UNKNOWN]
        pieces.append(piece)
        start += len(bared(piece))
    return pieces


@mistake("signs at the beginning, too")
def signs_early(word, vocabulary):
    """You put the signs in front of the first piece, too.

    They say that a piece goes on with a word, and the first one begins it.
    """
    found = turned(f"_{word}", {"_": 0, **vocabulary})[1:]
    return found or [UNKNOWN]


@mistake("in the vocabulary's order")
def in_order(word, vocabulary):
    """You took the first piece of the vocabulary that fits, and not the longest that does.

    The order of the vocabulary says nothing here. Begin with all that is left of the word, and
    leave off letters at its end.
    """
    pieces, rest = [], word
    while rest:
        fits = (p for p in vocabulary if p.startswith("##") == (rest != word))
        piece = next((p for p in fits if rest.startswith(bared(p))), None)
        if piece is None:
            return [UNKNOWN]
        pieces.append(piece)
        rest = rest[len(bared(piece)) :]
    return pieces


@mistake("whole words only")
def whole_only(word, vocabulary):
    """Each word that is not known as a whole came out as unknown.

    Its beginning may be a piece, and its rest others, which stand in the vocabulary with `##` in
    front. Try shorter ends.
    """
    return [word] if word in vocabulary else [UNKNOWN]


@mistake("one piece and its rest")
def two_only(word, vocabulary):
    """You cut the word once, and looked up all the rest as one piece.

    The rest is cut as the word was: its longest piece first, until nothing is left.
    """
    found = turned(word, vocabulary)
    return found if len(found) < 3 else [UNKNOWN]


@mistake("always unknown")
def always_unknown(word, vocabulary):
    """Each word came out as unknown, even one that the vocabulary has.

    Is all of the word tried first? A slice leaves out the letter at its end, so the first end to
    try is one beyond the last letter.
    """
    return [UNKNOWN]


@mistake("no piece of one letter")
def two_letters(word, vocabulary):
    """You never took a piece of one letter.

    One letter may be a piece. Try shorter ends until none is left.
    """
    return turned(word, {piece: row for piece, row in vocabulary.items() if len(bared(piece)) > 1})


@mistake("the piece in row 0 not known")
def row_0(word, vocabulary):
    """You took the piece in row 0 for one that is not known.

    Its row is 0, and 0 counts as False. Ask whether the piece is there: `piece in vocabulary`.
    """
    return turned(word, {piece: row for piece, row in vocabulary.items() if row})


@mistake("unknown letter by letter")
def by_letters(word, vocabulary):
    """You wrote `[UNK]` for each letter that did not fit, and went on with the word.

    Where one rest has no piece, nothing of the word is kept: one `[UNK]` stands for all of it.
    """
    pieces, start = [], 0
    while start < len(word):
        ends = range(len(word), start, -1)
        end = next((end for end in ends if piece_of(word, start, end) in vocabulary), 0)
        pieces.append(piece_of(word, start, end) if end else UNKNOWN)
        start = end or start + 1
    return pieces


@mistake("the longest piece anywhere first")
def anywhere(word, vocabulary):
    """You looked for the longest piece anywhere in the word, and not at its beginning.

    It is cut from the left: first the longest piece that the word begins with.
    """
    found = _around(word, vocabulary, 0, len(word))
    return [UNKNOWN] if found is None else found


def _around(word, vocabulary, first, last):
    """Cut what stands between two places: its longest piece, and what is left on both sides."""
    for n in range(last - first, 0, -1):
        for start in range(first, last - n + 1):
            if (piece := piece_of(word, start, start + n)) in vocabulary:
                left = _around(word, vocabulary, first, start)
                right = _around(word, vocabulary, start + n, last)
                return None if left is None or right is None else [*left, piece, *right]
    return None if first < last else []


@mistake("as few pieces as can be")
def fewest(word, vocabulary):
    """You looked for the fewest pieces, whichever comes first.

    Each time the longest piece is taken that the rest begins with, and that is final.
    """
    best = {len(word): []}
    for start in range(len(word) - 1, -1, -1):
        found = [
            [piece, *best[end]]
            for end in range(start + 1, len(word) + 1)
            if end in best and (piece := piece_of(word, start, end)) in vocabulary
        ]
        if found:
            best[start] = min(found, key=len)
    return best.get(0, [UNKNOWN])


@mistake("from the right")
def from_the_right(word, vocabulary):
    """You cut from the end of the word to its beginning.

    It is cut from the left: first the longest piece that the word begins with.
    """
    pieces, end = [], len(word)
    while end:
        starts = [start for start in range(end) if piece_of(word, start, end) in vocabulary]
        if not starts:
            return [UNKNOWN]
        pieces.insert(0, piece_of(word, starts[0], end))
        end = starts[0]
    return pieces


@mistake("taken back")
def taken_back(word, vocabulary):
    """You tried a shorter piece where the rest could not be cut.

    That finds more words. This model was trained on pieces cut in one go, each time the longest.
    """
    found = _back(word, vocabulary, 0)
    return [UNKNOWN] if found is None else found


def _back(word, vocabulary, start):
    if start == len(word):
        return []
    for end in range(len(word), start, -1):
        piece = piece_of(word, start, end)
        rest = _back(word, vocabulary, end) if piece in vocabulary else None
        if rest is not None:
            return [piece, *rest]
    return None


def spelled(pieces):
    """Put pieces together again."""
    return "".join(map(bared, pieces))


EXERCISE = Exercise(
    solution=wordpiece,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    parts=str,
    facts=(
        Fact("each piece is known", lambda f, w, v: all(piece in v for piece in f(w, v))),
        Fact("without their signs, the pieces spell the word, or it is unknown", lambda f, w, v: (
            f(w, v) == [UNKNOWN] or spelled(f(w, v)) == w)),
        Fact("a word that is known is its only piece", lambda f, w, v: (
            f(w, {**v, w: len(v)}) == [w])),
    ),
    hints=(
        "Two loops, one inside the other: the outer one goes on where the last piece ended, the "
        "inner one makes a piece shorter until the vocabulary has it, or no letter is left. What "
        "goes on with a word stands there with `##` in front: is it looked up so?",
        "Keep `start`, where the next piece begins, and try `end` from `len(word)` downwards: is "
        "`word[start:end]` in the vocabulary, with `##` in front unless `start` is 0?",
        "Where a piece is found, append it and set `start = end`. Where `end` comes down to "
        "`start`, nothing fits, and `[\"[UNK]\"]` is the answer for the whole word.",
    ),
)  # fmt: skip
