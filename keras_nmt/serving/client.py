"""A client of a model server; imports neither TensorFlow nor Keras."""

from __future__ import annotations

import numbers
import random
import time
import urllib.parse
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from keras_nmt.errors import UserError, one_line
from keras_nmt.inference.lines import (
    Languages,
    check_lines,
    check_pairs,
    check_utf8,
    languages_of_lines,
    seeds_of_lines,
)
from keras_nmt.inference.translation import Hypothesis, Translation
from keras_nmt.serving._grpc_transport import GrpcTransport
from keras_nmt.serving._rest_transport import RestTransport
from keras_nmt.serving._transport import Failure, Transport

FIRST_WAIT, LONGEST_WAIT = 0.1, 5.0  # seconds between attempts
LONGEST_TIMEOUT = 1e6  # seconds; the system's limits are higher
# The error message of a stock server about a function that is marked for XLA.
XLA_DISABLED = "XLA compilation disabled"
# The types of an export's outputs, by REST and by gRPC.
_OUTPUTS = {
    "translation": ((str, bytes), "text"),
    "score": ((float,), "a number"),
    "log_probability": ((float,), "a number"),
    "truncated": ((bool,), "true or false"),
}
# A row of these outputs is one value, or a list of values if the export gives several hypotheses.
_OF_HYPOTHESES = ("translation", "score")


