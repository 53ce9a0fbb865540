"""Right answers to generate, and wrong ones."""

import numpy as np

import attnlib
from attnlib.checks.exercises import sample
from attnlib.checks.exercises.generate import EXERCISE, answer, normed, relu, step


def step_by_step(letter, keys, values, model, temperature, u):
    kept, written = [*zip(keys, values, strict=True)], []
    for one in u:
        logits, kept = step(letter, kept, model)
        letter = int(sample.answer(logits / temperature, one))
        written.append(letter)
    return np.array(written), np.stack([k for k, _ in kept]), np.stack([v for _, v in kept])


def head_by_head(letter, keys, values, model, temperature, u):
    n_layers, n_heads, n, d_head = keys.shape
    room = np.zeros((2, n_layers, n_heads, n + len(u), d_head))
    room[0, ..., :n, :], room[1, ..., :n, :] = keys, values
    written = []
    for place, one in enumerate(u, start=n):
        x = model["letters"][letter] + model["places"][place]
        for i in range(n_layers):
            y, brought = normed(x, model, f"heads_{i}"), []
            for h in range(n_heads):
                own = slice(h * d_head, (h + 1) * d_head)
                query, key, value = (
                    y @ model[f"heads_{i}/w_{role}"][:, own] for role in ("query", "key", "value")
                )
                room[0, i, h, place], room[1, i, h, place] = key, value
                weights = attnlib.softmax(room[0, i, h, : place + 1] @ query / np.sqrt(d_head))
                brought.append(weights @ room[1, i, h, : place + 1])
            x = x + np.concatenate(brought) @ model[f"heads_{i}/w_output"]
            y = normed(x, model, f"network_{i}")
            hidden = relu(y @ model[f"network_{i}/w_up"] + model[f"network_{i}/b_up"])
            x = x + hidden @ model[f"network_{i}/w_down"]
        chances = attnlib.softmax(model["letters"] @ normed(x, model, "end") / temperature)
        letter = int((chances.cumsum() <= one * chances.sum()).sum())
        written.append(letter)
    return np.array(written), *room


VARIANTS = (step_by_step, head_by_head)


KNOBS = {
    "draw": (lambda logits, u: logits.argmin(),),
    "next_read": (lambda old, new: 0,),
}


def wrong():
    changes = {
        "at least 0.02": lambda t: max(t, 0.02),
        "at most 50": lambda t: min(t, 50),
        "0.01 added": lambda t: t + 0.01,
    }
    for label, change in changes.items():
        yield (
            f"a temperature {label}",
            lambda a, k, v, m, t, u, change=change: answer(a, k, v, m, change(t), u),
        )
    yield "values for keys", lambda a, k, v, m, t, u: (*answer(a, k, v, m, t, u)[:2], v)
    yield "the last layer left out", lambda a, k, v, m, t, u: answer(a, k[:-1], v[:-1], m, t, u)


def test_temperatures_reach_their_ends():
    temperatures = [inputs[4] for inputs in (case.inputs for case in EXERCISE.all_cases())]
    assert (min(temperatures), max(temperatures)) == (0.01, 100)
