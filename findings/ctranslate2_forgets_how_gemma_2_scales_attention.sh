#!/usr/bin/env bash
# Guess: what a model's configuration says about the size of its attention scores and logits holds in the converted model, or the conversion is refused.
# Behaviour: it is passed over, without a warning: the logits of Gemma 2, which are kept below 30, and its attention scores, kept below 50, have no limit;
# the queries of Gemma 2 27B and Gemma 3 27B are divided by the root of the width of a head, 128, instead of those of 144 and 168; and a GPT-2 with
# `scale_attn_by_inverse_layer_idx` (the GPT-2s of Stanford's Mistral) does not divide the scores of layer 12 by 12. Converted, each model computes
# what it computes in transformers without its setting. Models without such settings are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
# Run with the build of PyTorch for CPUs, 2.13.0+cpu.
"$folder/venv/bin/pip" install -q --no-compile ctranslate2==4.8.5 transformers==5.24.0 torch==2.13.0 numpy==2.4.6
cd "$folder"
HF_HUB_OFFLINE=1 venv/bin/python -W ignore - <<'PY'
import shutil
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
GEMMA = {"vocab_size": len(WORDS), "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 128}
GEMMA_2 = {"num_hidden_layers": 2, "query_pre_attn_scalar": 128, "attn_logit_softcapping": None, "final_logit_softcapping": None, **GEMMA}
GEMMA_3 = {"num_hidden_layers": 2, "query_pre_attn_scalar": 128, "layer_types": ["sliding_attention", "full_attention"], **GEMMA}
GPT_2 = {"vocab_size": len(WORDS), "n_embd": 64, "n_layer": 12, "n_head": 4, "n_positions": 64}
KINDS = {  # the class, the sizes, and the setting
    "Gemma 2 without limits": ("Gemma2", GEMMA_2, {}),
    "Gemma 2, logits below 30": ("Gemma2", GEMMA_2, {"final_logit_softcapping": 30.0}),
    "Gemma 2, scores below 50": ("Gemma2", GEMMA_2, {"attn_logit_softcapping": 50.0}),
    "Gemma 2 27B, queries by the root of 144": ("Gemma2", GEMMA_2, {"query_pre_attn_scalar": 144}),
    "Gemma 3": ("Gemma3", GEMMA_3, {}),
    "Gemma 3 27B, queries by the root of 168": ("Gemma3", GEMMA_3, {"query_pre_attn_scalar": 168}),
    "GPT-2": ("GPT2", GPT_2, {}),
    "GPT-2, scores divided by the layer": ("GPT2", GPT_2, {"scale_attn_by_inverse_layer_idx": True}),
}
CLASSES = {"Gemma2": ("Gemma2Config", "Gemma2ForCausalLM"), "Gemma3": ("Gemma3TextConfig", "Gemma3ForCausalLM"), "GPT2": ("GPT2Config", "GPT2LMHeadModel")}
TEXT = np.random.default_rng(0).integers(4, len(WORDS), 40).tolist()


def make(name, sizes, setting):
    """A model with random weights: some attention scores of Gemma are above 50, and logits above 30."""
    torch.manual_seed(1)
    config, model = (getattr(transformers, part) for part in CLASSES[name])
    model = model(config(**{**sizes, **setting})).eval()
    with torch.no_grad():
        for key, values in model.named_parameters():
            if values.dim() > 1:
                values.mul_(60 if "q_proj" in key else 10 if "c_attn" in key else 5)
        final = model.transformer.ln_f if name == "GPT2" else model.model.norm
        final.weight.fill_(12)
    shutil.rmtree("model", ignore_errors=True)
    model.save_pretrained("model")
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", pad_token="<pad>", eos_token="</s>", bos_token="<s>").save_pretrained("model")
    return getattr(transformers, CLASSES[name][1])


def take_logarithm(logits):
    return logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True)


def run(model, **setting):
    model = model.from_pretrained("model", attn_implementation="eager", **setting).eval()
    with torch.no_grad():
        return take_logarithm(model(input_ids=torch.tensor([TEXT])).logits[0].double().numpy())


seen = {}
for kind, (name, sizes, setting) in KINDS.items():
    model = make(name, sizes, setting)
    right = run(model)
    without = run(model, **{key: sizes.get(key, False) for key in setting})
    ctranslate2.converters.TransformersConverter("model").convert("converted", force=True)
    generator = ctranslate2.Generator("converted", compute_type="float32")
    found = take_logarithm(np.array(generator.forward_batch([[WORDS[i] for i in TEXT]]), dtype="float64")[0, :, : len(WORDS)])
    wrong, same = (np.abs(np.exp(found) - np.exp(other)).max() for other in (right, without))
    seen[kind] = wrong, same
    place = np.unravel_index(np.abs(np.exp(found) - np.exp(right)).argmax(), right.shape)
    print(f"{kind}: a probability is {np.exp(right[place]):.3f}, converted {np.exp(found[place]):.3f}; without the setting {np.exp(without[place]):.3f}")
for kind, (wrong, same) in seen.items():
    if not KINDS[kind][2]:
        if wrong > 1e-3:
            sys.exit("not as expected")
    elif same > 1e-2 or wrong < 0.02:
        sys.exit("CTranslate2 changed")
PY
