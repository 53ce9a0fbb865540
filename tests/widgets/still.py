"""What stands on the paper of a still picture, for tests to read."""

from itertools import combinations

from attnlib.pictures.paper import STILL


def written(paper, **facts):
    """Return the words with these facts (color, size, …), without those at the foot."""
    found = [word for word in paper.words if word.words != STILL]
    return [word for word in found if all(getattr(word, k) == v for k, v in facts.items())]


def texts(paper, **facts):
    """Return what `written` does, as str."""
    return [word.words for word in written(paper, **facts)]


def shapes(paper, kind, color=None):
    """Return the shapes of a kind, of one colour if one is given."""
    of_kind = [shape for shape in paper.shapes if shape.kind == kind]
    return [shape for shape in of_kind if color in (None, shape.color)]


def bar_lengths(paper, color):
    """Return how long the bars of a colour are, from above."""
    boxes = [box.points for box in shapes(paper, "box", color)]
    return [
        float(corners[1, 0] - corners[0, 0]) for corners in boxes if round(height(corners)) == 16
    ]


def height(corners):
    return corners[1, 1] - corners[0, 1]


def clashes(paper):
    """Return the pairs of words that run into each other, by more than the rim of a letter."""
    boxed = [(word.words, word.box) for word in paper.words]
    return [(a, b) for (a, x), (b, y) in combinations(boxed, 2) if overlap(x, y)]


def overlap(x, y):
    across = min(x[2], y[2]) - max(x[0], y[0])
    along = min(x[3], y[3]) - max(x[1], y[1])
    return across > 1 and along > 2


def cut_off(paper):
    """Return the words of which a part lies outside the paper."""
    return [
        word.words
        for word in paper.words
        for left, top, right, bottom in [word.box]
        if left < 0 or top < 0 or right > paper.width or bottom > paper.height
    ]


def is_readable(paper):
    """Assert that no word runs into another or over the paper's edge."""
    assert cut_off(paper) == []
    assert clashes(paper) == []
