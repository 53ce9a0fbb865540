"""The small module behind *Attention, step by step*: attention in NumPy, made to be read.

Importing it loads NumPy and nothing heavier. Start with `attnlib.attention`.
"""

from attnlib.attention import attention, attention_scores, attention_weights
from attnlib.gradients import attention_backward, softmax_backward
from attnlib.masks import causal_mask, padding_mask, window_mask
from attnlib.multihead import MultiHeadAttention, merge_heads, split_heads
from attnlib.positions import alibi_bias, one_hot_positions, rotate, sinusoidal_positions
from attnlib.similarity import cosine_similarity, projection
from attnlib.softmax import entropy, softmax

__version__ = "0.1.0"

__all__ = [
    "MultiHeadAttention",
    "alibi_bias",
    "attention",
    "attention_backward",
    "attention_scores",
    "attention_weights",
    "causal_mask",
    "check",
    "cosine_similarity",
    "entropy",
    "hint",
    "merge_heads",
    "one_hot_positions",
    "padding_mask",
    "projection",
    "rotate",
    "sinusoidal_positions",
    "softmax",
    "softmax_backward",
    "solution",
    "split_heads",
    "window_mask",
]


def __getattr__(name):
    """Load the checks when one is asked for, so that importing attnlib stays light."""
    if name in ("check", "hint", "solution"):
        from attnlib import checks

        return getattr(checks, name)
    raise AttributeError(f"module 'attnlib' has no attribute {name!r}")


def __dir__():
    return sorted(__all__)
