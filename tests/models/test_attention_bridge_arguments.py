"""The arguments of the multilingual model with an attention bridge: errors and types."""

from __future__ import annotations

import json

import numpy as np
import pytest
from multilingual import CROSS, TRANSFORMER, batch

from keras_nmt.errors import UserError
from keras_nmt.models import AttentionBridgeModel, LowRank, add_adapter, quantize

LANGUAGES = {"de": 17, "fr": 13}
TINY = {"hidden_dim": 8, "bridge_heads": 3, "bridge_hidden_dim": 6}
DECODER = {"decoder": "transformer", "num_decoder_layers": 1, "transformer": TRANSFORMER}
BOTH = {**DECODER, "encoder": "transformer", "num_encoder_layers": 1}


@pytest.mark.parametrize(
    "options",
    [
        {"languages": {}},
        {"languages": {"de": 4}},
        {"languages": {"de": "17"}},
        {"languages": {"de": True}},
        {"languages": {"de fr": 17}},
        {"languages": {"": 17}},
        {"languages": {"1de": 17}},
        {"languages": {5: 17}},
        {"languages": ["de", "fr"]},
        {"encoder": "gru"},
        {"decoder": "cnn"},
        {"num_encoder_layers": 0},
        {"num_decoder_layers": 1.5},
        {"hidden_dim": 0},
        {"hidden_dim": 7},
        {"dropout": 1.0},
        {"attention_score": "cosine"},
        {**DECODER, "dropout_in_loop": True},
        {**DECODER, "transformer": "rotary"},
        {**DECODER, "transformer": {**TRANSFORMER, "alignment_head": 1}},
        {"uniform_start": float("inf")},
        {**DECODER, "attention_score": "concat"},
        {**DECODER, "input_feeding": False},
        {"bridge_heads": 0},
        {"bridge_hidden_dim": 0},
        {"penalty_weight": -1.0},
        {"penalty": "cube"},
        {"use_cudnn": True},
        {"bridge_heads": None, "num_encoder_layers": 1},
        {"transformer": TRANSFORMER},
        {**BOTH, "transformer": {"hidden_dim": 8}},
        {**BOTH, "transformer": {"dropout": 0.2}},
        {**BOTH, "transformer": {"heads": 2}},
        {**BOTH, "transformer": {"num_heads": 3}},
        {**BOTH, "transformer": {**TRANSFORMER, "roles": "sparse"}},
        {"decoder": "transformer", "transformer": CROSS, "bridge_heads": None},
        {"encoder": "transformer", "transformer": CROSS, "bridge_heads": None},
        {"bridge_heads": None, "bridge_hidden_dim": 0},
        {"bridge_heads": None, "penalty": "cube"},
        {"shared_attention": True, "attention_score": "dot"},
        {**DECODER, "shared_attention": True},
        {"penalty_weight": float("inf")},
        {**BOTH, "transformer": {"num_heads": 2.7}},
    ],
    ids=str,
)
def test_wrong_arguments_are_named(options):
    with pytest.raises(ValueError, match="Received: "):
        AttentionBridgeModel(**{"languages": LANGUAGES, **TINY, **options})


@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_a_mechanism_of_a_recurrent_side_alone_is_an_error(side):
    other = {"encoder": "decoder", "decoder": "encoder"}[side]
    options = {**TINY, other: "transformer"}
    kinds = {"shortcuts": "fusion", "layer_composition": "extended", "head_composition": "extended"}
    for sides in ([other], [side, other]):
        mechanisms = {name: {"kind": kind, "sides": sides} for name, kind in kinds.items()}
        AttentionBridgeModel(LANGUAGES, **options, transformer={**TRANSFORMER, **mechanisms})
    settings = [{name: {"kind": kind, "sides": [side]}} for name, kind in kinds.items()]
    settings += [{"source_end": False}] if side == "encoder" else [{"alignment_head": 1}]
    for setting in settings:
        with pytest.raises(ValueError, match=f"^`{next(iter(setting))}` has no effect without {side}='transformer'"):
            AttentionBridgeModel(LANGUAGES, **options, transformer={**TRANSFORMER, **setting})


def test_numpy_sizes_become_plain_integers():
    sizes = {"languages": {name: np.int64(size) for name, size in LANGUAGES.items()}, "bridge_hidden_dim": np.int32(6)}
    config = AttentionBridgeModel(**{**TINY, "bridge_hidden_dim": 6, **sizes}).get_config()
    assert json.loads(json.dumps(config)) == config


def test_unknown_arguments_are_named():
    with pytest.raises(TypeError, match="no such arguments. Received: bridge_head, norm"):
        AttentionBridgeModel(LANGUAGES, **TINY, bridge_head=1, norm="pre")


def test_wrong_languages_are_named():
    model = AttentionBridgeModel(LANGUAGES, **TINY)
    for call in (
        lambda: model.pair("de", "xx"),
        lambda: model.pair("xx", "de"),
        lambda: model.encoder_for("xx", "de"),
        lambda: model.decoder_for("xx"),
        lambda: model.bridge_outputs("xx"),
    ):
        with pytest.raises(ValueError, match="one of de, fr. Received: 'xx'"):
            call()
    with pytest.raises(ValueError, match="already has the languages de, fr. Received: language='fr'"):
        model.with_language("fr", 20)
    with pytest.raises(ValueError, match="Received: 'c s'"):
        model.with_language("c s", 20)
    with pytest.raises(ValueError, match="Received: cs=3"):
        model.with_language("cs", 3)
    with pytest.raises(ValueError, match="without a bridge.*Received: bridge_heads=None"):
        AttentionBridgeModel(LANGUAGES, **{**TINY, "bridge_heads": None}).bridge_outputs("de")


@pytest.mark.parametrize("change", [quantize, lambda model: add_adapter(model, LowRank(patterns=["*"]), base="")])
def test_models_whose_weights_have_changed_their_form_are_not_copied(change):
    model = AttentionBridgeModel(LANGUAGES, **TINY)
    change(model)
    for copy in (
        lambda: model.with_language("cs", 11),
        lambda: model.with_dtype("float32"),
        lambda: model.pair("de", "fr").with_dtype("float32"),
    ):
        with pytest.raises(UserError, match="The model (is quantised already|has an adapter): .*Received: "):
            copy()


def test_only_pairs_can_be_called():
    model = AttentionBridgeModel(LANGUAGES, **TINY)
    with pytest.raises(TypeError, match=r"model.pair\(source, target\)"):
        model(batch(model.pair("de", "fr")))
