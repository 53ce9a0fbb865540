"""The browser's arithmetic against attnlib's: random cases of both, side by side."""

import json
import math
import re

import numpy as np
import pytest

import attnlib
from attnlib import world
from attnlib.pictures.paper import number
from attnlib.pictures.shades import HEADS, between, shade, tint
from attnlib.pictures.shared import SHARED
from attnlib.widgets import Goal, Heads, Scaling, Writer
from attnlib.widgets._bundle import BUNDLE
from attnlib.widgets._goals import differing
from attnlib.widgets._models import PARTS, UNMASKED
from attnlib.widgets._packing import COARSE, packed
from attnlib.widgets.scaling import uniform
from tests.test_paper import NUMBERS, channels
from tests.widgets.goals import random_move
from tests.widgets.test_base import WIDGETS, make

pytestmark = pytest.mark.needs("chromium")

ROUNDS = 12  # of random inputs for each function
CLOSE = 1e-6
MEASURED = """([name, state, goal]) => {
  const word = (x) => `${x}`.replace("Infinity", "inf");
  const told = (x) => x.map ? [...x].map(told) : Number.isFinite(x) ? x : word(x);
  const numbers = bundle.measured(name, state);
  const there = Object.entries(numbers).filter(([, x]) => x !== null);
  const named = there.map(([name, x]) => [name, told(x)]);
  return [Object.fromEntries(named), bundle.goals.met(goal, numbers, state)];
}"""
SAID = """([name, state]) => {
  const numbers = Object.entries(bundle.measured(name, state)).filter(([, x]) => x !== null);
  const first = (x, place = []) => (x.map ? first(x[0], [...place, 0]) : [x, place]);
  return numbers.flatMap(([quantity, x]) => {
    const [is, place] = first(x);
    const [less, more] = [is - 2.5, is + 2.5];
    const ends = [[more, null], [null, less], [less - 1, less], [more, more]];
    const asked = ends.map(([least, most]) => ({ name: quantity, place, is, least, most, state }));
    return Number.isFinite(is) ? asked.map((one) => bundle.missing(name, one)) : [];
  });
}"""


def words(x):
    """Return numbers as JSON has them; nan and the infinities as words."""
    if isinstance(x, dict):
        return {name: words(value) for name, value in x.items()}
    if isinstance(x, bool | np.bool_ | str) or x is None:
        return x if isinstance(x, str) or x is None else bool(x)
    if isinstance(x, np.ndarray | list | tuple):
        return [words(value) for value in x]
    return float(x) if math.isfinite(x) else {math.inf: "inf", -math.inf: "-inf"}.get(x, "nan")


def numbers(x):
    """Undo `words`, into an array."""
    return np.array(json.loads(json.dumps(x), parse_int=float), dtype=object).astype(float)


