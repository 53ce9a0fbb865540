"""The fast way of `attention` where there is much to do: the formula, a tile of scores at a time.

The formula goes over all scores again for each of its steps, and waits for memory most of the time.
A tile of scores is small enough to stay close to the processor, from the product that makes it to
the product that uses it. Its softmax lacks the keys of other tiles. But exponentials only have to
be divided by their sum, so weighted values and sum grow tile by tile, and are divided in the end.

Two kinds of rows are left to the formula. Before: those that hold, or may look at, a number that
is not finite or too large (`_tamed`). After: those whose sum is 0, inf or NaN, as a bias may make
it (`_left`); what the tiles wrote for these is overwritten. A hidden key out of the ordinary
is 0 in every array, and a hidden exponential is exactly 0. So what a query may not look at changes
no bit of its output.

References
----------
Milakov & Gimelshein, "Online normalizer calculation for softmax" (2018).
Dao et al., "FlashAttention" (2022), section 3.1: `top`, `total` and `sums` are its m, l and O
(before O is divided), `factor` rescales what came before, and `mean` is its D.
"""

import math
from typing import NamedTuple

import numpy as np

LEAST = 256  # queries, and keys, from which tiles are faster than the formula
HEIGHT, WIDTH = 512, 256  # of a tile: 512 kB of float32, about half of what a core has to itself
HEIGHT_MASKED = 256  # lower, so that a causal mask hides more tiles as a whole
KEPT = 2**22  # numbers that the way back keeps, twice, of some queries against all keys: 2 · 16 MB
REACH = 32  # scores from -32 to 32 need no shift: sums of their exponentials are far from overflow


class _Strip(NamedTuple):
    """Some queries of one head, and all its keys."""

    place: tuple  # where they are in the whole arrays
    by_query: list
    by_key: list  # both with zeros for rows out of the ordinary
    mask: np.ndarray | None
    bias: np.ndarray | None
    within_reach: bool  # whether all scores are known to be
    left: np.ndarray  # which rows are left to the formula
    exponential: tuple  # see _exponential


def pay(query, key):
    """Tell whether tiles are faster than the formula."""
    return min(query.shape[-2], key.shape[-2]) >= LEAST


@np.errstate(all="ignore")  # what comes of a hidden bias is hidden, and what is lost is made again
def attend(by_query, by_key, by_pair, scale, by_formula):
    """Fill output, of the arrays (output, query), (key, value), (mask, bias).

    by_formula does so too; it is called for the rows that are left to it.
    """
    (output, query), (_, value), (mask, _) = by_query, by_key, by_pair
    height = min(HEIGHT if mask is None else HEIGHT_MASKED, query.shape[-2])
    room = np.empty((2, height, WIDTH), query.dtype)  # for all tiles: new memory is slow at first
    rows = np.empty((2, height, value.shape[-1]), query.dtype)
    for strip in _strips((query,), by_key, by_pair, scale, height):
        value, n = strip.by_key[1], len(strip.left)
        (sums, part), total = rows[:, :n], np.zeros((n, 1), rows.dtype)
        sums[...] = 0
        for columns, tile, factor in _tiles(strip, scale, room[:, :n]):
            if factor is not None:
                sums *= factor
                total *= factor
            total += _row_sums(tile)
            sums += np.matmul(tile, value[columns], out=part)
        divisor = np.where(total == 0, 1, total)  # where all is hidden, the output is 0
        np.divide(sums, divisor, out=output[strip.place], casting="same_kind")
        left = _left(strip, total)
        done = np.ones_like(
            left
        )  # all: BLAS rounds fewer rows otherwise, and others decide how few
        _leave(left, done, strip.place, by_query, by_key, by_pair, scale, by_formula)