class Client:
    """Translates, samples and scores text by a TensorFlow model server that runs an export of keras_nmt.

    Requests go to the compiled signatures, or, once the server has refused XLA, to the plain signatures.

    A request that finds no server, or a server that is not available (503), is sent again after a wait. The wait
    doubles each time, and a random part, at most half, is taken off. Other errors are not tried again. Redirects are
    not followed.

    A client may be used by several threads at once. REST connections stay open for the next requests.

    Args:
        url: String, `http://host:8501` or `https://...` for REST, `grpc://host:8500` for gRPC, which needs the extra
            `serving`.
        model: String, the name that the server gives the model.
        version: Integer, the version of the model. Defaults to `None`: the server's choice, its highest version.
        timeout: Float, the seconds that a batch may take, including all attempts and the waits between them. Defaults
            to 60.
        retries: Integer, how often a batch is sent again at most. Defaults to 5.
        batch_size: Integer, the largest number of sentences in a request. Defaults to 64.

    Raises:
        UserError: An argument is out of its range, or gRPC is not installed.

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
        if not (_is(timeout, numbers.Real) and 0 < timeout <= LONGEST_TIMEOUT):
            raise UserError(
                f"`timeout` must be a number above 0 and at most {LONGEST_TIMEOUT:g}. Received: timeout={timeout!r}"
            )
        integers = {"retries": (retries, 0), "batch_size": (batch_size, 1)}
        if version is not None:
            integers["version"] = (version, 0)
        for name, (value, least) in integers.items():
            if not (_is(value, numbers.Integral) and least <= value < 2**63):
                raise UserError(f"`{name}` must be an integer of at least {least}. Received: {name}={value!r}")
        if not isinstance(model, str) or not model:
            raise UserError(f"`model` must be the name of a model. Received: model={model!r}")
        check_utf8(model, "The name of the model")
        self.url = url
        self.model = model
        self.version = version
        self.timeout = float(timeout)
        self.retries = retries
        self.batch_size = batch_size
        self._transport = _transport(url, model, version)
        self._xla = True

    def translate(self, lines: Iterable[str], source: Languages = None, target: Languages = None) -> list[Translation]:
        """Translates any number of lines, in batches of similar length.

        Args:
            lines: Iterable of strings, the sentences.
            source, target: Strings, the languages of all lines, or iterables of strings, the languages of each line.
                Default to `None`, for a model of one direction.

        Returns:
            A list of a `Translation` for each line, in the order of the lines.

        Raises:
            UserError: The server refuses the request or does not answer as an export does, or there is not a language
                for each line.
            ConnectionError: The server cannot be reached or is not available, after all attempts.
            TimeoutError: The answer to a batch has not arrived in full within `timeout`.
        """
        texts = check_lines(lines)
        return self._translations("serving_default", texts, _languages(len(texts), source, target))

    def sample(
        self,
        lines: Iterable[str],
        source: Languages = None,
        target: Languages = None,
        *,
        seeds: int | Iterable[int] = 0,
    ) -> list[Translation]:
        """Draws translations at random, where the model was exported with `sample=True`.

        Args:
            lines: Iterable of strings, the sentences.
            source, target: As for `translate`.
            seeds: Iterable of integers, the seed of each line, which alone determines the line's translations; or an
                integer, from which the seeds of all lines are drawn as `Translator.translate` draws them. Defaults
                to 0.

        Returns:
            A list of a `Translation` for each line, with as many hypotheses as the export draws.

        Raises:
            UserError: As for `translate`; or the model has no such signature, or there is not a seed for each line.
            ConnectionError, TimeoutError: As for `translate`.
        """
        texts = check_lines(lines)
        beside = _languages(len(texts), source, target)
        return self._translations("sample", texts, {**beside, "seed": seeds_of_lines(seeds, len(texts))})

    def score(
        self, sources: Iterable[str], targets: Iterable[str], source: Languages = None, target: Languages = None
    ) -> list[float]:
        """Computes the log-probabilities of given translations, END included.

        Args:
            sources: Iterable of strings, the sentences.
            targets: Iterable of strings, a translation of each sentence.
            source, target: The languages of the sources and of the targets, as for `translate`.

        Returns:
            A list of a float for each pair.

        Raises:
            UserError: As for `translate`; or there is not a target for each source.
            ConnectionError, TimeoutError: As for `translate`.
        """
        checked_sources, checked_targets = check_pairs(sources, targets)
        texts = {"source": checked_sources, "target": checked_targets}
        languages = _languages(len(checked_sources), source, target)
        log_probabilities, truncated = [0.0] * len(checked_sources), 0
        for rows, (values, flags) in self._in_batches("score", texts, languages, ("log_probability", "truncated")):
            truncated += sum(flags)
            for row, value in zip(rows, values, strict=True):
                log_probabilities[row] = value
        if truncated:
            warnings.warn(
                f"The server truncated {truncated} pair(s) that were too long, and scored them as truncated.",
                stacklevel=2,
            )
        return log_probabilities

    def close(self) -> None:
        """Closes the connections to the server."""
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _translations(self, signature: str, texts: list[str], beside: dict[str, list[Any]]) -> list[Translation]:
        results = [Translation((), False)] * len(texts)
        outputs = ("translation", "score", "truncated")
        for rows, columns in self._in_batches(signature, {"text": texts}, beside, outputs):
            for row, text, score, truncated in zip(rows, *columns, strict=True):
                several = zip(text, score, strict=True) if isinstance(text, list) else [(text, score)]
                results[row] = Translation(tuple(Hypothesis.of(*one) for one in several), truncated)
        return results

    def _in_batches(
        self, signature: str, texts: dict[str, list[str]], beside: dict[str, list[Any]], outputs: Sequence[str]
    ) -> Iterator[tuple[list[int], list[list[Any]]]]:
        """Sends rows in batches, the longest texts first; `beside` are columns of languages and seeds.

        Yields the numbers of a batch's rows, and the columns of the outputs for these rows.
        """
        columns = {**texts, **beside}
        lengths = [max(len(text.encode()) for text in row) for row in zip(*texts.values(), strict=True)]
        order = sorted(range(len(lengths)), key=lambda row: -lengths[row])
        for start in range(0, len(order), self.batch_size):
            rows = order[start : start + self.batch_size]
            inputs = {name: [column[row] for row in rows] for name, column in columns.items()}
            yield rows, self._predict(signature, inputs, outputs, len(rows))

    def _predict(self, signature: str, inputs: dict[str, list[Any]], outputs: Sequence[str], count: int) -> list[Any]:
        """The columns of a signature's outputs, after as many attempts as it takes."""
        deadline = time.monotonic() + self.timeout
        attempts, wait, refusal = 0, FIRST_WAIT, None
        while True:
            name = signature + "_xla" if self._xla else signature
            try:
                return _checked(self._transport.predict(name, inputs, deadline), outputs, count)
            except Failure as failure:
                if name != signature and XLA_DISABLED in failure.message:
                    self._xla = False
                    continue
                pause = wait * random.uniform(0.5, 1)
                out_of_time = time.monotonic() + pause > deadline
                if failure.code != "UNAVAILABLE" or attempts == self.retries or out_of_time:
                    raise self._error(failure, name, refusal) from failure
                refusal = failure
            attempts, wait = attempts + 1, min(2 * wait, LONGEST_WAIT)
            time.sleep(pause)

    def _error(self, failure: Failure, signature: str, refusal: Failure | None) -> Exception:
        """The error to raise for a failure; `refusal` is the failure of the attempt before."""
        message = one_line(failure.message).rstrip(".")
        received = f"Received: model={self.model!r}, version={self.version}, signature={signature!r}"
        if failure.code == "UNAVAILABLE":
            return ConnectionError(f"{self.url} cannot be reached, or has no time: {message}. {received}")
        if failure.code == "DEADLINE_EXCEEDED":
            if refusal is not None:
                message += f"; the attempt before: {one_line(refusal.message).rstrip('.')}"
            return TimeoutError(f"{self.url} did not answer in {self.timeout:g} s: {message}. {received}")
        if failure.code == "MALFORMED":
            return UserError(f"{self.url} does not answer as an export of keras_nmt: {message}. {received}")
        if failure.code == "NOT_FOUND":
            message += ". Name a model that the server has, by `model` or --model, and one of its versions"
        return UserError(f"{self.url} answered {failure.code}: {message}. {received}")