def cases():
    """Yield (function, arguments, what attnlib says), new numbers for every round."""
    for seed in range(ROUNDS):
        rng = np.random.default_rng(seed)
        n_queries, n_keys, d_key, d_value, n = rng.integers(1, 9, size=5)
        size = 10.0 ** rng.integers(-2, 3)
        query, key = rng.normal(size=(n_queries, d_key)), rng.normal(size=(n_keys, d_key))
        value = rng.normal(size=(n_keys, d_value))
        scores = size * rng.normal(size=(n_queries, n_keys))
        mask = rng.random((n_queries, n_keys)) < 0.6
        a, b = size * rng.normal(size=(2, d_key))
        b = np.zeros(d_key) if seed == 0 else b
        temperature = 10 ** rng.uniform(-2, 2)
        cosine = attnlib.cosine_similarity(a[None], b[None])[0, 0]

        yield "dot", (a, b), a @ b
        yield "length", (a,), np.linalg.norm(a)
        yield "cosine", (a, b), cosine
        yield "angle", (a, b), np.degrees(np.arccos(cosine)) if b.any() else math.nan
        if b.any():
            yield "projection", (a, b), attnlib.projection(a, b)

        row = np.where(mask[0], scores[0], -math.inf)  # all -inf at times
        yield "softmax", (row, temperature), attnlib.softmax(row, temperature=temperature)
        with np.errstate(all="ignore"):
            naive = np.exp(10 * scores[0] / temperature)
            yield "naiveExponentials", (10 * scores[0], temperature), naive
            yield "naiveSoftmax", (10 * scores[0], temperature), naive / naive.sum()
        weights = attnlib.softmax(scores)
        yield "entropy", (weights[0],), attnlib.entropy(weights[0])
        yield "attentionScores", (query, key), attnlib.attention_scores(query, key)
        hidden = np.where(mask, scores, -math.inf)
        yield "maskedWeights", (scores, mask), attnlib.softmax(hidden)
        yield "weightsMaskedAfter", (scores, mask), weights * mask
        yield "mix", (weights * mask, value), (weights * mask) @ value
        yield "rowSums", (weights * mask,), (weights * mask).sum(axis=1)
        yield "difference", (scores, weights), scores - weights
        yield "rowChanges", (scores, weights), np.abs(scores - weights).max(axis=1)

        row, grads = weights[0], rng.normal(size=n_keys)
        table = np.diag(row) - np.outer(row, row)
        yield "softmaxSlopes", (row,), table
        yield "slopesBack", (table, grads), attnlib.softmax_backward(grads, row)
        right = int(rng.integers(n_keys))
        yield "surprise", (scores[0], right), -np.log(attnlib.softmax(scores[0])[right])

        heads = attnlib.softmax(size * rng.normal(size=(n, n_queries, n_queries)))
        handed = rng.normal(size=(n, n_queries, d_value)) * (rng.random((n, 1, 1)) < 0.9)
        shown = Heads(heads, ["w"] * n_queries, handed)
        yield "mergedShares", (shown.weights, shown.values), shown.shares
        record = shown.recorded()["traits"]["weights"]
        yield "unpacked", (record,), shown.weights.ravel()
        yield "unpacked", (packed(heads, COARSE),), np.rint(COARSE * heads.ravel()) / COARSE

        n, width, first = int(n), int(rng.integers(0, 4)), int(rng.integers(0, n + 1))
        yield "fullMask", (n,), np.ones((n, n))
        yield "causalMask", (n,), attnlib.causal_mask(n)
        yield "windowMask", (n, width), attnlib.window_mask(n, width=width)
        padding = np.broadcast_to(attnlib.padding_mask([first], n)[0], (n, n))
        yield "paddingMask", (n, first), padding
        side = np.arange(n) < first
        yield "packedMask", (n, first), side[:, None] == side

        x, width = rng.normal(), 2 * int(rng.integers(1, 5)) + 1
        yield "sigmoid", (x,), 1 / (1 + np.exp(-x))
        band = attnlib.window_mask(int(n), width=width // 2) / width
        yield "convolutionWeights", (int(n), width), band

        d, base = int(d_key), 10 ** rng.uniform(0.1, 4)
        turns = 2 * np.pi * base ** (np.arange(d) / d)  # one for each pair of 2 d features
        yield "wavelengths", (2 * d, base), turns
        pairs, position = rng.normal(size=2 * d), int(rng.integers(0, 600))
        rotated = attnlib.rotate(pairs[None], [position], base=base)[0]
        yield "rotate", (pairs, position, base), rotated
        slopes = -attnlib.alibi_bias(n, 1, 2)[:, 0, 1]
        yield "alibiSlopes", (n,), slopes

        yield "mean", (scores[0],), scores[0].mean()
        yield "spread", (scores[0],), scores[0].std()
        limit, n_bins = 2 * size, int(rng.integers(1, 12))
        yield "expectedSpread", (d, n, "sqrt n"), np.sqrt(d / n)
        sample = limit * rng.uniform(-1.5, 1.5, size=50)
        counts, _ = np.histogram(sample, n_bins, (-limit, limit))
        yield "histogram", (sample, limit, n_bins), counts


CASES = list(cases())


@pytest.fixture(scope="module")
def arithmetic(chromium):
    """Call functions of arithmetic.js as it ships, in the bundle: (name, arguments) of each.

    All at once, for a question to the browser takes longer than most answers.
    """
    with chromium.visit() as visit:
        visit.page.set_content("<!doctype html><title>arithmetic</title>")
        visit.page.evaluate(
            """async (code) => {
                 const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
                 globalThis.bundle = await import(url);
                 globalThis.arithmetic = bundle.arithmetic;
               }""",
            BUNDLE.read_text(encoding="utf-8"),
        )

        def call(calls):
            answers = visit.page.evaluate(
                """(calls) => {
                     const words = { inf: Infinity, "-inf": -Infinity, nan: NaN };
                     const read = (x) => Array.isArray(x) ? x.map(read) : words[x] ?? x;
                     const told = (x) => ArrayBuffer.isView(x) ? told([...x])
                       : Array.isArray(x) ? x.map(told)
                       : typeof x !== "number" ? x
                       : Number.isFinite(x) ? x : Number.isNaN(x) ? "nan" : x > 0 ? "inf" : "-inf";
                     return calls.map(
                       ([name, given]) => told(arithmetic[name](...given.map(read)))
                     );
                   }""",
                [[name, words(list(arguments))] for name, arguments in calls],
            )
            return map(numbers, answers)

        def sampled(n, seed, how):
            """Half a million numbers stay where they are drawn."""
            return visit.page.evaluate(
                """([n, seed, how]) => {
                     const drawn = arithmetic.normals(n, seed);
                     const scores = arithmetic.sampledScores(drawn, how).flat();
                     return [arithmetic.mean(drawn), arithmetic.spread(drawn), ...scores];
                   }""",
                [n, seed, how],
            )

        call.sampled, call.evaluate = sampled, visit.page.evaluate
        call.names = visit.page.evaluate(
            "Object.keys(arithmetic).filter((name) => typeof arithmetic[name] === 'function')"
        )
        yield call


def test_every_function_agrees_with_attnlib(arithmetic):
    assert len(CASES) >= 200
    largest, answers = 0.0, arithmetic([(name, given) for name, given, _ in CASES])
    for (name, _, expected), found in zip(CASES, answers, strict=True):
        expected = np.asarray(expected, dtype=float)
        found = found if found.size else found.reshape(expected.shape)  # JSON has one empty list
        np.testing.assert_allclose(found, expected, rtol=CLOSE, atol=CLOSE, err_msg=name)
        with np.errstate(invalid="ignore"):
            off = np.abs(found - expected) / np.maximum(1, np.abs(expected))
        largest = max(largest, float(np.nanmax(np.where(np.isfinite(expected), off, 0), initial=0)))
    print(f"{len(CASES)} cases, largest difference {largest:.1e}")


def test_the_sampled_numbers_are_the_same_in_both_worlds(arithmetic):
    for seed, d, divisor in ((0, 1, "none"), (7, 64, "sqrt d"), (8, 511, "d"), (9, 512, "sqrt n")):
        scores = Scaling(d=d, divisor=divisor, seed=seed).scores
        n_queries, n_keys = scores.shape
        how = {"d": d, "dMost": 512, "nQueries": n_queries, "nKeys": n_keys, "divisor": divisor}
        mean, std, *found = arithmetic.sampled(n_queries * (n_keys + 1) * 512, seed, how)
        assert abs(mean) < 0.01
        assert abs(std - 1) < 0.01
        np.testing.assert_allclose(found, scores.ravel(), atol=CLOSE)


def test_colours_are_the_same_in_both_worlds(arithmetic):
    rng = np.random.default_rng(5)
    places = (np.arange(1001) / 1000).tolist()
    colors = [f"#{x:06x}" for x in rng.integers(2**24, size=1000)]
    pairs = [[*colors[k : k + 2], rng.random()] for k in range(0, 1000, 2)]
    tints = [[color, place] for color in HEADS for place in places[::10]]
    found = arithmetic.evaluate(
        """([places, pairs, tints]) => {
             const { between, shade, tint } = bundle.shades;
             const cell = ({ background, color }) => [background, color];
             return {
               ramp: places.map((x) => cell(shade(x))),
               sides: places.map((x) => cell(shade(2 * x - 1, { twoSided: true }))),
               pairs: pairs.map((pair) => between(...pair)),
               tints: tints.map((each) => cell(tint(...each))),
             };
           }""",
        [places, pairs, tints],
    )
    assert list(map(tuple, found["ramp"])) == [shade(x) for x in places]
    assert list(map(tuple, found["sides"])) == [shade(2 * x - 1, two_sided=True) for x in places]
    assert found["pairs"] == [between(*pair) for pair in pairs]
    for (paper, ink), (color, share) in zip(found["tints"], tints, strict=True):
        expected = tint(color, share)
        assert ink == expected[1]
        assert channels(paper) == pytest.approx(channels(expected[0]), abs=1)  # where a half rounds


def test_numbers_are_written_alike_in_both_worlds(arithmetic):
    rng = np.random.default_rng(6)
    sizes = 10.0 ** rng.integers(-8, 8, size=300)
    given = [*((x, decimals) for x, decimals, _ in NUMBERS if math.isfinite(x))]
    given += [(x, k % 5) for k, x in enumerate((sizes * rng.normal(size=300)).tolist())]
    found = arithmetic.evaluate("(given) => given.map((each) => bundle.format(...each))", given)
    assert found == [number(*each) for each in given]


WRITES = """([model, words, off, masked, temperature]) => {
  const ids = words.map((word) => arithmetic.VOCABULARY.indexOf(word));
  const read = arithmetic.readStory(arithmetic.modelOf(model), ids, off, masked, temperature);
  const { exact, wrong } = arithmetic.worldOf(ids);
  const rows = (x) => x.map((row) => [...row]);
  return { chances: [...read.chances], without: rows(read.without), weights: read.looks.map(rows),
    exact, n_possible: wrong < 0 ? ids.length : wrong };
}"""


@pytest.mark.parametrize("nth", range(4))
def test_a_model_writes_the_same_in_both_worlds(arithmetic, nth):
    rng, whole = np.random.default_rng(nth), Writer(["the"])
    model = whole.recorded()["traits"]["models"][nth]
    for n in (1, 2, 7, 18, 31, 48):
        told = world.story(rng, n)
        told = told if n % 2 else [*told[:-1], str(rng.choice(world.VOCABULARY))]
        off = sorted({int(part) for part in rng.integers(len(PARTS), size=n % 4)})
        temperature = float(rng.choice([0.1, 1, 3]))
        whole.set(words=told, model=nth, off=off, temperature=temperature)
        masked = model["name"] != UNMASKED
        found = arithmetic.evaluate(WRITES, [model, told, off, masked, temperature])
        for name, x in found.items():
            np.testing.assert_allclose(x, getattr(whole, name), atol=CLOSE, err_msg=name)


def test_chance_takes_each_word_as_often_as_it_is_likely(arithmetic):
    chances = [0.2, 0, 0.5, 0.3]
    drawn = [("nextWord", (chances, u)) for u in (0, 0.19, 0.21, 0.69, 0.71, 1)]
    found = [int(word) for word in arithmetic(drawn)]
    assert found == [0, 0, 2, 2, 3, 3]
    for seed in (0, 3, 2**32 - 1):
        drawn = [float(x) for x in arithmetic([("uniform", (k, seed)) for k in range(1, 401)])]
        assert drawn == pytest.approx(uniform(np.arange(1, 401), seed).tolist(), abs=1e-15)
        even = np.linspace(0, 1, 400)
        assert np.abs(np.sort(drawn) - even).max() < 0.08  # as even numbers would be
        assert abs(np.corrcoef(drawn[1:], drawn[:-1])[0, 1]) < 0.15


FOLLOWS = """([model, words, off]) => {
  const { VOCABULARY, modelIn, readStory, scoresOf, vectorOf } = arithmetic;
  const arrays = modelIn(model);
  const ids = words.map((word) => VOCABULARY.indexOf(word));
  const { steps } = readStory(arrays, ids, off);
  const scores = (x) => [...scoresOf(x, arrays)];
  return [[vectorOf(ids.at(-1), arrays), ...steps.map(({ sum }) => sum)].map(scores),
    steps.map(({ added }) => added.map(scores)).flat(), steps.map(({ kept }) => kept)];
}"""


def test_a_word_goes_the_same_way_in_both_worlds(arithmetic):
    rng, shown = np.random.default_rng(6), make("Block")
    model = shown.recorded()["traits"]["model"]
    for n in (1, 7, 31):
        words = world.story(rng, n)
        for k in (0, 2, 5):
            off = sorted(rng.choice(len(shown.parts), size=k, replace=False).tolist())
            shown.set(words=words, at=n - 1, off=off)
            sums, added, kept = arithmetic.evaluate(FOLLOWS, [model, words, off])
            assert [11 + step in off for step in range(4)] == [not way for way in kept]
            given = attnlib.softmax(np.array(sums))
            np.testing.assert_allclose(given, shown.readings, atol=CLOSE)
            if not {*off} & {11, 12, 13, 14}:
                np.testing.assert_allclose(added, shown.added[1:], atol=CLOSE)


WRITING = {"modelOf", "readStory", "worldOf", "nextWord", "uniform"}
WRITING |= {"modelIn", "scoresOf", "vectorOf"}


def test_no_function_is_left_out(arithmetic):
    tried = {name for name, *_ in CASES} | {"normals", "sampledScores"} | WRITING
    assert set(arithmetic.names) == tried


@pytest.mark.parametrize("name", WIDGETS)
def test_what_a_goal_can_ask_is_the_same_in_both_worlds(arithmetic, name, request):
    widget, rng = make(name), np.random.default_rng(9)
    for _ in range(12 if request.config.getoption("--weekly") else 4):
        numbers = {name: x.astype(float) for name, x in widget._asked_about().items()}
        quantity = str(rng.choice(sorted(numbers)))
        place = tuple(int(rng.integers(n)) for n in numbers[quantity].shape)
        middle, aside = float(numbers[quantity][place]), rng.choice([0, 1])
        if math.isfinite(middle):
            ends = (middle - 0.1 + aside, middle + 0.1 + aside)
            goal = Goal("Reach it.", changing=int(rng.integers(1, 4)), **{quantity: {place: ends}})
            start = make(name)._moved_inputs()
            moved = differing(start, widget._moved_inputs())
            state = SHARED["defaults"].get(name, {}) | widget.recorded()["traits"]
            found, met = arithmetic.evaluate(MEASURED, [name, state, goal.recorded(start)])
            assert found.keys() == numbers.keys()
            for quantity, x in numbers.items():
                found[quantity] = np.array(found[quantity], dtype=float)
                np.testing.assert_allclose(found[quantity], x, atol=CLOSE, err_msg=quantity)
            assert met == goal.met(numbers, moved)
        if widget._movable:
            widget.set(**random_move(widget, rng))


@pytest.mark.parametrize("name", WIDGETS)
def test_what_is_missing_is_said_whole_whichever_end_a_goal_has(arithmetic, name):
    state = SHARED["defaults"].get(name, {}) | make(name).recorded()["traits"]
    said = arithmetic.evaluate(SAID, [name, state])
    assert len(said) >= 4
    assert [words for words in said if re.search("null|inf|nan|undefined", words, re.I)] == []


ENDS = {
    "at least 0.90": (0.9, None),
    "at most 0.30": (None, 0.3),
    "0.88 to 0.92": (0.88, 0.92),
    "0.50": (0.5, 0.5),
    "0.735 to 0.745": (0.735, 0.745),
    "at least 0.95": (0.95, 1, {"share": True}),
    "at most 0.16": (0, 0.16, {"share": True}),
    "at most 1.00": (None, 1, {"share": True}),
    "at least 0.00": (0, 1, {"share": True}),
    "60": (60, 60, {"counted": True}),
    "6 to 12": (6, 12, {"counted": True}),
    "at least 2.5": (2.5, None, {"counted": True}),
}


def test_a_goal_says_its_ends_in_one_form(arithmetic):
    found = arithmetic.evaluate("(given) => given.map((x) => bundle.asked(...x))", [*ENDS.values()])
    assert found == [*ENDS]
