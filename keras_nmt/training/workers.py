"""Communication between the processes of a run on several machines."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from keras_nmt.errors import UserError, exhausted, one_line

CAPACITY = 16384  # bytes of one message of the chief


class Workers:
    """The processes that train one model together, each started with the same command and its own `TF_CONFIG`.

    Only one process writes, the chief. Without `MultiWorkerMirroredStrategy` the chief is the only process, and the
    methods return at once. All workers must call the same methods in the same order.

    Example:

    >>> workers = Workers(tf.distribute.get_strategy())
    >>> workers.number, workers.is_chief, workers.from_chief({"bleu": 30.5})
    (1, True, {'bleu': 30.5})
    """

    def __init__(self, strategy: tf.distribute.Strategy) -> None:
        self.number = 1
        self.is_chief = True
        if isinstance(strategy, tf.distribute.MultiWorkerMirroredStrategy):
            self.number = number_of_workers()
            self.is_chief = is_chief()
        self._strategy = strategy
        self._send = tf.function(self._sum_over_workers, autograph=False)

    def from_chief(self, value: Any = None) -> Any:
        """Returns the chief's argument, anything that JSON can express, on all workers, when all have called."""
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
        """Returns when all workers have called."""
        self.from_chief()

    def end(self) -> None:
        """Waits for all workers at the end of a run, while the chief translates the test data.

        If the chief is lost meanwhile, the others fail too, so the system that started them starts all of them again.
        The chief itself ends without error, whether or not other workers are lost.
        """
        try:
            self.wait()
        except UserError:
            if not self.is_chief:
                raise

    @contextlib.contextmanager
    def errors(self) -> Iterator[None]:
        """A block in which errors of a lost worker, of too little memory or of the input become a `UserError`."""
        try:
            yield
        except tf.errors.ResourceExhaustedError as error:
            raise UserError(exhausted(error, "lower `batch_size`, or raise `accumulation_steps`")) from error
        except tf.errors.OpError as error:
            if found := re.search(r"UserError: (.+)", error.message):  # in the input, such as a damaged shard
                raise UserError(found[1]) from error
            if self.number == 1:
                raise
            raise UserError(
                "Another worker is lost; its output says why. Start all workers again with the same command: the run "
                f"resumes from its last checkpoint. Received: {one_line(error.message)[:200]}"
            ) from error

    @contextlib.contextmanager
    def chief_first(self) -> Iterator[None]:
        """A block that the chief runs first, so the other workers find the files that the chief has made."""
        if not self.is_chief:
            self.wait()
        yield
        if self.is_chief:
            self.wait()


def number_of_workers() -> int:
    """The number of processes in `TF_CONFIG`, or 1 without `TF_CONFIG`. A damaged `TF_CONFIG` is a `UserError`."""
    return len(_cluster()[0])


def is_chief() -> bool:
    """Whether this process is the chief of `TF_CONFIG`, or worker 0 where there is no chief."""
    tasks, own = _cluster()
    return own == tasks[0]


def _cluster() -> tuple[list[tuple[str, int]], tuple[str, int]]:
    """All tasks, the chief first, and the task of this process."""
    text = os.environ.get("TF_CONFIG", "").strip() or "{}"
    alone = ("worker", 0)
    try:
        config = json.loads(text)
        cluster = config.get("cluster", {})
        addresses = {kind: list(cluster.get(kind, ())) for kind in ("chief", "worker")}
        tasks = [(kind, index) for kind in addresses for index in range(len(addresses[kind]))] or [alone]
        own = (config["task"]["type"], int(config["task"]["index"])) if cluster else alone
        if own not in tasks or set(cluster) - set(addresses):
            raise ValueError("its task is neither the chief nor a worker")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(
            'TF_CONFIG has to be like {"cluster": {"worker": ["host:port", ...]}, "task": {"type": "worker", '
            f'"index": 0}}}}; {error!r}. Received: TF_CONFIG={text}'
        ) from None
    return tasks, own
