"""The fast way of `attention` where there is much to do: the formula, a tile of scores at a time.

The formula goes over all scores again for each of its steps, and waits for memory most of the time.
A tile of scores is small enough to stay close to the processor, from the product that makes it to
the product that uses it. Its softmax lacks the keys of other tiles. But exponentials only have to
be divided by their sum, so weighted values and sum grow tile by tile, and are divided in the end.

Tiles of the same queries are a strip, and strips are what threads take in turn (`_threads`), where
BLAS has products that are too small for it to share out to threads of its own (`_product`). A
number that tiles make is the same to the last bit, whichever thread makes it, and however many
there are. Elsewhere, and in the formula, BLAS may share a product out as it likes.

Two kinds of rows are for the formula. Before: those that hold, or may look at, a number that is
not finite or too large (`_tamed`). After: those whose sum is 0, inf or NaN, as a bias may make it
(`_for_formula`). They are handed back, as the places of their strips and which rows; what the tiles
wrote for these is to be overwritten. A hidden key out of the ordinary is 0 in every array, and a
hidden exponential is exactly 0. So what a query may not look at changes no bit of its output, nor
of its gradient.

References
----------
Milakov & Gimelshein, "Online normalizer calculation for softmax" (2018).
Dao et al., "FlashAttention" (2022), section 3.1: `top`, `total` and `sums` are its m, l and O
(before O is divided), `factor` rescales what came before, and `mean` is its D.
"""

import math
from typing import NamedTuple

import numpy as np

from attnlib._threads import MOST, share_out

FASTER_FROM = 256  # queries, and keys: with fewer the formula is faster
HEIGHT, WIDTH = 512, 256  # of a tile: 512 kB of float32, about half of what a core has to itself
HEIGHT_MASKED = 256  # lower, so that a causal mask hides more tiles as a whole
KEPT = 2**22  # numbers that the way back keeps, twice, of some queries against all keys: 2 · 16 MB
KEPT_BY_ALL = 2 * KEPT  # by all threads together
WORTH_THREADS = 2**22  # multiplications a strip, in 32 strips at least: see _in_strips
REACH = 32  # scores from -32 to 32 need no shift: sums of their exponentials are far from overflow
SMALL = 2**18  # multiplications in a product that OpenBLAS does not share out to threads of its own
WIDEST = 128  # with more features, products so small have too few rows


class _Strip(NamedTuple):
    """Some queries of one head, and all its keys."""

    place: tuple  # where they are in the whole arrays
    queries: list  # query, and on the way back grad_output; rows out of the ordinary are 0
    key: np.ndarray  # in it they are, too
    value: np.ndarray
    turned: list  # key, and on the way back value: what queries are multiplied by
    mask: np.ndarray | None
    bias: np.ndarray | None
    within_reach: bool  # whether all scores are known to be
    for_formula: np.ndarray  # which rows are


class _Ways(NamedTuple):
    """What to compute with on this processor: exp(x) is power(x * stretch)."""

    power: np.ufunc
    stretch: float
    lowest: float  # no score counts that is lower, and it is set to this
    power_of_lowest: float
    in_parts: bool  # see _product


def are_faster(query, key):
    """Tell whether tiles are faster than the formula."""
    return min(query.shape[-2], key.shape[-2]) >= FASTER_FROM


