"""Tiles against the formula: the same numbers, and not a bit of what is hidden."""

import math

import numpy as np
import pytest

from attnlib import _threads, _tiles, attention, attention_backward, causal_mask

NAN, INF = np.nan, np.inf
STRANGE = [NAN, INF, -INF, 3e38, -3e38, 1e-30, 60_000.0]
N_SEEDS = 250
DTYPES = np.float32, np.float64, np.float16
N_QUERIES, N_KEYS, D_KEY, D_VALUE = 11, 13, 3, 5


def make_case(rng):
    """Return arrays, options and sizes of tiles, drawn from all that a caller may hand in."""
    n_queries, n_keys, d_key, d_value = rng.integers(1, [14, 14, 5, 5])
    leading = [(), (), (2,), (2, 1), (1, 3)][rng.integers(5)]
    dtype = DTYPES[rng.integers(3)]
    shapes = (n_queries, d_value), (n_queries, d_key), (n_keys, d_key), (n_keys, d_value)
    arrays = [rng.standard_normal((*leading, *shape)) for shape in shapes]
    arrays[1] *= 10.0 ** rng.integers(-3, 4)
    scores = (n_queries, n_keys)
    masks = [None, rng.random(scores) < 0.5, causal_mask(*scores), rng.random(n_keys) < 0.6]
    masks += [rng.random((n_queries, 1)) < 0.6, rng.random((*leading, *scores)) < 0.7]
    bias = rng.standard_normal(scores)
    biases = [None, None, bias, 100 * bias, np.where(bias > 1, -INF, bias), -1e4 * (bias > 1)]
    options = {"mask": masks[rng.integers(6)], "bias": biases[rng.integers(6)]}
    options["scale"] = [None, 0.3][rng.integers(2)]
    for x in (*arrays, options["bias"]):
        if x is not None and rng.random() < 0.3:
            x.flat[rng.integers(x.size, size=2)] = rng.choice(STRANGE)
    with np.errstate(all="ignore"):
        arrays = [x.astype(dtype) for x in arrays]
        if options["bias"] is not None:
            options["bias"] = options["bias"].astype(DTYPES[rng.integers(3)])
    return arrays, options, rng.integers(1, 9, size=4)


def answers(arrays, options):
    return attention(*arrays[1:], **options), *attention_backward(*arrays, **options)


@pytest.fixture
def by_formula(monkeypatch):
    def ask(arrays, options):
        monkeypatch.setattr(_tiles, "FASTER_FROM", math.inf)
        return answers(arrays, options)

    return ask


@pytest.fixture
def by_tiles(monkeypatch):
    def ask(arrays, options, sizes=(3, 2, 2, 4)):
        for name, size in zip(("HEIGHT", "WIDTH", "HEIGHT_MASKED", "KEPT"), sizes, strict=True):
            monkeypatch.setattr(_tiles, name, int(size))
        monkeypatch.setattr(_tiles, "FASTER_FROM", 1)
        monkeypatch.setattr(_tiles, "WORTH_THREADS", 0)
        return answers(arrays, options)

    return ask


@pytest.fixture
def rng():
    return np.random.default_rng(13)


@pytest.fixture
def arrays(rng):
    """Return grad_output, query, key and value of two heads."""
    shapes = (N_QUERIES, D_VALUE), (N_QUERIES, D_KEY), (N_KEYS, D_KEY), (N_KEYS, D_VALUE)
    return [rng.standard_normal((2, *shape), dtype=np.float32) for shape in shapes]


