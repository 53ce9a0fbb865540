"""The fast way of `attention` where there is much to do: the formula, a tile of scores at a time.

The formula goes over all scores again for each of its steps, and waits for memory most of the time.
A tile of scores is small enough to stay close to the processor, from the product that makes it to
the product that uses it. Its softmax lacks the keys of other tiles. But exponentials only have to
be divided by their sum, so weighted values and sum grow tile by tile, and are divided in the end.

The order of calls: `attend` and `add_gradients` have `_in_strips` share out places among threads.
In each thread `work` takes strips from `_strips`, and a strip's exponentials, tile by tile, from
`_exponentials`; all products of matrices are made by `_product`, and fastest with what begins where
a cache line does (`_room`). At the end of a strip `_for_formula` says which of its rows are for the
formula.

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
Rabe & Staats, "Self-attention does not need O(n²) memory" (2021), section 2.
Dao et al., "FlashAttention" (2022), section 3.1.
Dao, "FlashAttention-2" (2023), section 3.1.
"""

import math
from typing import NamedTuple

import numpy as np

from attnlib._threads import share_out

FASTER_FROM = 256  # queries, and keys: with fewer the formula is faster
HEIGHT, WIDTH = 512, 256  # of a tile: 512 kB of float32, about half of what a core has to itself
HEIGHT_MASKED = 256  # lower, so that a causal mask hides more tiles as a whole
KEPT = 2**22  # numbers that the way back keeps, twice, of some queries against all keys: 2 · 16 MB
KEPT_BY_ALL = 2 * KEPT  # by all threads together
WORTH_THREADS = 2**22  # multiplications a strip, in 32 strips at least: see _in_strips
REACH = 32  # scores from -32 to 32 need no shift: sums of their exponentials are far from overflow
SMALL = 2**18  # multiplications in a product that OpenBLAS does not share out to threads of its own
WIDEST = 128  # with more features, products so small have too few rows


def _fast_exp2():
    """Return of which dtypes, by their letters: NumPy tells of an exp2's path from 2.1 on."""
    introspect = getattr(np.lib, "introspect", None)
    paths = introspect.opt_func_info(func_name="^exp2$").get("exp2", {}) if introspect else {}
    return {letters[0] for letters, path in paths.items() if "baseline" not in path["current"]}


EXP2_IS_FAST = _fast_exp2()


class _Strip(NamedTuple):
    """Some queries of one head, and all its keys; in these, rows out of the ordinary are 0.

    What changes from tile to tile, with FlashAttention's name: `top`, each query's highest score so
    far, is m; `total`, the sum of its exponentials, is l; `sums`, of its weighted values, is O
    before it is divided. On the way back `mean`, of the gradients of its weights, is D. `factor`
    rescales what came before.
    """

    place: tuple  # where they are in the whole arrays
    queries: list  # query, and on the way back grad_output
    asked: np.ndarray  # query * scale, stretched as _ways has it: times key they are scores
    turned: list  # what these are multiplied by, transposed: key, and on the way back value
    rows: np.ndarray  # what tiles are multiplied by: value, and on the way back key
    mask: np.ndarray | None
    seen: dict  # of a tile's mask, by its first key: whether any may look there, whether all may
    bias: np.ndarray | None
    within_reach: bool  # all scores are known to be from -REACH to REACH
    for_formula: np.ndarray  # which queries the formula answers, as far as known before sums


class _Ways(NamedTuple):
    """What to compute with on this processor: exp(x) is power(x * stretch)."""

    power: np.ufunc
    stretch: float
    lowest: float  # no score counts that is lower, and it is set to this
    power_of_lowest: float
    small_products: bool  # products in parts, and so threads of our own


def are_faster(query, key):
    """Tell whether tiles are faster than the formula."""
    return min(query.shape[-2], key.shape[-2]) >= FASTER_FROM


def attend(output, query, key, value, mask, bias, scale):
    """Fill output, and return what is left to the formula, as `_in_strips` does."""
    height = min(HEIGHT if mask is None else HEIGHT_MASKED, query.shape[-2])
    width = min(WIDTH, key.shape[-2])
    ways, largest = _ways(query, value), _largest(bias)
    for_formula = np.zeros(query.shape[:-1], bool)

    @np.errstate(all="ignore")  # a hidden bias stays hidden, and what is lost is for the formula
    def work(places):
        # For all tiles, as new memory is slow.
        room = _room((1, 1 if bias is None else 2, height, width), query.dtype)
        buffers = _room((2, height, value.shape[-1]), query.dtype)
        arrays = query, None, key, value, mask, bias
        for strip in _strips(places, height, *arrays, scale, largest, ways):
            n = len(strip.queries[0])
            (sums, product), total = buffers[:, :n], np.zeros((n, 1), query.dtype)
            sums[...] = 0
            for columns, (tile, *_), factor in _exponentials(strip, room, ways):
                if factor is not None:
                    sums *= factor
                    total *= factor
                total += _row_sums(tile)
                sums += _product(tile, strip.rows[columns], product, ways)
            # Where all is hidden, 0.
            np.divide(sums, np.where(total == 0, 1, total), out=output[strip.place])
            for_formula[strip.place] = _for_formula(strip, total)

    return _in_strips(work, for_formula, key, value, height, math.inf if ways.small_products else 1)


