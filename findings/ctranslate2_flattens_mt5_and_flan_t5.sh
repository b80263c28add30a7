#!/usr/bin/env bash
# Guess: mT5, and T5 1.1 (Flan-T5, MADLAD-400), converted with transformers 5, give tokens the probabilities that they have in transformers.
# Behaviour: logits are divided by the root of the size of the states, 22 to 64 for the published models: that is for the first T5 alone, and the converter
# tells them apart by `tie_word_embeddings`, which transformers 5 sets to true for all of them. The most likely token is the same, but its
# probability falls from 0.63 to 0.15 where the root is 8: sampling draws almost at random, and a beam search compares other scores. The first T5 is
# right. Nothing warns.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile ctranslate2==4.8.5 transformers==5.24.0 torch==2.13.0 numpy==2.4.6
cd "$folder"
venv/bin/python -W ignore - <<'PY'
import json
import os
import sys
from importlib.metadata import version
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
import ctranslate2
import numpy as np
import torch
import transformers
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, models, pre_tokenizers

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()
print(*(f"{name} {version(name)}" for name in ("ctranslate2", "transformers", "torch")))
WORDS = ["<pad>", "</s>", "<unk>", *"abcdefghijklm"]
WIDTH = 64
SIZES = {"vocab_size": len(WORDS), "d_model": WIDTH, "d_kv": 16, "d_ff": 128, "num_layers": 2, "num_heads": 4, "decoder_start_token_id": 0}
KINDS = {  # as their config.json has it
    "T5": ("T5", "relu", True),
    "T5 1.1": ("T5", "gated-gelu", False),
    "mT5": ("MT5", "gated-gelu", False),
}


def take_logarithm(logits):
    return logits - np.logaddexp.reduce(logits)


def make(name, tie, folder, feed_forward):
    """A model with random weights, saved as the published ones are."""
    torch.manual_seed(1)
    config = getattr(transformers, f"{name}Config")(feed_forward_proj=feed_forward, **SIZES)
    getattr(transformers, f"{name}ForConditionalGeneration")(config).save_pretrained(folder)
    saved = json.loads((folder / "config.json").read_text())
    saved.pop("scale_decoder_outputs", None)
    (folder / "config.json").write_text(json.dumps({**saved, "decoder_start_token_id": 0, "tie_word_embeddings": tie}))
    if not tie:
        weights = load_file(folder / "model.safetensors")
        weights["lm_head.weight"] = torch.randn(len(WORDS), WIDTH) / 2
        save_file(weights, folder / "model.safetensors", {"format": "pt"})
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", pad_token="<pad>", eos_token="</s>").save_pretrained(folder)


seen = {}
for kind, (name, feed_forward, tie) in KINDS.items():
    folder = Path(kind.replace(" ", ""))
    make(name, tie, folder, feed_forward)
    model = getattr(transformers, f"{name}ForConditionalGeneration").from_pretrained(folder).eval()
    source = ["c", "a", "m", "e", "</s>"]
    with torch.no_grad():
        ids = torch.tensor([[WORDS.index(word) for word in source]])
        logits = model(input_ids=ids, decoder_input_ids=torch.tensor([[0]])).logits[0, 0].double().numpy()
    ctranslate2.converters.TransformersConverter(str(folder)).convert(str(folder / "converted"))
    translator = ctranslate2.Translator(str(folder / "converted"), compute_type="float32")
    targets = [[word] for word in WORDS[3:]]
    found = np.array([result.log_probs[0] for result in translator.score_batch([source] * len(targets), targets)])
    right, flat = take_logarithm(logits)[3:], take_logarithm(logits / WIDTH**0.5)[3:]
    seen[kind] = np.abs(found - right).max(), np.abs(found - flat).max()
    best = int(np.argmax(right))
    print(f"{kind}: probability of the best word {np.exp(right[best]):.3f} in transformers, {np.exp(found[best]):.3f} converted; with logits divided by {WIDTH**0.5:.0f}, {np.exp(flat[best]):.3f}")
if seen["T5"][0] > 1e-3:
    sys.exit("not as expected")
for kind in ("T5 1.1", "mT5"):
    if seen[kind][1] > 1e-3 or seen[kind][0] < 0.1:
        sys.exit("CTranslate2 changed")
PY
