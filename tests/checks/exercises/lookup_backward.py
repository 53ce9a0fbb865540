"""Right answers to lookup_backward, and wrong ones."""

import numpy as np

from attnlib.checks.exercises.lookup_backward import EXERCISE
from tests.checks.sweep import spoiled


def looked_up_by_loop(grad_x, words, n_words):
    table = [[0.0] * grad_x.shape[-1] for _ in range(n_words)]
    for place in np.ndindex(words.shape):
        table[words[place]] = [
            a + b for a, b in zip(table[words[place]], grad_x[place], strict=True)
        ]
    return table


def looked_up_word_by_word(grad_x, words, n_words):
    return np.array([grad_x[words == word].sum(axis=0) for word in range(n_words)])


def looked_up_by_counting(grad_x, words, n_words):
    columns = grad_x.reshape(words.size, grad_x.shape[-1]).T
    return np.transpose([np.bincount(words.ravel(), c, minlength=n_words) for c in columns])


def looked_up_by_product(grad_x, words, n_words):
    spots, leading = np.eye(n_words)[words], [*range(words.ndim)]
    return np.tensordot(spots, grad_x, axes=(leading, leading))


VARIANTS = (looked_up_by_loop, looked_up_word_by_word, looked_up_by_counting, looked_up_by_product)


KNOBS = {
    "sent": (np.square,),
    "add": (lambda spots, rows: np.cumsum(spots.T @ rows, axis=0),),
    "share": (lambda spots: max(len(spots), 1),),
}


HARMLESS = {
    "the first of a batch for all": "the table has no batch",
    "leading axes joined": "the table has none",
}


def wrong():
    answer = EXERCISE.answer

    yield "each word one further", lambda g, words, n: answer(g, (words + 1) % n, n)
    yield "a word twice at most", lambda g, words, n: np.clip(answer(g, words, n), -9, 9)
    yield "the last word left out", lambda g, w, n: answer(g * (w < n - 1)[..., None], w, n)
    yield spoiled(EXERCISE, "wrong for one word alone", lambda g, words, n: len({*words.flat}) == 1)


def added_at_once(grad_x, words, n_words):
    grad_vectors = np.zeros((n_words, grad_x.shape[-1]))
    grad_vectors[words] += grad_x
    return grad_vectors


def into_whole_numbers(grad_x, words, n_words):
    grad_vectors = np.zeros((n_words, grad_x.shape[-1]), dtype=int)
    for place in np.ndindex(words.shape):
        grad_vectors[words[place]] = grad_vectors[words[place]] + grad_x[place]
    return grad_vectors


NAMED = (
    (added_at_once, "last place alone"),
    (into_whole_numbers, "table of whole numbers"),
)
