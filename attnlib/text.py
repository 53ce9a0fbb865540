"""The sentences and the numbers that the lessons share: a few made by hand, the rest real.

The real numbers are a slice of the encoder all-MiniLM-L6-v2 (6 layers, 12 heads, d_model 384,
d_head 32). ``data/README.md`` says where it comes from, under which licence, and how exact it is.
What small taggers did while they learned was recorded by ``experiments/record_learning.py``, how
far layers of other kinds reach by ``experiments/record_reach.py``, how long tiles take by
``experiments/record_tiles.py``, and a model that learned to write by
``experiments/record_writer.py``. The text that lesson 14 learns is the lessons' own prose.

Nothing is read before a function asks for it. Every call returns new arrays, float32 for the real
numbers, so that whoever gets one may write into it.
"""

import codecs
import json
import os
import unicodedata
from difflib import get_close_matches
from pathlib import Path

import numpy as np

from attnlib._inputs import as_integer, refuse

DATA = Path(__file__).parent / "data"
N_LAYERS = 6
LAYERS = (0, 3)
LEAST_LETTERS, MOST_KINDS, MOST_BYTES = 20_000, 3_000, 20_000_000  # of a text to be learned
LONGEST_NAME = 4096  # of a file, with its folders
MARKS = {  # bytes at a file's beginning that name its encoding; UTF-32's begins like UTF-16's
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def words():
    """Return the words that have a vector in the slice, in the order of its rows.

    Returns
    -------
    list of str
        A few hundred common English words, lower case, each of them one token of the model.

    Examples
    --------
    >>> words()[:4]
    ['i', 'saw', 'a', 'the']
    """
    return _read("words").tolist()


def word_vectors(chosen=None):
    """Return the model's word vectors: what it holds for each word before it reads a sentence.

    Parameters
    ----------
    chosen : list of str, optional
        Which words, in which order; a word may come twice. Without it, all words.

    Returns
    -------
    ndarray, (n, 384), float32
        Row i belongs to ``chosen[i]``, or to ``words()[i]``.

    Raises
    ------
    TypeError
        If `chosen` is no list, or holds something that is no string.
    ValueError
        If a word is not in the slice. The message names words that look alike.

    Examples
    --------
    >>> x = word_vectors(["i", "saw", "a", "saw"])
    >>> x.shape
    (4, 384)
    >>> bool((x[1] == x[3]).all())
    True
    """
    vectors = _read("word_vectors")  # (n_words, 384)
    if chosen is None:
        return vectors
    known = words()
    return vectors[[_index("word", word, known) for word in _as_words(chosen)]]  # (n, 384)


def position_vectors():
    """Return the model's first 64 position vectors, which it learned and adds to word vectors.

    Returns
    -------
    ndarray, (64, 384), float32
        Row i belongs to position i, counted from 0. In a sentence, ``[CLS]`` has position 0.

    Examples
    --------
    >>> position_vectors().shape
    (64, 384)
    """
    return _read("position_vectors")


def layer(index):
    """Return the matrices and biases of one attention layer, oriented for ``x @ w_query``.

    Parameters
    ----------
    index : int
        0 or 3: the first layer of six, or the fourth.

    Returns
    -------
    dict
        What `attnlib.MultiHeadAttention` takes, with ``n_heads=12``: ``w_query``, ``w_key``,
        ``w_value``, ``w_output``, each (384, 384), and ``b_query``, ``b_key``, ``b_value``,
        ``b_output``, each (384,); all float32. Head h has the columns 32 h to 32 h + 31 of the
        first three and the same *rows* of ``w_output``.

    Raises
    ------
    TypeError
        If `index` is no integer.
    ValueError
        If the slice does not hold that layer.

    Notes
    -----
    This is the attention alone. After it the encoder adds x, normalises, and transforms each
    token by itself; ``states`` has what comes out of all that.

    Examples
    --------
    >>> import attnlib
    >>> attend = attnlib.MultiHeadAttention(**layer(0), n_heads=12)
    >>> attend.weights(states("I saw a saw")[0]).shape
    (12, 6, 6)
    """
    index = as_integer("index", index)
    if index not in LAYERS:
        rule = f"layer has two of the model's {N_LAYERS} layers, {LAYERS[0]} and {LAYERS[1]}"
        refuse(rule, f"{index} is neither", index=index)
    parts = ("query", "key", "value", "output")
    names = [f"w_{part}" for part in parts] + [f"b_{part}" for part in parts]
    return {name: _read(f"layer_{index}_{name}") for name in names}


def sentences():
    """Return the sentences whose states the slice holds.

    Returns
    -------
    list of str

    Examples
    --------
    >>> for sentence in sentences():
    ...     print(sentence)
    I saw a saw
    The cat sat on the mat
    The animal did not cross the street because it was tired
    He sat on the bank and fished in the river
    Trees grew on the bank of the river
    The bank gave her a loan
    He borrowed money from the bank
    """
    return _read("sentences").tolist()


def tokens(sentence):
    """Return the tokens that the model makes of a sentence.

    Parameters
    ----------
    sentence : str
        One of `sentences`.

    Returns
    -------
    list of str
        The words in lower case, between ``[CLS]`` and ``[SEP]``, which the model adds to every
        sentence.

    Raises
    ------
    ValueError
        If the slice does not hold the sentence.

    Examples
    --------
    >>> tokens("I saw a saw")
    ['[CLS]', 'i', 'saw', 'a', 'saw', '[SEP]']
    """
    return _read(f"tokens_{_index('sentence', sentence, sentences())}").tolist()


def states(sentence, *, positions=True):
    """Return what the model makes of each token of a sentence, layer by layer.

    Parameters
    ----------
    sentence : str
        One of `sentences`.
    positions : bool, default True
        False gives the states that the model computes with its position vectors set to zero.

    Returns
    -------
    ndarray, (7, n_tokens, 384), float32
        State i goes into layer i, state 6 comes out of the last layer. State 0 is the sum of word,
        position and segment vector after its normalisation. Rows are the `tokens`.

    Raises
    ------
    TypeError
        If `positions` is not a bool.
    ValueError
        If the slice does not hold the sentence.

    Examples
    --------
    >>> import attnlib
    >>> into_first, *_, out_of_last = states("I saw a saw")
    >>> alike = [attnlib.cosine_similarity(x)[2, 4] for x in (into_first, out_of_last)]
    >>> print([f"{cosine:.2f}" for cosine in alike])
    ['0.96', '0.66']
    """
    index = _index("sentence", sentence, sentences())
    if not isinstance(positions, bool | np.bool_):
        clash = f"{type(positions).__name__} is not bool"
        refuse("positions must be True or False", clash, TypeError, positions=repr(positions))
    return _read(f"states_{index}" if positions else f"states_{index}_without_positions")


def toy_sentence():
    """Return the running sentence, *I saw a saw*, with vectors made by hand for teaching.

    Returns
    -------
    tokens : list of str
        Four words, the second and the fourth the same.
    vectors : ndarray, (4, 3), float64
        The features mean *someone*, *doing*, *thing*. "saw" is a doing and a thing at once,
        and its two rows are equal; "a" is without a thing, -1, for it announces one.

    Examples
    --------
    >>> tokens, x = toy_sentence()
    >>> tokens
    ['I', 'saw', 'a', 'saw']
    >>> x
    array([[ 2.,  0.,  0.],
           [ 0.,  1.,  1.],
           [ 0.,  0., -1.],
           [ 0.,  1.,  1.]])
    """
    vectors = {"I": [2.0, 0.0, 0.0], "saw": [0.0, 1.0, 1.0], "a": [0.0, 0.0, -1.0]}
    sentence = ["I", "saw", "a", "saw"]
    return sentence, np.array([vectors[word] for word in sentence])  # (4, 3)


def toy_projections():
    """Return three projections for `toy_sentence`, made by hand for teaching.

    Returns
    -------
    w_query, w_key : ndarray, (3, 2), float64
        Two of the features: what a word looks for, *someone* or *thing*, and what it offers.
        Someone looks for a thing; a doing looks for both; who has a thing looks for none, and who
        lacks one looks for one. A key keeps the two features as they are.
    w_value : ndarray, (3, 3), float64
        What a word hands over, in the features of its vector: *someone* and *doing* as they are,
        and no *thing*. Only "I" is someone, 2, so the first feature of an output is twice the
        weight that its word gave to "I".

    Notes
    -----
    "I" looks most at the two "saw", "saw" at "I", and "a" at the two "saw". The scores are not
    symmetric: "a" scores "saw" 1, "saw" scores "a" 0.

    Examples
    --------
    >>> tokens, x = toy_sentence()
    >>> w_query, w_key, w_value = toy_projections()
    >>> x @ w_query @ (x @ w_key).T
    array([[ 0.,  2., -2.,  2.],
           [ 2.,  0.,  0.,  0.],
           [ 0.,  1., -1.,  1.],
           [ 2.,  0.,  0.,  0.]])
    """
    w_query = np.array([[0.0, 1.0], [1.0, 1.0], [0.0, -1.0]])
    w_key = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
    w_value = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    return w_query, w_key, w_value


def trainings():
    """Return what was recorded of the trainings of small taggers, for `attnlib.widgets.Learning`.

    Each tagger learns to say of a word like *saw*, in a hesitating sentence, whether it is verb or
    noun.

    Returns
    -------
    dict
        ``steps`` (n_steps,), at which something was recorded; the names of the ``models``; the
        ``sentences``, words with blanks between them. For each model M, ``loss/M``, in nats, and
        ``accuracy/M`` on unseen sentences, (n_seeds, n_steps). For each sentence S of n words,
        ``truth/S`` (n,): 1 for a verb, 0 for a noun, -1 for a word of which nothing is asked. For
        both, ``weights/M/S`` (n_seeds, n_steps, n, n), uint8 in steps of 1/255; ``verb/M/S``
        (n_seeds, n_steps, n), the probability of a verb, 0 where nothing is asked; and
        ``votes/M/S``, that which each word's value alone stands for.

    Raises
    ------
    FileNotFoundError
        If the record is missing.

    Notes
    -----
    The record is ``attnlib/data/learning.npz``; ``python -m experiments.record_learning`` trains
    the taggers anew and writes it.

    Examples
    --------
    >>> sorted({name.split("/")[0] for name in trainings()})
    ['accuracy', 'loss', 'models', 'sentences', 'steps', 'truth', 'verb', 'votes', 'weights']
    """
    with np.load(_recorded("learning.npz"), allow_pickle=False) as arrays:
        return dict(arrays)


def training_table(name):
    """Return a table of what was measured of small models that were trained from several seeds.

    Parameters
    ----------
    name : str
        ``"taggers"``, ``"ways back"``, ``"order"``, ``"matrices"``, ``"scale"``, ``"library"``,
        ``"two books"``, ``"copying"`` or ``"twin"``.

    Returns
    -------
    dict
        For each row a dict of its columns, and for each of these a dict with ``mean``, ``min``,
        ``max`` and ``each``, a number for each seed; and the row's ``seconds`` for a seed.

    Raises
    ------
    TypeError
        If `name` is no string.
    ValueError
        If there is no such table. The message names tables that are called alike.
    FileNotFoundError
        If the record is missing.

    Notes
    -----
    The record is ``attnlib/data/learning.json``, made by ``python -m experiments.record_learning``.

    Examples
    --------
    >>> round(training_table("taggers")["word by word"]["unseen"]["mean"], 1)
    0.5
    """
    return _table("learning.json", name)


def reach_table(name):
    """Return a table of how far attention, recurrence and convolution reach, over 20 seeds.

    Parameters
    ----------
    name : str
        ``"recall"``, ``"strength"``, ``"hunger"`` or ``"speed"``.

    Returns
    -------
    dict
        For each row a dict of its columns, and for each of these a dict with ``mean``, ``min``,
        ``max`` and ``each``, a number for each seed.

    Raises
    ------
    TypeError
        If `name` is no string.
    ValueError
        If there is no such table. The message names tables that are called alike.
    FileNotFoundError
        If the record is missing.

    Notes
    -----
    The record is ``attnlib/data/reach.json``, made by ``python -m experiments.record_reach``.

    Examples
    --------
    >>> round(reach_table("recall")["softmax, scale 16"]["512"]["mean"], 1)
    1.0
    """
    return _table("reach.json", name)


def tiles_table(name):
    """Return a table of what was measured of attention in tiles.

    Parameters
    ----------
    name : str
        ``"time"``: a row for the formula, for the formula in place and for tiles as lesson 15
        writes them, and for attnlib.

    Returns
    -------
    dict
        For each row a dict of its columns, the number of words: the median time of one core, where
        that of the formula is 1.

    Raises
    ------
    TypeError
        If `name` is no string.
    ValueError
        If there is no such table. The message names tables that are called alike.
    FileNotFoundError
        If the record is missing.

    Notes
    -----
    The record is ``attnlib/data/tiles.json``, made by ``python -m experiments.record_tiles``.

    Examples
    --------
    >>> tiles_table("time")["formula"]["4,096"]
    1.0
    """
    return _table("tiles.json", name)


def writer(stage="trained"):
    """Return a small Transformer that writes, as it was at a stage of its training.

    Parameters
    ----------
    stage : str, default "trained"
        ``"untrained"``, ``"plateau"``, where it guesses, ``"learning"``, where it begins to know,
        or ``"trained"``; or ``"no mask"``, another one, which could read ahead while it learned.

    Returns
    -------
    dict
        Arrays of float64, rounded to float16 in the record: ``words`` (20, 32), a row for each word
        of `attnlib.world.VOCABULARY`, and, for the layers i = 0 and 1, ``w_query_i``, ``w_key_i``,
        ``w_value_i``, ``w_output_i`` (32, 32), ``near_i`` (4, 48), ``w_up_i`` (32, 128), ``b_up_i``
        (128,) and ``w_down_i`` (128, 32). `attnlib.writer` reads and writes with them.

    Raises
    ------
    TypeError
        If `stage` is no string.
    ValueError
        If there is no such stage. The message names what is called alike.
    FileNotFoundError
        If the record is missing.

    Examples
    --------
    >>> sum(array.size for array in writer().values())
    25856
    """
    with np.load(_recorded("writer.npz"), allow_pickle=False) as arrays:
        stages = dict.fromkeys(name.split("/")[0] for name in arrays if "/" in name)
        rule = f"the stage must be one of {', '.join(map(repr, stages))}"
        _require_known(rule, "stage", stage, list(stages))
        return {
            name.removeprefix(f"{stage}/"): arrays[name].astype(np.float64)
            for name in arrays
            if name.startswith(f"{stage}/")
        }


def writer_training():
    """Return how the loss of the model of `writer` fell while it was trained.

    Returns
    -------
    dict
        ``steps`` (n,) and ``loss`` (n,), in nats a word, each the mean of the steps since the one
        before; ``floor``, the loss of whoever knows the chances; and ``stages``, a dict of the
        steps at which the stages of `writer` were kept.

    Raises
    ------
    FileNotFoundError
        If the record is missing.

    Examples
    --------
    >>> list(writer_training()["stages"])
    ['untrained', 'plateau', 'learning', 'trained']
    """
    with np.load(_recorded("writer.npz"), allow_pickle=False) as arrays:
        told = dict(zip(arrays["stages"].tolist(), arrays["stage_steps"].tolist(), strict=True))
        found = {name: arrays[name] for name in ("steps", "loss")}
        return found | {"floor": float(arrays["floor"]), "stages": told}


def writer_table(name):
    """Return a table of what was measured of models that write, trained from several seeds.

    Parameters
    ----------
    name : str
        ``"left out"``: a row for each part that a model was trained without, and one for none.

    Returns
    -------
    dict
        For each row a dict of its columns, and for each of these a dict with ``mean``, ``min``,
        ``max`` and ``each``, a number for each seed; and the row's ``seconds`` for a seed.

    Raises
    ------
    TypeError
        If `name` is no string.
    ValueError
        If there is no such table. The message names tables that are called alike.
    FileNotFoundError
        If the record is missing.

    Notes
    -----
    The record is ``attnlib/data/writer.json``, made by ``python -m experiments.record_writer``.

    Examples
    --------
    >>> round(writer_table("left out")["nothing"]["animal"]["mean"], 2)
    1.0
    """
    return _table("writer.json", name)


def text_of(path=None, *, encoding="utf-8"):
    """Return a text to be learned letter by letter: a file of yours, or this series' own prose.

    Parameters
    ----------
    path : str or path, optional
        A file of plain text, in any language. Without it, the prose of the lessons, as it was on
        the day that ``data/README.md`` says.
    encoding : str, default "utf-8"
        How the file writes letters as bytes: ``"gb18030"``, say, or ``"cp1252"``. A mark at the
        file's beginning that names UTF-8, 16 or 32 counts for more.

    Returns
    -------
    str
        The text. Each of its lines ends in one line feed, however the file ends them; and a letter
        with its accents is one letter, where Unicode has it as one (NFC).

    Raises
    ------
    TypeError
        If `path` is neither a string nor a path, or `encoding` no string.
    ValueError
        If `path` is longer than any name; if the file has more than 20 million bytes or is no text
        in that encoding; or if the text has fewer than 20,000 letters, more than 3,000 kinds of
        them, or one alone. Blanks, signs and ends of lines are letters, too.
    LookupError
        If Python knows no encoding of text by that name.
    FileNotFoundError, IsADirectoryError
        If there is no file at that place, or a folder. The message names the folder that was
        searched, and files there that are called alike.

    Notes
    -----
    For each kind of letter a model keeps a row of numbers, and gives each a chance whenever it
    reads one: so 3,000 kinds, which is more than most Chinese texts have, are as many as it has
    time for. ``python -m experiments.record_prose`` takes the prose out of the lessons anew.

    Examples
    --------
    >>> print(text_of()[:28])
    00 Start here
    How do I use t
    """
    if path is None:
        return _recorded("prose.txt").read_bytes().decode()
    if not isinstance(path, str | os.PathLike):
        clash = f"{type(path).__name__} is neither str nor a path"
        refuse("text_of takes the name of a file", clash, TypeError, path=repr(path))
    if not isinstance(encoding, str):
        clash = f"{type(encoding).__name__} is not str"
        refuse("an encoding is called by its name", clash, TypeError, encoding=repr(encoding))
    try:
        "".encode(encoding)
    except LookupError:
        clash = "Python knows no encoding of text by that name"
        refuse("an encoding is called by its name", clash, LookupError, encoding=repr(encoding))
    file = Path(path).expanduser()
    return _learnable(_decoded(_bytes_of(file), encoding, file.name), file.name)


def letters():
    """Return a small Transformer that learned `text_of`'s own text letter by letter.

    Returns
    -------
    dict
        Arrays of float64, rounded to float16 in the record: ``letters``, a row of 64 numbers for
        each kind of letter, in the order of ``sorted(set(text_of()))``; ``places`` (64, 64); and,
        for each part P of ``heads_0``, ``network_0``, ``heads_1`` and ``network_1``, ``P/gain`` and
        ``P/bias`` (64,), of heads ``P/w_query``, ``P/w_key``, ``P/w_value`` and ``P/w_output``
        (64, 64), of networks ``P/w_up`` (64, 256), ``P/b_up`` (256,) and ``P/w_down`` (256, 64); at
        last ``end/gain`` and ``end/bias``.

    Raises
    ------
    FileNotFoundError
        If the record is missing.

    Examples
    --------
    >>> model = letters()
    >>> len(model["letters"]) == len(set(text_of()))
    True
    """
    with np.load(_recorded("letters.npz"), allow_pickle=False) as arrays:
        return {name: arrays[name].astype(np.float64) for name in arrays}


def letters_training(row="whole", *, seed=0):
    """Return how a model like that of `letters` learned, and what it wrote on the way.

    Parameters
    ----------
    row : str, default "whole"
        How much of the text it learned, ``"whole"``, ``"half"``, ``"quarter"`` or ``"eighth"``; or
        what was left out of it, ``"heads"``, ``"networks"``, ``"norms"`` or ``"places"``.
    seed : int, default 0
        Which of the starts that were recorded.

    Returns
    -------
    dict
        ``steps`` (n,); the losses ``learned``, each the mean of the steps since the one before, and
        ``held out`` (n,), in nats a letter; ``written``, a dict of what it wrote after some steps;
        ``counts`` (7,), what counts of one to seven letters of as much text lose on what was held
        out; ``seconds``, of one core; and ``seeds``, a list of all that were recorded of this row.

    Raises
    ------
    TypeError
        If `row` is no string, or `seed` no integer.
    ValueError
        If there is no such row, or no such seed of it.
    FileNotFoundError
        If the record is missing.

    Examples
    --------
    >>> list(letters_training()["written"])[:4]
    [0, 10, 100, 1000]
    """
    record = json.loads(_recorded("letters.json").read_text(encoding="utf-8"))
    rows = dict.fromkeys(name.partition(":")[0] for name in record["runs"])
    rule = f"the row must be one of {', '.join(map(repr, rows))}"
    _require_known(rule, "row", row, list(rows))
    seeds = [int(name.partition(":")[2]) for name in record["runs"] if name.startswith(f"{row}:")]
    seed = as_integer("seed", seed)
    if seed not in seeds:
        rule = f"of the row {row!r} there are the seeds {', '.join(map(str, seeds))}"
        refuse(rule, f"{seed} is none of them", seed=seed)
    run = record["runs"][f"{row}:{seed}"]
    return {
        **{name: np.array(run[name]) for name in ("steps", "learned", "held out")},
        "written": {int(step): written for step, written in run["written"].items()},
        "counts": np.array(record["counts"].get(row, record["counts"]["whole"])),
        "seconds": run["seconds"],
        "seeds": seeds,
    }


def letters_table(name):
    """Return a table of what was measured of models like that of `letters`, over their seeds.

    Parameters
    ----------
    name : str
        ``"text"``: a row for each share of the text that was learned, and what it loses;
        ``"left out"``: one for each part that a model was trained without, and one for none; or
        ``"kept"``: one for each length of what was written, and the seconds of both ways to.

    Returns
    -------
    dict
        For each row a dict of its columns, and for each of these a dict with ``mean``, ``min``,
        ``max`` and ``each``, a number for each seed.

    Raises
    ------
    TypeError
        If `name` is no string.
    ValueError
        If there is no such table. The message names tables that are called alike.
    FileNotFoundError
        If the record is missing.

    Notes
    -----
    The record is ``attnlib/data/letters.json``, made by ``python -m experiments.record_letters``.

    Examples
    --------
    >>> list(letters_table("text"))[:2]
    ['whole', 'half']
    """
    tables = {
        "text": ("whole", "half", "quarter", "eighth"),
        "left out": ("whole", "heads", "networks", "norms", "places"),
        "kept": ("64 letters", "500 letters"),
    }
    _require_known(f"the table must be one of {', '.join(map(repr, tables))}", "name", name, tables)
    record = json.loads(_recorded("letters.json").read_text(encoding="utf-8"))
    found = {}
    for row in tables[name]:
        if name == "kept":
            columns = record["kept"][row]
        else:
            of_row = [run for one, run in record["runs"].items() if one.startswith(f"{row}:")]
            columns = {
                "learned": [run["learned"][-1] for run in of_row],
                "held out": [run["held out"][-1] for run in of_row],
                "lowest": [min(run["held out"]) for run in of_row],
                "lowest at step": [run["steps"][np.argmin(run["held out"])] for run in of_row],
            }
        found[row] = {
            column: {"mean": np.mean(x).item(), "min": min(x), "max": max(x), "each": x}
            for column, x in columns.items()
        }
    return found


def _bytes_of(file):
    """Return what is in a file, unless it is missing, a folder, or too large."""
    here = "the text must be a file that is there"
    if len(str(file)) > LONGEST_NAME:
        clash = f"{len(str(file)):,} > {LONGEST_NAME:,} (is it the text itself?)"
        refuse("text_of takes the name of a file", clash, path=repr(f"{str(file)[:40]}…"))
    if os.path.isdir(file):
        refuse(here, "that is a folder", IsADirectoryError, path=repr(str(file)))
    if not os.path.exists(file):
        folder = file.absolute().parent
        others = [one.name for one in folder.iterdir()] if os.path.isdir(folder) else []
        clash = f"there is none in {folder}{_close(file.name, others, cutoff=0.65)}"
        refuse(here, clash, FileNotFoundError, path=repr(str(file)))
    size = file.stat().st_size
    if size > MOST_BYTES:
        rule = f"a text must have at most {MOST_BYTES:,} bytes: its pieces are counted in memory"
        refuse(rule, f"{size:,} > {MOST_BYTES:,} (take a part of it)", **{file.name: f"{size:,}"})
    return file.read_bytes()


def _decoded(data, encoding, name):
    """Return the letters that bytes stand for; a mark at the beginning that names UTF counts."""
    encoding = next((marked for mark, marked in MARKS.items() if data.startswith(mark)), encoding)
    rule = "a text must be letters, in the encoding that you name"
    wide = codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))
    if 0 in data and not wide:
        clash = (
            f"byte {data.index(0):,} is 0, as in pictures, programs, .docx and .pdf; or in UTF-16 "
            "without its mark: encoding='utf-16-le'"
        )
        refuse(rule, clash, **{name: f"in {encoding}"})
    try:
        text = data.decode(encoding)
    except UnicodeError as error:
        place = getattr(error, "start", 0)
        clash = (
            f"byte {place:,} of {len(data):,} is no letter there; save it as plain text in UTF-8, "
            "or say what it is in: encoding='gb18030', 'cp1252'"
        )
        refuse(rule, clash, **{name: f"in {encoding}"})
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))


