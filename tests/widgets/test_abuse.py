"""What people hand to widgets, of all kinds, is shown; and widgets in boxes, tied to each other."""

import json
import warnings

import ipywidgets
import numpy as np
import pytest

from attnlib.widgets import (
    Alignment,
    DotProduct,
    Heads,
    Learning,
    Mask,
    Positions,
    Reach,
    Scaling,
    SelfAttention,
    Softmax,
    Writer,
)
from attnlib.widgets._models import SHAPES
from tests.lessons import quickly
from tests.widgets.still import is_readable
from tests.widgets.training import made_up

TWO = ["a", "b"]
EYE = np.eye(2)
HALVES = np.full((3, 2, 2), 0.5)
RNG = np.random.default_rng(0)


class Foreign:
    """An array of another library: NumPy can read it."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype=dtype)


class Gradient:
    """A tensor that holds a gradient: NumPy reads it when it is detached, and from the device."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")

    def detach(self):
        return Foreign(self.values)


def of_words(n):
    return [f"w{i}" for i in range(n)]


def rows_of(n):
    return RNG.dirichlet(np.ones(n), n)


def learned(sentence, **changes):
    """Return a training of one sentence, in three steps, with some of its parts changed."""
    return Learning(made_up([sentence], [0, 9, 20], 1) | changes)


def plugged(function):
    return SelfAttention(EYE, EYE, EYE, words=TWO, attention=function)


