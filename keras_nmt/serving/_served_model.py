"""The model of a development server: its highest version is loaded, run and replaced when a higher version appears."""

from __future__ import annotations

import contextlib
import gc
import logging
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_text  # noqa: F401  registers the subword operators
from tensorflow.core.protobuf import error_codes_pb2, saved_model_pb2

from keras_nmt.errors import UserError, one_line
from keras_nmt.files.atomic_files import plain_name
from keras_nmt.serving.client import XLA_DISABLED
from keras_nmt.serving.warmup import read_warmup

LARGEST_REQUEST = 2**24  # bytes; a tensor has no more elements than its request has bytes
MOST_DIMENSIONS = 32  # of an input: with more, `tf.constant` of a NumPy array ends the process
REQUESTS_AT_ONCE = 4  # that are computed; more share the cores and take as long, and cannot be cancelled
_LONGEST_MESSAGE = 2000  # characters: gRPC clients refuse answers with more


class Refused(Exception):
    """An error in place of an answer, with the name of a gRPC status code."""

    def __init__(self, message: str, code: str = "INVALID_ARGUMENT") -> None:
        self.code = code
        self.message = message[:_LONGEST_MESSAGE].encode("utf-8", "replace").decode("utf-8")
        super().__init__(self.code, self.message)


class ServedVersion:
    """A loaded version, whose warm-up requests have been run.

    Args:
        folder: Path of the version's folder.
        xla: Boolean, whether `_xla` signatures are allowed.
        prediction_log: Message class of the records of warm-up requests.
    """

    def __init__(self, folder: Path, xla: bool, prediction_log: Any) -> None:
        self.number = int(folder.name)
        self._xla = xla
        try:
            saved_model = saved_model_pb2.SavedModel.FromString((folder / "saved_model.pb").read_bytes())
            self.definitions = dict(saved_model.meta_graphs[0].signature_def)
            with plain_name(folder) as name, _without_warnings_of_gradients():
                self._loaded = tf.saved_model.load(name)  # the variables live as long as this object
            logs = [prediction_log.FromString(record) for record in read_warmup(folder)]
        except (PermissionError, tf.errors.ResourceExhaustedError):
            raise
        except Exception as error:  # any exception: damage shows in many ways in protobuf and TensorFlow
            raise UserError(
                f"The version cannot be loaded; if it is damaged, export it again. Received: {folder} "
                f"({one_line(error)[:200]})"
            ) from error
        for request in (log.predict_log.request for log in logs):
            signature = request.model_spec.signature_name
            try:
                self.run(signature, {name: tf.constant(tf.make_ndarray(x)) for name, x in request.inputs.items()})
            except Refused as error:
                remedy = "allow XLA by --xla, or export" if error.message == XLA_DISABLED else "export the model again"
                raise UserError(
                    f"A server loads no version of which a warm-up request fails: {remedy} without --warmup-xla. "
                    f"Received: {folder}, signature {signature} ({one_line(error.message)[:200]})"
                ) from None

    def run(
        self, signature: str, inputs: Mapping[str, tf.Tensor], outputs: Iterable[str] = ()
    ) -> dict[str, np.ndarray]:
        """An array for each of the chosen outputs of a signature, by default for all."""
        if signature not in self._loaded.signatures:
            raise Refused(f'Serving signature key "{signature}" not found.', "FAILED_PRECONDITION")
        needed, chosen = self.definitions[signature].inputs, list(outputs)
        if set(inputs) != set(needed):
            extra, missing = (
                ",".join(sorted(names)) for names in (set(inputs) - set(needed), set(needed) - set(inputs))
            )
            raise Refused(
                f"input size does not match signature: {len(inputs)}!={len(needed)}. Sent extra: {{{extra}}}. "
                f"Missing but required: {{{missing}}}.",
            )
        for name, tensor in inputs.items():
            dtype, shape = tf.as_dtype(needed[name].dtype), tf.TensorShape(needed[name].tensor_shape)
            if tensor.dtype != dtype or not shape.is_compatible_with(tensor.shape):
                raise Refused(
                    f"{name} is expected to be a {dtype.name} tensor of shape {shape}. "
                    f"Received: {tensor.dtype.name}, {tensor.shape}",
                )
        if unknown := set(chosen) - set(self.definitions[signature].outputs):
            raise Refused(f"output tensor alias not found in signature: {','.join(unknown)}")
        if signature.endswith("_xla") and not self._xla:
            raise Refused(XLA_DISABLED, "INTERNAL")
        try:
            results = self._loaded.signatures[signature](**inputs)
        except tf.errors.OpError as error:
            # The message follows the location in the graph.
            message = error.message.rpartition("<stack traces unavailable>\n")[2]
            raise Refused(message, error_codes_pb2.Code.Name(error.error_code)) from None
        return {name: results[name].numpy() for name in chosen or sorted(results)}


