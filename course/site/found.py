"""What a search engine reads of a page, and shows of it: a title, and a description.

A lesson's heading says what one does in it. What people type is the name of the thing, so that
stands before it in the title. All lessons have theirs here.
"""

from typing import NamedTuple

LONGEST = 160  # letters of a description, of which a search engine shows no more


class Found(NamedTuple):
    """What a page is called by those who search for it, and what they find there."""

    subject: str
    description: str


LESSONS = {
    "00": Found(
        "Attention in three lines",
        "What attention does, in plain words and in three lines of NumPy, and how these lessons "
        "ask, check what you write and give hints.",
    ),
    "01": Found(
        "Dot product and cosine similarity",
        "The dot product by hand, by loop and by matrix, what its sign and size mean, when to take "
        "the cosine, and neighbours among real word vectors.",
    ),
    "02": Found(
        "Scaled dot-product attention",
        "Why attention divides by the square root of d_k: how fast scores grow with the width of "
        "queries and keys, and why. Measured with NumPy.",
    ),
    "03": Found(
        "Softmax and temperature",
        "A softmax by hand, and one that no finite score can break; what the temperature does, and "
        "when its weights stop moving. With NumPy.",
    ),
    "04": Found(
        "Self-attention",
        "Query, key and value, and why there are three matrices: self-attention by hand, with a "
        "loop and with matrices in NumPy, and in a picture that moves.",
    ),
    "05": Found(
        "Causal and padding masks",
        "Where a mask belongs in the formula of attention, causal and padding masks in NumPy, a "
        "test that nothing leaks, and writing word by word.",
    ),
    "06": Found(
        "Multi-head attention",
        "Cut features into heads and merge them again: multi-head attention in NumPy, what more "
        "heads bring, and the heads of a real model.",
    ),
    "07": Found(
        "Cross-attention",
        "How one sequence reads another, of another length and width, which side gets which mask, "
        "and where encoder–decoder models use it. With NumPy.",
    ),
    "08": Found(
        "Positional encoding and RoPE",
        "Why attention is blind to order, and how sinusoidal positions, rotary positions (RoPE) "
        "and ALiBi tell it where a word stands. With NumPy.",
    ),
    "09": Found(
        "Backpropagation through attention",
        "The gradients of a product, a softmax and the whole of attention, in NumPy alone, each "
        "checked by an experiment; then a step downhill.",
    ),
    "10": Found(
        "Train attention with NumPy",
        "Train a small attention model by gradient descent: how its loss falls, what it learns "
        "first, and whom its keys look for. With NumPy alone.",
    ),
    "11": Found(
        "Attention, RNN and CNN",
        "A convolution built of heads, linear attention run as a recurrent network (RNN), and what "
        "its state forgets. Computed with NumPy.",
    ),
    "12": Found(
        "A small language model in NumPy",
        "Transformer blocks, their gradients, their training, and a model that writes word by "
        "word; and what each part is for, seen by taking it out.",
    ),
    "13": Found(
        "A BERT-style encoder in NumPy",
        "Word pieces, blocks with norms and biases as BERT has them, a whole encoder held layer by "
        "layer against a record, and a vector for a sentence.",
    ),
    "99": Found(
        "Attention summed up",
        "Attention, masks, heads and positions on one page: the formulas and shapes, their names "
        "in PyTorch, and questions to test yourself with.",
    ),
}
HOME = "how Transformers work, with NumPy alone"


def title(name: str, heading: str, series: str) -> str:
    """Write the title of a page: of a lesson with its subject, and the series' name once."""
    if heading == series:
        return f"{heading}: {HOME}"
    _, dot, does = heading.partition(" · ")
    if known := _lesson(name):
        heading = f"{known.subject}: {does[:1].lower()}{does[1:]}" if dot else known.subject
    return f"{heading} — {series}"


def description(name: str, opening: str) -> str:
    """Describe a page: a lesson as it stands here, others by whole sentences of their opening."""
    if known := _lesson(name):
        return known.description
    while len(opening) > LONGEST and ". " in opening:
        opening = f"{opening.rpartition('. ')[0]}."
    return opening


def _lesson(name: str) -> Found | None:
    folder, _, lesson = name.rpartition("/")
    return LESSONS.get(lesson[:2]) if folder == "notebooks" else None
