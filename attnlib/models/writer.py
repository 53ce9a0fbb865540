"""A small Transformer that writes stories of the world of `attnlib.world`: two layers, four heads.

In lesson 12 it is built and trained. This is its way there, for the widget and for whoever wants a
story from it earlier. It learned its numbers from stories alone; `attnlib.text.writer` has them.
"""

import numpy as np

from attnlib._inputs import as_count, as_mask, refuse, require_generator, require_names
from attnlib.attention import attention, attention_weights
from attnlib.masks import causal_mask
from attnlib.models import world
from attnlib.multihead import merge_heads, split_heads
from attnlib.softmax import softmax

__all__ = [  # noqa: RUF022 (the reference has this order)
    "layer",
    "nearness",
    "read",
    "looks",
    "write",
]

N_HEADS = 4
N_LAYERS = 2
ROLES = "w_query", "w_key", "w_value"
LAYER = *ROLES, "w_output", "near", "w_up", "b_up", "w_down"


def layer(model, index):
    """Return the arrays of one layer, by their names without its number."""
    ending = f"_{index}"
    return {k.removesuffix(ending): v for k, v in model.items() if k.endswith(ending)}


def nearness(near, n):
    """Return what each head adds to the score of query i and key j, (n_heads, n, n)."""
    _require_short(n, near.shape[-1])
    return near[:, np.abs(np.arange(n)[:, None] - np.arange(n))]


def read(model, words, *, attend=None, mask=None):
    """Return how much the model likes each word of the vocabulary next, after each word of a text.

    Parameters
    ----------
    model : dict
        As `attnlib.text.writer` returns it.
    words : list of str
        At least one word, and at most 48.
    attend : callable, optional
        A function of query, key, value and mask that attends in the model's place, such as a
        reader's `masked_attention`. It is called once for each head.
    mask : array_like of bool, optional
        Where a word may look, (n, n). Without it, at itself and back: the causal mask.

    Returns
    -------
    ndarray, (n, 20)
        The logits. `attnlib.softmax` makes chances of them.

    Raises
    ------
    ValueError, TypeError
        Where the model lacks an array, or words are not the world's, none or too many.

    Examples
    --------
    >>> from attnlib import text
    >>> model = text.writer()
    >>> told = "the black cat finds Ann . the grey hen finds Tom . the red dog finds Ben . the grey"
    >>> world.VOCABULARY[read(model, told.split())[-1].argmax()]
    'hen'
    """
    x, mask = _begun(model, words, mask)
    for i in range(N_LAYERS):
        x = _block(x, layer(model, i), mask, attend)
    return x @ model["words"].T / np.sqrt(x.shape[-1])  # (n, 20)


def looks(model, words, *, mask=None):
    """Return whom each word of a text looks at, in each head: (n_layers, n_heads, n, n).

    Parameters and errors are those of `read`.
    """
    x, mask = _begun(model, words, mask)
    found = []
    for i in range(N_LAYERS):
        parts = layer(model, i)
        query, key, _ = _projected(x, parts)
        bias = nearness(parts["near"], len(words))
        found.append(attention_weights(query, key, mask=mask, bias=bias))
        x = _block(x, parts, mask, None)
    return np.stack(found)


def write(model, words, n_words, *, rng=None, temperature=1.0, attend=None, masked=True):
    """Return a text that the model has gone on with, until it has n_words.

    Parameters
    ----------
    model, words, attend
        As for `read`.
    n_words : int
        How long the text shall be, at most 48 words.
    rng : numpy.random.Generator, optional
        Where chance comes from. Without it, the likeliest word is always taken.
    temperature : float, default 1.0
        Below 1 likely words become likelier still, as in `attnlib.softmax`.
    masked : bool, default True
        False lets every word look at all the others.

    Returns
    -------
    list of str

    Raises
    ------
    ValueError, TypeError
        As for `read`; where n_words is no count, or rng no Generator.
    """
    if rng is not None:
        require_generator(rng)
    words, n_words = list(words), as_count("n_words", n_words)
    while len(words) < n_words:
        mask = causal_mask(len(words)) | (not masked)
        logits = read(model, words, attend=attend, mask=mask)[-1]
        words.append(world.VOCABULARY[_chosen(logits, temperature, rng)])
    return words


def _begun(model, words, mask):
    """Return the vectors of words, (n, 32), and the mask, once the model and they are whole."""
    names = [f"{name}_{i}" for i in range(N_LAYERS) for name in LAYER]
    require_names("all arrays of a writer", ["words", *names], {"a model": model})
    if not len(words):
        refuse("a text must have at least one word", "0 < 1", words="empty")
    mask = causal_mask(len(words)) if mask is None else as_mask(mask)
    return model["words"][world.encode(words)], mask


def _chosen(logits, temperature, rng):
    if rng is None:
        return int(logits.argmax())
    ends = softmax(logits, temperature=temperature).cumsum()
    return int((ends <= rng.random() * ends[-1]).sum())


def _projected(x, parts):
    """Return query, key and value of all heads, each (n_heads, n, d_head)."""
    return [split_heads(x @ parts[role], N_HEADS) for role in ROLES]


def _block(x, parts, mask, attend):
    """Return x with attention added, and then the network of the layer added."""
    query, key, value = _projected(x, parts)
    bias = nearness(parts["near"], len(x))
    if attend is None:
        heads = attention(query, key, value, mask=mask, bias=bias)
    else:
        pairs = zip(*_with_places(query, key, bias), value, strict=True)
        heads = np.stack([attend(*one, mask) for one in pairs])
    x = x + merge_heads(heads) @ parts["w_output"]
    return x + np.maximum(x @ parts["w_up"] + parts["b_up"], 0) @ parts["w_down"]


def _with_places(query, key, bias):
    """Return queries and keys whose scaled products hold the bias as well.

    A key says in n features more which place it has, and a query how much it likes each.
    """
    n, d = key.shape[-2:]
    wider = np.sqrt(d + n)  # by this a score will be divided
    query = np.concatenate([query * wider / np.sqrt(d), bias * wider], axis=-1)
    places = np.broadcast_to(np.eye(n), (*key.shape[:-2], n, n))
    return query, np.concatenate([key, places], axis=-1)


def _require_short(n, most):
    if n > most:
        refuse(f"a text must have at most {most} words", f"{n} > {most}", words=f"{n} of them")