def assert_close(found, expected, arrays, options):
    """Hold numbers to what rounding of scores leaves of weights."""
    floats = [np.where(np.isfinite(x), x, 0).astype(float) for x in arrays]
    length, longest = (np.sqrt((x**2).sum(axis=-1).max()) for x in floats[1:3])
    bias = 0 if options["bias"] is None else options["bias"]
    scores = 1 + length * longest + np.abs(np.where(np.isfinite(bias), bias, 0)).max()
    slack = 40 * scores * np.finfo(np.result_type(arrays[0], np.float32)).eps
    grad, query, key, value = (np.abs(x).max() for x in floats)
    grad_score = grad * value * D_VALUE
    for x, y, size in zip(
        found, expected, (value, grad_score * key, grad_score * query, grad), strict=True
    ):
        half = 2e-3 * (x.dtype == np.float16)
        close = {"rtol": half + slack, "atol": slack * (size + 1) * arrays[0].size}
        np.testing.assert_allclose(x, y, **close)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_they_equal_the_formula_whatever_is_handed_in(by_formula, by_tiles, monkeypatch, n_threads):
    monkeypatch.setattr(_threads, "allowed", lambda: n_threads)
    for seed in range(N_SEEDS):
        arrays, options, sizes = make_case(np.random.default_rng([5, seed]))
        expected = by_formula(arrays, options)
        assert_close(by_tiles(arrays, options, sizes), expected, arrays, options)


@pytest.mark.parametrize("garbage", [NAN, INF, 1e30, 100.0])
@pytest.mark.parametrize("size", [1, 100])
def test_what_is_hidden_changes_no_bit(arrays, rng, by_tiles, garbage, size):
    """It is hidden from most queries alone, so that they share tiles with those who see it."""
    _, _, key, value = arrays
    mask = rng.random((N_QUERIES, N_KEYS)) < 0.6
    mask[0, 4], mask[1:, 4] = True, False
    options = {"mask": mask, "bias": rng.standard_normal((N_QUERIES, N_KEYS)) * size}
    expected = by_tiles(arrays, options)
    key[:, 4] = value[:, 4] = garbage
    options["bias"] = np.where(mask, options["bias"], garbage)
    found = by_tiles(arrays, options)
    for x, y in zip(found[:2], expected[:2], strict=True):
        np.testing.assert_array_equal(x[:, 1:], y[:, 1:])
    unseen = ~mask[0]
    for x, y in zip(found[2:], expected[2:], strict=True):
        np.testing.assert_array_equal(x[:, unseen], y[:, unseen])


@pytest.mark.parametrize("far", [60.0, -60.0])
def test_a_query_gets_the_same_bits_beside_any_other(arrays, by_tiles, far):
    """Beside ordinary ones no highest score is looked for; beside one out of reach it is."""
    expected = by_tiles(arrays, {})[:2]
    arrays[1][:, 4] *= far
    found = by_tiles(arrays, {})[:2]
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_array_equal(np.delete(x, 4, axis=1), np.delete(y, 4, axis=1))
        assert not np.allclose(x[:, 4], y[:, 4])


def test_what_is_left_to_the_formula_is_handed_back_in_order(arrays, by_tiles):
    by_tiles(arrays, {})  # sets how high a strip is: 3
    grad_output, *inputs = arrays
    inputs[0][0, 10] = inputs[0][1, 4] = NAN
    output, grads = np.empty_like(grad_output), [np.zeros_like(x) for x in inputs]
    for left in (
        _tiles.attend(output, *inputs, None, None, 1.0),
        _tiles.add_gradients(*grads, grad_output, *inputs, None, None, 1.0),
    ):
        rows = np.zeros((2, N_QUERIES), bool)
        for place, some in left:
            assert some.any()
            rows[place] = some
        assert np.argwhere(rows).tolist() == [[0, 10], [1, 4]]
        assert [place[0] for place, _ in left] == [0, 1]
    assert np.isfinite(grads[1]).all()  # nothing that is left has reached a key


def test_equal_heads_are_equal_to_the_last_bit(arrays, by_tiles):
    twins = [np.concatenate([x, x]) for x in arrays]
    for x in by_tiles(twins, {"mask": causal_mask(N_QUERIES, N_KEYS)}):
        np.testing.assert_array_equal(x[:2], x[2:])


def test_scores_that_rise_from_tile_to_tile_are_shifted_with_them(arrays, by_formula, by_tiles):
    steps = np.linspace(-300, 300, N_KEYS)
    for options in ({"bias": steps}, {"bias": -steps}, {"bias": np.abs(steps) - 400}):
        expected = by_formula(arrays, options)
        assert_close(by_tiles(arrays, options), expected, arrays, options)


