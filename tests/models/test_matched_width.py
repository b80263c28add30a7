"""The width at which a plain model has a given number of parameters."""

import keras
import numpy as np
import pytest

from keras_nmt.models import Transformer, count_parameters, matched_width

TINY = {"preset": "transformer_tiny", "source_vocabulary_size": 101}


def test_no_neighbouring_width_is_nearer():
    target = count_parameters(**TINY, roles="softmax")
    matched = matched_width(target, **TINY)
    assert matched.hidden_dim % 4 == 0
    assert matched.parameters == count_parameters(**TINY, hidden_dim=matched.hidden_dim)
    assert matched.residual == matched.parameters - target
    for neighbour in (matched.hidden_dim - 4, matched.hidden_dim + 4):
        assert abs(count_parameters(**TINY, hidden_dim=neighbour) - target) >= abs(matched.residual)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"head_composition": "bilinear"}, {"positions": "rotary"}])
def test_every_kind_of_model_matches_itself(options):
    """The parameters of bilinear pooling are cubic in the width; rotary positions need heads of even width."""
    target = count_parameters(**TINY, **options, hidden_dim=72)
    assert matched_width(target, **TINY, **options) == (72, target, 0)
    matched = matched_width(target + 9, **TINY, **options)
    assert matched == (72, target, -9)


def test_counting_never_makes_weights(monkeypatch):
    made = []
    initialize = keras.Variable._initialize_with_initializer
    monkeypatch.setattr(keras.Variable, "_initialize_with_initializer", lambda *a: made.append(a) or initialize(*a))
    parameters = count_parameters(**TINY)
    assert not made
    model = Transformer.from_preset("transformer_tiny", source_vocabulary_size=101)
    assert sum(int(np.prod(variable.shape)) for variable, *_ in made if variable.trainable) == parameters
    assert model.count_params() == parameters


def test_wrong_arguments_are_named():
    for parameters, options in (
        ("1M", {}),
        (1e6, {}),
        (10**6, {"hidden_dim": 128}),
        (10**6, {"num_heads": 0}),
    ):
        with pytest.raises(ValueError, match="Received: "):
            matched_width(parameters, **TINY, **options)
