"""The distribution strategy for this machine, or for several."""

from __future__ import annotations

import functools

import tensorflow as tf

from keras_nmt.errors import UserError
from keras_nmt.training.workers import number_of_workers


def make_strategy(replicas: int | None = None) -> tf.distribute.Strategy:
    """Makes the strategy that trains on `replicas` devices of this machine, or on all devices of several machines.

    The environment variable `TF_CONFIG` lists several machines in TensorFlow's format: each runs the same program on
    its GPUs, or on its CPU, and waits for the others to start.

    Without a GPU, the replicas are logical CPU devices: no faster than one, but the same program as on several GPUs.
    They must be made before TensorFlow is first used.

    Args:
        replicas: Integer, number of replicas. Defaults to all GPUs, or one replica where there is at most one GPU.

    Returns:
        TensorFlow's default strategy for one replica, `MultiWorkerMirroredStrategy` for several machines, else a
        `MirroredStrategy`; every call returns the same object.

    Raises:
        UserError: There are fewer GPUs than `replicas`, TensorFlow already runs with fewer logical CPU devices, or
            `TF_CONFIG` is damaged or used together with `replicas`.

    Example:

    >>> make_strategy(1).num_replicas_in_sync
    1
    """
    if number_of_workers() > 1:
        if replicas is not None:
            raise UserError(
                "With TF_CONFIG each machine trains on all its devices: leave out the replicas. "
                f"Received: replicas={replicas}"
            )
        return _multi_worker()
    gpus = tf.config.list_physical_devices("GPU")
    if replicas is None:
        replicas = max(1, len(gpus))
    if replicas < 1:
        raise UserError(f"The number of replicas must be at least 1. Received: replicas={replicas}")
    if gpus and replicas > len(gpus):
        raise UserError(f"There are only {len(gpus)} GPUs. Received: replicas={replicas}")
    if replicas == 1:
        return tf.distribute.get_strategy()
    if gpus:
        return _mirrored("GPU", replicas)
    _make_logical_cpus(replicas)
    return _mirrored("CPU", replicas)


_multi_worker = functools.cache(tf.distribute.MultiWorkerMirroredStrategy)


@functools.cache
def _mirrored(kind: str, replicas: int) -> tf.distribute.MirroredStrategy:
    """The strategy for the first devices of a kind; every call returns the same object.

    Every strategy numbers its collective operations from the same start, so the reductions of two strategies in one
    process would be mixed up. On the CPU, reducing on one device needs no collective operations.
    """
    return tf.distribute.MirroredStrategy(
        [f"{kind}:{index}" for index in range(replicas)],
        cross_device_ops=tf.distribute.ReductionToOneDevice() if kind == "CPU" else None,
    )


def _make_logical_cpus(number: int) -> None:
    """Splits the CPU into `number` logical devices, unless it already has at least as many."""
    cpu = tf.config.list_physical_devices("CPU")[0]
    configured = tf.config.get_logical_device_configuration(cpu)
    if configured is None or len(configured) < number:
        try:
            tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * number)
        except RuntimeError as error:
            raise UserError(
                "Replicas on the CPU must be made before TensorFlow is first used: call make_strategy at the start of "
                f"the program. Received: replicas={number}"
            ) from error