GOOD = {
    # numbers of all kinds
    "a list of ints": lambda: Softmax([1, 2]),
    "a tuple": lambda: Softmax((1, 2.5)),
    "a range": lambda: Softmax(range(3)),
    "bools": lambda: Softmax([True, False]),
    "int8": lambda: Softmax(np.int8([1, 2])),
    "uint64": lambda: Softmax(np.uint64([1, 2])),
    "float16": lambda: Softmax(np.float16([0.1, 2])),
    "float32": lambda: Softmax(np.float32([0.1, 2])),
    "a foreign array": lambda: Softmax(Foreign([1.0, 2.0])),
    "a gradient": lambda: Softmax(Gradient([1.0, 2.0]), temperature=Gradient(2.0)),
    "gradients in a list": lambda: Softmax([0, Gradient(2.0)]),
    "gradients as rows": lambda: Alignment([Gradient([0.5, 0.5])], ["a"], TWO),
    "gradients as arrows": lambda: DotProduct(Gradient([1, 2]), Gradient([2, 1])),
    "gradients as vectors": lambda: SelfAttention(*[Gradient(EYE)] * 3, words=TWO),
    "gradients and a mask": lambda: Mask(*[Gradient(EYE)] * 3, words=TWO, mask=Foreign(EYE > 0)),
    "gradients as positions": lambda: Positions(Gradient(EYE)),
    "gradients to reach": lambda: Reach(TWO, scores=Gradient(EYE)),
    "a training of gradients": lambda: Learning(
        {
            name: Gradient(x) if np.asarray(x).dtype.kind == "f" else x
            for name, x in made_up().items()
        }
    ),
    "a function's gradient": lambda: plugged(lambda query, key, value: Gradient(value)),
    "a view with strides": lambda: Softmax(np.arange(6.0)[::-2]),
    "a transposed array": lambda: Alignment(EYE.T, TWO, TWO),
    "big-endian floats": lambda: Softmax(np.array([1, 2], ">f8")),
    "a read-only array": lambda: Softmax(np.broadcast_to(1.0, (3,))),
    "Fortran's order": lambda: Heads(np.asfortranarray(HALVES), TWO),
    "one score": lambda: Softmax([5]),
    "scores at both limits": lambda: Softmax([-100, 100]),
    "minus zero": lambda: Softmax([-0.0, 0.0]),
    "the smallest of numbers": lambda: Softmax([5e-324, 0]),
    "forty scores": lambda: Softmax(np.linspace(-5, 5, 40)),
    "the lowest temperature": lambda: Softmax([1, 2], temperature=0.01),
    "the highest temperature": lambda: Softmax([1, 2], temperature=100),
    "NumPy's own numbers": lambda: Softmax([1, 2], temperature=np.float32(2), shift=np.int8(3)),
    "an array of no axes as number": lambda: Softmax([1, 2], temperature=np.array(2.0)),
    "NumPy's own bool": lambda: Softmax([1, 2], naive=np.True_),
    "nan weights": lambda: Softmax([90, 100], shift=1000, naive=True),
    "a model of gradients": lambda: Writer(
        ["the"], {"mine": {name: Gradient(np.ones(shape)) for name, shape in SHAPES.items()}}
    ),
    # words of all kinds
    "words of a generator": lambda: Softmax([1, 2], (word for word in TWO)),
    "words of an array": lambda: Softmax([1, 2], np.array(TWO)),
    "words of a dict": lambda: Softmax([1, 2], {"a": 1, "b": 2}),
    "the same word twice": lambda: Softmax([1, 2], ["a", "a"]),
    "empty words": lambda: Softmax([1, 2], ["", " "]),
    "words with newlines": lambda: Softmax([1, 2], ["a\nb", "c\r\n\td"]),
    "words with control characters": lambda: Softmax([1, 2], ["\x00", "\x1b[31m"]),
    "half a surrogate": lambda: Softmax([1, 2], ["\ud800", "b"]),
    "a family of emoji": lambda: Softmax([1, 2], ["👩‍👩‍👧", "🇩🇪"]),
    "from right to left": lambda: Heads(HALVES, ["שלום", "مرحبا"]),
    "Chinese": lambda: Mask(EYE, EYE, EYE, words=["注意力", "机制"]),
    "marks upon marks": lambda: Softmax([1, 2], ["Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A", "b"]),
    "HTML": lambda: Heads(HALVES, ["<script>alert(1)</script>", "&lt;"]),
    "dollars and backslashes": lambda: Alignment(EYE, [r"$\alpha$", "\\"], ["%s", "{}"]),
    "very long words": lambda: SelfAttention(EYE, EYE, EYE, words=["W" * 500, "w" * 500]),
    "a line separator": lambda: Softmax([1, 2], ["a\u2028b", "c\u0085d"]),
    # sizes
    "one word": lambda: SelfAttention([[1]], [[1]], [[1]], words=["a"]),
    "forty words": lambda: Alignment(rows_of(40), of_words(40), of_words(40)),
    "forty words, one source": lambda: Alignment(np.ones((40, 1)), of_words(40), ["s"]),
    "sixteen heads": lambda: Heads([rows_of(40)] * 16, of_words(40)),
    "sixty-four features": lambda: SelfAttention(*RNG.normal(size=(3, 40, 64)), words=of_words(40)),
    "a mask of forty": lambda: Mask(*RNG.normal(size=(3, 40, 2)), words=of_words(40)),
    "thirty-two heads": lambda: Heads([rows_of(5)] * 32, of_words(5)),
    "twenty-four layers": lambda: Heads([[rows_of(9)] * 16] * 24, of_words(9), layer=23),
    "one head alone": lambda: Heads(EYE, TWO),
    "a batch of one": lambda: Heads(np.ones((1, 1, 1, 1, 1)), ["a"]),
    "a tuple of layers": lambda: Heads(tuple(HALVES[None] for _ in range(6)), TWO, layer=5),
    "a hundred words": lambda: Heads([rows_of(100)] * 2, of_words(100), word=99),
    "all heads off": lambda: Heads(HALVES, TWO, HALVES, off=range(len(HALVES))),
    "a head off twice": lambda: Heads(HALVES, TWO, off=(2, 0, 2)),
    "one position": lambda: Positions(n_positions=1),
    "all positions": lambda: Positions(n_positions=512, first=511, second=0),
    "two features": lambda: Positions(d_model=2),
    "one learned row": lambda: Positions([[1.0]], scheme="learned"),
    "learned rows of zeros": lambda: Positions(np.zeros((3, 2)), scheme="learned"),
    "twenty words that are reached": lambda: Reach(of_words(20), kind="gated"),
    "a window wider than the words": lambda: Reach(TWO, 0, "windowed", 11, 12),
    "scores at their ends": lambda: Reach(TWO, scores=100 * (2 * EYE - 1), sharpness=16),
    "a width by its place": lambda: Scaling(64),
    "the least width": lambda: Scaling(1),
    "the greatest seed": lambda: Scaling(seed=2**32 - 1),
    "arrows of no length": lambda: DotProduct([0, 0], [0, 0]),
    "arrows to the corners": lambda: DotProduct([5, -5], [-5, 5]),
    "rows that see nothing": lambda: Heads(np.zeros((2, 2, 2)), TWO),
    "every key hidden": lambda: Alignment([[-np.inf, -np.inf]], ["a"], TWO),
    "a training of one step": lambda: Learning(made_up(steps=[7], n_seeds=1)),
    "a training of one word": lambda: learned("the"),
    "a training of nothing ambiguous": lambda: learned("I um er"),
    "a training of forty words": lambda: learned(f"a {'um ' * 38}saw"),
    "a training of very long words": lambda: learned(f"I {'W' * 500} saw"),
    "a training of odd words": lambda: learned("I <script>alert(1)</script> مرحبا 注意力 saw"),
    "a training in lists": lambda: Learning(
        {name: x.tolist() for name, x in made_up(whole=False).items()}
    ),
    "a training that saw nothing": lambda: learned(
        "a saw", **{"weights/attention/a saw": np.zeros((1, 3, 2, 2))}
    ),
    "a training without loss": lambda: learned("a saw", **{"loss/attention": np.zeros((1, 3))}),
    "a mask that hides all": lambda: Mask(EYE, EYE, EYE, words=TWO, mask=np.zeros((2, 2), bool)),
    "a mask that hides nothing": lambda: Mask(EYE, EYE, EYE, words=TWO, mask=[[True] * 2] * 2),
    "numbers of a million": lambda: SelfAttention(1e6 * EYE, -1e6 * EYE, EYE, words=TWO),
    "vectors of zeros": lambda: SelfAttention(*np.zeros((3, 2, 9)), words=TWO, step="mix"),
    # functions
    "a function that raises": lambda: plugged(lambda query, key, value: 1 / 0),
    "a function that returns itself": lambda: plugged(lambda query, key, value: plugged),
    "a class as function": lambda: plugged(dict),
    "a function of nan": lambda: plugged(lambda query, key, value: value * np.nan),
    "softmax's own": lambda: Softmax([1, 2], softmax=lambda scores: scores / scores.sum()),
}


