#!/usr/bin/env bash
# Guess: `from_preset` of a checkpoint of transformers gives its model, or says that it has no such model.
# Behaviour: settings that the layers of keras-hub do not have are passed over. A BERT, GPT-2 or BART with `relu` runs with GELU; the epsilon of layer
# normalization is that of keras-hub; GPT-2's `scale_attn_by_inverse_layer_idx` and BART's `scale_embedding` are not read. Of a BART with two layers in
# the encoder and three in the decoder, the third is left out, and its decoder has as many heads as the encoder. The states are those of the
# checkpoint without these settings. Nothing warns.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras-hub==0.32.0 keras==3.15.1 jax==0.10.2 safetensors==0.8.0
KERAS_BACKEND=jax "$folder/venv/bin/python" -W ignore - "$folder" <<'PY'
import json
import sys
from importlib.metadata import version
from pathlib import Path

import keras_hub
import numpy as np
from keras import ops
from safetensors.numpy import save_file

print(*(f"{name} {version(name)}" for name in ("keras-hub", "keras", "jax")))
WORDS, WIDTH, INNER, LENGTH = 40, 16, 32, 24
IDS = np.arange(2, 14)[None]


def normalization(name):
    return {f"{name}.weight": (WIDTH,), f"{name}.bias": (WIDTH,)}


def dense(name, outputs=WIDTH, inputs=WIDTH):
    return {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}


def make_bert(config):
    shapes = {"embeddings.word_embeddings.weight": (WORDS, WIDTH), "embeddings.position_embeddings.weight": (LENGTH, WIDTH)}
    shapes |= {"embeddings.token_type_embeddings.weight": (2, WIDTH)} | normalization("embeddings.LayerNorm") | dense("pooler.dense")
    for i in range(2):
        layer = f"encoder.layer.{i}."
        for name in ("self.query", "self.key", "self.value", "output.dense"):
            shapes |= dense(f"{layer}attention.{name}")
        shapes |= normalization(layer + "attention.output.LayerNorm") | normalization(layer + "output.LayerNorm")
        shapes |= dense(layer + "intermediate.dense", INNER) | dense(layer + "output.dense", WIDTH, INNER)
    sizes = {"hidden_size": WIDTH, "intermediate_size": INNER, "num_hidden_layers": 2, "num_attention_heads": 2, "type_vocab_size": 2}
    options = {"max_position_embeddings": LENGTH, "hidden_act": "gelu", "layer_norm_eps": 1e-12, "hidden_dropout_prob": 0.1}
    return shapes, sizes | options | config


def make_gpt2(config):
    shapes = {"wte.weight": (WORDS, WIDTH), "wpe.weight": (LENGTH, WIDTH)} | normalization("ln_f")
    for i in range(2):
        layer = f"h.{i}."
        shapes |= normalization(layer + "ln_1") | normalization(layer + "ln_2")
        for name, inputs, outputs in (("attn.c_attn", 1, 3), ("attn.c_proj", 1, 1), ("mlp.c_fc", 1, 4), ("mlp.c_proj", 4, 1)):
            shapes |= {f"{layer}{name}.weight": (inputs * WIDTH, outputs * WIDTH), f"{layer}{name}.bias": (outputs * WIDTH,)}
    options = {"n_embd": WIDTH, "n_layer": 2, "n_head": 2, "n_positions": LENGTH, "resid_pdrop": 0.1, "layer_norm_epsilon": 1e-5}
    return shapes, options | {"activation_function": "gelu_new", "n_inner": None} | config


def make_bart(config):
    options = {"d_model": WIDTH, "encoder_ffn_dim": INNER, "decoder_ffn_dim": INNER, "encoder_layers": 2, "decoder_layers": 2, "num_hidden_layers": 2}
    options |= {"encoder_attention_heads": 2, "decoder_attention_heads": 2, "max_position_embeddings": LENGTH, "dropout": 0.1}
    options |= {"activation_function": "gelu", "scale_embedding": False} | config
    shapes = {"shared.weight": (WORDS, WIDTH)}
    for side, attentions in {"encoder": ["self_attn"], "decoder": ["self_attn", "encoder_attn"]}.items():
        shapes |= {f"{side}.embed_positions.weight": (LENGTH + 2, WIDTH)} | normalization(f"{side}.layernorm_embedding")
        for i in range(options[f"{side}_layers"]):
            layer = f"{side}.layers.{i}."
            for attention in attentions:
                for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
                    shapes |= dense(f"{layer}{attention}.{name}")
                shapes |= normalization(f"{layer}{attention}_layer_norm")
            shapes |= dense(layer + "fc1", INNER) | dense(layer + "fc2", WIDTH, INNER) | normalization(layer + "final_layer_norm")
    return shapes, options


def compute_states(make, config):
    """The last states of a checkpoint with random weights, of the same seed each time, and this change of its settings."""
    shapes, settings = make(config)
    kind = make.__name__.removeprefix("make_")
    folder = Path(sys.argv[1]) / f"{kind}-{'-'.join(config)}"
    folder.mkdir()
    draw = np.random.default_rng(0)
    save_file({name: draw.normal(size=shape).astype("float32") * 0.5 for name, shape in shapes.items()}, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps({"model_type": kind, "vocab_size": WORDS, **settings}))
    model = keras_hub.models.Backbone.from_preset(str(folder))
    inputs = {name: np.ones_like(IDS) if "mask" in name else 0 * IDS if "segment" in name else IDS for name in (x.name for x in model.inputs)}
    outputs = model(inputs)
    if kind != "gpt2":
        outputs = outputs["sequence_output" if kind == "bert" else "decoder_sequence_output"]
    return ops.convert_to_numpy(outputs)


passed_over = {
    make_bert: [{"hidden_act": "relu"}, {"layer_norm_eps": 0.5}],
    make_gpt2: [{"activation_function": "relu"}, {"layer_norm_epsilon": 0.5}, {"scale_attn_by_inverse_layer_idx": True}],
    make_bart: [{"activation_function": "relu"}, {"scale_embedding": True}, {"decoder_layers": 3}, {"decoder_attention_heads": 4}],
}
read = {make_bert: {"num_attention_heads": 4}, make_gpt2: {"n_head": 4}, make_bart: {"encoder_attention_heads": 4}}
changed = False
for make, configs in passed_over.items():
    states = compute_states(make, {})
    for config in [*configs, read[make]]:
        difference = float(abs(compute_states(make, config) - states).max())
        print(f"{make.__name__.removeprefix('make_')} with {config}: states differ by {difference:.3f}")
        if (config == read[make]) != (difference > 0.001):
            if config == read[make]:
                sys.exit("not as expected")
            changed = True
if changed:
    sys.exit("keras-hub changed")
PY
