#!/usr/bin/env bash
# Guess: converted, a model with sliding windows (Mistral 7B 0.1: 4,096 tokens, Gemma 3: 512 or 1,024) reads a prompt as it does in transformers, however
# long it is.
# Behaviour: a longer prompt is read in parts of one window. From the second part on, tokens look back to the start of the part before, at up to two
# windows instead of one; and layers of Gemma 3 without a window look, from the third part on, only at the first tokens of the prompt, and no
# longer at those just before them. What is generated behind such a prompt has other probabilities. Prompts up to one window are right, and
# so is a prompt of one token more. Masks that are as described here give the same numbers in transformers.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
# Run with the build of PyTorch for CPUs, 2.13.0+cpu.
"$folder/venv/bin/pip" install -q --no-compile ctranslate2==4.8.5 transformers==5.24.0 torch==2.13.0 numpy==2.4.6
cd "$folder"
HF_HUB_OFFLINE=1 venv/bin/python -W ignore - <<'PY'
import sys
from importlib.metadata import version

import ctranslate2
import numpy as np
import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()
print(*(f"{name} {version(name)}" for name in ("ctranslate2", "transformers", "torch")))
WORDS = ["<pad>", "</s>", "<unk>", "<s>", *(f"w{i}" for i in range(60))]
WINDOW = 8
SIZES = {"vocab_size": len(WORDS), "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4, "num_key_value_heads": 4, "sliding_window": WINDOW}
LAYERS = ["sliding_attention", "full_attention", "sliding_attention", "full_attention"]
CONFIGS = {
    "Mistral": transformers.MistralConfig(num_hidden_layers=2, **SIZES),
    "Gemma3": transformers.Gemma3TextConfig(num_hidden_layers=4, head_dim=16, query_pre_attn_scalar=16, layer_types=LAYERS, **SIZES),
}
TEXT = np.random.default_rng(0).integers(4, len(WORDS), 64).tolist()


def make(name):
    torch.manual_seed(1)
    model = getattr(transformers, f"{name}ForCausalLM")(CONFIGS[name]).eval()
    with torch.no_grad():
        for values in model.parameters():
            if values.dim() > 1:
                values.mul_(5)
    model.save_pretrained(name)
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", pad_token="<pad>", eos_token="</s>", bos_token="<s>").save_pretrained(name)
    ctranslate2.converters.TransformersConverter(name).convert(f"{name}/converted")
    model = getattr(transformers, f"{name}ForCausalLM").from_pretrained(name, attn_implementation="eager").eval()
    return model, ctranslate2.Generator(f"{name}/converted", compute_type="float32")


def take_logarithm(logits):
    logits = logits.astype("float64")[4:]
    return logits - np.logaddexp.reduce(logits)


def make_mask(length, described, window):
    """What each token of a prompt looks at; the last one is read after the others, as a first step of the generation."""
    mask = torch.full((1, 1, length, length), -1e30)
    for i in range(length):
        first, last, start = max(0, i - WINDOW + 1) if window else 0, i, i // WINDOW * WINDOW
        if described and start and i < length - 1:
            first, last = (start - WINDOW, i) if window else (0, WINDOW + i - start)
        mask[0, 0, i, first : last + 1] = 0
    return mask


seen = {}
for name in CONFIGS:
    model, generator = make(name)
    for length in (4, WINDOW, WINDOW + 1, 20, 40):
        ids = TEXT[:length]
        result = generator.generate_batch([[WORDS[i] for i in ids]], max_length=1, min_length=1, return_logits_vocab=True, include_prompt_in_result=False)[0]
        found = take_logarithm(np.array(result.logits[0][0]).ravel()[: len(WORDS)])
        masks = {}
        for described in (False, True):
            kinds = {"sliding_attention": make_mask(length, described, True), "full_attention": make_mask(length, described, False)}
            masks[described] = kinds if name == "Gemma3" else kinds["sliding_attention"]
        with torch.no_grad():
            inputs = torch.tensor([ids])
            right, checked, described = (
                take_logarithm(model(input_ids=inputs, **options).logits[0, -1].numpy()) for options in ({}, {"attention_mask": masks[False]}, {"attention_mask": masks[True]})
            )
        seen[name, length] = np.abs(found - right).max(), np.abs(found - described).max(), np.abs(right - checked).max()
        best = int(right.argmax())
        print(
            f"{name}, window {WINDOW}, prompt of {length}: probability of the best next word {np.exp(right[best]):.3f}, converted {np.exp(found[best]):.3f}; "
            f"logarithms differ by {seen[name, length][0]:.4f} at most, with the masks described by {seen[name, length][1]:.4f}"
        )
for (name, length), (difference, described, checked) in seen.items():
    if checked > 1e-3 or (length <= WINDOW + 1 and difference > 1e-3):
        sys.exit("not as expected")
    if described > 1e-3 or (length > WINDOW + 1 and difference < 0.1):
        sys.exit("CTranslate2 changed")
PY