def _learnable(text, name):
    """Return a text, unless there is too little to be learned of it, or too much in one letter."""
    n, kinds = len(text), len(set(text))
    if n < LEAST_LETTERS:
        rule = f"a text to be learned must have {LEAST_LETTERS:,} letters, some ten pages, or more"
        refuse(rule, f"{n:,} < {LEAST_LETTERS:,}", **{name: f"{n:,} letters long"})
    if not 2 <= kinds <= MOST_KINDS:
        rule = f"a text must have 2 to {MOST_KINDS:,} kinds of letter, each a row of the model"
        many = f"{kinds:,} > {MOST_KINDS:,} (take a part of it, or leave rare ones out)"
        clash = many if kinds > 1 else "1 < 2: it is one letter alone"
        refuse(rule, clash, **{name: f"of {kinds:,} kind{'s' * (kinds > 1)}"})
    return text


def _table(file, name):
    """Return the rows of a table in a record."""
    tables = json.loads(_recorded(file).read_text(encoding="utf-8"))["tables"]
    _require_known(f"the table must be one of {', '.join(map(repr, tables))}", "name", name, tables)
    return tables[name]["rows"]


def _recorded(name):
    """Return where a record of what was measured is."""
    path = DATA / name
    if not path.exists():
        rule = "the record of what was measured must stand beside attnlib's other data"
        clash = f"it is missing (python -m experiments.record_{path.stem} makes it)"
        refuse(rule, clash, FileNotFoundError, **{"its place": f"attnlib/data/{name}"})
    return path


