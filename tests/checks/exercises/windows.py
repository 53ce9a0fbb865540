"""Right answers to windows, and wrong ones."""

import numpy as np

from attnlib.checks.exercises.windows import EXERCISE


def one_by_one(ids, starts, n):
    asked = [[int(ids[start + i]) for i in range(n)] for start in starts]
    due = [[int(ids[start + i + 1]) for i in range(n)] for start in starts]
    return np.array(asked), np.array(due)


def of_longer_rows(ids, starts, n):
    rows = np.stack([ids[start : start + n + 1] for start in starts])
    return rows[:, :-1], rows[:, 1:]


def by_a_view(ids, starts, n):
    rows = np.lib.stride_tricks.sliding_window_view(ids, n + 1)[starts]
    return rows[..., :n], rows[..., 1:]


VARIANTS = (one_by_one, of_longer_rows, by_a_view)


KNOBS = {
    "first": (2,),
    "ahead": (3,),
    "steps": (lambda n: np.arange(n)[::-1],),
}


HARMLESS = dict.fromkeys(
    [f"wrong where n_letters is {where}" for where in ("1", "below n", "at n")],
    "a text is longer than its windows",
)


def wrong():
    answer = EXERCISE.answer
    yield "starts in order", lambda ids, starts, n: answer(ids, np.sort(starts), n)
    yield "never the last", lambda ids, starts, n: answer(ids, starts.clip(max=len(ids) - n - 2), n)
    yield "never the first", lambda ids, starts, n: answer(ids, starts.clip(min=1), n)