@np.errstate(all="ignore")
def add_gradients(by_query, by_key, by_pair, scale, by_formula):
    """Add to gradients, of (grad_query, grad_output, query), (grad_key, grad_value, key, value).

    A strip's exponentials are kept until their sums are known, and what divides by these are rows:
    no tile is divided. by_formula is as in `attend`.
    """
    (grad_query, grad_output, query), (grad_key, grad_value, key, value) = by_query, by_key
    height = min(max(KEPT // key.shape[-2], 16), HEIGHT_MASKED, query.shape[-2])
    room = np.empty((2, height, key.shape[-2]), query.dtype)
    for strip in _strips((query, grad_output), (key, value), by_pair, scale, height):
        (asked, grad), (found, worth), n = strip.by_query, strip.by_key, len(strip.left)
        exponentials, grads = room[:, :n]
        total, mean, seen = np.zeros((n, 1), room.dtype), np.zeros((n, 1), room.dtype), []
        # A tile is written into room, and stays: it is exponentials[:, columns]. What is beside it,
        # grads[:, columns], is free again once the tile is there.
        for columns, tile, factor in _tiles(strip, scale, room[:, :n]):
            if factor is not None:
                total *= factor
                mean *= factor
                for earlier in seen:
                    exponentials[:, earlier] *= factor
            seen.append(columns)
            np.matmul(grad, worth[columns].T, out=grads[:, columns])  # back through weights @ value
            total += _row_sums(tile)
            mean += _row_sums(tile * grads[:, columns])
        left = _left(strip, total)
        exponentials[left] = 0  # so that they add nothing here
        share = np.where(left[:, None] | (total == 0), 0, 1 / total)  # weights = tile * share
        mean = np.where(share == 0, 0, mean * share)
        to_value, to_key, sums = grad * share, asked * (share * scale), np.zeros_like(asked)
        head = strip.place[:-1]
        for columns in seen:
            tile, grad_scores = exponentials[:, columns], grads[:, columns]
            grad_scores -= mean  # through softmax, as in _through_softmax
            grad_scores *= tile
            sums += grad_scores @ found[columns]
            grad_key[head][columns] += grad_scores.T @ to_key
            grad_value[head][columns] += tile.T @ to_value
        grad_query[strip.place] = sums * (share * scale)
        _leave(left, left, strip.place, by_query, by_key, by_pair, scale, by_formula)


def _strips(by_query, by_key, by_pair, scale, height):
    """Yield a head's queries, `height` of them at a time; query and key are the first arrays."""
    exponential = _exponential(by_query[0].dtype)
    largest = 0 if by_pair[1] is None else _largest(by_pair[1])
    for head in np.ndindex(by_query[0].shape[:-2]):
        keys, wild, longest = _tamed([x[head] for x in by_key])
        for start in range(0, by_query[0].shape[-2], height):
            place = (*head, slice(start, start + height))
            queries, left, length = _tamed([x[place] for x in by_query])
            mask, bias = (None if x is None else x[place] for x in by_pair)
            if mask is not None and mask.strides[0] == 0:
                mask = mask[:1]  # the same for all queries, as where padding is hidden
            if wild.any():
                left |= True if mask is None else mask[:, wild].any(axis=-1)
            score = length * longest * scale + largest  # at most, as Cauchy and Schwarz prove
            within_reach = score < 0.99 * REACH  # a little less, for what is rounded
            yield _Strip(place, queries, keys, mask, bias, within_reach, left, exponential)


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


def _largest(bias):
    """Return the largest absolute value, or NaN; what is broadcast is read once."""
    once = bias[tuple(slice(None if step else 1) for step in bias.strides)]
    return max(once.max(initial=0), -once.min(initial=0))


def _tiles(strip, scale, room):
    """Yield columns, the exponentials of their scores, and a factor for those yielded before.

    Each row's scores are lessened by a shift, which is 0 as long as the highest so far is from
    -REACH to REACH, and else this highest. So a row within reach gets the same numbers whether that
    is known before or found.
    """
    (query, *_), (key, *_), mask, bias = strip[1:5]
    power, unit, lowest, least = strip.exponential
    query = query * (scale * unit)
    top = np.full((len(query), 1), -np.inf, query.dtype)
    shift = np.zeros_like(top)
    for start in range(0, len(key), WIDTH):
        columns = slice(start, min(start + WIDTH, len(key)))
        shown = None if mask is None else mask[:, columns]
        if shown is not None and not shown.any():
            continue  # of a causal mask, nearly half
        if shown is not None and shown.all():
            shown = None
        wide = room.shape[-1] == len(key)  # room for all columns, or for those of one tile
        tile, spare = room[..., columns if wide else slice(columns.stop - start)]
        factor = None
        np.matmul(query, key[columns].T, out=tile)
        if bias is not None:
            tile += np.multiply(bias[:, columns], unit, out=spare, casting="same_kind")
        if not strip.within_reach:
            if shown is not None:
                np.copyto(tile, -np.inf, where=~shown)
            top = np.maximum(top, tile.max(axis=-1, keepdims=True))
            # A row that has seen nothing yet has -inf, and -inf - -inf would be NaN.
            before, far = shift, (np.abs(top) > REACH * unit) & (top > -np.inf)
            shift = np.where(far, top, 0)
            if (shift != before).any():
                # Where the first score that is seen is far below 0, what came before is 0 as well.
                factor = power(np.minimum(before - shift, 0))
            if shift.any():
                tile -= shift
            np.clip(tile, lowest, -lowest, out=tile)
        power(tile, out=tile)
        if not strip.within_reach:
            tile -= least
        elif shown is not None:
            tile *= shown
        yield columns, tile, factor


def _exponential(dtype):
    """Return the faster exponential, one in its unit, a score low enough, and its exponential.

    Where NumPy has exp2 for the processor's widest registers, it takes half of exp's time; but many
    times as long where the answer is smaller than the smallest normal number. So lower scores are
    set to `lowest`, and its exponential is taken off all, which makes a 0 of it. It is 2**-102 in
    float32, and a row's largest is at least exp(-REACH), 2**-46, so no number that counts changes.
    Just above it numbers are one smallest normal number apart: what is left is 0 or normal.
    """
    introspect = getattr(np.lib, "introspect", None)  # from NumPy 2.1
    if introspect is None:
        return np.exp, 1.0, -np.inf, 0.0
    found = introspect.opt_func_info(func_name="^exp2$", signature=dtype.name)
    if all("baseline" in x["current"] for x in found.get("exp2", {}).values()):
        return np.exp, 1.0, -np.inf, 0.0
    lowest = float(np.finfo(dtype).minexp + np.finfo(dtype).nmant + 1)
    return np.exp2, 1 / math.log(2), lowest, 2.0**lowest


def _row_sums(tile):
    """Sum each row, as (n, 1): BLAS multiplies by ones faster than NumPy adds."""
    return tile @ np.ones((tile.shape[-1], 1), tile.dtype)


def _left(strip, total):
    """Return which rows are left to the formula, now that sums of exponentials are known.

    A bias may hold anything. Without one, only a row that is hidden whole sums to 0.
    """
    if strip.bias is None or strip.within_reach:
        return strip.left
    return strip.left | ~((total > 0) & (total < np.inf))[:, 0]


def _leave(left, done, place, by_query, by_key, by_pair, scale, by_formula):
    """Have by_formula do some rows of a place, and take what it fills for those left to it.

    It fills the first array of by_query, of the rows that are handed to it, which are copies.
    """
    if not left.any():
        return
    taken = [x[place][done] for x in by_query]
    pairs = [None if x is None else x[place][done] for x in by_pair]
    by_formula(taken, [x[place[:-1]] for x in by_key], pairs, scale)
    by_query[0][place][left] = taken[0][left[done]]
