"""How long `attention` and its gradients take beside PyTorch's fused kernel and the formula.

``python -m experiments.benchmarks.bench_tiles`` (``make bench``) prints a table and, with
``--picture``, draws it. *The least* is what no way by tiles does without: two products for each
tile of scores and its exponentials, and seven products forward and backward, made as `_tiles` makes
them, in as many threads. All take turns in one run, in float32; a cell of the table is the median
of 21 rounds, of more where these take less than 2 seconds, and of as many, at least 5, as 20
seconds hold. With more cores each waits until the threads of the one before sleep, and then runs a
while before it is measured. With ``--busy`` it is the processor's time, which other work on the
machine changes less: for one core.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

N_HEADS, D = 8, 64
CASES = "no mask", "causal", "padding", "bias"
WAYS = "forward", "forward and backward"
ROUNDS, LEAST, SHORTEST, LONGEST = 21, 5, 2, 20
TOO_LONG = 4096  # beyond it the formula's scores take gigabytes
ASLEEP = 0.2  # seconds for which threads of BLAS and PyTorch wait for more, and keep a core busy
WARM = 0.05  # seconds until a core that slept is there for a new thread


def make_inputs(n, case):
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal((N_HEADS, n, D), dtype=np.float32) for _ in range(4)]
    mask = {"causal": np.tri(n, dtype=bool), "padding": np.arange(n) < 3 * n // 4}.get(case)
    bias = rng.standard_normal((1, n, n), dtype=np.float32) if case == "bias" else None
    return arrays, mask, bias


def by_attnlib(n, case, way):
    from attnlib import attention, attention_backward

    (grad_output, *inputs), mask, bias = make_inputs(n, case)
    options = {"mask": mask, "bias": bias}
    forward = lambda: attention(*inputs, **options)  # noqa: E731
    if way == "forward":
        return forward
    return lambda: (forward(), attention_backward(grad_output, *inputs, **options))


def by_formula(n, case, way):
    if n > TOO_LONG:
        return None
    (grad_output, query, key, value), mask, bias = make_inputs(n, case)

    def call():
        scores = query @ key.swapaxes(-1, -2) / math.sqrt(D)
        scores = scores if bias is None else scores + bias
        scores = scores if mask is None else np.where(mask, scores, np.float32(-np.inf))
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights = weights / weights.sum(axis=-1, keepdims=True)
        output = weights @ value
        if way == "forward":
            return output
        grad_weights = grad_output @ value.swapaxes(-1, -2)
        mean = (weights * grad_weights).sum(axis=-1, keepdims=True)
        grad_scores = weights * (grad_weights - mean) / math.sqrt(D)
        back = weights.swapaxes(-1, -2) @ grad_output, grad_scores.swapaxes(-1, -2) @ query
        return output, (grad_scores @ key, *back)

    return call


def by_pytorch(n, case, way):
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    (grad_output, *inputs), mask, bias = make_inputs(n, case)
    grad_output, *inputs = (torch.from_numpy(x)[None] for x in (grad_output, *inputs))
    options = {"is_causal": True} if case == "causal" else {}
    if case == "padding":
        options = {"attn_mask": torch.from_numpy(mask).expand(1, 1, n, n)}
    if case == "bias":
        options = {"attn_mask": torch.from_numpy(bias)[None]}
    ask = torch.nn.functional.scaled_dot_product_attention
    if way == "forward":
        return lambda: ask(*inputs, **options)[0].numpy()
    for x in inputs:
        x.requires_grad_()

    def call():
        output = ask(*inputs, **options)
        grads = torch.autograd.grad(output, inputs, grad_output)
        return output.detach()[0].numpy(), [x[0].numpy() for x in grads]

    return call


def by_least(n, case, way):
    from attnlib import _threads, _tiles

    (_, query, key, value), _, _ = make_inputs(n, case)
    ways, side = _tiles._ways(query, value), min(n, 256)
    products = 1 if way == "forward" else 2

    def work(heads):
        rooms = (side, side), (side, D), (D, n), (n, D)
        scores, rows, k, v = (_tiles._room(shape, np.dtype(np.float32)) for shape in rooms)
        for head in heads:
            q, k[...], v[...] = query[head], key[head].T, value[head]
            for i in range(0, n, side):
                for j in range(0, n, side):
                    if case == "causal" and j > i:
                        continue
                    asked, found, worth = q[i : i + side], k[:, j : j + side], v[j : j + side]
                    for _ in range(products):  # of S, of dP
                        _tiles._product(asked, found, scores, ways)
                    ways.power(scores, out=scores)
                    _tiles._product(scores, worth, rows, ways)
                    for _ in range(3 * (products - 1)):  # to dQ, dK, dV; and S once more forth
                        _tiles._product(scores, worth, rows, ways)
                    if products == 2:
                        _tiles._product(asked, found, scores, ways)

    most = _threads.MOST if ways.small_products else 1
    return lambda: _threads.share_out(work, range(N_HEADS), most)


CONTESTANTS = {
    "attnlib": by_attnlib,
    "PyTorch": by_pytorch,
    "the formula": by_formula,
    "the least": by_least,
}


def measure(n, case, way, contestants, clock):
    """Return the median seconds of each contestant, in rounds of one call of each."""
    calls = {name: CONTESTANTS[name](n, case, way) for name in contestants}
    calls = {name: call for name, call in calls.items() if call is not None}
    expected = None
    for name, call in calls.items():  # so all are warm, and say the same
        found = call()
        if name != "the least":
            found = found[0] if way != "forward" else found
            expected = found if expected is None else expected
            np.testing.assert_allclose(found, expected, atol=1e-5)
    times, passed, start = {name: [] for name in calls}, 0, time.monotonic()
    several = int(os.environ["OMP_NUM_THREADS"]) > 1
    while (done := len(times["attnlib"])) < LEAST or (
        passed < LONGEST and (done < ROUNDS or passed < SHORTEST)
    ):
        for name, call in calls.items():
            if several:
                time.sleep(ASLEEP)
                warm = time.monotonic() + WARM
                while time.monotonic() < warm:
                    call()
            before = clock()
            call()
            times[name].append(clock() - before)
        passed = time.monotonic() - start
    return {name: statistics.median(x) for name, x in times.items()}


def measured(n, case, way, cores, asked):
    """Measure in a process of its own, with so many threads."""
    limits = {f"{name}_NUM_THREADS": str(cores) for name in ("OMP", "OPENBLAS", "MKL")}
    command = [sys.executable, "-m", __spec__.name, "--one", str(n), case, way]
    command += ["--contestants", *asked.contestants, *["--busy"] * asked.busy]
    done = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, env=os.environ | limits, text=True
    )
    return json.loads(done.stdout)


def draw(rows, path):
    """Draw each contestant's time, as a share of PyTorch's (or attnlib's where there is none)."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    all_cores = sorted({cores for cores, _, _ in rows})
    labels = list(dict.fromkeys(label for _, label, _ in rows))
    figure, axes = plt.subplots(
        ncols=len(all_cores),
        figsize=(3 + 3.5 * len(all_cores), 1.2 + 0.22 * len(labels)),
        sharex=True,
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for ax, cores in zip(axes[0], all_cores, strict=True):
        found = {label: row for at, label, row in rows if at == cores}
        for name, marker in zip(CONTESTANTS, "o|s.", strict=True):
            places = [y for y, label in enumerate(labels) if name in found.get(label, ())]
            shares = [found[labels[y]][name] / base_of(found[labels[y]]) for y in places]
            ax.plot(shares, places, marker, label=name)
        ax.set_title(f"{cores} core{'s' * (cores > 1)}")
        ax.set_xscale("log")
        ax.minorticks_off()
        ax.grid(alpha=0.4)
    first, last = axes[0, 0], axes[0, -1]
    first.set_yticks(range(len(labels)), labels)
    first.invert_yaxis()
    least, most = first.get_xlim()
    ticks = [x for x in (0.2, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 20) if least < x < most]
    first.set_xticks(ticks, [f"{x:g}" for x in ticks])
    figure.supxlabel("time, PyTorch's fused kernel = 1", fontsize="medium")
    handles = last.get_legend_handles_labels()
    figure.legend(*handles, loc="outside upper center", ncols=len(CONTESTANTS))
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def base_of(row):
    return row.get("PyTorch", row["attnlib"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[256, 1024])
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--cases", nargs="+", default=CASES, choices=CASES)
    parser.add_argument("--contestants", nargs="+", default=CONTESTANTS, choices=CONTESTANTS)
    parser.add_argument("--busy", action="store_true", help="measure the processor's time")
    parser.add_argument("--picture", help="a file to draw the table in")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        n, case, way = asked.one
        clock = time.process_time if asked.busy else time.perf_counter
        print(json.dumps(measure(int(n), case, way, asked.contestants, clock)))
        return
    rows = []
    print(f"\nAttention of {N_HEADS} heads, d {D}, float32: attnlib's ms; times as long as PyTorch")
    print(f"{'cores':5} {'n':>6} {'case':8} {'way':20} {'ms':>8}  " + "  ".join(CONTESTANTS))
    for cores in asked.cores:
        for n in asked.sizes:
            for case in asked.cases:
                for way in WAYS:
                    row = measured(n, case, way, cores, asked)
                    shares = "  ".join(
                        f"{row[name] / base_of(row):{len(name)}.2f}"
                        if name in row
                        else " " * len(name)
                        for name in CONTESTANTS
                    )
                    line = (
                        f"{cores:5} {n:6} {case:8} {way:20} {row['attnlib'] * 1e3:8.1f}  {shares}"
                    )
                    print(line, flush=True)
                    rows.append((cores, f"n {n:,}, {case}, {way}", row))
    if asked.picture:
        draw(rows, asked.picture)
        print(f"drawn in {asked.picture}")


if __name__ == "__main__":
    main()