def test_exp_does_where_numpy_has_no_fast_exp2(arrays, by_formula, by_tiles, monkeypatch):
    monkeypatch.delattr(np.lib, "introspect", raising=False)
    monkeypatch.setattr(_tiles, "EXP2_IS_FAST", _tiles._fast_exp2())
    assert _tiles._ways(*arrays[:2])[:2] == (np.exp, 1)
    options = {"bias": np.linspace(-300, 300, N_KEYS)}
    assert_close(by_tiles(arrays, options), by_formula(arrays, options), arrays, options)


@pytest.mark.parametrize("masked", [False, True])
def test_they_equal_the_formula_at_the_size_that_they_are_made_for(rng, by_formula, masked):
    n_queries, n_keys = 2 * _tiles.HEIGHT + 3, 2 * _tiles.WIDTH + 5
    shapes = (n_queries, 7), (n_queries, 5), (n_keys, 5), (n_keys, 7)
    arrays = [rng.standard_normal(shape, dtype=np.float32) for shape in shapes]
    options = {"mask": causal_mask(n_queries, n_keys) if masked else None, "bias": None}
    found = answers(arrays, options)
    expected = by_formula(arrays, options)
    assert_close(found, expected, arrays, options)
    assert any((x != y).any() for x, y in zip(found, expected, strict=True))  # another way


def test_an_empty_batch_may_have_a_bias(by_tiles):
    none = [np.zeros((0, n, 4)) for n in (N_QUERIES, N_QUERIES, N_KEYS, N_KEYS)]
    shapes = [x.shape for x in by_tiles(none, {"bias": np.zeros((N_QUERIES, N_KEYS))})]
    assert shapes == [(0, n, 4) for n in (N_QUERIES, N_QUERIES, N_KEYS, N_KEYS)]


@pytest.mark.parametrize(
    ("of_arrays", "of_bias"),
    [("float32", "float16"), ("float64", "float16"), ("float64", "float32")],
)
def test_a_bias_of_fewer_bits_leaves_the_others_theirs(
    rng, by_formula, by_tiles, of_arrays, of_bias
):
    arrays = rng.standard_normal((4, 40, 4)).astype(of_arrays)
    options = {"bias": (30 * rng.standard_normal((40, 40))).astype(of_bias)}
    tolerance = 64 * np.finfo(of_arrays).eps
    for x, y in zip(by_tiles(arrays, options), by_formula(arrays, options), strict=True):
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("d_key", "d_value"), [(5, 129), (129, 5)])
def test_products_of_wide_heads_stay_whole(d_key, d_value):
    """Parts small enough would have a row or two, and take several times as long."""
    narrow, query, value = (np.zeros((7, d), np.float32) for d in (5, d_key, d_value))
    assert not _tiles._ways(query, value).small_products
    assert _tiles._ways(narrow, narrow).small_products == (
        _tiles._ways(narrow, narrow)[0] is np.exp2
    )


@pytest.mark.parametrize(("d_key", "d_value"), [(0, 3), (3, 0), (0, 0)])
def test_there_may_be_no_features(rng, by_formula, by_tiles, d_key, d_value):
    arrays = [rng.standard_normal((7, d)) for d in (d_value, d_key, d_key, d_value)]
    for masked in (None, causal_mask(7)):
        options = {"mask": masked}
        for x, y in zip(by_tiles(arrays, options), by_formula(arrays, options), strict=True):
            np.testing.assert_allclose(x, y, atol=1e-15)


def test_how_many_rows_are_for_the_formula_changes_no_bit_of_another(rng):
    """At the size that tiles are made for: BLAS takes another way where rows are few."""
    grad_output, query, key, value = rng.standard_normal((4, 300, 64), dtype=np.float32)
    mask = np.ones((300, 300), bool)
    mask[:, 9] = False
    mask[7, 9], mask[7, 5] = True, False  # row 7 alone is for the formula
    value[9, 0] = 1e6
    expected = answers((grad_output, query, key, value), {"mask": mask})
    key[5] = NAN  # and now all rows are, which see it; row 7 does not
    found = answers((grad_output, query, key, value), {"mask": mask})
    for x, y in zip(found[:2], expected[:2], strict=True):
        np.testing.assert_array_equal(x[7], y[7])
    for x, y in zip(found[2:], expected[2:], strict=True):
        np.testing.assert_array_equal(x[9], y[9])  # seen by row 7 alone
