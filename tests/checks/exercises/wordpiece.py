"""Right answers to wordpiece, and wrong ones."""

from attnlib.checks.exercises.wordpiece import EXERCISE, UNKNOWN, numbered, taken_back

QUICK = True  # the only one whose inputs and answer are strings


def by_recursion(word, vocabulary):
    found = rest(word, vocabulary, "")
    return found if all(found) else [UNKNOWN]


def rest(word, vocabulary, front):
    if not word:
        return []
    ends = range(len(word), 0, -1)
    end = next((end for end in ends if front + word[:end] in vocabulary), 0)
    return [front + word[:end], *rest(word[end:], vocabulary, "##")] if end else [""]


def by_shortening(word, vocabulary):
    pieces, left = [], word
    while left:
        tried = left
        while tried and (tried if left is word else f"##{tried}") not in vocabulary:
            tried = tried[:-1]
        if not tried:
            return (UNKNOWN,)
        pieces += [tried if left is word else f"##{tried}"]
        left = left[len(tried) :]
    return tuple(pieces)


VARIANTS = (by_recursion, by_shortening)


KNOBS = {"signs": ("#",)}


def wrong():
    answer, kept = EXERCISE.answer, {}
    changes = {
        "words above 50 letters are unknown": lambda w, v: w if len(w) <= 50 else "?",
        "words of one letter are unknown": lambda w, v: w if len(w) > 1 else "?",
        "the first 20 letters alone": lambda w, v: w[:20],
        "the last letter left out": lambda w, v: w[:-1] or w,
    }
    for label, change in changes.items():
        yield label, lambda w, v, change=change: answer(change(w, v), v)
    yield "a shorter piece where the rest has none", taken_back.function
    yield "kept for the word", lambda w, v: kept.setdefault(w, answer(w, v))
    yield "each piece once", lambda w, v: list(dict.fromkeys(answer(w, v)))
    yield "in the order of the alphabet", lambda w, v: sorted(answer(w, v))
    yield "signs on all pieces", lambda w, v: [f"##{p.lstrip('#')}" for p in answer(w, v)]
    for most in (8, 20, 60):
        yield (
            f"no piece above {most} letters",
            lambda w, v, k=most: answer(
                w, {piece: row for piece, row in v.items() if len(piece) <= k}
            ),
        )


def test_the_numbers_of_a_vocabulary_make_no_difference():
    vocabulary = numbered("saw", "##s")
    turned_round = {piece: -row for piece, row in vocabulary.items()}
    assert EXERCISE.answer("saws", turned_round) == EXERCISE.answer("saws", vocabulary)
