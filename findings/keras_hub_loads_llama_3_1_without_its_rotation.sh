#!/usr/bin/env bash
# Guess: a checkpoint of Llama 3.1 or 3.2 is the same model whether transformers 4 or 5 has saved it.
# Behaviour: `from_preset` takes the scaling of rotary embeddings from `rope_scaling`, where transformers 4 wrote it. transformers 5 writes it to
# `rope_parameters`, of which `from_preset` reads `rope_theta` alone: the model has the rotation of Llama 3.0, and its states differ from the token on
# at which the slow rotations matter. `rms_norm_eps` is not read either: 1e-6 instead of Llama's 1e-5. Nothing warns.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras-hub==0.32.0 keras==3.15.1 jax==0.10.2 transformers==5.24.0 safetensors==0.8.0
KERAS_BACKEND=jax "$folder/venv/bin/python" -W ignore - "$folder" <<'PY'
import json
import sys
from importlib.metadata import version
from pathlib import Path

import keras_hub
import numpy as np
from keras import ops
from safetensors.numpy import save_file
from transformers import LlamaConfig

print(*(f"{name} {version(name)}" for name in ("keras-hub", "keras", "transformers")))
SIZES = {"vocab_size": 64, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4, "num_key_value_heads": 2}
SCALING = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
draw = np.random.default_rng(0)
shapes = {"self_attn.q_proj": (32, 32), "self_attn.k_proj": (16, 32), "self_attn.v_proj": (16, 32), "self_attn.o_proj": (32, 32)}
shapes |= {"mlp.gate_proj": (64, 32), "mlp.up_proj": (64, 32), "mlp.down_proj": (32, 64), "input_layernorm": (32,), "post_attention_layernorm": (32,)}
names = {f"model.layers.0.{name}.weight": shape for name, shape in shapes.items()}
names |= {"model.embed_tokens.weight": (64, 32), "lm_head.weight": (64, 32), "model.norm.weight": (32,)}
weights = {name: draw.normal(size=shape).astype("float32") * 0.3 + (len(shape) == 1) for name, shape in names.items()}


def load(name, **settings):
    """The model of one checkpoint with these settings in its config.json, and its states for 300 tokens."""
    folder = Path(sys.argv[1]) / name
    LlamaConfig(**SIZES, rms_norm_eps=1e-5, max_position_embeddings=131072, rope_theta=500000.0).save_pretrained(folder)
    config = json.loads((folder / "config.json").read_text())
    if settings.pop("of", 5) == 4:
        config.pop("rope_parameters")
        config["rope_theta"] = 500000.0
    (folder / "config.json").write_text(json.dumps(config | settings))
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    model = keras_hub.models.Backbone.from_preset(str(folder))
    ids = np.arange(300)[None] % 64
    return model, ops.convert_to_numpy(model({"token_ids": ids, "padding_mask": np.ones_like(ids)}))[0]


LlamaConfig(**SIZES, max_position_embeddings=131072, rope_theta=500000.0, rope_scaling=dict(SCALING)).save_pretrained(Path(sys.argv[1]) / "saved")
saved = json.loads((Path(sys.argv[1]) / "saved" / "config.json").read_text())
print("saved by transformers 5:", {name: value for name, value in saved.items() if name.startswith("rope")})
models = {
    "Llama 3.0, transformers 4": load("30of4", of=4),
    "Llama 3.0, transformers 5": load("30of5"),
    "Llama 3.1, transformers 4": load("31of4", of=4, rope_scaling=SCALING),
    "Llama 3.1, transformers 5": load("31of5", rope_parameters=saved["rope_parameters"]),
}
states = {name: array for name, (_, array) in models.items()}
for name, (model, array) in models.items():
    config = model.get_config()
    other = float(abs(array - states["Llama 3.1, transformers 4"]).max())
    print(f"{name}: factor {config['rope_frequency_adjustment_factor']}, epsilon {config['layer_norm_epsilon']}; states differ from 3.1 of transformers 4 by {other:.2f}")
if "rope_scaling" in saved or saved["rope_parameters"]["rope_type"] != "llama3" or abs(states["Llama 3.0, transformers 4"] - states["Llama 3.0, transformers 5"]).max() > 0:
    sys.exit("not as expected")
if abs(states["Llama 3.1, transformers 4"] - states["Llama 3.0, transformers 4"]).max() < 0.1:
    sys.exit("not as expected")
if abs(states["Llama 3.1, transformers 5"] - states["Llama 3.0, transformers 5"]).max() > 0 or {model.get_config()["layer_norm_epsilon"] for model, _ in models.values()} != {1e-6}:
    sys.exit("keras-hub changed")
PY
