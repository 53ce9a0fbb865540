"""Right answers to rotate, and wrong ones."""

import math

import numpy as np

import attnlib
from attnlib.checks.exercises.rotate import EXERCISE, angles, turn

QUICK = True


def rotate_by_complex(x, positions):
    d = x.shape[1]
    turn = np.exp(1j * positions[:, None] * 10000.0 ** (-np.arange(0, d, 2) / d))
    z = (x[:, ::2] + 1j * x[:, 1::2]) * turn
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


def rotate_by_loop(x, positions):
    out = x.tolist()
    for row, p in zip(out, positions.tolist(), strict=True):
        for i in range(0, len(row), 2):
            angle, (a, b) = p / 10000 ** (i / len(row)), row[i : i + 2]
            row[i] = a * math.cos(angle) - b * math.sin(angle)
            row[i + 1] = a * math.sin(angle) + b * math.cos(angle)
    return out


VARIANTS = (rotate_by_complex, rotate_by_loop)


def with_halves(x, positions):
    """The partner of another model's layout, with the angles of this one."""
    angle = np.repeat(angles(x, positions), 2, axis=1)
    first, second = x[:, : x.shape[1] // 2], x[:, x.shape[1] // 2 :]
    return x * np.cos(angle) + np.hstack([-second, first]) * np.sin(angle)


def with_angles_of_halves(x, positions):
    """The angles of another model's layout, with the partner of this one."""
    angle, partner = np.tile(angles(x, positions), (1, 2)), np.zeros(x.shape)
    partner[:, 0::2], partner[:, 1::2] = -x[:, 1::2], x[:, 0::2]
    return x * np.cos(angle) + partner * np.sin(angle)


NAMED = (
    (with_halves, "partners by halves, angles by neighbours"),
    (with_angles_of_halves, "partners by neighbours, angles by halves"),
)


def wrong():
    changes = {
        "rounded": np.round,
        "rounded down": np.floor,
        "rounded up": np.ceil,
        "sorted": np.sort,
        "from the first": lambda p: p - p[:1],
        "from the smallest": lambda p: p - p.min(),
        "counted": lambda p: np.arange(len(p)),
        "ranked": lambda p: p.argsort().argsort(),
        "modulo 100": lambda p: p % 100,
        "at most 100": lambda p: np.minimum(p, 100),
        "in halves": lambda p: np.round(2 * p) / 2,
        "added up": np.cumsum,
    }
    for label, change in changes.items():
        yield label, lambda x, p, change=change: attnlib.rotate(x, change(np.asarray(p, float)))

    def looked_up(x, p):
        return turn(x, angles(x, np.arange(1000))[np.asarray(p).astype(int)])

    yield "looked up in a table", looked_up


def test_positions_lie_between_whole_numbers_and_none_is_negative():
    positions = [p for case in EXERCISE.all_cases() for p in case.inputs[1]]
    assert min(positions) == 0, "negative positions are promised nowhere"
    assert any(p % 1 for p in positions)


def test_the_solution_takes_whole_numbers():
    x, positions = np.array([[1, 0, 3, 4]]), np.array([2])
    assert np.allclose(EXERCISE.solution(x, positions), attnlib.rotate(x, positions))