def _read(name):
    """Return one array of the slice, newly read; what is float16 in the file becomes float32."""
    with np.load(DATA / "minilm.npz", allow_pickle=False) as arrays:
        array = arrays[name]
    return array.astype(np.float32) if array.dtype == np.float16 else array


def _as_words(chosen):
    """Return chosen as a list; a lone string would come apart into letters."""
    rule = "word_vectors takes a list of words, like ['cat', 'dog']"
    if isinstance(chosen, str) or not hasattr(chosen, "__iter__"):
        refuse(rule, f"{type(chosen).__name__} is not list", TypeError, chosen=repr(chosen))
    chosen = list(chosen)
    for i, word in enumerate(chosen):
        if not isinstance(word, str):
            clash = f"{type(word).__name__} is not str"
            refuse(rule, clash, TypeError, **{f"chosen[{i}]": repr(word)})
    return chosen


def _index(kind, name, known):
    """Return where name stands in known."""
    rule = f"the {kind} must be one of the {len(known)} in attnlib.text.{kind}s()"
    _require_known(rule, kind, name, known)
    return known.index(name)


def _require_known(rule, kind, name, known):
    """Refuse a name that is not known, and say which of the known are close to it."""
    if not isinstance(name, str):
        refuse(rule, f"{type(name).__name__} is not str", TypeError, **{kind: repr(name)})
    if name in known:
        return
    refuse(rule, f"{name!r} is not there{_close(name, known)}", **{kind: repr(name)})


def _close(name, known, cutoff=0.75):
    """Return the end of a message: which of the known are called much like a name."""
    spelling = {entry.lower(): entry for entry in known}  # a capital letter is no great distance
    close = get_close_matches(name.lower(), spelling, n=3, cutoff=cutoff)
    return f"; close to it: {', '.join(repr(spelling[entry]) for entry in close)}" if close else ""
