#!/usr/bin/env bash
# Guess: a Falcon model computes the same with each implementation of attention, and asking it for its attention does not change what it computes.
# Behaviour: with the default implementation and `output_attentions=True`, each token reads all later ones: a mask of True and False is added to the scores
# as 1 and 0 (Falcon-7B, 40B). Models with ALiBi (Falcon-RW) keep their mask, but with `output_attentions=True`, and with
# `attn_implementation="eager"` in any case, the bias of the distance is added twice, in the mask and to the scores: the slopes of the heads are
# twice those of the paper. Without either option, both are right, and so is "eager" with rotary embeddings.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
# Run with the build of PyTorch for CPUs, 2.13.0+cpu.
"$folder/venv/bin/pip" install -q --no-compile transformers==5.24.0 torch==2.13.0 numpy==2.4.6
HF_HUB_OFFLINE=1 "$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import numpy as np
import torch
import transformers

transformers.logging.set_verbosity_error()
print(*(f"{name} {version(name)}" for name in ("transformers", "torch")))
HEADS, WIDTH, LENGTH, VOCABULARY = 8, 16, 12, 64
SIZES = {"vocab_size": VOCABULARY, "hidden_size": HEADS * WIDTH, "num_hidden_layers": 2, "num_attention_heads": HEADS}
KINDS = {  # as Falcon-7B and Falcon-RW-1B have them
    "rotary": {"alibi": False, "multi_query": True, "parallel_attn": True, "bias": False},
    "ALiBi": {"alibi": True, "multi_query": False, "parallel_attn": False, "bias": True},
}
TEXT = np.random.default_rng(0).integers(0, VOCABULARY, LENGTH)
OTHER = np.concatenate([TEXT[:-1], [(TEXT[-1] + 1) % VOCABULARY]])  # with another last token


def make(kind, attention, flat=False):
    """A model with random weights; with FLAT, queries and keys are 0, so that attention has nothing but the bias of the distance."""
    torch.manual_seed(1)
    config = transformers.FalconConfig(attn_implementation=attention, new_decoder_architecture=False, **SIZES, **KINDS[kind])
    model = transformers.FalconForCausalLM(config).eval()
    with torch.no_grad():
        for values in model.parameters():
            if values.dim() > 1:
                values.mul_(5)
        if flat:
            for layer in model.transformer.h:
                layer.self_attention.query_key_value.weight.zero_()
                layer.self_attention.query_key_value.bias.zero_()
    return model


def run(model, text=TEXT, **options):
    with torch.no_grad():
        return model(input_ids=torch.from_numpy(text)[None], **options)


seen = {}
for kind in KINDS:
    for attention, options in (("sdpa", {}), ("eager", {}), ("eager", {"output_attentions": True}), ("sdpa", {"output_attentions": True})):
        model = make(kind, attention)
        logits, other = (run(model, text, **options).logits[0, :-1].double() for text in (TEXT, OTHER))
        if attention == "sdpa" and not options:
            right = logits
        name = attention + (" with output_attentions" if options else "")
        seen[kind, name] = float((logits - right).abs().max()), float((logits - other).abs().max())
        print(f"{kind}, {name}: logits differ from sdpa by {seen[kind, name][0]:.3f} at most; the last token changes those before it by {seen[kind, name][1]:.3f}")
slopes = 2.0 ** -np.arange(1, HEADS + 1)  # of 8 heads, by the paper
found = run(make("ALiBi", "eager", flat=True), output_attentions=True).attentions[0][0, :, -1].double().numpy()
measured = np.log(found[:, 1:] / found[:, :-1]).mean(1) * WIDTH**0.5  # Falcon divides scores and bias by the root of the width of a head
print(f"slopes of the heads, times the root: {measured.round(4).tolist()}; by the paper {slopes.round(4).tolist()}")
for (kind, name), (difference, future) in seen.items():
    if (name == "sdpa" or (kind, name[:5]) == ("rotary", "eager")) and max(difference, future) > 1e-4 or kind == "ALiBi" and future > 1e-4:
        sys.exit("not as expected")
if min(seen["rotary", "sdpa with output_attentions"]) < 0.1:
    sys.exit("transformers changed")
if not np.allclose(measured, 2 * slopes, rtol=0.02) or min(seen["ALiBi", name][0] for name in ("eager", "sdpa with output_attentions")) < 0.05:
    sys.exit("transformers changed")
PY
