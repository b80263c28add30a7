"""The versions of a model that a development server loads and runs."""

from __future__ import annotations

import contextlib
import gc
import logging
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import tensorflow as tf
import tensorflow_text  # noqa: F401  registers the subword operators
from tensorflow.core.protobuf import saved_model_pb2

from keras_nmt.errors import UserError, one_line
from keras_nmt.files.atomic_files import plain_name
from keras_nmt.serving.client import XLA_DISABLED
from keras_nmt.serving.warmup import warmup_requests

REQUESTS_AT_ONCE = 4  # that are computed; more share the cores and take as long, and cannot be cancelled
# HTTP statuses of TensorFlow's errors; other errors are 500.
_STATUSES = {
    tf.errors.INVALID_ARGUMENT: 400,
    tf.errors.FAILED_PRECONDITION: 400,
    tf.errors.OUT_OF_RANGE: 400,
    tf.errors.NOT_FOUND: 404,
    tf.errors.RESOURCE_EXHAUSTED: 429,
    tf.errors.UNIMPLEMENTED: 501,
    tf.errors.UNAVAILABLE: 503,
    tf.errors.DEADLINE_EXCEEDED: 504,
}


class Refused(Exception):
    """An error in place of an answer, with the HTTP status."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message, status)
        self.message, self.status = message[:2000], status


class ServedVersion:
    """A loaded version, whose warm-up requests have been run. `xla`: whether `_xla` signatures are allowed."""

    def __init__(self, folder: Path, xla: bool) -> None:
        self.number = int(folder.name)
        self._xla = xla
        try:
            saved_model = saved_model_pb2.SavedModel.FromString((folder / "saved_model.pb").read_bytes())
            self.definitions = dict(saved_model.meta_graphs[0].signature_def)
            with plain_name(folder) as name, _without_warnings_of_gradients():
                self._loaded = tf.saved_model.load(name)  # the variables live as long as this object
            requests = warmup_requests(folder)
        except (PermissionError, UserError, tf.errors.ResourceExhaustedError):
            raise
        except Exception as error:  # any exception: damage shows in many ways in protobuf and TensorFlow
            raise UserError(
                f"The version cannot be loaded; if it is damaged, export it again. Received: {folder} "
                f"({one_line(error)[:200]})"
            ) from error
        for signature, inputs in requests:
            try:
                self.run(signature, inputs)
            except Refused as error:
                remedy = "allow XLA by --xla, or export" if error.message == XLA_DISABLED else "export the model again"
                raise UserError(
                    f"A server loads no version of which a warm-up request fails: {remedy} without --warmup-xla. "
                    f"Received: {folder}, signature {signature} ({one_line(error.message)[:200]})"
                ) from None

    def run(self, signature: str, inputs: Mapping[str, tf.Tensor]) -> dict[str, np.ndarray]:
        """Returns an array for each output of a signature."""
        if signature not in self._loaded.signatures:
            raise Refused(f'Serving signature name: "{signature}" not found in signature def')
        needed = self.definitions[signature].inputs
        if set(inputs) != set(needed):
            raise Refused(f"The inputs must be {', '.join(sorted(needed))}. Received: {', '.join(sorted(inputs))}")
        for name, tensor in inputs.items():
            dtype, shape = tf.as_dtype(needed[name].dtype), tf.TensorShape(needed[name].tensor_shape)
            if tensor.dtype != dtype or not shape.is_compatible_with(tensor.shape):
                raise Refused(
                    f"{name} must have type {dtype.name} and shape {shape}. "
                    f"Received: {tensor.dtype.name}, {tensor.shape}"
                )
        if signature.endswith("_xla") and not self._xla:
            raise Refused(XLA_DISABLED, 500)
        try:
            results = self._loaded.signatures[signature](**inputs)
        except tf.errors.OpError as error:
            # The message follows the location in the graph.
            message = error.message.rpartition("<stack traces unavailable>\n")[2]
            raise Refused(message, _STATUSES.get(error.error_code, 500)) from None
        return {name: results[name].numpy() for name in sorted(results)}


class ServedModel:
    """The highest version in a folder; `watch` replaces it when another version becomes the highest.

    A new version is loaded before the old one is dropped, and requests under way are finished by the version that began
    them. A version that cannot be loaded is reported once, and the version before stays.
    """

    def __init__(self, name: str, path: Path, xla: bool) -> None:
        self.name, self._path, self._xla = name, path, xla
        self._turns = threading.Semaphore(REQUESTS_AT_ONCE)
        newest = _highest_version(path) if path.is_dir() else None
        if newest is None:
            raise UserError(
                "There is no version of a model in the folder. Give the folder that `keras-nmt export` wrote versions "
                f"to. Received: {path}"
            )
        self._newest = newest
        self.current = ServedVersion(newest, xla)

    def version(self, name: str, number: int | None) -> ServedVersion:
        """Returns the version that a request names, `None` for the current one."""
        current = self.current
        if name != self.name or number not in (None, current.number):
            wanted = f"Latest({name})" if number is None else f"Specific({name}, {number})"
            raise Refused(f"Servable not found for request: {wanted}", 404)
        return current

    def run(
        self, version: ServedVersion, is_awaited: Callable[[], bool], signature: str, inputs: Mapping[str, tf.Tensor]
    ) -> dict[str, np.ndarray]:
        """Returns `version.run` when it is the request's turn, unless no client waits for the answer any more."""
        while not (has_turn := self._turns.acquire(timeout=0.1)) and is_awaited():
            pass
        try:
            if not is_awaited():
                raise Refused("The client has gone", 499)
            return version.run(signature, inputs)
        finally:
            if has_turn:
                self._turns.release()

    def watch(self, stopped: threading.Event, poll_seconds: float) -> None:
        """Follows the folder until `stopped` is set."""
        while not stopped.wait(poll_seconds):
            with contextlib.suppress(OSError):  # the folder cannot be read: the version stays
                newest = _highest_version(self._path)
                if newest is not None and newest != self._newest:
                    self._newest = newest
                    self._replace(newest)

    def _replace(self, folder: Path) -> None:
        if int(folder.name) == self.current.number:
            return  # a damaged version has gone again
        try:
            self.current = ServedVersion(folder, self._xla)
        except Exception as error:  # any exception: the thread must go on
            now = f"version {self.current.number} is served as before. {one_line(error)}"
        else:
            now = f"version {folder.name} is served now."
            gc.collect()  # a loaded model has reference cycles, which would keep its weights
        print(f"{self.name}: {now}", file=sys.stderr, flush=True)


def _highest_version(path: Path) -> Path | None:
    """Returns the highest version in a folder. Other folders, such as an unfinished version, are skipped."""
    numbered = [child for child in path.iterdir() if re.fullmatch(r"[0-9]{1,18}", child.name)]
    versions = (child for child in numbered if (child / "saved_model.pb").is_file())
    return max(versions, key=lambda version: int(version.name), default=None)


@contextlib.contextmanager
def _without_warnings_of_gradients() -> Iterator[None]:
    """Drops TensorFlow's warnings that the functions of an export have no gradients, which a server does not need."""
    logger = logging.getLogger("absl")

    def is_kept(record: logging.LogRecord) -> bool:
        return "unsaved custom gradients" not in record.getMessage()

    logger.addFilter(is_kept)
    try:
        yield
    finally:
        logger.removeFilter(is_kept)
