"""The record of a training that never was: made up, for tests of the widget `Learning`.

Every ambiguous word finds the word that decides what it is, the first of its chunk, as the steps go
by; each seed in its own time. The second model never learns.
"""

import numpy as np

from attnlib.widgets._packing import COARSE

VERBS = {"I": 1, "you": 1, "a": 0, "the": 0}  # what a word makes of the next ambiguous one
AMBIGUOUS = ("saw", "duck", "fish")
STEPS = (0, 1, 2, 5, 10, 20, 30, 40, 60, 90, 150)
SENTENCES = ("I um er saw a well oh saw", "the duck", "a um um duck you saw a oh er er fish")
N_SEEDS = 3


def made_up(sentences=SENTENCES, steps=STEPS, n_seeds=N_SEEDS, *, whole=True):
    """Return a record, with weights in whole steps of 1/255 or as floats."""
    models = ["attention", "word by word"]
    record = {"steps": np.array(steps), "models": np.array(models)}
    record["sentences"] = np.array(sentences)
    places = np.linspace(0, 1, len(steps))
    known = np.array([1 / (1 + np.exp(-14 * (places - 0.4 - 0.1 * s))) for s in range(n_seeds)])
    for model in models:
        learned = known if model == "attention" else 0 * known  # (n_seeds, n_steps)
        record[f"loss/{model}"] = np.log(2) * (1 - learned) + 0.01
        record[f"accuracy/{model}"] = 0.5 + 0.498 * learned
        for sentence in sentences:
            decider, truth = decided(sentence.split())
            record[f"truth/{sentence}"] = truth
            weights, verb = attended(decider, truth, learned)
            record[f"votes/{model}/{sentence}"] = voted(sentence.split(), learned)
            weights = np.rint(COARSE * weights).astype(np.uint8) if whole else weights
            record[f"weights/{model}/{sentence}"], record[f"verb/{model}/{sentence}"] = (
                weights,
                verb,
            )
    return record


def decided(words):
    """Return the place that decides each word, or -1; and what is right, 1, 0 or -1."""
    decider, truth, start = np.full(len(words), -1), np.full(len(words), -1), 0
    for i, word in enumerate(words):
        start = i if word in VERBS else start
        if word in AMBIGUOUS:
            decider[i], truth[i] = start, VERBS[words[start]]
    return decider, truth


def voted(words, learned):
    """Return what each word votes for, (n_seeds, n_steps, n): those that decide, more and more."""
    sides = np.array([2 * VERBS[word] - 1 if word in VERBS else 0 for word in words])
    return 0.5 + 0.49 * sides * learned[..., None]


def attended(decider, truth, learned):
    """Return weights (n_seeds, n_steps, n, n) and the probability of a verb (n_seeds, n_steps, n).

    From even ones over all words so far to one at the decider, as much as is learned.
    """
    n = len(decider)
    even = np.tril(np.ones((n, n))) / np.arange(1, n + 1)[:, None]
    found = np.where(decider[:, None] < 0, even, np.eye(n)[decider])
    share = 0.95 * learned[..., None, None]
    sure = 0.48 * learned[..., None]
    verb = np.where(truth < 0, 0, 0.5 + np.where(truth == 1, sure, -sure))
    return (1 - share) * even + share * found, verb