def attend(output, query, key, value, mask, bias, scale):
    """Fill output, and return what is left to the formula, as `_in_strips` does."""
    height = min(HEIGHT if mask is None else HEIGHT_MASKED, query.shape[-2])
    ways, largest = _ways(query, value), _largest(bias)
    left = np.zeros(query.shape[:-1], bool)  # rows that are for the formula

    @np.errstate(all="ignore")  # what comes of a hidden bias is hidden, what is lost is made again
    def work(places):
        room = np.empty((2, height, WIDTH), query.dtype)  # for all tiles: new memory is slow
        rows = np.empty((2, height, value.shape[-1]), query.dtype)
        for strip in _strips(places, (query,), key, value, mask, bias, scale, largest, ways):
            n = len(strip.for_formula)
            (sums, part), total = rows[:, :n], np.zeros((n, 1), rows.dtype)
            sums[...] = 0
            for columns, tile, factor in _exponentials(strip, scale, room[:, :n], ways):
                if factor is not None:
                    sums *= factor
                    total *= factor
                total += _row_sums(tile)
                sums += _product(tile, strip.value[columns], part, ways)
            output[strip.place] = sums / np.where(total == 0, 1, total)  # 0 where all is hidden
            left[strip.place] = _for_formula(strip, total)

    for_row = key.shape[-2] * (query.shape[-1] + value.shape[-1])  # multiplications
    return _in_strips(work, left, height, for_row, MOST if ways.in_parts else 1)