@pytest.mark.parametrize("case", quickly([*GOOD], takes=range(0, len(GOOD), 4)))
def test_what_fits_is_shown(case):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "Plots and still pictures show boxes")  # of its fonts
        widget = GOOD[case]()
        data, metadata = widget._repr_mimebundle_()
    assert data["image/png"]
    assert len(metadata["image/png"]["alt"]) > 40
    state = widget.recorded()
    assert json.loads(json.dumps(state, allow_nan=False)) == json.loads(json.dumps(state))
    json.dumps(widget.get_state(), allow_nan=False, default=str)
    if case != "marks upon marks":
        is_readable(widget._draw())


@pytest.mark.parametrize("box", [ipywidgets.HBox, ipywidgets.VBox, ipywidgets.Tab])
def test_widgets_stand_in_boxes(box):
    made = [make() for make in list(GOOD.values())[:3]]
    held = box([*made, DotProduct(), Scaling()])
    assert len(held.children) == 5
    assert held.get_state()["children"]


def test_numbers_of_two_widgets_are_linked_in_python_and_in_the_browser():
    one, other = Softmax([1, 2]), Softmax([3, 1])
    ipywidgets.link((one, "temperature"), (other, "temperature"))
    one.temperature = 5
    assert other.temperature == 5
    told = ipywidgets.FloatText()
    ipywidgets.jsdlink((one, "entropy"), (told, "value"))
    ipywidgets.dlink((one, "entropy"), (told, "value"))
    assert told.value == one.entropy


@pytest.mark.parametrize("tie", [ipywidgets.link, ipywidgets.dlink])
def test_arrays_of_two_widgets_are_linked(tie):
    one, other = Softmax([1, 2]), Softmax([3, 1])
    tied = tie((one, "scores"), (other, "scores"))
    assert other.scores.tolist() == [1, 2]
    one.scores = [5, 6]  # by code
    assert other.scores.tolist() == [5, 6]
    one.set_state({"scores": [5.0, None]})  # by hand
    assert other.scores.tolist() == [5, -np.inf]
    other.scores = [8, 8]
    both = tie is ipywidgets.link
    assert one.scores.tolist() == ([8, 8] if both else [5, -np.inf])
    tied.unlink()
    other.scores = one.scores = [0, 0]
    one.scores = [7, 7]
    assert other.scores.tolist() == [0, 0]
    assert type(one.scores) is np.ndarray


def test_a_ring_of_links_ends_and_each_observer_hears_once():
    ring, heard = [Softmax([i, 2 * i]) for i in range(3)], []
    for nth, widget in enumerate(ring):
        ipywidgets.link((widget, "scores"), (ring[nth - 1], "scores"))
        ipywidgets.dlink((widget, "scores"), (ring[nth - 1], "scores"))
        widget.observe(heard.append, "weights")
    heard.clear()
    ring[1].scores = [9, 2]
    assert [widget.scores.tolist() for widget in ring] == [[9, 2]] * 3
    assert sorted(ring.index(change.owner) for change in heard) == [0, 1, 2]


def test_a_links_transform_computes_with_arrays():
    one, heads = Softmax([1, 2]), Heads(EYE, TWO)
    ipywidgets.dlink((one, "weights"), (heads, "weights"), lambda w: np.stack([w, w])[None])
    ipywidgets.link((one, "scores"), (Softmax([0, 0]), "scores"), (lambda x: x * (x != 2), abs))
    one.scores = [3, 2]
    assert np.abs(heads.weights[0] - one.weights).max() < 1e-4


def test_a_layout_is_taken_by_every_constructor():
    layout = ipywidgets.Layout(width="500px")
    for kind in (DotProduct, Positions, Reach, Scaling):
        assert kind(layout=layout).layout is layout
    for kind in (Mask, SelfAttention):
        assert kind(EYE, EYE, EYE, words=TWO, layout=layout).layout is layout
    assert Alignment(EYE, TWO, TWO, layout=layout).layout is layout
    assert Heads(EYE, TWO, layout=layout).layout is layout
    assert Learning(made_up(), layout=layout).layout is layout
    assert Softmax([1, 2], layout={"width": "500px"}).layout.width == "500px"


def test_interactive_output_shows_a_widget_as_it_is_changed():
    slider, seen = ipywidgets.IntSlider(1, 1, 5), []
    widget = Scaling()
    ipywidgets.interactive_output(lambda d: widget.set(d=d) or seen.append(widget.d), {"d": slider})
    slider.value = 3
    assert seen[-1] == 3
