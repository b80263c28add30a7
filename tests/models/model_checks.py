"""Helpers of the tests of models: options, batches, and properties of every configuration."""

import functools
import json

import numpy as np

from keras_nmt.testing import check_batches_and_padding, check_steps, make_batch, randomise, stepwise

TRANSFORMER = {"num_heads": 2, "intermediate_dim": 12}
CROSS = {  # mechanisms, one of which needs both sides
    **TRANSFORMER,
    "shortcuts": {"kind": "plain", "sites": ["self", "cross"]},
    "roles": {"kind": "softmax", "num_roles": 3},
}


batch = functools.partial(make_batch, rows=2, source_length=5, target_length=4)
_models = {}


def shared_model(model_class, **options):
    """Returns a randomised model, made once, which tests must not change."""
    key = model_class.__name__ + json.dumps(options)
    if key not in _models:
        _models[key] = randomise(model_class(**options))
    return _models[key]


def check_invariants(model):
    """Steps give the logits of the whole sequence; padding, batches and filler rows change nothing."""
    source, target = batch(model)
    logits = np.asarray(model([source, target]))
    assert (logits.shape, logits.dtype) == ((2, 4, model.target_vocabulary_size), np.float32)
    check_steps(model, (source, target), logits)
    check_batches_and_padding(model, (source, target), logits)
    with_filler = model([np.pad(source, ((0, 1), (0, 0))), np.pad(target, ((0, 1), (0, 0)))])
    assert np.isfinite(with_filler).all()
    np.testing.assert_allclose(with_filler[:2], logits, rtol=1e-4, atol=1e-5)


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