class ServedModel:
    """A folder of versions, of which the highest is served; `watch` follows the folder by the model server's rules.

    A new highest version is loaded first, then the version before is unloaded; requests that run in it are finished. A
    damaged version is reported once, and the version before stays. Where the highest version is removed, the next one
    is loaded; where none is left, requests are refused.
    """

    def __init__(self, name: str, path: Path, xla: bool, apis: Any) -> None:
        self.name, self._path, self._xla, self._apis = name, path, xla, apis
        self._states: dict[int, Any] = {}
        self._turns = threading.Semaphore(REQUESTS_AT_ONCE)
        self._newest = _highest_version(path) if path.is_dir() else None
        if self._newest is None:
            raise UserError(
                "There is no version of a model in the folder. Give the folder that `keras-nmt export` wrote versions "
                f"to. Received: {path}"
            )
        self.current: ServedVersion | None = self._load(self._newest)

    def version(self, name: str, number: int | None) -> ServedVersion:
        """The version that a request names, `None` for the current one."""
        current = self.current
        if current is None or name != self.name or number not in (None, current.number):
            wanted = f"Latest({name})" if number is None else f"Specific({name}, {number})"
            raise Refused(f"Servable not found for request: {wanted}", "NOT_FOUND")
        return current

    def run(
        self,
        version: ServedVersion,
        is_awaited: Callable[[], bool],
        signature: str,
        inputs: Mapping[str, tf.Tensor],
        outputs: Iterable[str] = (),
    ) -> dict[str, np.ndarray]:
        """`version.run` when it is the request's turn; a `Refused` where no client waits for the answer any more."""
        while not (has_turn := self._turns.acquire(timeout=0.1)) and is_awaited():
            pass
        try:
            if not is_awaited():
                raise Refused("The client has gone", "CANCELLED")
            return version.run(signature, inputs, outputs)
        finally:
            if has_turn:
                self._turns.release()

    def status(self, name: str, number: int | None) -> Any:
        """`GetModelStatusResponse`: the states of all versions so far, or of one."""
        if name != self.name:
            raise Refused(f"Could not find any versions of model {name}", "NOT_FOUND")
        states = [state for _, state in sorted(self._states.items(), reverse=True) if number in (None, state.version)]
        if not states:
            raise Refused(f"Could not find version {number} of model {name}", "NOT_FOUND")
        return self._apis.get_model_status_pb2.GetModelStatusResponse(model_version_status=states)

    def watch(self, stopped: threading.Event, poll_seconds: float) -> None:
        """Follows the folder until `stopped` is set."""
        while not stopped.wait(poll_seconds):
            try:
                newest = _highest_version(self._path)
            except OSError:  # the folder cannot be read: the version stays
                continue
            if newest != self._newest:
                self._newest = newest
                self._replace(newest)

    def _replace(self, folder: Path | None) -> None:
        before = self.current
        if folder is not None and before is not None and int(folder.name) == before.number:
            return  # a damaged version has gone again
        try:
            self.current = None if folder is None else self._load(folder)
        except Exception as error:  # any exception: the thread must go on
            stays = "no version" if before is None else f"version {before.number}"
            print(f"{self.name}: {stays} is served as before. {one_line(error)}", file=sys.stderr, flush=True)
            return
        now = "no version" if folder is None else f"version {folder.name}"
        print(f"{self.name}: {now} is served now.", file=sys.stderr, flush=True)
        if before is not None:
            number = before.number
            del before
            gc.collect()  # a loaded model has reference cycles, which would keep its weights
            self._set_state(number, "END")

    def _load(self, folder: Path) -> ServedVersion:
        self._set_state(int(folder.name), "LOADING")
        try:
            version = ServedVersion(folder, self._xla, self._apis.prediction_log_pb2.PredictionLog)
        except Exception as error:
            self._set_state(int(folder.name), "END", one_line(error))
            raise
        self._set_state(version.number, "AVAILABLE")
        return version

    def _set_state(self, number: int, state: str, error: str = "") -> None:
        status = self._apis.get_model_status_pb2.ModelVersionStatus(version=number, state=state)
        status.status.error_code = error_codes_pb2.INTERNAL if error else error_codes_pb2.OK
        status.status.error_message = error.encode(errors="backslashreplace").decode()  # a name may not be UTF-8
        self._states = {**self._states, number: status}


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


def _highest_version(path: Path) -> Path | None:
    """The highest version in a folder, if any. Other folders, such as an unfinished version, are skipped."""
    numbered = [child for child in path.iterdir() if re.fullmatch(r"[0-9]{1,18}", child.name)]
    versions = (child for child in numbered if (child / "saved_model.pb").is_file())
    return max(versions, key=lambda version: int(version.name), default=None)
