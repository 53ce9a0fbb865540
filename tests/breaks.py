"""Break the core on purpose, one line at a time, and see that the tests notice.

``python -m tests.breaks [NAME ...]`` applies each break to a copy of the tree, runs the core's
tests on it (of an exercise's solution, those of the exercise) and prints which failed first. It
exits with 1 where a break survives. It takes minutes, so ``make test`` does not run it;
`tests.test_breaks` holds that every break still applies.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
MODULES = (
    "attention",
    "blocks",
    "tiles",
    "threads",
    "softmax",
    "masks",
    "gradients",
    "similarity",
    "multihead",
    "positions",
    "inputs",
    "text",
)
OTHER_TESTS = ("oracle", "public_names")
EXERCISES = "checks/exercises/"
LONGEST = 240  # seconds for the core's tests, which take some thirty


class Break(NamedTuple):
    """One deliberate mistake: in attnlib's module, the text `old` becomes `new`."""

    name: str
    module: str
    old: str
    new: str


BREAKS = [
    # attention
    Break("scale by 1/d_key", "_inputs", "1 / math.sqrt(max(d_key, 1))", "1 / max(d_key, 1)"),
    Break("no scale at all", "attention", "(query * scale) @", "query @"),
    Break("a scale of the caller is ignored", "_inputs", "as_scale(scale,", "as_scale(None,"),
    Break(
        "a block's scale is forgotten",
        "attention",
        "scale)  # (..., n_queries",
        "1.0)  # (..., n_queries",
    ),
    Break(
        "attention_weights forgets the scale that attention keeps",
        "attention",
        "masked_softmax_in_place(scores_of(query, key, bias, scale)",
        "masked_softmax_in_place(scores_of(query, key, bias, 1.0)",
    ),
    Break(
        "attention_scores forgets its scale",
        "attention",
        "return scores_of(query, key, bias, scale)",
        "return scores_of(query, key, bias, 1.0)",
    ),
    Break(
        "mask before bias",
        "attention",
        """        scores = scores_of(query, key, bias, scale)  # (..., n_queries, n_keys)
        weights = masked_softmax_in_place(scores, mask)""",
        """        scores = scores_of(query, key, None, scale)
        if mask is not None:
            np.copyto(scores, -np.inf, where=~mask)
        if bias is not None:
            scores += bias
        weights = masked_softmax_in_place(scores, None)""",
    ),
    Break("bias forgotten", "attention", "scores += bias", "scores += 0 * bias"),
    Break(
        "hidden values leak through 0 * NaN",
        "_blocks",
        "if finite.all():",
        "if True:",
    ),
    Break(
        "attention's float16 comes back as float32",
        "attention",
        "value.shape[-1]), dtype)",
        "value.shape[-1]), query.dtype)",
    ),
    Break(
        "hidden keys warn",
        "attention",
        '@np.errstate(all="ignore")  # a hidden key may hold anything',
        "# a hidden key may hold anything",
    ),
    Break(
        "what tiles leave is lost",
        "attention",
        "output[place][for_formula] = redone[for_formula]",
        "pass",
    ),
    Break(
        "the formula fills more than its rows",
        "attention",
        "output[place][for_formula] = redone[for_formula]",
        "output[place] = redone",
    ),
    # _blocks
    Break(
        "blocks overlap", "_blocks", "slice(start, start + step)", "slice(start, start + step + 1)"
    ),
    Break("keys are cut with the queries", "_blocks", "key[place[:-1]]", "key[place]"),
    Break(
        "all scores at once", "_blocks", "max(BLOCK // max(n_held, 1), 1)", "max(counts[axis], 1)"
    ),
    Break(
        "few keys let all queries into one block",
        "_blocks",
        "max(n_keys, d)  # queries",
        "n_keys  # queries",
    ),
    Break(
        "a batch's shared keys are held for each query",
        "_blocks",
        "* max(n_keys, d), n_keys * d)",
        "* max(n_keys, d), 0)",
    ),
    Break(
        "visible values that are not finite count as 0",
        "_blocks",
        "    # What that left out,",
        "    return output\n    # What that left out,",
    ),
    Break(
        "a weight of 0 hides a visible infinity",
        "_blocks",
        "output[(visible & (weights == 0)) @ np.isinf(value)] = np.nan",
        "pass",
    ),
    # _tiles
    Break("the last strip is left out", "_tiles", "shape[-1], height)]", "shape[-1] - 1, height)]"),
    Break("a strip's scale is forgotten", "_tiles", "queries[0], scale * ways", "queries[0], ways"),
    Break(
        "a bias that is not stretched",
        "_tiles",
        "bias[:, columns], stretch",
        "bias[:, columns], 1",
    ),
    Break(
        "no more bits than a bias has", "_tiles", "asked.dtype.type(ways.stretch)", "ways.stretch"
    ),
    Break("earlier sums keep their shift", "_tiles", "                sums *= factor\n", ""),
    Break("earlier exponentials keep it", "_tiles", "*(x for _, x, _ in done)):", "):"),
    Break("no shift", "_tiles", "np.where(far, top, 0)", "np.where(far, 0, 0)"),
    Break("a shift of whatever is found", "_tiles", "> REACH * ways.stretch) &", "> 0) &"),
    Break("a bound without the bias", "_tiles", "* scale + largest", "* scale"),
    Break("a bound without the longest key", "_tiles", "query_norm * key_norm *", "query_norm *"),
    Break("hidden scores are looked at", "_tiles", "tile *= shown", "pass"),
    Break(
        "hidden scores count for the highest",
        "_tiles",
        "np.copyto(tile, -np.inf, where=~shown)",
        "pass",
    ),
    Break(
        "what is strange stays in a strip",
        "_tiles",
        "arrays = [np.where(wild[:, None], 0, x) for x in arrays]",
        "pass",
    ),
    Break(
        "who sees a strange key is not for the formula",
        "_tiles",
        "True if shown is None else shown[:, wild].any(axis=-1)",
        "False",
    ),
    Break(
        "what a bias spoils is not for the formula",
        "_tiles",
        "strip.for_formula | ~((total > 0) & (total < np.inf))[:, 0]",
        "strip.for_formula",
    ),
    Break("what is for the formula counts twice", "_tiles", "tile[lost] = 0", "pass"),
    Break("rows of a part are lost", "_tiles", "if even < len(left):", "if False:"),
    Break("grad_query without its scale", "_tiles", "(sums, share * scale,", "(sums, share,"),
    Break("the lowest exponentials stay", "_tiles", "tile -= ways.power_of_lowest", "pass"),
    # _threads
    Break(
        "gradients are added as threads come",
        "_tiles",
        "            places.wait_for(n_added, head, number)\n",
        "",
    ),
    Break("kept tiles share a place", "_tiles", "[number % len(room)", "[0"),
    Break(
        "a mask is seen once for all queries",
        "_tiles",
        "seen_of.setdefault(shown",
        "seen_of.setdefault(mask",
    ),
    Break("little work gets threads", "_tiles", "n_threads if pays else 1", "n_threads"),
    Break("many short heads get threads", "_tiles", "max(len(places), 32)", "32"),
    Break("a thread's error is lost", "_threads", "failures.append(failure)", "pass"),
    Break("others go on after an error", "_threads", "        self.waiting.clear()\n", ""),
    Break("others wait after an error", "_threads", "self.stopped = True", "pass"),
    Break("no thread is waited for", "_threads", "thread.join()", "pass"),
    Break("OMP_NUM_THREADS is not heard", "_threads", '"MKL", "OMP")', '"MKL")'),
    # gradients
    Break("the mean is not subtracted", "gradients", "grad -= (weights", "(weights"),
    Break("the weights are forgotten", "gradients", "0, weights * grad)", "0, grad)"),
    Break(
        "what is hidden spreads into its row's sum",
        "gradients",
        "grad = np.where(hidden, 0, grad_weights)",
        "grad = grad_weights.copy()",
    ),
    Break(
        "a row of NaN spreads", "gradients", "np.where(hidden, 0, weights * grad)", "weights * grad"
    ),
    Break("the gradient's scale is forgotten", "gradients", "weights) * scale", "weights)"),
    Break("a hidden query reaches a key", "gradients", "query, seen_by,", "query, None,"),
    Break("a hidden key reaches a query", "gradients", "key, mask)", "key, None)"),
    Break("a hidden loss reaches a value", "gradients", "grad, seen_by,", "grad, None,"),
    Break(
        "a query that looks at nothing adds to keys",
        "gradients",
        "query, seen_by, keys=-2)",
        "query, seen_by)",
    ),
    Break("its loss adds to values", "gradients", "grad, seen_by, keys=-2)", "grad, seen_by)"),
    Break("only the last block counts", "gradients", "grad_key[heads] += ", "grad_key[heads] = "),
    Break("the formula adds all rows", "gradients", "grad_of_rest[~for_formula] = 0", "pass"),
    Break(
        "a gradient keeps the axes it was broadcast to",
        "gradients",
        "_summed_to(np.shape(x), grad)",
        "grad",
    ),
    Break(
        "gradients in float16 come back as float32",
        "gradients",
        "as_dtype(grad, dtype)",
        "grad",
    ),
    Break(
        "a gradient too large for its dtype warns",
        "gradients",
        'as_dtype(as_real("grad_output", grad_output), query.dtype)',
        'as_real("grad_output", grad_output).astype(query.dtype)',
    ),
    Break("softmax_backward forgets its axis", "gradients", "x, axis, -1)", "x, -1, -1)"),
    # softmax
    Break("no max shift", "softmax", "rows -= np.where(top == -np.inf, 0, top)", "rows -= 0"),
    Break(
        "the shift of a row of -inf is NaN",
        "softmax",
        "np.where(top == -np.inf, 0, top)",
        "top",
    ),
    Break(
        "a row of -inf is divided by its sum of 0",
        "softmax",
        "np.where(total == 0, 1, total)",
        "total",
    ),
    Break("not normalised", "softmax", "rows /= np.where(total == 0, 1, total)", "rows /= 1"),
    Break(
        "normalised over the wrong axis",
        "softmax",
        "total = rows.sum(axis=-1, keepdims=True)",
        "total = rows.sum(axis=0, keepdims=True)",
    ),
    Break(
        "one shift for all rows",
        "softmax",
        "rows.max(axis=-1, keepdims=True",
        "rows.max(keepdims=True",
    ),
    Break(
        "temperature multiplies",
        "softmax",
        "rows /= np.float64(temperature)",
        "rows *= temperature",
    ),
    Break("the shift overflows before the temperature", "softmax", "temperature > 1:", "False:"),
    Break("temperature in float32", "softmax", "np.float64(temperature)", "temperature"),
    Break(
        "softmax changes its input",
        "softmax",
        "np.array(np.moveaxis(scores, axis, -1))",
        "np.moveaxis(scores, axis, -1)",
    ),
    Break(
        "axis ignored", "softmax", "np.moveaxis(scores, axis, -1)", "np.moveaxis(scores, -1, -1)"
    ),
    Break("a NaN hides a negative weight", "softmax", "np.nanmin(rows, ", "rows.min("),
    Break(
        "a sum that overflows warns",
        "softmax",
        '@np.errstate(all="ignore")  # what is too large',
        "# what is too large",
    ),
    Break("entropy below 0", "softmax", "np.maximum(entropies, 0)", "entropies"),
    Break("entropy in bits", "softmax", "np.log(np.where(rows == 0", "np.log2(np.where(rows == 0"),
    Break(
        "entropy of a weight of 0 is NaN",
        "softmax",
        "np.log(np.where(rows == 0, 1, rows))",
        "np.log(rows)",
    ),
    Break(
        "mask inverted",
        "softmax",
        "(scores, -np.inf, where=hidden)",
        "(scores, -np.inf, where=mask)",
    ),
    Break("hidden scores are -1e9", "softmax", "(scores, -np.inf,", "(scores, -1e9,"),
    Break(
        "a visible NaN reaches hidden weights",
        "softmax",
        "np.copyto(weights, 0, where=hidden)",
        "np.copyto(weights, 0, where=False)",
    ),
    # masks
    Break("causal hides the diagonal", "masks", "n_keys, offset) <= 0", "n_keys, offset) < 0"),
    Break("offset the wrong way round", "masks", '+ as_integer("offset"', '- as_integer("offset"'),
    Break(
        "padding shows one word too many",
        "masks",
        "np.arange(n_keys) < np.array",
        "np.arange(n_keys) <= np.array",
    ),
    Break(
        "window looks back alone",
        "masks",
        "np.abs(steps_ahead(n_queries, n_keys, offset))",
        "-steps_ahead(n_queries, n_keys, offset)",
    ),
    Break(
        "padding mask without the axis of queries",
        "masks",
        "[:, None, None]  # (batch",
        "[:, None]  # (batch",
    ),
    Break("a window has a widest", "masks", ", bits=np.inf)", ")"),
    # similarity
    Break(
        "projection overflows on the way",
        "similarity",
        "if not np.isfinite(along).all():",
        "if False:",
    ),
    Break("too large a part", "similarity", "part = 0.5 ** x.shape[-1].bit_length()", "part = 0.5"),
    Break(
        "a long vector changes other rows",
        "similarity",
        "np.where(np.isfinite(along), shadow, whole)",
        "whole",
    ),
    Break(
        "cosine of a zero vector is NaN",
        "similarity",
        "x / np.where(length == 0, 1, length)",
        "x / length",
    ),
    Break(
        "squares overflow and vanish",
        "similarity",
        "x = x / np.where(largest == 0, 1, largest)",
        "x = x + 0.0",
    ),
    Break("cosines beyond 1 by rounding", "similarity", "np.clip(cosines, -1, 1)", "cosines"),
    Break(
        "projection onto a vector not normalised",
        "similarity",
        "direction = _directions(onto)",
        "direction = onto",
    ),
    Break(
        "projection's length alone",
        "similarity",
        "shadow = along * direction",
        "shadow = along + 0 * direction",
    ),
    # multihead
    Break(
        "heads split by reshape alone",
        "multihead",
        "return heads.swapaxes(-3, -2).astype(dtype)",
        "return heads.reshape(*x.shape[:-2], n_heads, x.shape[-2], d_head).astype(dtype)",
    ),
    Break(
        "heads merged by reshape alone",
        "multihead",
        "x = heads.swapaxes(-3, -2)",
        "x = heads",
    ),
    Break(
        "groups h0 h1 h0 h1",
        "multihead",
        "(np.repeat(x, group, axis=-3) for x in (key, value))",
        "(np.concatenate([x] * group, axis=-3) for x in (key, value))",
    ),
    Break("biases forgotten", "multihead", "x @ w if b is None else x @ w + b", "x @ w"),
    Break(
        "w_output's bias forgotten",
        "multihead",
        "_affine(merge_heads(heads), *output)",
        "_affine(merge_heads(heads), output[0], None)",
    ),
    Break(
        "mask without the axis of heads",
        "multihead",
        "return np.expand_dims(broadcast_array(",
        "return (broadcast_array(",
    ),
    Break(
        "random variance 1",
        "multihead",
        "rng.standard_normal(shape) / np.sqrt(shape[0])",
        "rng.standard_normal(shape)",
    ),
    # positions
    Break(
        "one-hot rows say the next position",
        "positions",
        'np.eye(as_count("n_positions", n_positions))',
        'np.eye(as_count("n_positions", n_positions), k=1)',
    ),
    Break(
        "position's parity",
        "positions",
        "table[:, 0::2] = np.sin(angles)",
        "table[:, 0::2] = np.cos(angles)",
    ),
    Break("exponent without the 2", "positions", "** (2 * pairs / d)", "** (pairs / d)"),
    Break("angles beyond the floats pass", "positions", "np.isfinite(angles).all()", "True"),
    Break("rotate clockwise", "positions", "a * cos - b * sin", "a * cos + b * sin"),
    Break(
        "layouts swapped", "positions", 'if layout == "interleaved"', 'if layout != "interleaved"'
    ),
    Break(
        "angles in float32",
        "positions",
        "positions[..., None] /",
        "positions[..., None].astype(np.float32) / np.float32(1) /",
    ),
    Break(
        "ALiBi's slopes by one formula",
        "positions",
        "np.concatenate([slopes, between[: n_heads - power]])",
        "2.0 ** (-8 / n_heads * np.arange(1, n_heads + 1))",
    ),
    Break("ALiBi rewards distance", "positions", "return -slopes", "return slopes"),
    # _inputs
    Break("integers stay integers", "_inputs", "return x.astype(np.float64)", "return x"),
    Break(
        "float16 is computed in float16", "_inputs", "np.result_type(dtype, np.float32)", "dtype"
    ),
    Break(
        "results that underflow raise",
        "_inputs",
        '@np.errstate(all="ignore")\ndef as_dtype',
        "def as_dtype",
    ),
    Break("lists that hold themselves pass", "_inputs", "if depth > 64:", "if False:"),
    Break(
        "masks of np.ma are dropped",
        "_inputs",
        "if isinstance(first, np.ma",
        "if isinstance(0, np.ma",
    ),
    Break("large integers wrap", "_inputs", "bit_length()) > bits", "bit_length()) > math.inf"),
    Break("ragged lists reach NumPy", "_inputs", "if isinstance(x, list | tuple):", "if False:"),
    Break("numbers are taken as a mask", "_inputs", "mask.dtype != bool", "mask.dtype == complex"),
    Break(
        "a negative scale passes",
        "_inputs",
        "if not (x > 0 and math.isfinite(x))",
        "if not math.isfinite(x)",
    ),
    Break("any positive scale passes", "_inputs", "if not 2**-32 <= x <= 2**32:", "if False:"),
    Break("the largest scale is refused", "_inputs", "<= x <= 2**32", "<= x < 2**32"),
    Break(
        "heads are not broadcast against each other",
        "_inputs",
        "np.broadcast_to(x, leading + x.shape[-2:]) for x in arrays",
        "x for x in arrays",
    ),
    # text
    Break(
        "the tables of lesson 11 are lesson 10's",
        "text",
        '"reach.json", name',
        '"learning.json", name',
    ),
    Break(
        "a model's stage is another's",
        "text",
        'name.startswith(f"{stage}/")',
        'name.startswith("trained/")',
    ),
    Break("a missing record is told with another's command", "text", "{path.stem}", "learning"),
    Break("a text of zeros passes", "text", "if 0 in data and not wide:", "if False:"),
    Break(
        "a mark at a file's beginning is not heard",
        "text",
        "next((marked for mark, marked in MARKS.items() if data.startswith(mark)), encoding)",
        "encoding",
    ),
    Break(
        "lines end as the file ends them",
        "text",
        r'text.replace("\r\n", "\n").replace(',
        "text.replace(",
    ),
    Break("a text too short is learned", "text", "if n < LEAST_LETTERS:", "if False:"),
    Break("one letter alone is learned", "text", "if not 2 <= kinds <=", "if not kinds <="),
    Break("too many kinds are learned", "text", "2 <= kinds <= MOST_KINDS", "2 <= kinds"),
    Break("a file too large is read", "text", "if size > MOST_BYTES:", "if False:"),
    Break(
        "another seed's losses",
        "text",
        'record["runs"][f"{row}:{seed}"]',
        'record["runs"][f"{row}:0"]',
    ),
    Break(
        "less text is counted as the whole",
        "text",
        'record["counts"].get(row, record["counts"]["whole"])',
        'record["counts"]["whole"]',
    ),
    Break(
        "the last loss is told as the lowest",
        "text",
        '[min(run["held out"]) for run in of_row]',
        '[run["held out"][-1] for run in of_row]',
    ),
    Break("the first row's models are all rows'", "text", 'one.startswith(f"{row}:")', "one"),
    # solutions
    Break(
        "a window's answers are its letters",
        f"{EXERCISES}windows",
        "return ids[places], ids[places + 1]",
        "return ids[places], ids[places]",
    ),
    Break(
        "a norm's mean is taken for fixed",
        f"{EXERCISES}layer_norm_backward",
        "grad_x = (grad - by_mean - by_size) / size",
        "grad_x = (grad - by_size) / size",
    ),
    Break(
        "one letter more than k stays",
        f"{EXERCISES}top_k",
        "[..., -k, None]  # (..., 1)",
        "[..., -k - 1, None]  # (..., 1)",
    ),
    Break(
        "each letter that is written has the first one's place",
        f"{EXERCISES}generate",
        'model["places"][kept[0][0].shape[1]]',
        'model["places"][keys.shape[2]]',
    ),
]


