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
from keras_nmt.inference.aligned_words import aligned_words
from keras_nmt.inference.lines import (
    Languages,
    check_lines,
    check_pairs,
    check_prefixes,
    check_utf8,
    languages_of_lines,
    seeds_of_lines,
)
from keras_nmt.inference.translation import Translation
from keras_nmt.serving._grpc_transport import GrpcTransport
from keras_nmt.serving._rest_transport import RestTransport
from keras_nmt.serving._sentences import sentence_splitter, translated_lines
from keras_nmt.serving._transport import OF_HYPOTHESES, POSITIONS, Failure, checked_columns, is_kind

FIRST_WAIT, LONGEST_WAIT = 0.1, 5.0  # seconds between attempts
LONGEST_TIMEOUT = 1e6  # seconds; the system's limits are higher
LONGEST_MESSAGE = 2000  # characters of a server's error
# The error message of a stock server about a function that is marked for XLA.
XLA_DISABLED = "XLA compilation disabled"
_ON_REQUEST = ("search", "align")  # signatures that not every export has


class _NoSignature(UserError):
    """The export has no such signature."""


class Client:
    """Translates, samples and scores text by a TensorFlow model server that runs an export of keras_nmt.

    Requests go to the compiled signatures, or, once the server has refused XLA, to the plain signatures.

    A request that finds no server, or a server that is not available (503), is sent again after a wait. The wait
    doubles each time, and a random part, at most half, is taken off. Other errors are not tried again. Redirects are
    not followed.

    A client may be used by several threads at once, and by processes that are forked from its own. REST connections
    stay open for the next requests. Environment variables for proxies, such as `http_proxy`, have no effect: give the
    URL of the server, or of a reverse proxy in front of it.

    Args:
        url: String, `http://host:8501` or `https://...` for REST, `grpc://host:8500` for gRPC, which needs the extra
            `serving` of keras_nmt, or `grpc` of keras-nmt-client.
        model: String, the name that the server gives the model. Defaults to `None`: by REST, the only model of a
            development server; else `model`, the name in TensorFlow Serving's image.
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
        model: str | None = None,
        *,
        version: int | None = None,
        timeout: float = 60.0,
        retries: int = 5,
        batch_size: int = 64,
    ) -> None:
        if not (is_kind(timeout, numbers.Real) and 0 < timeout <= LONGEST_TIMEOUT):
            raise UserError(
                f"`timeout` must be a number above 0 and at most {LONGEST_TIMEOUT:g}. Received: timeout={timeout!r}"
            )
        _check_integer("retries", retries, 0)
        _check_integer("batch_size", batch_size, 1)
        if version is not None:
            _check_integer("version", version, 0)
        if model is not None:
            if not isinstance(model, str) or not model:
                raise UserError(f"`model` must be the name of a model. Received: model={model!r}")
            check_utf8(model, "The name of the model")
        self.url = url
        self.model = model
        self.version = version
        self.timeout = float(timeout)
        self.retries = retries
        self.batch_size = batch_size
        self._transport = _transport(url, model, version, batch_size)
        self._xla = True
        self._has_search = True

    def translate(
        self,
        lines: Iterable[str],
        source: Languages = None,
        target: Languages = None,
        *,
        prefixes: Iterable[str] | None = None,
        num_hypotheses: int | None = None,
        beam_size: int | None = None,
    ) -> list[Translation]:
        """Translates any number of lines, in batches of similar length.

        The keyword arguments need the signature `search` of the export; `num_hypotheses` alone needs none where the
        export gives as many hypotheses.

        Args:
            lines: Iterable of strings, the sentences.
            source, target: Strings, the languages of all lines, or iterables of strings, the languages of each line.
                Default to `None`, for a model of one direction.
            prefixes: Iterable of strings, one per line: the text that the line's translation has to begin with, which
                may be empty; see `keras_nmt.inference.Translator.translate`. Defaults to `None`.
            num_hypotheses: Integer, the translations of a line, at most `beam_size`. Defaults to `None`: as many as the
                export gives; 1 with `prefixes` or `beam_size`.
            beam_size: Integer, hypotheses that the search keeps, at most the export's beam size. Defaults to the
                latter.

        Returns:
            A list of a `Translation` for each line, in the order of the lines.

        Raises:
            UserError: The server refuses the request or does not answer as an export does; the export has no signature
                `search`; or there is not a language or a prefix for each line.
            ConnectionError: The server cannot be reached or is not available, after all attempts.
            TimeoutError: The answer to a batch has not arrived in full within `timeout`.
        """
        texts = check_lines(lines)
        beside: dict[str, list[Any]] = _languages(len(texts), source, target)
        for name, value in (("num_hypotheses", num_hypotheses), ("beam_size", beam_size)):
            if value is not None:
                _check_integer(name, value, 1)
        if num_hypotheses is not None and beam_size is not None and num_hypotheses > beam_size:
            raise UserError(
                "`num_hypotheses` must be at most `beam_size`. "
                f"Received: num_hypotheses={num_hypotheses}, beam_size={beam_size}"
            )
        if prefixes is None and beam_size is None:
            if num_hypotheses is None:
                return self._translations("serving_default", texts, beside)
            if not self._has_search:
                return self._translations("serving_default", texts, beside, num_hypotheses)
        begun = check_prefixes([""] * len(texts) if prefixes is None else prefixes, len(texts))
        searched = {**beside, "prefix": begun, "beam_size": [min(beam_size or 0, 2**31 - 1)] * len(texts)}
        try:
            return self._translations("search", texts, searched, num_hypotheses or 1)
        except _NoSignature:
            if prefixes is not None or beam_size is not None:
                raise
            self._has_search = False
            return self._translations("serving_default", texts, beside, num_hypotheses)

    def align(
        self, sources: Iterable[str], targets: Iterable[str], source: Languages = None, target: Languages = None
    ) -> list[list[tuple[int, int]]]:
        """Aligns the words of given translations, where the export has the signature `align`.

        Args:
            sources: Iterable of strings, the sentences.
            targets: Iterable of strings, a translation of each sentence.
            source, target: The languages of the sources and of the targets, as for `translate`.

        Returns:
            For each sentence the list of pairs (source word, target word), from 0, in ascending order; see
            `keras_nmt.inference.Translator.align`.

        Raises:
            UserError: As for `translate`; or there is not a target for each source.
            ConnectionError, TimeoutError: As for `translate`.
        """
        found = self._of_pairs("align", sources, targets, source, target, POSITIONS, "aligned")
        return [aligned_words(*row) for row in found]

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
        found = self._of_pairs("score", sources, targets, source, target, ("log_probability",), "scored")
        return [value for (value,) in found]

    def stream(
        self,
        lines: Iterable[str],
        source: str | None = None,
        target: str | None = None,
        *,
        language: str | None = None,
    ) -> Iterator[Translation]:
        """Translates a document of any length, line by line, each line sentence by sentence.

        The sentences are split here, by sentencex, and sent `batch_size` at a time; lines come back as soon as they are
        translated. A sentence ends at the end of its line. The spaces around sentences are kept; two sentences without
        a space between them get one. Lines without text are not sent.

        Needs the extra `split`.

        Args:
            lines: Iterable of strings, the lines of the document, such as an open file.
            source, target: Strings, the languages of the document and of the translation. Default to `None`, for a
                model of one direction.
            language: String, the code of the language by whose rules, or a similar language's, sentences are split,
                such as "en". Defaults to `source`.

        Returns:
            An iterator of a `Translation` for each line, in their order, with one hypothesis: its text is the
            translated line without a line break, its score the sum of the scores of the line's sentences. `truncated`
            and `cut_off`: whether one of the sentences was.

        Raises:
            UserError: As for `translate`; or there is no language to split by, or the extra `split` is not installed.
            ConnectionError, TimeoutError: As for `translate`.
        """
        if isinstance(lines, str):
            raise UserError(f"Give the lines of a document, not one string. Received: {lines[:40]!r}")
        split = sentence_splitter(source if language is None else language)
        return translated_lines(lines, split, lambda texts: self.translate(texts, source, target), self.batch_size)

    def close(self) -> None:
        """Closes the connections to the server."""
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _of_pairs(
        self,
        signature: str,
        sources: Iterable[str],
        targets: Iterable[str],
        source: Languages,
        target: Languages,
        outputs: tuple[str, ...],
        done: str,
    ) -> list[tuple[Any, ...]]:
        """The outputs of a signature for each pair of lines; warns of truncated pairs."""
        checked_sources, checked_targets = check_pairs(sources, targets)
        texts = {"source": checked_sources, "target": checked_targets}
        languages = _languages(len(checked_sources), source, target)
        found = dict(self._answers(signature, texts, languages, (*outputs, "truncated")))
        truncated = sum(row[-1] for row in found.values())
        if truncated:
            message = f"The server truncated {truncated} pair(s) that were too long, and {done} them as truncated."
            warnings.warn(message, stacklevel=3)
        return [found[row][:-1] for row in range(len(checked_sources))]

    def _translations(
        self, signature: str, texts: list[str], beside: dict[str, list[Any]], count: int | None = None
    ) -> list[Translation]:
        """The translations of texts, with at most `count` hypotheses each."""
        results = {}
        for row, (*found, truncated) in self._answers(
            signature, {"text": texts}, beside, (*OF_HYPOTHESES, "truncated")
        ):
            several = found if isinstance(found[0], list) else [[x] for x in found]
            if count is not None and len(several[0]) < count:
                raise UserError(
                    f"The export gives {len(several[0])} translation(s) of a sentence at most: export the model with "
                    f"more, or with a larger beam and `--signature search`. Received: num_hypotheses={count}"
                )
            text, score, cut_off = (x[:count] for x in several)
            results[row] = Translation.of(text, score, cut_off, truncated)
        return [results[row] for row in range(len(texts))]

    def _answers(
        self, signature: str, texts: dict[str, list[str]], beside: dict[str, list[Any]], outputs: Sequence[str]
    ) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """Yields the number and the outputs of each row, which are sent in batches, the longest texts first.

        `beside` are columns of languages and seeds.
        """
        columns = {**texts, **beside}
        lengths = [max(len(text.encode()) for text in row) for row in zip(*texts.values(), strict=True)]
        order = sorted(range(len(lengths)), key=lambda row: -lengths[row])
        for start in range(0, len(order), self.batch_size):
            rows = order[start : start + self.batch_size]
            inputs = {name: [column[row] for row in rows] for name, column in columns.items()}
            found = self._predict(signature, inputs, outputs, len(rows))
            yield from zip(rows, zip(*found, strict=True), strict=True)

    def _predict(self, signature: str, inputs: dict[str, list[Any]], outputs: Sequence[str], count: int) -> list[Any]:
        """The columns of a signature's outputs, after as many attempts as it takes."""
        deadline = time.monotonic() + self.timeout
        attempts, wait, refusal = 0, FIRST_WAIT, None
        while True:
            name = signature + "_xla" if self._xla else signature
            try:
                return checked_columns(self._transport.predict(name, inputs, deadline), outputs, count)
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
        message = _shown(failure)
        plain = signature.removesuffix("_xla")
        received = f"Received: model={self._transport.model!r}, version={self.version}, signature={signature!r}"
        if failure.code == "UNAVAILABLE":
            return ConnectionError(f"{self.url} cannot be reached, or has no time: {message}. {received}")
        if failure.code == "DEADLINE_EXCEEDED":
            if refusal is not None:
                message += f"; the attempt before: {_shown(refusal)}"
            return TimeoutError(f"{self.url} did not answer in {self.timeout:g} s: {message}. {received}")
        if failure.code == "MALFORMED":
            return UserError(f"{self.url} does not answer as an export of keras_nmt: {message}. {received}")
        if plain in _ON_REQUEST and f'"{signature}" not found' in failure.message:
            return _NoSignature(
                f"The export has no signature `{plain}`: export the model again, by `keras-nmt export` with "
                f"`--signature {plain}`. {received}"
            )
        if failure.code == "NOT_FOUND":
            message += ". Name a model that the server has, by `model` or --model, and one of its versions"
        return UserError(f"{self.url} answered {failure.code}: {message}. {received}")


def _shown(failure: Failure) -> str:
    """A failure's message, which a server wrote, as a part of a line for the terminal."""
    return one_line(failure.message[:LONGEST_MESSAGE]).rstrip(".")


def _transport(url: str, model: str | None, version: int | None, batch_size: int) -> RestTransport | GrpcTransport:
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
    return GrpcTransport(parts, model, version, (FIRST_WAIT, LONGEST_WAIT), batch_size)


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


def _check_integer(name: str, value: Any, least: int) -> None:
    if not (is_kind(value, numbers.Integral) and least <= value < 2**63):
        raise UserError(f"`{name}` must be an integer of at least {least}. Received: {name}={value!r}")
