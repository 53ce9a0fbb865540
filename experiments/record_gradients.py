"""Ask PyTorch, an implementation that is not ours, for the loss and gradients of lesson 12's model.

``python -m experiments.record_gradients`` records its answers for the machines that have no
PyTorch: ``recorded/torch_writer.npz``. Of each gradient its norm is kept, and what it gives along
eight random directions. `tests.test_writer_gradients` compares them with the way back that the
lesson's cells define.
"""

from pathlib import Path

import numpy as np

from attnlib import world, writer
from experiments import record_writer

RECORDED = Path(__file__).parent / "recorded" / "torch_writer.npz"
N_STORIES, N_DIRECTIONS = 3, 8


def make_case(seed):
    """Return a model with no zeros in it, and stories, (3, 49)."""
    rng = np.random.default_rng(seed)
    lesson = record_writer.lesson()
    model = lesson.start(rng)
    model = {name: x + 0.1 * rng.standard_normal(x.shape) for name, x in model.items()}
    return model, lesson.stories(rng, N_STORIES)


def ask_torch(model, stories):
    """Return PyTorch's loss, and its gradient for each array of the model."""
    import torch

    taken = {name: torch.tensor(x, requires_grad=True) for name, x in model.items()}
    words, due = torch.tensor(stories[:, :-1]), torch.tensor(stories[:, world.N_OPENING :])
    n, x = words.shape[1], torch.nn.functional.embedding(words, taken["words"])
    away = (torch.arange(n)[:, None] - torch.arange(n)).abs()
    ahead = torch.ones(n, n, dtype=torch.bool).triu(1)
    for i in range(writer.N_LAYERS):
        part = writer.layer(taken, i)
        heads = [
            (x @ part[role]).unflatten(-1, (writer.N_HEADS, -1)).transpose(1, 2)
            for role in writer.ROLES
        ]
        bias = part["near"][:, away].masked_fill(ahead, -torch.inf)
        mixed = torch.nn.functional.scaled_dot_product_attention(*heads, attn_mask=bias)
        x = x + mixed.transpose(1, 2).flatten(-2) @ part["w_output"]
        x = x + torch.relu(x @ part["w_up"] + part["b_up"]) @ part["w_down"]
    logits = (x @ taken["words"].T / x.shape[-1] ** 0.5)[:, world.N_OPENING - 1 :]
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), due.flatten())
    loss.backward()
    return loss.item(), {name: x.grad.numpy() for name, x in taken.items()}


def kept(loss, grads):
    """Return what is recorded of an answer: {name: numbers}."""
    rng = np.random.default_rng(0)
    told = {"loss": np.array([loss])}
    for name, grad in sorted(grads.items()):
        ways = rng.standard_normal((N_DIRECTIONS, grad.size)) @ grad.ravel()
        told[name] = np.append(ways, np.linalg.norm(grad))
    return told


def main():
    import torch

    answer = kept(*ask_torch(*make_case(0)))
    np.savez_compressed(RECORDED, torch_version=np.array(torch.__version__), **answer)
    print(f"{RECORDED.name}: {len(answer) - 1} gradients, {RECORDED.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
