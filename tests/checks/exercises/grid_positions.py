"""Right answers to grid_positions, and wrong ones."""

import functools
import math

import numpy as np

from attnlib.checks.exercises.grid_positions import EXERCISE, places, turned
from tests.checks.by_hand import sinusoids_by_loop, sinusoids_by_phase
from tests.checks.knobs import set_to
from tests.checks.sweep import spoiled


def grid_by_loop(n_rows, n_columns, d_model):
    rows = sinusoids_by_loop(n_rows, d_model // 2)
    columns = sinusoids_by_loop(n_columns, d_model // 2)
    return [row + column for row in rows for column in columns]


def grid_by_entry(n_rows, n_columns, d_model):
    half, table = d_model // 2, []
    for patch in range(n_rows * n_columns):
        place = patch // n_columns, patch % n_columns
        table.append([])
        for f in range(d_model):
            angle = place[f // half] / 10000 ** (f % half // 2 * 2 / half)
            table[-1].append(math.cos(angle) if f % 2 else math.sin(angle))
    return table


def grid_by_fill(n_rows, n_columns, d_model):
    half = d_model // 2
    grid = np.empty((n_rows, n_columns, d_model))
    grid[..., :half] = sinusoids_by_phase(n_rows, half)[:, None]
    grid[..., half:] = sinusoids_by_phase(n_columns, half)
    return grid.reshape(-1, d_model)


def grid_by_meshgrid(n_rows, n_columns, d_model):
    row, column = np.meshgrid(np.arange(n_rows), np.arange(n_columns), indexing="ij")
    table = sinusoids_by_phase(max(n_rows, n_columns), d_model // 2)
    return np.concatenate([table[row.ravel()], table[column.ravel()]], axis=1)


def grid_by_complex(n_rows, n_columns, d_model):
    place = np.stack(np.divmod(np.arange(n_rows * n_columns), n_columns), axis=1)
    speed = np.exp(-np.log(10000.0) * np.arange(0, d_model, 4) / d_model)
    hands = 1j * np.exp(-1j * place[..., None] * speed)  # sine + i cosine
    return np.stack([hands.real, hands.imag], axis=-1).reshape(len(place), d_model)


def grid_by_kron(n_rows, n_columns, d_model):
    row, column = (sinusoids_by_phase(n, d_model // 2) for n in (n_rows, n_columns))
    return np.hstack([np.kron(row, np.ones((n_columns, 1))), np.kron(np.ones((n_rows, 1)), column)])


VARIANTS = (
    grid_by_loop,
    grid_by_entry,
    grid_by_fill,
    grid_by_meshgrid,
    grid_by_complex,
    grid_by_kron,
)


def hands(positions, d_model, base=10_000.0):
    angle = np.asarray(positions, float)[:, None] * base ** -(np.arange(0, d_model, 4) / d_model)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(len(angle), -1)


KNOBS = {"table": (lambda *x: hands(*x, base=1.0), lambda *x: hands(*x, base=1e-4))}


def wrong():
    answer = EXERCISE.answer

    def placed(change):
        def at(n_rows, n_columns):
            return change(*places(n_rows, n_columns), n_rows, n_columns)

        return set_to(turned, {"at": at, "table": hands})

    for most in (3, 10, 100, 200, 300, 500):
        yield f"rows at most {most}", placed(lambda r, c, n, m, k=most: (np.minimum(r, k), c))
        yield f"columns at most {most}", placed(lambda r, c, n, m, k=most: (r, np.minimum(c, k)))
        yield f"rows again after {most}", placed(lambda r, c, n, m, k=most: (r % k, c))
        yield f"columns again after {most}", placed(lambda r, c, n, m, k=most: (r, c % k))
    changes = {
        "from the middle": lambda r, c, n, m: (r - n // 2, c - m // 2),
        "from the bottom": lambda r, c, n, m: (n - 1 - r, c),
        "from the right": lambda r, c, n, m: (r, m - 1 - c),
        "between 0 and 1": lambda r, c, n, m: (r / n, c / m),
        "up to 1": lambda r, c, n, m: (r / max(n - 1, 1), c / max(m - 1, 1)),
        "the middles of patches": lambda r, c, n, m: (r + 0.5, c + 0.5),
        "there and back": lambda r, c, n, m: (r, np.where(r % 2, m - 1 - c, c)),
        "a step a patch": lambda r, c, n, m: (r, c + r * m),
        "a step a row": lambda r, c, n, m: (r * m, c),
        "diagonals": lambda r, c, n, m: (r + c, r - c),
        "distance from the corner": lambda r, c, n, m: (r, np.hypot(r, c)),
        "as the longer side lies": lambda r, c, n, m: (r, c) if n <= m else (c, r),
        "as wide as high": lambda r, c, n, m: np.divmod(np.arange(n * m), round((n * m) ** 0.5)),
        "as wide as the longer side": lambda r, c, n, m: np.divmod(np.arange(n * m), max(n, m)),
        "as wide as the shorter side": lambda r, c, n, m: np.divmod(np.arange(n * m), min(n, m)),
        "read by columns": lambda r, c, n, m: np.divmod(np.arange(n * m), n)[::-1],
    }
    for label, change in changes.items():
        yield label, placed(change)
    for base in (1_000.0, 100.0, 5_000.0, 20_000.0):
        yield f"base {base}", set_to(turned, {"table": functools.partial(hands, base=base)})
    kept = {}
    yield "kept for the shape", lambda n, m, d: kept.setdefault((n * m, d), answer(n, m, d))
    yield "axes of length 1 dropped", lambda n, m, d: np.squeeze(answer(n, m, d))
    yield "in float16", lambda n, m, d: answer(n, m, d).astype(np.float16)
    yield "halves exchanged", lambda n, m, d: np.roll(answer(n, m, d), d // 2, axis=1)
    yield "one feature on", lambda n, m, d: np.roll(answer(n, m, d), 1, axis=1)
    yield "features in reverse order", lambda n, m, d: answer(n, m, d)[:, ::-1]
    yield "rounded to 3 decimals", lambda n, m, d: np.round(answer(n, m, d), 3)
    yield spoiled(EXERCISE, "wrong for one row", lambda n, m, d: n == 1)
    yield spoiled(EXERCISE, "wrong for one column", lambda n, m, d: m == 1)
    yield spoiled(EXERCISE, "wrong for one patch", lambda n, m, d: n * m == 1)
    yield spoiled(EXERCISE, "wrong for four features", lambda n, m, d: d == 4)
    yield spoiled(EXERCISE, "wrong for a square", lambda n, m, d: n == m)
    yield spoiled(EXERCISE, "wrong for n_rows * n_columns as d_model", lambda n, m, d: n * m == d)