def first_failure(broken):
    """Return the first test that fails on a copy of the tree with this break; None for none."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in ("attnlib", "experiments", "tests"):
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", root)
        path = root / "attnlib" / f"{broken.module}.py"
        source = path.read_text(encoding="utf-8")
        if source.count(broken.old) != 1:
            return "(no longer applies)"
        path.write_text(source.replace(broken.old, broken.new), encoding="utf-8")
        return run_tests(root, tests_of(broken.module))


def tests_of(module):
    """Return what runs for a module: the core's tests, its own first; or those of an exercise."""
    if module.startswith(EXERCISES):
        return ["tests/checks/test_exercises.py", "-k", module.removeprefix(EXERCISES)]
    order = sorted(MODULES, key=lambda name: name != module.strip("_")) + list(OTHER_TESTS)
    return [f"tests/test_{name}.py" for name in order]


def run_tests(root, chosen):
    """Run tests until one fails."""
    options = ["-x", "-q", "--tb=no", "-p", "no:cacheprovider", "-o", "addopts=", "-rfE"]
    options += ["--deselect", "tests/test_text.py::test_the_wheel_ships_the_slice_with_its_licence"]
    options += ["-p", "no:nbval"]  # half of the time until the first test goes into importing it
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *chosen],
            cwd=root,  # with -m, the copy is imported and not the tree it was made of
            env=os.environ | {"CI": "1", "OPENBLAS_NUM_THREADS": "1"},  # the same examples always
            capture_output=True,
            text=True,
            check=False,
            timeout=LONGEST,
        )
    except subprocess.TimeoutExpired:  # a thread that never ends outlives the test that saw it
        return f"no end within {LONGEST} s"
    if done.returncode == 0:
        return None
    failures = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if done.returncode != 1 or not failures:
        return f"(the tests did not run: {done.stdout[-300:]}{done.stderr[-300:]})"
    return failures[0].split(" - ")[0].removeprefix("FAILED tests/")


def main(names):
    if unknown := set(names) - {broken.name for broken in BREAKS}:
        print(f"No such break: {', '.join(sorted(unknown))}.")
        return 2
    if first_failure(Break("nothing", "softmax", "import numpy", "import numpy")) is not None:
        print("The tests fail without any break: mend that first.")
        return 1
    chosen = [broken for broken in BREAKS if not names or broken.name in names]
    survivors = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for broken, failure in zip(chosen, pool.map(first_failure, chosen), strict=True):
            survivors += failure is None or failure.startswith("(")
            print(f"{broken.module}: {broken.name} | {failure or 'SURVIVED'}", flush=True)
    print(f"{len(chosen) - survivors} of {len(chosen)} breaks were noticed.")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
