#!/usr/bin/env bash
# Guess: the converter, which knows "llama3" as a type of rotary scaling and refuses those that it does not know, keeps the scaling of Llama 3.1, 3.2 and 3.3,
# and that of Gemma 3.
# Behaviour: of "llama3", it keeps the type and two of the four numbers; the factor and the length that the model was trained with first are missing, and the model
# turns its queries and keys as without a scaling. Of Gemma 3 4B, 12B and 27B, the factor 8 of the layers without a window is passed over. Converted,
# both compute what they compute in transformers without their scaling: attention over the distances of a long text is that of another
# model. Nothing warns. "linear" scaling of a Llama and other bases are right. Here, models are as small as their texts: 64 stands for 8,192.
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
SIZES = {"vocab_size": len(WORDS), "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 2, "num_key_value_heads": 2, "num_hidden_layers": 2, "head_dim": 32}
GEMMA = {"query_pre_attn_scalar": 32, "sliding_window": 512, "layer_types": ["sliding_attention", "full_attention"]}
BASE = {"rope_type": "default", "rope_theta": 500000.0}
LLAMA_3_1 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 64, "rope_theta": 500000.0}
LOCAL, GLOBAL = {"rope_type": "default", "rope_theta": 10000.0}, {"rope_type": "default", "rope_theta": 1000000.0}
GEMMA_PLAIN = {"sliding_attention": LOCAL, "full_attention": GLOBAL}
KINDS = {  # the class, its rotary parameters, and those that the converted model seems to have
    "Llama 3.0": ("Llama", BASE, BASE),
    "Llama, linear": ("Llama", {"rope_type": "linear", "factor": 8.0, "rope_theta": 500000.0}, None),
    "Llama 3.1": ("Llama", LLAMA_3_1, BASE),
    "Llama 3.2": ("Llama", {**LLAMA_3_1, "factor": 32.0}, BASE),
    "Gemma 3 1B": ("Gemma3", GEMMA_PLAIN, GEMMA_PLAIN),
    "Gemma 3 4B": ("Gemma3", {"sliding_attention": LOCAL, "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1000000.0}}, GEMMA_PLAIN),
}
TEXT = np.random.default_rng(0).integers(4, len(WORDS), 200).tolist()


def make(name, rotary):
    torch.manual_seed(1)
    config = transformers.LlamaConfig(rope_parameters=rotary, **SIZES) if name == "Llama" else transformers.Gemma3TextConfig(rope_parameters=rotary, **SIZES, **GEMMA)
    model = getattr(transformers, f"{name}ForCausalLM")(config).eval()
    with torch.no_grad():
        for key, values in model.named_parameters():
            if values.dim() > 1:
                values.mul_(20 if "q_proj" in key else 10)
    return model


def take_logarithm(logits):
    return logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True)


def run(model):
    with torch.no_grad():
        return take_logarithm(model(input_ids=torch.tensor([TEXT])).logits[0].double().numpy())


seen = {}
for kind, (name, rotary, assumed) in KINDS.items():
    model = make(name, rotary)
    right = run(model)
    shutil.rmtree("model", ignore_errors=True)
    model.save_pretrained("model")
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", pad_token="<pad>", eos_token="</s>", bos_token="<s>").save_pretrained("model")
    ctranslate2.converters.TransformersConverter("model").convert("converted", force=True)
    generator = ctranslate2.Generator("converted", compute_type="float32")
    found = take_logarithm(np.array(generator.forward_batch([[WORDS[i] for i in TEXT]]), dtype="float64")[0, :, : len(WORDS)])
    seen[kind] = [np.abs(found - other).max() for other in (right, run(make(name, assumed or rotary)))]
    best = (found.argmax(1) == right.argmax(1)).mean()
    print(f"{kind}: logarithms of probabilities differ by {seen[kind][0]:.4f} at most, from the model without scaling by {seen[kind][1]:.4f}; the best word is the same at {best:.0%} of the places")
for kind, (wrong, same) in seen.items():
    if kind not in ("Llama 3.1", "Llama 3.2", "Gemma 3 4B"):
        if wrong > 1e-2:
            sys.exit("not as expected")
    elif same > 1e-2 or wrong < 0.1:
        sys.exit("CTranslate2 changed")
PY
