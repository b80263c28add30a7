"""Training on several devices and machines: the strategy, and the communication between the processes."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tensorflow as tf

from keras_nmt.errors import UserError, exhausted, one_line, require

NVIDIA_DRIVER = Path("/proc/driver/nvidia/version")
MAX_CPUS = 256  # logical CPU devices; TensorFlow takes minutes to make some thousands


def make_strategy(replicas: int | None = None) -> tf.distribute.Strategy:
    """Makes the strategy that trains on `replicas` devices of this machine, or on all devices of several machines.

    The environment variable `TF_CONFIG` lists several machines in TensorFlow's format: each runs the same program on
    its GPUs, or on its CPU, and waits for the others to start.

    Without a GPU, the replicas are logical CPU devices. They are not faster than one device, but run the same program
    as several GPUs. They must be made before TensorFlow is first used.

    Args:
        replicas: Integer, number of replicas. Defaults to all GPUs, or to 1 without a GPU.

    Returns:
        TensorFlow's default strategy for one replica, `MultiWorkerMirroredStrategy` for several machines, else a
        `MirroredStrategy`. Every call returns the same object.

    Raises:
        UserError: There are fewer GPUs than `replicas`; there is no GPU, and `replicas` is above 256 or TensorFlow
            already runs with fewer logical CPU devices; or `TF_CONFIG` is damaged or used together with `replicas`.

    Example:

    >>> make_strategy(1).num_replicas_in_sync
    1
    """
    if number_of_workers() > 1:
        problem = "With TF_CONFIG, each machine trains on all its devices: leave out {replicas}"
        require(replicas is None, problem, replicas=replicas)
        return _multi_worker()
    gpus = tf.config.list_physical_devices("GPU")
    if not gpus and NVIDIA_DRIVER.exists() and "CUDA_VISIBLE_DEVICES" not in os.environ:
        warnings.warn(
            "This machine has an NVIDIA GPU, but TensorFlow cannot use it, and trains on the CPU: install the extra "
            "`gpu`, or see what TensorFlow says with TF_CPP_MIN_LOG_LEVEL=0",
            stacklevel=2,
        )
    if replicas is None:
        replicas = max(1, len(gpus))
    require(replicas >= 1, f"`replicas` must be at least 1. Received: replicas={replicas}")
    most, what = (len(gpus), "the number of GPUs") if gpus else (MAX_CPUS, "because there is no GPU")
    require(replicas <= most, f"{{replicas}} must be at most {most}, {what}", replicas=replicas)
    if replicas == 1:
        return tf.distribute.get_strategy()
    if gpus:
        return _mirrored("GPU", replicas)
    _make_logical_cpus(replicas)
    return _mirrored("CPU", replicas)


_multi_worker = functools.cache(tf.distribute.MultiWorkerMirroredStrategy)


@functools.cache
def _mirrored(kind: str, replicas: int) -> tf.distribute.MirroredStrategy:
    """Makes the strategy for the first devices of a kind. Every call returns the same object.

    All strategies begin to number their collective operations at the same number, so two strategies in one process
    would mix up their reductions. On the CPU, reducing on one device needs no collective operations.
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
            problem = "TensorFlow has started with fewer devices: lower {replicas}, or in a program, make them first"
            raise UserError(problem, {"replicas": number}) from error


CAPACITY = 16384  # largest size of a message of the chief in bytes


