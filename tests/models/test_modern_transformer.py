"""Rotary positions, RMS norms, gated feed-forward networks and groups of keys and values, with every mechanism."""

from __future__ import annotations

import numpy as np
import pytest
from tiny import TINY, make_batch, randomise

from keras_nmt.models import Transformer, count_parameters
from keras_nmt.testing import check_batches_and_padding, check_compiled, check_steps

MODERN = {"norm": "rms", "feed_forward": "swiglu", "positions": "rotary", "num_key_value_heads": 2, "num_heads": 4}
SITES = {"sites": ("self", "cross")}
ROLES = {kind: {"kind": kind, "num_roles": 3} for kind in ("softmax", "contextualized", "one_hot")}
COMBINED = [  # every mechanism
    {
        "shortcuts": {"kind": "plain", **SITES},
        "head_composition": "extended",
        "roles": ROLES["softmax"],
    },
    {
        "shortcuts": {"kind": "fusion", **SITES},
        "layer_composition": "extended",
        "roles": ROLES["contextualized"],
    },
    {"shortcuts": "ungated", "layer_composition": "hierarchical", "head_composition": "hierarchical"},
    {"shortcuts": "plain", "layer_composition": "extended", "norm_position": "post"},
    {"layer_composition": "linear", "head_composition": "low_rank", "roles": ROLES["one_hot"]},
    {"layer_composition": "low_rank", "head_composition": "bilinear", "num_key_value_heads": 1, "feed_forward": "gelu"},
]
SMALL = {**TINY, **MODERN, "num_encoder_layers": 2, "num_decoder_layers": 2}


@pytest.mark.parametrize("options", COMBINED, ids=str)
def test_steps_equal_the_full_pass_and_padding_is_invisible(options):
    model = randomise(Transformer(**{**SMALL, **options}))
    source, target = make_batch(model, source_length=4, target_length=3)
    expected = np.asarray(model([source, target]))
    check_steps(model, (source, target), expected)
    check_batches_and_padding(model, (source, target), expected)
    assert Transformer.from_config(model.get_config()).get_config() == model.get_config()


def test_compiled_equals_plain():
    model = randomise(Transformer(**{**SMALL, **COMBINED[0], "num_encoder_layers": 1, "num_decoder_layers": 1}))
    source, target = make_batch(model, rows=1)
    check_compiled(model, (source, target), np.asarray(model([source, target])))


def test_positions_matter_and_only_by_their_distances_in_the_encoder():
    encoder = Transformer(23, hidden_dim=8, intermediate_dim=12, **MODERN).get_layer("encoder")
    x = np.random.default_rng(0).normal(size=(1, 5, 8)).astype("float32")
    mask = np.array([[False, False, True, True, True]])
    shifted = np.asarray(encoder(x, mask=mask))[:, 2:]
    np.testing.assert_allclose(shifted, encoder(x[:, 2:]), rtol=1e-4, atol=1e-5)
    assert not np.allclose(np.asarray(encoder(x[:, ::-1].copy()))[:, ::-1], encoder(x), atol=1e-3)


@pytest.mark.parametrize(
    ("options", "added"),
    [
        # d = 512, 12 feed-forward networks of inner width 2048, 18 attentions, 32 norms (5 per pair of layers, 2 last).
        ({"positions": "rotary"}, 0),
        ({"feed_forward": "gelu"}, 0),
        ({"feed_forward": "swiglu"}, 12 * (512 * 2048 - 2048 - 512)),
        ({"norm": "rms"}, -(5 * 6 + 2) * 512),
        ({"num_key_value_heads": 2}, -18 * 2 * 512 * (512 - 2 * 64)),
        ({"num_key_value_heads": 2, "shortcuts": "plain"}, -30 * 2 * 512 * (512 - 128) + 12 * (2 * 512**2 + 2 * 128)),
    ],
    ids=str,
)
def test_parameters(options, added):
    plain = count_parameters(source_vocabulary_size=500)
    assert count_parameters(source_vocabulary_size=500, **options) == plain + added
