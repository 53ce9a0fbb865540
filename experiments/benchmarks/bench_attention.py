"""How much memory and time `attention` takes beside the textbook formula.

``python -m experiments.benchmarks.bench_attention`` (``make bench``) prints both.
"""

import math
import statistics
import subprocess
import sys
import time
import tracemalloc

import numpy as np

from attnlib import attention

N_HEADS, D_KEY = 8, 64
N_LONG, N_SHORT = 8192, 1024
N_ROUNDS = 21


def textbook(query, key, value, root):
    """Attention as notes write it, with the max shift."""
    scores = query @ key.swapaxes(-1, -2) / root(query.shape[-1])
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return weights @ value


def make_inputs(n):
    rng = np.random.default_rng(0)
    return [rng.standard_normal((N_HEADS, n, D_KEY), dtype=np.float32) for _ in range(3)]


def measure_memory():
    """Return the peak of what NumPy allocates during one call, beyond inputs and output."""
    inputs = make_inputs(N_LONG)
    attention(*(x[:, :2] for x in inputs))  # what a first call loads is not counted
    tracemalloc.start()
    output = attention(*inputs)
    peak = tracemalloc.get_traced_memory()[1] - output.nbytes
    tracemalloc.stop()
    return peak


def measure_resident():
    """Return how much one call raises the peak of the whole process, output included.

    BLAS's own buffers are in it, which tracemalloc does not see. None where the system, Windows,
    does not tell. It runs in a process of its own, because peaks do not fall again, and before
    other measurements, because on Linux a process starts with the peak of its parent.
    """
    code = (
        "from experiments.benchmarks import bench_attention as b; print(b.raise_of_resident_peak())"
    )
    try:
        import resource  # noqa: F401
    except ImportError:
        return None
    return int(
        subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE).stdout
    )


def raise_of_resident_peak():
    import resource

    unit = 1 if sys.platform == "darwin" else 1024  # macOS tells bytes, Linux kilobytes
    inputs = make_inputs(N_LONG)
    attention(*(x[:, :2] for x in inputs))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    attention(*inputs)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit


def measure_times():
    """Return the times of each contestant, in rounds of one call of each."""
    inputs = make_inputs(N_SHORT)
    contestants = {
        "attention": lambda: attention(*inputs),
        "np.sqrt": lambda: textbook(*inputs, np.sqrt),
        "math.sqrt": lambda: textbook(*inputs, math.sqrt),
    }
    outputs = [call() for call in contestants.values()]  # and so all are warm
    for output in outputs:
        np.testing.assert_allclose(output, outputs[0], atol=1e-5)
    times = {name: [] for name in contestants}
    for _ in range(N_ROUNDS):
        for name, call in contestants.items():
            start = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - start)
    return times


def main():
    print(f"attention, {N_HEADS} heads, d_key = d_value = {D_KEY}, float32, NumPy {np.__version__}")
    resident, peak = measure_resident(), measure_memory()
    print(f"\nMemory beyond inputs and output at n_queries = n_keys = {N_LONG:,}")
    print(f"  attention                    {peak / 1e6:8,.0f} MB at its peak (tracemalloc)")
    if resident is not None:
        print(f"  the process, output included {resident / 1e6:8,.0f} MB at its peak (max RSS)")
    scores = N_HEADS * N_LONG * N_LONG * 4
    print(
        f"  the textbook formula         {scores / 1e6:8,.0f} MB for each array of scores, and it"
    )
    print("                                        holds two or three at a time (from its shapes)")
    print("  aim: attention below 150 MB")
    print(f"\nTime at n_queries = n_keys = {N_SHORT:,}, medians of {N_ROUNDS} alternating rounds")
    medians = {name: statistics.median(times) for name, times in measure_times().items()}
    for name, seconds in medians.items():
        label = name if name == "attention" else f"textbook formula, {name}"
        ratio = seconds / medians["attention"]
        print(f"  {label:28} {seconds * 1e3:8.1f} ms   {ratio:5.2f} times attention's")
    print("  aim: the formula with np.sqrt at least 4 times attention's, on a quiet machine")
    print("  np.sqrt(64) is a float64 scalar, and under NumPy 2 it makes all that follows float64;")
    print("  with math.sqrt the formula stays float32. Most notes write np.sqrt.")


if __name__ == "__main__":
    main()