class Workers:
    """The processes that train one model together, each started with the same command and its own `TF_CONFIG`.

    Only one process, the chief, writes files. Without `MultiWorkerMirroredStrategy`, it is the only process, and the
    methods return immediately. All workers must call the same methods in the same order.

    Example:

    >>> workers = Workers(tf.distribute.get_strategy())
    >>> workers.number, workers.is_chief, workers.from_chief({"bleu": 30.5})
    (1, True, {'bleu': 30.5})
    """

    def __init__(self, strategy: tf.distribute.Strategy) -> None:
        has_workers = isinstance(strategy, tf.distribute.MultiWorkerMirroredStrategy)
        self.number = number_of_workers() if has_workers else 1
        self.is_chief = is_chief() if has_workers else True
        self._strategy = strategy
        self._send = tf.function(self._sum_over_workers, autograph=False)

    def from_chief(self, value: Any = None) -> Any:
        """Waits for all workers, and returns the chief's argument, any JSON value, on each of them."""
        if self.number == 1:
            return value
        message, received, follows = json.dumps(value).encode() if self.is_chief else b"", b"", True
        while follows:
            part, message = message[:CAPACITY], message[CAPACITY:]
            codes = tf.constant([bool(message), *part, *[0] * (CAPACITY - len(part))], tf.int32)
            with self.errors():
                sums = self._strategy.experimental_local_results(self._send(codes))[0].numpy()
            received += bytes(sums[1:][sums[1:] > 0].tolist())
            follows = bool(sums[0])
        return json.loads(received)

    def _sum_over_workers(self, codes: tf.Tensor) -> Any:
        def replica(codes: tf.Tensor) -> tf.Tensor:
            context = tf.distribute.get_replica_context()
            is_first = tf.cast(tf.equal(context.replica_id_in_sync_group, 0), tf.int32)  # the chief's first replica
            return context.all_reduce(tf.distribute.ReduceOp.SUM, is_first * codes)

        return self._strategy.run(replica, args=(codes,))

    def wait(self) -> None:
        """Waits until all workers have called this method."""
        self.from_chief()

    def end(self) -> None:
        """Waits at the end of a run, while the chief translates the test data.

        If the chief dies, the others fail, too: what started them must start all of them again. If another worker dies,
        the chief does not fail.
        """
        try:
            self.wait()
        except UserError:
            if not self.is_chief:
                raise

    @contextlib.contextmanager
    def errors(self) -> Iterator[None]:
        """Turns errors about a dead worker, about memory or about the input into a `UserError`."""
        try:
            yield
        except tf.errors.ResourceExhaustedError as error:
            raise UserError(exhausted(error, "lower `batch_size`, or raise `accumulation_steps`")) from error
        except tf.errors.OpError as error:
            # In the input, such as a damaged shard; an assertion has brackets around it.
            if match := re.search(r"\[UserError: (.+)\]|UserError: (.+)", error.message):
                escaped = (match[1] or "").replace("\\'", "'").replace('\\"', '"')
                raise UserError(escaped or match[2]) from error
            if self.number == 1:
                raise
            raise UserError(
                "Another worker has ended; see its output. Start all workers again with the same command: the run "
                f"resumes from its last checkpoint. Received: {one_line(error.message)[:200]}"
            ) from error

    @contextlib.contextmanager
    def chief_first(self) -> Iterator[None]:
        """Runs a block on the chief first: the other workers then find its files."""
        if not self.is_chief:
            self.wait()
        yield
        if self.is_chief:
            self.wait()


def number_of_workers() -> int:
    """Returns the number of processes in `TF_CONFIG`, or 1 without it. Raises a `UserError` if it is damaged."""
    return len(_cluster()[0])


def is_chief() -> bool:
    """Tells whether this process is the chief of `TF_CONFIG`, or worker 0 if it names no chief."""
    tasks, this_task = _cluster()
    return this_task == tasks[0]


def _cluster() -> tuple[list[tuple[str, int]], tuple[str, int]]:
    """Returns all tasks, the chief first, and the task of this process."""
    text = os.environ.get("TF_CONFIG", "").strip() or "{}"
    alone = ("worker", 0)
    try:
        config = json.loads(text)
        cluster = config.get("cluster", {})
        addresses = {kind: list(cluster.get(kind, ())) for kind in ("chief", "worker")}
        tasks = [(kind, index) for kind in addresses for index in range(len(addresses[kind]))] or [alone]
        this_task = (config["task"]["type"], int(config["task"]["index"])) if cluster else alone
        if this_task not in tasks or set(cluster) - set(addresses):
            raise ValueError("its task is neither the chief nor a worker")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(
            'TF_CONFIG must be like {"cluster": {"worker": ["host:port", ...]}, "task": {"type": "worker", '
            f'"index": 0}}}}; {error!r}. Received: TF_CONFIG={text}'
        ) from None
    return tasks, this_task
