"""What the processes of a run on several machines have to agree on."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from keras_nmt.errors import UserError, exhausted, one_line

CAPACITY = 16384  # bytes of what a chief can tell at once


class Workers:
    """The processes that train one model together, each started with the same command and its own `TF_CONFIG`.

    One of them is the chief: the only one that writes. Without `MultiWorkerMirroredStrategy` it is the only one at all,
    and everything here is done already. All workers have to call the same methods in the same order.

    Args:
        strategy: the strategy they train under.

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
        self._tell = tf.function(self._sum_over_workers, autograph=False)

    def from_chief(self, value: Any = None) -> Any:
        """Gives all workers what the chief's argument is, when all have asked.

        Args:
            value: what JSON can express; that of the others does not matter.
        """
        if self.number == 1:
            return value
        message, told, follows = json.dumps(value).encode() if self.is_chief else b"", b"", True
        while follows:
            part, message = message[:CAPACITY], message[CAPACITY:]
            codes = tf.constant([bool(message), *part, *[0] * (CAPACITY - len(part))], tf.int32)
            with self.errors():
                found = self._strategy.experimental_local_results(self._tell(codes))[0].numpy()
            told += bytes(found[1:][found[1:] > 0].tolist())
            follows = bool(found[0])
        return json.loads(told)

    def _sum_over_workers(self, codes: tf.Tensor) -> Any:
        def replica(codes: tf.Tensor) -> tf.Tensor:
            context = tf.distribute.get_replica_context()
            is_first = tf.cast(tf.equal(context.replica_id_in_sync_group, 0), tf.int32)  # the chief's first replica
            return context.all_reduce(tf.distribute.ReduceOp.SUM, is_first * codes)

        return self._strategy.run(replica, args=(codes,))

    def wait(self) -> None:
        """Returns when all workers have come here."""
        self.from_chief()

    def end(self) -> None:
        """Waits for all workers at the end of a run, while the chief translates the test.

        If it is lost there, the others fail with it, and whatever started all of them starts all of them again. A chief
        that comes here is done, whether or not others are lost.
        """
        try:
            self.wait()
        except UserError:
            if not self.is_chief:
                raise

    @contextlib.contextmanager
    def errors(self) -> Iterator[None]:
        """A block in which a lost worker, or a lack of memory, shows: these errors become a `UserError`."""
        try:
            yield
        except tf.errors.ResourceExhaustedError as error:
            raise UserError(exhausted(error, "lower `batch_size`, or raise `accumulation_steps`")) from error
        except tf.errors.OpError as error:
            if self.number == 1:
                raise
            raise UserError(
                "Another worker is gone; its output tells why. Start all of them again with the same command: a run "
                f"goes on from its last checkpoint. Received: {one_line(error.message)[:200]}"
            ) from error

    @contextlib.contextmanager
    def chief_first(self) -> Iterator[None]:
        """The chief goes through the block, then the others do: they find the files that it has made."""
        if not self.is_chief:
            self.wait()
        yield
        if self.is_chief:
            self.wait()


def number_of_workers() -> int:
    """The number of processes that `TF_CONFIG` names; 1 without it.

    Raises:
        UserError: it is not as it has to be.
    """
    return len(_cluster()[0])


def is_chief() -> bool:
    """Whether this process writes: the one that `TF_CONFIG` calls chief, or else worker 0.

    Raises:
        UserError: `TF_CONFIG` is not as it has to be.
    """
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
            raise ValueError("its task is none of the chief and workers")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(
            'TF_CONFIG has to be like {"cluster": {"worker": ["host:port", ...]}, "task": {"type": "worker", '
            f'"index": 0}}}}; {error!r}. Received: TF_CONFIG={text}'
        ) from None
    return tasks, own