def add_gradients(
    grad_query, grad_key, grad_value, grad_output, query, key, value, mask, bias, scale
):
    """Add to the first three, and return what is left to the formula, as `_in_strips` does.

    A strip's exponentials are kept until their sums are known, and what divides by these are rows:
    no tile is divided. A tile stays where it was made, in `exponentials[:, columns]`. What is
    beside it, `grads[:, columns]`, is free again then, and takes the gradient of its weights, later
    that of its scores.

    What a strip adds to gradients of keys and values is added once all strips of its head before it
    have done so: a sum's last bit depends on its order, and is not to depend on threads. For the
    same reason what is left is handed back in the order of its places.
    """
    height = min(max(KEPT // key.shape[-2], 16), HEIGHT_MASKED, query.shape[-2])
    most = max(KEPT_BY_ALL // (height * key.shape[-2]), 1)
    ways, largest = _ways(query, value), _largest(bias)
    left = np.zeros(query.shape[:-1], bool)
    n_added = np.zeros(query.shape[:-2], int)  # strips of each head that are in its keys' gradients

    @np.errstate(all="ignore")
    def work(places):
        room = np.empty((2, height, key.shape[-2]), query.dtype)
        for_key, for_value = (np.empty(x.shape[-2:], x.dtype) for x in (key, value))
        inputs = (query, grad_output), key, value, mask, bias
        for strip in _strips(places, *inputs, scale, largest, ways):
            (asked, grad), n = strip.queries, len(strip.for_formula)
            exponentials, grads = room[:, :n]
            total, mean, seen = np.zeros((n, 1), room.dtype), np.zeros((n, 1), room.dtype), []
            for columns, tile, factor in _exponentials(strip, scale, room[:, :n], ways):
                if factor is not None:
                    total *= factor
                    mean *= factor
                    for earlier in seen:
                        exponentials[:, earlier] *= factor
                seen.append(columns)
                grad_weights = grads[:, columns]  # back through weights @ value
                _product(grad, strip.turned[1][:, columns], grad_weights, ways)
                total += _row_sums(tile)
                mean += np.vecdot(tile, grad_weights)[:, None]
            rest = _for_formula(strip, total)
            exponentials[rest] = 0  # so that they add nothing here
            share = np.where(rest[:, None] | (total == 0), 0, 1 / total)  # weights = tile * share
            mean = np.where(share == 0, 0, mean * share)
            to_value, to_key, sums = grad * share, asked * (share * scale), np.zeros_like(asked)
            part = np.empty_like(asked)
            for columns in seen:
                tile, grad_scores = exponentials[:, columns], grads[:, columns]
                grad_scores -= mean  # through softmax, as in _through_softmax
                grad_scores *= tile
                sums += _product(grad_scores, strip.key[columns], part, ways)
                _product(grad_scores.T, to_key, for_key[columns], ways)
                _product(tile.T, to_value, for_value[columns], ways)
            grad_query[strip.place] = sums * (share * scale)
            head, number = strip.place[:-1], strip.place[-1].start // height
            places.wait_for(n_added, head, number)
            for columns in seen:
                grad_key[head][columns] += for_key[columns]
                grad_value[head][columns] += for_value[columns]
            n_added[head] += 1
            left[strip.place] = rest

    for_row = key.shape[-2] * (3 * query.shape[-1] + 2 * value.shape[-1])
    return _in_strips(work, left, height, for_row, most if ways.in_parts else 1)


def _in_strips(work, left, height, for_row, most):
    """Have work do all strips, in `most` threads at most, and return what is left to the formula.

    It marks the rows that it leaves. They are returned strip by strip, as (place, rows): a strip's
    place is a head, and `height` of its queries.

    Other threads only pay where products take long: it takes a while until they have begun, and
    between products of a few microseconds they wait for each other, as Python runs one at a time.
    So a score counts for each feature that it is made of or goes into. There must be so many in all
    as in 32 strips that are worth it, and in the middle so many in a strip. Of 8 heads with 64
    features, that is from 363 queries and keys on; the way back has more products, and all pay.
    """
    parts = [slice(start, start + height) for start in range(0, left.shape[-1], height)]
    places = [(*head, part) for head in np.ndindex(left.shape[:-1]) for part in parts]
    pays = left.size * for_row >= WORTH_THREADS * max(len(places), 32)
    share_out(work, places, most if pays else 1)
    return [(place, left[place]) for place in places if left[place].any()]


def _strips(places, queries, key, value, mask, bias, scale, largest, ways):
    """Yield the strip of each place."""
    head = None
    for place in places:
        if place[:-1] != head:
            head = place[:-1]
            keys, wild, longest = _tamed([key[head], value[head]])
            turned = [x.T.copy() if ways.in_parts else x.T for x in keys[: len(queries)]]
        asked, for_formula, length = _tamed([x[place] for x in queries])
        shown, added = (None if x is None else x[place] for x in (mask, bias))
        if shown is not None and shown.strides[0] == 0:
            shown = shown[:1]  # the same for all queries, as where padding is hidden
        if wild.any():
            for_formula |= True if shown is None else shown[:, wild].any(axis=-1)
        within = length * longest * scale + largest < 0.99 * REACH  # Cauchy, Schwarz; rounding
        yield _Strip(place, asked, *keys, turned, shown, added, within, for_formula)


def _tamed(arrays):
    """Return arrays with 0 in rows out of the ordinary, which rows, and the first's longest row.

    Ordinary are rows whose squares sum to less than the fourth root of what overflows: 2**32 in
    float32, so that none of their numbers reaches 2**16, and products of four stay far from it.
    A larger row is not wrong, it is slow.
    """
    squares = [np.vecdot(x, x) for x in arrays]
    limit, of_all = np.finfo(arrays[0].dtype).max ** (1 / 4), sum(squares[1:], squares[0])
    if of_all.max() < limit:  # as nearly always, and not where there is a NaN
        return arrays, np.zeros(of_all.shape, bool), math.sqrt(squares[0].max())
    wild = ~(of_all < limit)
    arrays = [np.where(wild[:, None], 0, x) for x in arrays]
    return arrays, wild, math.sqrt(np.where(wild, 0, squares[0]).max())


@np.errstate(all="ignore")
def _largest(bias):
    """Return the largest absolute value, or NaN; what is broadcast is read once."""
    if bias is None:
        return 0
    once = bias[tuple(slice(None if step else 1) for step in bias.strides)]
    return float(max(once.max(initial=0), -once.min(initial=0)))


def _exponentials(strip, scale, room, ways):
    """Yield columns, a tile of the exponentials of their scores, and a factor for earlier tiles.

    Each row's scores are lessened by a shift, which is 0 as long as the highest so far is from
    -REACH to REACH, and else this highest. So a row within reach gets the same numbers whether that
    is known before or found.
    """
    key, mask, bias = strip.turned[0], strip.mask, strip.bias
    query = strip.queries[0] * (scale * ways.stretch)
    stretch = query.dtype.type(ways.stretch)  # no bias of fewer bits keeps it to these
    top = np.full((len(query), 1), -np.inf, query.dtype)
    shift = np.zeros_like(top)
    for start in range(0, key.shape[-1], WIDTH):
        columns = slice(start, min(start + WIDTH, key.shape[-1]))
        shown = None if mask is None else mask[:, columns]
        if shown is not None and not shown.any():
            continue  # of a causal mask, nearly half
        if shown is not None and shown.all():
            shown = None
        wide = room.shape[-1] == key.shape[-1]  # room for all columns, or for those of one tile
        tile, spare = room[..., columns if wide else slice(columns.stop - start)]
        factor = None
        _product(query, key[:, columns], tile, ways)
        if bias is not None:
            tile += np.multiply(bias[:, columns], stretch, out=spare, casting="same_kind")
        if not strip.within_reach:
            if shown is not None:
                np.copyto(tile, -np.inf, where=~shown)
            top = np.maximum(top, tile.max(axis=-1, keepdims=True))
            before, far = shift, (np.abs(top) > REACH * ways.stretch) & (top > -np.inf)
            shift = np.where(far, top, 0)  # -inf is seen nothing yet: -inf - -inf would be NaN
            if (shift != before).any():  # downwards only where what came before is 0
                factor = ways.power(np.minimum(before - shift, 0))
            if shift.any():
                tile -= shift
            np.clip(tile, ways.lowest, -ways.lowest, out=tile)
        ways.power(tile, out=tile)
        if not strip.within_reach:
            tile -= ways.power_of_lowest
        elif shown is not None:
            tile *= shown
        yield columns, tile, factor


def _ways(query, value):
    """Return what is fastest where NumPy uses the widest registers, AVX-512, and elsewhere.

    There exp2 takes half of exp's time; but many times as long where the answer is smaller than the
    smallest normal number. So lower scores are set to `lowest`, and its exponential is taken off
    all, which makes a 0 of it. It is 2**-102 in float32, and a row's largest is at least
    exp(-REACH), 2**-46, so no number that counts changes. Just above it numbers are one smallest
    normal number apart: what is left is 0 or normal.
    """
    introspect = getattr(np.lib, "introspect", None)  # from NumPy 2.1
    found = introspect and introspect.opt_func_info(func_name="^exp2$", signature=query.dtype.name)
    if not found or all("baseline" in x["current"] for x in found["exp2"].values()):
        return _Ways(np.exp, 1.0, -np.inf, 0.0, False)
    lowest = float(np.finfo(query.dtype).minexp + np.finfo(query.dtype).nmant + 1)
    in_parts = max(query.shape[-1], value.shape[-1]) <= WIDEST
    return _Ways(np.exp2, 1 / math.log(2), lowest, 2.0**lowest, in_parts)


def _product(left, right, out, ways):
    """Fill out with left @ right, and return it.

    In parts: some rows each, so few that OpenBLAS computes them in the thread that asks. With
    AVX-512 it has a way for small products that takes no longer for all parts than for the whole,
    and less for some, unless `right` lies in memory as its transpose would. Elsewhere parts take up
    to a third longer, and of wide heads several times as long: there it gets the whole.
    """
    few = SMALL // max(right.size, 1) or 1
    rows = 2 ** (few.bit_length() - 1) if ways.in_parts else len(left)  # a power divides HEIGHT
    even = len(left) - len(left) % rows
    in_parts = (x[:even].reshape(even // rows, rows, x.shape[-1]) for x in (left, out))
    np.matmul(next(in_parts), right, out=next(in_parts))
    if even < len(left):
        np.matmul(left[even:], right, out=out[even:])
    return out


def _row_sums(tile):
    """Sum each row, as (n, 1): BLAS multiplies by ones faster than NumPy adds."""
    return np.vecdot(tile, np.ones(tile.shape[-1], tile.dtype))[:, None]


def _for_formula(strip, total):
    """Return which rows are for the formula, now that sums of exponentials are known.

    A bias may hold anything. Without one, only a row that is hidden whole sums to 0.
    """
    if strip.bias is None or strip.within_reach:
        return strip.for_formula
    return strip.for_formula | ~((total > 0) & (total < np.inf))[:, 0]
