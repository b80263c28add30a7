"""Translates by a model server."""

from __future__ import annotations

import http.client
import json
import random
import time
import urllib.parse
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from keras_nmt.errors import UserError, one_line
from keras_nmt.inference.lines import check_lines, seeds_of_lines
from keras_nmt.inference.translation import Hypothesis, Translation
from keras_nmt.serving._serving_api import serving_api

FIRST_WAIT, LONGEST_WAIT = 0.1, 5.0  # seconds between attempts
# What a stock server answers to a function that is marked for XLA.
XLA_DISABLED = "XLA compilation disabled"
_CODES = {400: "INVALID_ARGUMENT", 404: "NOT_FOUND", 500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED"}


class Client:
    """Translates, samples and scores text by a TensorFlow model server that runs one of our exports.

    The compiled signatures are asked for. Where the server does not allow XLA, the plain ones are, from then on.

    A request that finds no server, or one that is not available (503), is sent again after a wait that doubles each
    time, between half and all of it by chance. Other errors are not tried again.

    A client may be used by several threads at once.

    Args:
        url: `http://host:8501` or `https://...` for REST, `grpc://host:8500` for gRPC. REST needs nothing but Python,
            gRPC the extra `serving`.
        model: What the server calls the model.
        version: Number of the version. `None`: the one that the server thinks best, its highest.
        timeout: Seconds that a batch may take, all attempts and the waits between them included.
        retries: How often a batch is sent again at most.
        batch_size: The most sentences of a request.

    Raises:
        UserError: An argument out of its range, or gRPC is not installed.

    Example:

    >>> client = Client("http://localhost:8501", "mine", timeout=10)
    >>> client.translate([])
    []
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        version: int | None = None,
        timeout: float = 60.0,
        retries: int = 5,
        batch_size: int = 64,
    ) -> None:
        if timeout <= 0 or retries < 0 or batch_size < 1:
            raise UserError(
                "`timeout` must be above 0, `retries` at least 0 and `batch_size` at least 1. "
                f"Received: timeout={timeout}, retries={retries}, batch_size={batch_size}"
            )
        self.url = url
        self.model = model
        self.version = version
        self.timeout = timeout
        self.retries = retries
        self.batch_size = batch_size
        self._transport = _transport(url, model, version)
        self._xla = True

    def translate(
        self,
        lines: Iterable[str],
        source: str | Iterable[str] | None = None,
        target: str | Iterable[str] | None = None,
    ) -> list[Translation]:
        """Translates any number of lines.

        They are sent in batches of similar length and come back in order.

        Args:
            lines: Sentences.
            source: Where the model is multilingual, the language of all lines, or one for each; else None.
            target: The language to translate to, likewise.

        Returns:
            A translation for each.

        Raises:
            UserError: The server refuses the request, or the languages are not as many as the lines.
            ConnectionError: It cannot be reached, or is not available, after all attempts.
            TimeoutError: It takes longer than `timeout`.
        """
        texts = check_lines(lines)
        return self._translations("serving_default", texts, _languages(len(texts), source, target))

    def sample(self, lines: Iterable[str], seeds: int | Iterable[int] = 0) -> list[Translation]:
        """Draws translations at random, where the model was exported with `sample=True`.

        Args:
            lines: Sentences.
            seeds: A seed for each line, which alone its translations depend on, or one for all, from which each line
                gets its own by its place, as of `Translator.translate`. Default 0.

        Returns:
            A translation for each, with as many hypotheses as the export draws.

        Raises:
            UserError: As of `translate`; or the model has no such signature, or there are not as many seeds as lines.
            ConnectionError: As of `translate`.
            TimeoutError: As of `translate`.
        """
        texts = check_lines(lines)
        return self._translations("sample", texts, {"seed": seeds_of_lines(seeds, len(texts))})

    def score(
        self,
        sources: Iterable[str],
        targets: Iterable[str],
        source: str | Iterable[str] | None = None,
        target: str | Iterable[str] | None = None,
    ) -> list[float]:
        """Log-probabilities of given translations, END included.

        Args:
            sources: Sentences.
            targets: As many, a translation of each.
            source: Where the model is multilingual, the language of all sources, or one for each; else None.
            target: The language of the targets, likewise.

        Returns:
            A log-probability for each pair.

        Raises:
            UserError: As of `translate`; or not as many targets as sources.
            ConnectionError: As of `translate`.
            TimeoutError: As of `translate`.
        """
        texts = {"source": check_lines(sources), "target": check_lines(targets)}
        if len(texts["source"]) != len(texts["target"]):
            raise UserError(
                "There must be a target for each source. "
                f"Received: {len(texts['source'])} sources, {len(texts['target'])} targets"
            )
        languages = _languages(len(texts["source"]), source, target)
        log_probabilities, truncated = [0.0] * len(texts["source"]), 0
        for rows, (values, cuts) in self._in_batches("score", texts, languages, ("log_probability", "truncated")):
            truncated += sum(cuts)
            for row, value in zip(rows, values, strict=True):
                log_probabilities[row] = float(value)
        if truncated:
            warnings.warn(
                f"The server cut {truncated} pair(s) that were too long, and scored them as cut.", stacklevel=2
            )
        return log_probabilities

    def close(self) -> None:
        """Closes the connection to the server."""
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _translations(self, signature: str, texts: list[str], beside: dict[str, list[Any]]) -> list[Translation]:
        results: list[Translation] = [Translation((), False)] * len(texts)
        outputs = ("translation", "score", "truncated")
        for rows, found in self._in_batches(signature, {"text": texts}, beside, outputs):
            for row, *answer in zip(rows, *found, strict=True):
                results[row] = _translation(*answer)
        return results

    def _in_batches(
        self, signature: str, texts: dict[str, list[str]], beside: dict[str, list[Any]], outputs: tuple[str, ...]
    ) -> Iterator[tuple[list[int], list[list[Any]]]]:
        """Rows that are sent at once, the longest first, and what comes back of them.

        What is given beside the texts, languages or seeds, has no part in the order.
        """
        columns: dict[str, list[Any]] = {name: [_utf8(line) for line in lines] for name, lines in texts.items()}
        lengths = [max(map(len, row)) for row in zip(*columns.values(), strict=True)]
        columns |= {name: [_utf8(x) if isinstance(x, str) else x for x in column] for name, column in beside.items()}
        order = sorted(range(len(lengths)), key=lambda row: -lengths[row])
        for start in range(0, len(order), self.batch_size):
            rows = order[start : start + self.batch_size]
            found = self._predict(signature, {name: [column[row] for row in rows] for name, column in columns.items()})
            if missing := [name for name in outputs if len(found.get(name, ())) != len(rows)]:
                raise UserError(
                    f"{self.url} does not answer as an export of keras_nmt: {', '.join(missing)} is missing, or of "
                    f"another number of sentences. Received: model={self.model!r}"
                )
            yield rows, [found[name] for name in outputs]

    def _predict(self, signature: str, inputs: dict[str, list[Any]]) -> Mapping[str, list[Any]]:
        """What the server answers, sooner or later."""
        deadline = time.monotonic() + self.timeout
        attempts, wait = 0, FIRST_WAIT
        while True:
            name = signature + "_xla" if self._xla else signature
            try:
                return self._transport.predict(name, inputs, deadline)
            except _Failure as failure:
                if name != signature and XLA_DISABLED in failure.message:
                    self._xla = False
                    continue
                pause = wait * random.uniform(0.5, 1)
                out_of_time = time.monotonic() + pause > deadline
                if failure.code != "UNAVAILABLE" or attempts == self.retries or out_of_time:
                    raise self._error(failure, name) from failure
            attempts, wait = attempts + 1, min(2 * wait, LONGEST_WAIT)
            time.sleep(pause)

    def _error(self, failure: _Failure, signature: str) -> Exception:
        message = one_line(failure.message).rstrip(".")
        received = f"Received: model={self.model!r}, version={self.version}, signature={signature!r}"
        if failure.code == "UNAVAILABLE":
            return ConnectionError(f"{self.url} cannot be reached, or has no time: {message}. {received}")
        if failure.code == "DEADLINE_EXCEEDED":
            return TimeoutError(f"{self.url} did not answer in {self.timeout:g} s: {message}. {received}")
        return UserError(f"{self.url} answered {failure.code}: {message}. {received}")


class _Failure(Exception):
    """An answer that is an error, by the names of gRPC's status codes."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


class _Transport(Protocol):
    def predict(self, signature: str, inputs: dict[str, list[Any]], deadline: float) -> Mapping[str, list[Any]]: ...

    def close(self) -> None: ...


class _Rest:
    def __init__(self, parts: urllib.parse.SplitResult, model: str, version: int | None) -> None:
        self._connection = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._host, self._port = parts.hostname or "", parts.port or self._connection.default_port
        name = urllib.parse.quote(model, safe="")
        versions = "" if version is None else f"/versions/{version}"
        path = urllib.parse.quote(parts.path.rstrip("/"), safe="/%")
        self._path = f"{path}/v1/models/{name}{versions}:predict"

    def predict(self, signature: str, inputs: dict[str, list[Any]], deadline: float) -> Mapping[str, list[Any]]:
        # By rows: by columns, inputs that the model does not have would be ignored, such as languages.
        columns = ([x.decode() if isinstance(x, bytes) else x for x in column] for column in inputs.values())
        rows = [dict(zip(inputs, row, strict=True)) for row in zip(*columns, strict=True)]
        body = json.dumps({"signature_name": signature, "instances": rows}, ensure_ascii=False).encode()
        # A connection for each request: none that the server has closed meanwhile, none that threads share.
        connection = self._connection(self._host, self._port, timeout=_left(deadline))
        try:
            connection.connect()
            connection.sock.settimeout(_left(deadline))
            connection.request("POST", self._path, body, {"Content-Type": "application/json"})
            socket = connection.sock  # the response may take it
            socket.settimeout(_left(deadline))
            response = connection.getresponse()
            status, content = response.status, _read(response, socket, deadline).decode("utf-8", "replace")
        except TimeoutError as error:
            raise _Failure("DEADLINE_EXCEEDED", str(error)) from None
        except (OSError, http.client.HTTPException) as error:
            raise _Failure("UNAVAILABLE", f"{type(error).__name__} {error}") from None
        finally:
            connection.close()
        try:
            answer = json.loads(content, strict=False)
            if status == http.HTTPStatus.OK:
                return {name: [row[name] for row in answer["predictions"]] for name in answer["predictions"][0]}
            message = str(answer["error"])
        except (ValueError, LookupError, TypeError):  # of a proxy, or of some other server
            message = content[:200]
        raise _Failure(_CODES.get(status, f"HTTP {status}"), message)

    def close(self) -> None:
        pass


class _Grpc:
    def __init__(self, parts: urllib.parse.SplitResult, model: str, version: int | None) -> None:
        self._grpc, self._apis = serving_api(parts.geturl())
        options = {
            "grpc.max_receive_message_length": -1,
            "grpc.max_send_message_length": -1,
            # Our waits decide when to try again, not the channel's, which are longer. Its least one stays as it is: it
            # is also how long a server may take to answer a connection.
            "grpc.initial_reconnect_backoff_ms": int(1000 * FIRST_WAIT),
            "grpc.max_reconnect_backoff_ms": int(1000 * LONGEST_WAIT),
        }
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        self._channel = self._grpc.insecure_channel(f"{host}:{parts.port or 8500}", list(options.items()))
        self._stub = self._apis.prediction_service_pb2_grpc.PredictionServiceStub(self._channel)
        self._model, self._version = model, version

    def predict(self, signature: str, inputs: dict[str, list[Any]], deadline: float) -> Mapping[str, list[Any]]:
        import tensorflow as tf  # which the protocol's own modules have imported

        request = self._apis.predict_pb2.PredictRequest()
        request.model_spec.name = self._model
        request.model_spec.signature_name = signature
        if self._version is not None:
            request.model_spec.version.value = self._version
        for name, column in inputs.items():
            dtype = tf.string if isinstance(column[0], bytes) else tf.int32
            request.inputs[name].CopyFrom(tf.make_tensor_proto(column, dtype, [len(column)]))
        try:
            outputs = self._stub.Predict(request, timeout=_left(deadline)).outputs
        except self._grpc.RpcError as error:
            raise _Failure(error.code().name, error.details() or "") from None
        return {name: tf.make_ndarray(proto).tolist() for name, proto in outputs.items()}

    def close(self) -> None:
        self._channel.close()


def _transport(url: str, model: str, version: int | None) -> _Transport:
    try:
        parts = urllib.parse.urlsplit(url)
        known = parts.scheme in ("http", "https", "grpc") and bool(parts.hostname)
        parts.port  # noqa: B018  raises where it is no number
        (parts.hostname or "").encode("idna")  # likewise where it is no name
    except ValueError:
        known = False
    if not known:
        raise UserError(
            f"A server's URL is http://HOST:8501 for REST or grpc://HOST:8500 for gRPC. Received: url={url!r}"
        )
    return (_Grpc if parts.scheme == "grpc" else _Rest)(parts, model, version)


def _read(response: http.client.HTTPResponse, socket: Any, deadline: float) -> bytes:
    """The body, in time as a whole: a socket's timeout is that of each part."""
    content = bytearray()
    while not response.isclosed():
        if time.monotonic() > deadline:
            raise TimeoutError("the answer comes too slowly")
        socket.settimeout(_left(deadline))
        part = response.read1(2**16)
        content += part
        if not part:
            break
    if response.length:  # bytes that were still to come
        raise http.client.IncompleteRead(bytes(content), response.length)
    return bytes(content)


def _left(deadline: float) -> float:
    """Seconds until then; not 0, which sockets take for something else."""
    return max(deadline - time.monotonic(), 0.001)


def _languages(
    count: int, source: str | Iterable[str] | None, target: str | Iterable[str] | None
) -> dict[str, list[str]]:
    """The languages of each line, as a request names them; none for a model of one pair."""
    if (source is None) != (target is None):
        raise UserError(f"Give both languages, or none. Received: source={source!r}, target={target!r}")
    languages = {}
    for side, given in (("source", source), ("target", target)):
        if given is None:
            continue
        names = [given] * count if isinstance(given, str) else list(given)
        if len(names) != count:
            raise UserError(
                f"There must be a {side} language for each line, or one for all. "
                f"Received: {len(names)} languages, {count} lines"
            )
        languages[f"{side}_language"] = names
    return languages


def _translation(texts: Any, scores: Any, truncated: bool) -> Translation:
    """Of one hypothesis or of several."""
    if not isinstance(texts, list):
        texts, scores = [texts], [scores]
    hypotheses = (Hypothesis.of(text, score) for text, score in zip(texts, scores, strict=True))
    return Translation(tuple(hypotheses), bool(truncated))


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise UserError(f"A line cannot be written as UTF-8: {error.reason}. Received: {text[:40]!r}") from None