def _transport(url: str, model: str, version: int | None) -> Transport:
    try:
        parts = urllib.parse.urlsplit(url)
        parts.port  # noqa: B018  raises if the port is not a number
        (parts.hostname or "").encode("idna")  # raises if the host is not a name
        known = parts.scheme in ("http", "https", "grpc") and bool(parts.hostname) and url.isprintable()
        if known and parts.scheme != "grpc":
            return RestTransport(parts, model, version)
    except (ValueError, TypeError, AttributeError):
        known = False
    if not known:
        raise UserError(
            f"A server's URL is http://HOST:8501 for REST or grpc://HOST:8500 for gRPC. Received: url={url!r}"
        )
    return GrpcTransport(parts, model, version, (FIRST_WAIT, LONGEST_WAIT))


def _languages(count: int, source: Languages, target: Languages) -> dict[str, list[str]]:
    """The inputs that name languages; none for a model of one direction."""
    if source is None and target is None:
        return {}
    if source is None or target is None:
        raise UserError(f"Give both languages, or none. Received: source={source!r}, target={target!r}")
    sides = {"source": source, "target": target}
    languages = {f"{side}_language": languages_of_lines(given, count, side) for side, given in sides.items()}
    for name in {name for column in languages.values() for name in column}:
        check_utf8(name, "The name of a language")
    return languages


def _checked(columns: dict[str, list[Any]], outputs: Sequence[str], count: int) -> list[list[Any]]:
    """The columns of the outputs. An answer that an export does not give is a `Failure`."""
    widths = set()
    for name in outputs:
        if len(columns.get(name, ())) != count:
            raise Failure("MALFORMED", f"{name} is missing, or not of {count} sentence(s)")
        kinds, wanted = _OUTPUTS[name]
        for row in columns[name]:
            several = name in _OF_HYPOTHESES and isinstance(row, list)
            if name in _OF_HYPOTHESES:
                widths.add(len(row) if several else None)
            for value in row if several else [row]:
                if not isinstance(value, kinds):
                    raise Failure("MALFORMED", f"{name} is {type(value).__name__}, not {wanted}")
    if len(widths) > 1 or 0 in widths:
        raise Failure("MALFORMED", "sentences differ in their number of hypotheses, or have none")
    return [columns[name] for name in outputs]


def _is(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)