def add_gradients(
    grad_query, grad_key, grad_value, grad_output, query, key, value, mask, bias, scale
):
    """Add to the first three, and return what is left to the formula, as `_in_strips` does.

    A strip's exponentials are kept until their sums are known. Division by the sums is done on
    arrays of d columns, never on a tile. What is beside a tile is free when it is handed out, and
    takes the gradient of its weights, later that of its scores.

    What a strip adds to gradients of keys and values is added once all strips of its head before it
    have done so: a sum's last bit depends on its order, and is not to depend on threads. For the
    same reason what is for the formula is handed back in the order of its places.
    """
    height = min(max(KEPT // key.shape[-2], 16), HEIGHT_MASKED, query.shape[-2])
    width = min(WIDTH, key.shape[-2])
    ways, largest = _ways(query, value), _largest(bias)
    n_threads = max(KEPT_BY_ALL // (height * key.shape[-2]), 1) if ways.small_products else 1
    for_formula = np.zeros(query.shape[:-1], bool)
    n_added = np.zeros(query.shape[:-2], int)  # strips of each head that are in its keys' gradients

    @np.errstate(all="ignore")
    def work(places):
        dtype, d_key, d_value = query.dtype, query.shape[-1], value.shape[-1]
        room = _room((-(-key.shape[-2] // width), 2, height, width), dtype)  # for each tile its own
        products, queries = _room((2, height, d_key), dtype)
        grads = _room((height, d_value), dtype)
        added_key, added_value = (_room(x.shape[-2:], dtype) for x in (key, value))
        arrays = query, grad_output, key, value, mask, bias
        for strip in _strips(places, height, *arrays, scale, largest, ways):
            (strip_query, strip_grad), n = strip.queries, len(strip.queries[0])
            total, mean, done = np.zeros((n, 1), dtype), np.zeros((n, 1), dtype), []
            for columns, (tile, grad_weights), factor in _exponentials(strip, room, ways):
                if factor is not None:
                    for earlier in (total, mean, *(x for _, x, _ in done)):
                        earlier *= factor
                done.append((columns, tile, grad_weights))
                # Back through weights @ value.
                _product(strip_grad, strip.turned[1][:, columns], grad_weights, ways)
                total += _row_sums(tile)
                mean += np.vecdot(tile, grad_weights)[:, None]
            for_formula[strip.place] = lost = _for_formula(strip, total)
            share = np.where(lost[:, None] | (total == 0), 0, 1 / total)  # weights = tile * share
            mean = np.where(share == 0, 0, mean * share)
            divided_query = np.multiply(strip_query, share * scale, out=queries[:n])
            divided_grad = np.multiply(strip_grad, share, out=grads[:n])
            sums, product = np.zeros_like(strip_query), products[:n]
            for columns, tile, grad_scores in done:
                tile[lost] = 0  # so that they add nothing here
                grad_scores -= mean  # through softmax, as in _through_softmax
                grad_scores *= tile
                sums += _product(grad_scores, strip.rows[columns], product, ways)
                _product(grad_scores.T, divided_query, added_key[columns], ways)
                _product(tile.T, divided_grad, added_value[columns], ways)
            np.multiply(sums, share * scale, out=grad_query[strip.place])
            head, number = strip.place[:-1], strip.place[-1].start // height
            places.wait_for(n_added, head, number)
            for columns, _, _ in done:
                grad_key[head][columns] += added_key[columns]
                grad_value[head][columns] += added_value[columns]
            n_added[head] += 1

    return _in_strips(work, for_formula, key, value, height, n_threads)


def _in_strips(work, for_formula, key, value, height, n_threads):
    """Have work do all strips, in n_threads at most, and return what is left to the formula.

    `work` marks these rows in for_formula. They are returned strip by strip, as (place, which): a
    strip's place is a head, and `height` of its queries.

    Other threads only pay where products take long: it takes a while until they have begun, and
    between products of a few microseconds they wait for each other, as Python runs one at a time.
    So a score counts for each feature that it is made of or goes into. It pays from
    32 * WORTH_THREADS multiplications in all, and WORTH_THREADS a strip on average. Of 8 heads with
    64 features, that is from 363 queries and keys on.
    """
    per_query = key.shape[-2] * (key.shape[-1] + value.shape[-1])
    parts = [slice(start, start + height) for start in range(0, for_formula.shape[-1], height)]
    places = [(*head, part) for head in np.ndindex(for_formula.shape[:-1]) for part in parts]
    pays = for_formula.size * per_query >= WORTH_THREADS * max(len(places), 32)
    share_out(work, places, n_threads if pays else 1)
    return [(place, for_formula[place]) for place in places if for_formula[place].any()]


def _strips(places, height, query, grad_output, key, value, mask, bias, scale, largest, ways):
    """Yield the strip of each place, so high at most; forth there is no grad_output.

    Each head's keys and values are copied to where a cache line begins, and the way that they are
    read: small products take a fifth less time then.
    """
    head, forth, room, seen_of = None, grad_output is None, None, {}
    asking = _room((height, query.shape[-1]), query.dtype)
    of_queries = [query] if forth else [query, grad_output]
    for place in places:
        if place[:-1] != head:
            head = place[:-1]
            (head_key, head_value), wild, key_norm = _tamed([key[head], value[head]])
            met = [head_value, head_key.T] if forth else [head_key, head_key.T, head_value.T]
            room = room or [_room(x.shape, x.dtype) for x in met]
            for copy, x in zip(room, met, strict=True):
                copy[...] = x
            rows, *turned = room
        queries, for_formula, query_norm = _tamed([x[place] for x in of_queries])
        asked = np.multiply(queries[0], scale * ways.stretch, out=asking[: len(queries[0])])
        shown, added = (None if x is None else x[place] for x in (mask, bias))
        # Heads that share a mask share what is found there, as it takes long.
        seen = mask is not None and seen_of.setdefault(shown.__array_interface__["data"][0], {})
        if wild.any():
            for_formula |= True if shown is None else shown[:, wild].any(axis=-1)
        within = query_norm * key_norm * scale + largest < 0.99 * REACH  # Cauchy, Schwarz; rounding
        yield _Strip(place, queries, asked, turned, rows, shown, seen, added, within, for_formula)


def _tamed(arrays):
    """Return arrays with 0 in rows out of the ordinary, which rows, and the first's largest norm.

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


def _exponentials(strip, room, ways):
    """Yield columns, a tile of the exponentials of their scores, and a factor for earlier tiles.

    There is room for one tile or for all, and it is taken in turn. A tile is yielded with what is
    beside it in its room, which a bias needs; then that is free.

    Each row's scores are lessened by a shift, which is 0 as long as the highest so far is from
    -REACH to REACH, and else this highest. So a row whose scores are all within reach gets the same
    numbers whether that is known before or found.
    """
    asked, key, mask, bias = strip.asked, strip.turned[0], strip.mask, strip.bias
    stretch = asked.dtype.type(ways.stretch)  # or a float16 bias is multiplied in float16
    top = np.full((len(asked), 1), -np.inf, asked.dtype)
    shift, width = np.zeros_like(top), room.shape[-1]
    for number, start in enumerate(range(0, key.shape[-1], width)):
        columns = slice(start, min(start + width, key.shape[-1]))
        shown = None if mask is None else mask[:, columns]
        if shown is not None:
            some, every = strip.seen[start] = strip.seen.get(start) or (shown.any(), shown.all())
            if not some:
                continue  # of a causal mask, nearly half
            shown = None if every else shown
        tile, *beside = part = room[number % len(room), :, : len(asked), : columns.stop - start]
        factor = None
        _product(asked, key[:, columns], tile, ways)
        if bias is not None:
            tile += np.multiply(bias[:, columns], stretch, out=beside[0], casting="same_kind")
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
        yield columns, part, factor


def _ways(query, value):
    """Return what is fastest where exp2 has a path beyond NumPy's baseline, and elsewhere.

    With AVX-512 there is such a path. There exp2 takes half of exp's time; but many times as long
    where the answer is smaller than the smallest normal number. So lower scores are set to
    `lowest`, and its exponential is taken off all, which makes a 0 of it. It is 2**-102 in float32,
    and a row's largest is at least exp(-REACH), 2**-46, so no number that counts changes. Just
    above it numbers are two smallest normal numbers apart, just below it one: what is left is 0 or
    normal.
    """
    if query.dtype.char not in EXP2_IS_FAST:
        return _Ways(np.exp, 1.0, -np.inf, 0.0, False)
    lowest = float(np.finfo(query.dtype).minexp + np.finfo(query.dtype).nmant + 1)
    small_products = max(query.shape[-1], value.shape[-1]) <= WIDEST
    return _Ways(np.exp2, 1 / math.log(2), lowest, 2.0**lowest, small_products)


def _room(shape, dtype):
    """Return an array that begins where a cache line does, 64 bytes, and holds anything."""
    room = np.empty(math.prod(shape) * dtype.itemsize + 63, np.uint8)
    start = -room.__array_interface__["data"][0] % 64
    return room[start : len(room) - 63 + start].view(dtype).reshape(shape)


def _product(left, right, out, ways):
    """Fill out with left @ right, and return it.

    In parts: some rows each, so few that OpenBLAS computes them in the thread that asks. With
    AVX-512 it has a way for small products that takes no longer for all parts than for the whole,
    and less for some, unless `right` lies in memory as its transpose would. Elsewhere parts take up
    to a third longer, and of wide heads several times as long: there it gets the whole.
    """
    few = SMALL // max(right.size, 1) or 1
    step = 2 ** (few.bit_length() - 1) if ways.small_products else len(left)  # divides HEIGHT
    even = len(left) - len(left) % step
    parts, out_parts = (x[:even].reshape(even // step, step, x.shape[-1]) for x in (left, out))
    np.matmul(parts, right, out=out_parts)
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
