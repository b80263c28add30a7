"""Helpers of the tests of multilingual models: options, batches, and properties of every configuration."""

from __future__ import annotations

import functools
import json

import numpy as np
from tiny import make_batch, randomise, stepwise

from keras_nmt.ids import PAD
from keras_nmt.testing import check_batches_and_padding, check_steps

__all__ = ["batch", "name", "randomise", "stepwise"]

TRANSFORMER = {"num_heads": 2, "intermediate_dim": 12}
# Mechanisms of Transformers that do not change the source side, and a mechanism that does.
MECHANISMS = {
    **TRANSFORMER,
    "shortcuts": "fusion",
    "layer_composition": {"kind": "extended", "rank": 4},
    "head_composition": {"kind": "extended", "rank": 4},
    "roles": {"kind": "contextualized", "num_roles": 3},
}
CROSS = {
    **TRANSFORMER,
    "shortcuts": {"kind": "plain", "sites": ["self", "cross"]},
    "roles": {"kind": "softmax", "num_roles": 3},
}
CLOSE = {"rtol": 1e-4, "atol": 1e-4}


def name(options):
    values = (
        "+".join(sorted(set(v) - set(TRANSFORMER)) or ["plain"]) if k == "transformer" else f"{k}={v}"
        for k, v in options.items()
    )
    return "-".join(values) or "defaults"


batch = functools.partial(make_batch, source_length=5, target_length=4)


def check_padding_and_batching(model):
    """Sentences of a batch have the same logits with more padding, and alone without padding."""
    source, target = batch(model)
    full = np.asarray(model([source, target]))
    check_batches_and_padding(model, (source, target), full)
    check_steps(model, (source[-1:, : (source[-1] != PAD).sum()], target[-1:]), full[-1:])


def check_rows_of_padding(model):
    """Filler rows are finite and do not change other rows."""
    source, target = batch(model)
    with_empty = model([np.pad(source, ((0, 1), (0, 0))), np.pad(target, ((0, 1), (0, 0)))])
    assert np.isfinite(with_empty).all()
    np.testing.assert_allclose(with_empty[:3], model([source, target]), rtol=1e-4, atol=1e-5)


def check_saved_equals_loaded(model, pair, folder):
    """A model made from its configuration and its weights file equals the saved model."""
    again = type(model).from_config(json.loads(json.dumps(model.get_config())))
    assert again.get_config() == model.get_config()
    assert [w.path for w in again.weights] == [w.path for w in model.weights]
    model.save_weights(folder / "w.weights.h5")
    again.load_weights(folder / "w.weights.h5")
    inputs = batch(model.pair(*pair))
    np.testing.assert_array_equal(again.pair(*pair)(inputs), model.pair(*pair)(inputs))
    np.testing.assert_array_equal(stepwise(again.pair(*pair), *inputs), stepwise(model.pair(*pair), *inputs))


def part_of(weight):
    """The layer of the model that a weight belongs to, such as "de_encoder"."""
    return weight.path.split("/")[0]
