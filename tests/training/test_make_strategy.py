"""Distribution strategies."""

from __future__ import annotations

import pytest
import tensorflow as tf

from keras_nmt.errors import UserError
from keras_nmt.training import make_strategy


def test_one_replica_is_the_default_strategy() -> None:
    assert make_strategy(1) is tf.distribute.get_strategy()


def test_two_replicas_are_mirrored() -> None:
    strategy = make_strategy(2)
    assert isinstance(strategy, tf.distribute.MirroredStrategy)
    assert strategy.num_replicas_in_sync == 2
    assert make_strategy(2) is strategy


def test_replicas_are_rejected_after_tensorflow_has_started() -> None:
    tf.zeros([]).numpy()
    with pytest.raises(UserError, match="replicas=7"):
        make_strategy(7)


def test_zero_replicas_are_rejected() -> None:
    with pytest.raises(UserError, match="replicas=0"):
        make_strategy(0)


def test_makes_logical_devices_in_a_fresh_process(run_python) -> None:
    code = "from keras_nmt.training import make_strategy; print(make_strategy(3).num_replicas_in_sync)"
    assert run_python("-c", code).stdout.split()[-1] == b"3"
