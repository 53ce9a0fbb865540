"""Ask transformers, an implementation that is not ours, what the whole encoder makes of sentences.

``python -m experiments.record_encoder`` records its answers for the machines that have neither
PyTorch nor transformers: ``recorded/encoder.npz``. It needs torch, transformers, tokenizers and the
model's package (``make environment`` brings the last). `tests.test_encoder` compares them with
`attnlib.encoder`. States and weights are recorded as projections on a few random directions, which
`project_states` and `project_weights` make again: a wrong number changes them all.
"""

import json
from pathlib import Path

import numpy as np

RECORDED = Path(__file__).parent / "recorded" / "encoder.npz"
N_DIRECTIONS = 4
N_WEIGHED = 4  # every so many'th sentence has its weights recorded
LONGEST = 512  # pieces: the model has no more positions
# Of many kinds: ordinary, long and unknown words, accents, other scripts, marks, nothing at all.
BY_HAND = (
    "",
    " \t\n",
    "I saw a saw",
    "The animal did not cross the street because it was tired.",
    "Dog bites man; man bites dog!",
    "Don't — can't: it's “quoted”, (bracketed) & 100% [sure] …",
    "donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
    "a" * 100,
    "a" * 101,
    "antidisestablishmentarianism floccinaucinihilipilification",
    "Ångström naïve façade coöperate Złoty Đuro İstanbul ß Œuvre",
    "e\u0301 and \u00e9 are one letter; \u1e9b\u0323 is three marks",
    "注意力机制 is attention, 東京 a town, 𠀀 a rare one",
    "ひらがな カタカナ 한국어 กขค हिन्दी",
    "Ελληνικά, русский, עברית, العربية",
    "😀 👩\u200d👩\u200d👧 🇩🇪 ☂️",
    "[MASK] is a piece, [mask] is not; [CLS] [SEP] [PAD] [UNK]",
    "zero\u200bwidth soft\u00adhyphen nul\u0000 bom\ufeff wrong\ufffd private\ue000 open\u0378",
    "line\u2028separator no\u00a0break\u3000wide\rreturn",
    "x² + y² = z², ½ × 3 ≤ π √2 ≠ ∞",
    "user@example.org https://example.org/a_b?c=d#e $5 ~6 ^7 `8` |9|",
    "camelCase snake_case kebab-case 3.14159 1,000,000 0x1F",
    "the " * 200,
    "Attention weighs every word by every other word of the sentence. " * 12,
)
FREQUENT = "the a cat dog bank river saw kitten street tired quickly of it was because 42"
RARE = "attention transformers Zürich unbelievable pseudopseudohypoparathyroidism don't café 猫"
SIGNS = "? , - ! 🙂"


def sentences():
    """Return the sentences: those by hand, and random ones of up to fifteen words."""
    rng = np.random.default_rng(0)
    words = f"{FREQUENT} {RARE} {SIGNS}".split()
    return [*BY_HAND, *(" ".join(rng.choice(words, n)) for n in rng.integers(1, 16, 100))]


def project_states(states):
    """Return (n_layers + 1, n, d_model) on random directions, (n_layers + 1, n, N_DIRECTIONS)."""
    directions = np.random.default_rng(1).standard_normal((states.shape[-1], N_DIRECTIONS))
    return states @ directions / np.sqrt(len(directions))


def project_weights(weights):
    """Return (n_layers, n_heads, n, n) on one random direction, (n_layers, n_heads, n)."""
    return weights @ np.random.default_rng(2).standard_normal(weights.shape[-1])


def main():
    import tokenizers
    import torch
    import transformers

    from attnlib import encoder

    folder = encoder.find_model()
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST)
    bert = transformers.BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    torch.set_num_threads(1)
    pieces, arrays = [], {}
    for i, sentence in enumerate(sentences()):
        encoded = tokenizer.encode(sentence)
        pieces.append(encoded.tokens)
        with torch.no_grad():
            ids = torch.tensor([encoded.ids])
            told = bert(ids, output_hidden_states=True, output_attentions=True)
        states = torch.cat(told.hidden_states).numpy()
        arrays[f"states/{i}"] = project_states(states).astype(np.float32)
        arrays[f"vector/{i}"] = states[-1].mean(axis=0)
        if i % N_WEIGHED == 0:
            weights = torch.cat(told.attentions).numpy()
            arrays[f"weights/{i}"] = project_weights(weights).astype(np.float32)
    arrays["pieces"] = np.array(json.dumps(pieces))
    versions = {module.__name__: module.__version__ for module in (torch, transformers, tokenizers)}
    arrays["versions"] = np.array(json.dumps(versions))
    np.savez_compressed(RECORDED, **arrays)
    print(f"{RECORDED.name}: {len(pieces)} sentences, {RECORDED.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
