"""Ask PyTorch, an implementation that is not ours, what attention answers to random cases.

``python -m experiments.record_oracle`` records its answers to one case of each kind for the
machines that have no PyTorch: ``recorded/torch_attention.npz``. `tests.test_oracle` compares.
"""

from pathlib import Path

import numpy as np

RECORDED = Path(__file__).parent / "recorded" / "torch_attention.npz"
ATTENTION_KINDS = (
    "plain",
    "float32",
    "scale",
    "mask",
    "hidden_rows",
    "bias",
    "mask_and_bias",
    "minus_infinity",
    "causal",
)
GRADIENT_KINDS = tuple(f"gradient_{kind}" for kind in ATTENTION_KINDS)
LAYER_KINDS = ("layer", "layer_mask", "layer_padding", "layer_source")
GROUPED_KINDS = ("grouped", "grouped_mask", "multi_query")
KINDS = ATTENTION_KINDS + LAYER_KINDS + GROUPED_KINDS + GRADIENT_KINDS


def make_case(kind, rng):
    """Return the arrays of one random case; the sizes are random too."""
    if kind in GRADIENT_KINDS:
        case = make_attention_case(kind.removeprefix("gradient_"), rng)
        shape = (*case["query"].shape[:-1], case["value"].shape[-1])
        return case | {"grad_output": normal(rng, shape).astype(case["value"].dtype)}
    if kind in ATTENTION_KINDS:
        return make_attention_case(kind, rng)
    return make_layer_case(kind, rng)


def make_attention_case(kind, rng):
    leading = [(), (2,), (2, 3)][rng.integers(3)]
    n_queries, n_keys, d_key, d_value = rng.integers(1, 14, 4)
    shapes = {"query": (n_queries, d_key), "key": (n_keys, d_key), "value": (n_keys, d_value)}
    case = {name: 2 * normal(rng, (*leading, *shape)) for name, shape in shapes.items()}
    if kind == "float32":
        case = {name: x.astype(np.float32) for name, x in case.items()}
    if kind == "scale":
        case["scale"] = np.array(rng.uniform(0.05, 2))
    if kind in ("mask", "mask_and_bias", "hidden_rows"):
        case["mask"] = random_mask(rng, (*leading, n_queries, n_keys))
    if kind == "hidden_rows":
        case["mask"][..., ::2, :] = False
    if kind in ("bias", "mask_and_bias"):
        case["bias"] = normal(rng, (*leading, n_queries, n_keys))
    if kind == "minus_infinity":
        case["bias"] = np.where(rng.random((n_queries, n_keys)) < 0.5, -np.inf, 0.0)
        case["bias"][::2] = -np.inf
    return case


def make_layer_case(kind, rng):
    """Make a layer and its inputs: of two sentences, as torch.nn.MultiheadAttention wants it."""
    n_queries, n_keys, d_key, d_value = rng.integers(2, 8, 4)
    n_heads, n_kv_heads = {"grouped": (4, 2), "grouped_mask": (6, 2), "multi_query": (3, 1)}.get(
        kind, (3, 3)
    )
    d_model, d_source, d_out = n_heads * d_key, rng.integers(2, 20), rng.integers(2, 20)
    if kind not in GROUPED_KINDS:  # PyTorch's layer has fewer sizes to choose
        d_value, d_out = d_key, d_model
    if kind in ("layer", "layer_mask"):
        d_source, n_keys = d_model, n_queries
    sizes = {
        "query": (d_model, n_heads * d_key),
        "key": (d_source, n_kv_heads * d_key),
        "value": (d_source, n_kv_heads * d_value),
        "output": (n_heads * d_value, d_out),
    }
    case = {f"w_{role}": normal(rng, size) / 2 for role, size in sizes.items()}
    case |= {f"b_{role}": normal(rng, size[1]) for role, size in sizes.items()}
    case |= {"n_heads": np.array(n_heads), "n_kv_heads": np.array(n_kv_heads)}
    case["x"] = normal(rng, (2, n_queries, d_model))
    if kind not in ("layer", "layer_mask"):
        case["source"] = normal(rng, (2, n_keys, d_source))
    if kind in ("layer_mask", "grouped_mask"):
        case["mask"] = random_mask(rng, (n_queries, n_keys))
    if kind == "layer_padding":
        lengths = rng.integers(1, n_keys + 1, 2)
        case["mask"] = np.arange(n_keys) < lengths[:, None, None]
    return case


