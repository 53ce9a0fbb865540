"""Ask PyTorch, an implementation that is not ours, what lesson 11's networks answer.

``python -m experiments.record_networks`` records its answers to random cases for the machines that
have no PyTorch: ``recorded/torch_networks.npz``. `tests.test_networks` compares them with the
functions that the lesson's cells define.
"""

from pathlib import Path

import numpy as np

RECORDED = Path(__file__).parent / "recorded" / "torch_networks.npz"
KINDS = "plain", "gated", "convolution"


def make_case(kind, rng):
    """Return the arrays of one random case, named as the lesson's function names them."""
    n, d_in, d_out, near = rng.integers(2, 9, 4)
    x = rng.standard_normal((n, d_in))
    if kind == "convolution":  # widths 1, 3, 5, 7; wider than the sentence, too
        offsets = np.arange(-(near // 2), near // 2 + 1)
        return {"x": x, "w": rng.standard_normal((len(offsets), d_in, d_out)), "offsets": offsets}
    gates = () if kind == "plain" else (3,)
    case = {"x": x, "w": rng.standard_normal((*gates, d_in, d_out))}
    case["u"] = rng.standard_normal((*gates, d_out, d_out))
    return case if kind == "plain" else case | {"bias": rng.standard_normal(d_out)}


def ask_torch(kind, case):
    """Return PyTorch's output for each word, (n, d_out)."""
    import torch

    with torch.no_grad():
        x, w, *rest = (torch.from_numpy(np.asarray(array)) for array in case.values())
        if kind == "convolution":  # its channels come before the places, and outputs before inputs
            near = len(rest[0]) // 2
            return torch.nn.functional.conv1d(x.T, w.permute(2, 1, 0), padding=near).T.numpy()
        n_inputs, n_features = x.shape[1], w.shape[-1]
        maker = torch.nn.RNN if kind == "plain" else torch.nn.GRU
        network = maker(n_inputs, n_features, dtype=x.dtype)
        order = [1, 0, 2] if kind == "gated" else [0]  # the lesson's first gate is PyTorch's second
        u, *bias = rest
        parts = network.weight_ih_l0, network.weight_hh_l0
        for part, matrices in zip(parts, (w, u), strict=True):
            matrices = matrices.reshape(-1, *matrices.shape[-2:])
            part[:] = torch.cat([matrices[gate].T for gate in order])
        network.bias_ih_l0[:], network.bias_hh_l0[:] = 0, 0
        for keep in bias:
            network.bias_ih_l0[n_features : 2 * n_features] = keep
        return network(x)[0].numpy()


def main():
    import torch

    arrays = {"torch_version": np.array(torch.__version__)}
    for seed, kind in enumerate(KINDS):
        case = make_case(kind, np.random.default_rng(seed))
        arrays |= {f"{kind}/case/{name}": x for name, x in case.items()}
        arrays[f"{kind}/answer"] = ask_torch(kind, case)
    np.savez_compressed(RECORDED, **arrays)
    print(f"{RECORDED.name}: {len(KINDS)} cases, {RECORDED.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
