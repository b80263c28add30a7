"""The arguments of the Transformer: errors, types, signatures and presets."""

from __future__ import annotations

import inspect
import json
import re

import numpy as np
import pytest
from tiny import TINY, V

from keras_nmt.layers import (
    MultiHeadAttention,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from keras_nmt.models import Transformer


@pytest.mark.parametrize(
    "options",
    [
        {"hidden_dim": 9},
        {"num_encoder_layers": 0},
        {"dropout": 1.5},
        {"norm": "batch"},
        {"norm": "rms", "norm_position": "middle"},
        {"norm": "post", "norm_position": "post"},
        {"positions": "learnt"},
        {"positions": "rotary", "hidden_dim": 6},
        {"feed_forward": "tanh"},
        {"num_key_value_heads": 3},
        {"shortcuts": "lexical"},
        {"shortcut_source": "embeddings", "shortcuts": "plain"},
        {"shortcut_sites": ()},
        {"shortcut_sites": ("self", "output")},
        {"shortcut_sides": ("both",)},
        {"shortcuts": "plain", "shortcut_sites": ("cross",), "shortcut_sides": ("encoder",)},
        {"source_vocabulary_size": 3},
        {"source_vocabulary_size": "8000"},
        {"layer_composition": "attention"},
        {"layer_composition": "linear", "num_decoder_layers": 1},
        {"layer_composition": "extended", "layer_composition_rank": 0},
        {"layer_composition": "extended", "composition_start": "zero"},
        {"layer_composition": "extended", "composition_start": "identity", "layer_composition_rank": 7},
        {"layer_composition": "hierarchical", "composition_start": "identity"},
        {"head_composition": "low_rank", "composition_start": "identity"},
        {"head_composition": "extended", "composition_start": "identity", "output_projection": False},
        {"layer_composition": "extended", "layer_composition_rank": (3 * 8) ** 2 + 1},
        {"head_composition": "mean"},
        {"head_composition": "extended", "num_heads": 1},
        {"head_composition": "hierarchical", "head_intermediate_dim": 0},
        {"output_projection": False},
        {"output_projection": False, "head_composition": "hierarchical"},
        {"roles": "sparse"},
        {"roles": "dense", "num_roles": 0},
        {"roles": "dense", "role_context": "bilstm"},
        {"roles": "dense", "role_straight_through": True},
        {"roles": "dense", "role_dropout": 1.0},
        {"roles": "dense", "role_dropout_on": "vector"},
        {"roles": "contextualized", "role_dropout_on": "vector"},
        {"roles": "one_hot", "role_dropout_on": "roles"},
        {"roles": "dense", "role_units": 0},
        {"role_dropout": 1.0},
        {"attention_dropout": 1.5},
        {"num_heads": 2.0},
        {"num_heads": "2"},
        {"hidden_dim": 8.0},
        {"hidden_dim": None},
        {"intermediate_dim": 12.7},
        {"source_vocabulary_size": None},
        {"source_vocabulary_size": True},
    ],
)
def test_wrong_arguments_are_named(options):
    with pytest.raises(ValueError, match="Received: "):
        Transformer(**{**TINY, **options})


# Options without effect, each with the option that is missing.
WITHOUT_EFFECT = {
    "shortcuts": [{"shortcut_source": "non_lexical"}, {"shortcut_sites": ("cross",)}, {"shortcut_sides": ["encoder"]}],
    "layer_composition": [
        {"layer_composition_rank": 4},
        {"layer_composition": "linear", "layer_composition_rank": 4},
        {"head_composition": "extended", "layer_composition_rank": 4},
        {"composition_start": "identity"},
        {"head_composition": "linear", "composition_residual": True},
    ],
    "head_composition": [
        {"head_composition_rank": 4},
        {"layer_composition": "extended", "head_composition_rank": 4},
        {"head_composition": "extended", "head_intermediate_dim": 4},
    ],
    "roles": [
        {"role_low_rank": True},
        {"num_roles": 4},
        {"role_context": "cnn"},
        {"role_units": 3},
        {"role_residual": False},
        {"role_straight_through": True},
        {"role_exclusive": True},
        {"role_dropout": 0.1},
        {"role_dropout_on": "vector"},
    ],
}


@pytest.mark.parametrize(
    ("options", "partner"), [(options, partner) for partner, cases in WITHOUT_EFFECT.items() for options in cases]
)
def test_an_option_without_effect_is_an_error_that_names_what_is_missing(options, partner):
    *_, name = options
    with pytest.raises(ValueError, match=f"^`{name}` has no effect without `{partner}.*Received: {name}=") as error:
        Transformer(**TINY, **options)
    assert "\n" not in str(error.value)


def test_parts_name_what_is_missing():
    sizes = (2, 2, 8, 12)
    with pytest.raises(ValueError, match="`shortcut_source` has no effect without `shortcut`"):
        TransformerEncoder(*sizes, shortcut_source="non_lexical")
    with pytest.raises(ValueError, match="`head_composition_rank` has no effect without `head_composition`"):
        TransformerEncoderLayer(*sizes[1:], head_composition_rank=4)
    with pytest.raises(ValueError, match="`composition_rank` has no effect without `head_composition`"):
        MultiHeadAttention(2, 8, composition_rank=4)
    with pytest.raises(ValueError, match="`head_intermediate_dim` has no effect without `head_composition="):
        MultiHeadAttention(2, 8, head_composition="extended", head_intermediate_dim=4)


def test_numpy_sizes_become_plain_integers():
    sizes = {name: np.int64(value) for name, value in TINY.items() if isinstance(value, int)}
    configs = [Transformer(**{**TINY, **more}, name="same").get_config() for more in ({}, sizes)]
    assert json.dumps(configs[1]) == json.dumps(configs[0])


def test_unknown_arguments_are_named():
    with pytest.raises(TypeError, match="the nearest is `num_encoder_layers`, `tie_embeddings`. Received: num_"):
        Transformer(**TINY, num_encoder_layer=1, tie_embedding=False)
    with pytest.raises(TypeError, match="the nearest is `shortcuts`. Received: shortcut$"):
        Transformer(**TINY, shortcut="plain")
    with pytest.raises(ValueError, match="`shortcuts` .* 'fusion', 'ungated', or a `Mechanism`. Received: shortcuts"):
        Transformer(**TINY, shortcuts="none")


@pytest.mark.parametrize(
    "kind", [Transformer, TransformerEncoder, TransformerDecoder, TransformerEncoderLayer, TransformerDecoderLayer]
)
def test_signatures_and_descriptions_list_every_option(kind):
    names = set(inspect.signature(kind.__init__).parameters) - {"self", "kwargs"}
    described = set(
        re.findall(r"^        (\w+): ", inspect.getdoc(kind).split("Call arguments:")[0].replace("\n", "\n    "), re.M)
    )
    sizes = dict.fromkeys(("num_layers", "source_vocabulary_size"), 5) | {"num_heads": 2, "hidden_dim": 8}
    # Not written at their defaults.
    later = {"norm": "rms", "norm_position": "post", "feed_forward": "gelu", "positions": "rotary"}
    later |= {"num_key_value_heads": 1}
    if kind is Transformer:
        later |= {f"{part}_composition": "extended" for part in ("layer", "head")}
        later |= {f"{part}_composition_sides": ["encoder"] for part in ("layer", "head")}
    made = kind(**{name: size for name, size in sizes.items() if name in names}, intermediate_dim=12, **later)
    assert set(made.get_config()) - {"name", "trainable", "dtype"} == names
    assert names <= described


def test_unknown_preset_is_named():
    with pytest.raises(ValueError, match="transformer_base_half.*Received: preset='huge'"):
        Transformer.from_preset("huge", source_vocabulary_size=V)


def test_a_preset_takes_every_argument():
    model = Transformer.from_preset("transformer_tiny", source_vocabulary_size=V, num_heads=8, norm="post", dropout=0.0)
    config = model.get_config()
    assert (config["num_heads"], config["norm"], config["dropout"], config["hidden_dim"]) == (8, "post", 0.0, 128)