def normal(rng, shape):
    """Return normal numbers of few digits, so that the recording is small."""
    return np.round(rng.standard_normal(shape), 1)


def random_mask(rng, shape):
    """Return a boolean mask in which every query may look at one key at least."""
    mask = rng.random(shape) < 0.6
    sure = rng.integers(shape[-1], size=(*shape[:-1], 1))
    np.put_along_axis(mask, sure, True, axis=-1)
    return mask


def ask_torch(kind, case):
    """Return PyTorch's output, or gradients, and the weights of every head where it tells them."""
    import torch

    case = {name: torch.from_numpy(np.asarray(x)) for name, x in case.items()}
    if kind in GRADIENT_KINDS:
        return ask_gradients(torch, kind, **case)
    with torch.no_grad():
        if kind in ATTENTION_KINDS:
            answers = {"output": ask_function(torch, kind, **case)}
        elif kind in LAYER_KINDS:
            answers = ask_layer(torch, case)
        else:
            answers = {"output": ask_grouped(torch, case)}
    return {name: x.numpy() for name, x in answers.items()}


def ask_function(torch, kind, query, key, value, mask=None, bias=None, scale=None):
    if bias is not None and mask is not None:  # it takes only one of the two
        bias, mask = torch.where(mask, bias, -torch.inf), None
    return torch.nn.functional.scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=mask if bias is None else bias,
        is_causal=kind == "causal",
        scale=None if scale is None else scale.item(),
    )


def ask_gradients(torch, kind, grad_output, query, key, value, **options):
    inputs = {"query": query, "key": key, "value": value}
    for x in inputs.values():
        x.requires_grad_()
    output = ask_function(torch, kind.removeprefix("gradient_"), **inputs, **options)
    output.backward(grad_output)
    return {f"grad_{name}": x.grad.numpy() for name, x in inputs.items()}


def ask_layer(torch, case):
    """Ask torch.nn.MultiheadAttention, whose matrices are transposed and whose True is *hidden*."""
    x, mask = case["x"], case.get("mask")
    source = case.get("source", x)
    d_source = source.shape[-1]
    layer = torch.nn.MultiheadAttention(
        x.shape[-1],
        case["n_heads"].item(),
        kdim=d_source,
        vdim=d_source,
        batch_first=True,
        dtype=x.dtype,
    )
    matrices = [case[f"w_{role}"].T for role in ("query", "key", "value")]
    if layer.in_proj_weight is None:
        layer.q_proj_weight[:], layer.k_proj_weight[:], layer.v_proj_weight[:] = matrices
    else:
        layer.in_proj_weight[:] = torch.cat(matrices)
    layer.in_proj_bias[:] = torch.cat([case[f"b_{role}"] for role in ("query", "key", "value")])
    layer.out_proj.weight[:] = case["w_output"].T
    layer.out_proj.bias[:] = case["b_output"]
    masks = {}
    if mask is not None:
        masks = {"attn_mask": ~mask} if mask.ndim == 2 else {"key_padding_mask": ~mask[:, 0]}
    output, weights = layer(x, source, source, average_attn_weights=False, **masks)
    return {"output": output, "weights": weights}


def ask_grouped(torch, case):
    """Project and split by PyTorch's own means, and leave the sharing of heads to enable_gqa."""
    heads = []
    for role, n in (("query", "n_heads"), ("key", "n_kv_heads"), ("value", "n_kv_heads")):
        x = case["x"] if role == "query" else case["source"]
        features = torch.nn.functional.linear(x, case[f"w_{role}"].T, case[f"b_{role}"])
        heads.append(features.unflatten(-1, (case[n].item(), -1)).transpose(1, 2))
    output = torch.nn.functional.scaled_dot_product_attention(
        *heads, attn_mask=case.get("mask"), enable_gqa=True
    )
    merged = output.transpose(1, 2).flatten(-2)
    return torch.nn.functional.linear(merged, case["w_output"].T, case["b_output"])


def main():
    import torch

    arrays = {"torch_version": np.array(torch.__version__)}
    for seed, kind in enumerate(KINDS):
        case = make_case(kind, np.random.default_rng(seed))
        arrays |= {f"{kind}/case/{name}": x for name, x in case.items()}
        arrays |= {f"{kind}/answer/{name}": x for name, x in ask_torch(kind, case).items()}
    np.savez_compressed(RECORDED, **arrays)
    print(f"{RECORDED.name}: {len(KINDS)} cases, {RECORDED.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
