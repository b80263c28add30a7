"""The client of a model server, which needs neither TensorFlow nor Keras."""

from __future__ import annotations

import functools
import random
import re
import time
import urllib.parse
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, overload

import keras_nmt.serving.client.transports as transports
from keras_nmt.errors import UserError, is_integer, is_number, one_line, require
from keras_nmt.files.search_options import check_hypotheses, checked
from keras_nmt.serving.client.transports import HYPOTHESES, PIECES, POSITIONS, Failure, checked_rows
from keras_nmt.text.front import are_in_parts, translate_lines
from keras_nmt.text.glossary import Glossary
from keras_nmt.text.line_tags import NO_LANGUAGE, TaggedLine, split_tag, with_tag
from keras_nmt.text.lines import (
    TOO_MANY_PHRASES,
    Languages,
    Request,
    TooManyPhrases,
    check_lines,
    check_pairs,
    check_utf8,
    languages_of_lines,
    make_request,
    padded_phrases,
    seeds_of_lines,
)
from keras_nmt.text.sentences import sentence_splitter, translate_document
from keras_nmt.text.translation import Hypothesis, Translation, aligned_words

LONGEST_TIMEOUT = 1e6  # seconds; the system's limits are higher
XLA_DISABLED = "XLA compilation disabled"  # the error of a server without XLA about a signature `_xla`
_HOST = re.compile(r"[\w.-]+|[0-9a-f]*:[0-9a-f:.]*(%.+)?")  # a name, or an IPv6 address, perhaps with a zone
# Signatures that some exports do not have, and the option of `keras-nmt export` that makes them.
_ON_REQUEST = {**{name: f"--signature {name}" for name in ("search", "align", "tokens")}, "sample": "--sample"}


class _NoSignature(UserError):
    """The error if an export does not have a signature."""


class Client:
    """Translates, samples, aligns and scores text with a model server that runs an export of keras_nmt.

    Requests use the compiled signatures until the server refuses XLA, and then the plain signatures. Lines are sent in
    batches of similar length, and answers are returned in the order of the lines.

    If there is no server, or if it is not available (503), a request is sent again after a wait. The wait doubles each
    time, and is shortened by a random part of at most half. So is a request on a kept connection that ends before the
    first byte of an answer. Other errors are not tried again: a server that ends a new connection without an answer may
    have failed at the request. Redirects are not followed.

    Threads may share a client, and so may forked processes. Connections stay open for the next requests. Environment
    variables for proxies, such as `http_proxy`, have no effect: use the URL of the server, or of a reverse proxy in
    front of it.

    All methods take the languages `source` and `target`: a string for all lines, or an iterable with a string for each
    line; `None`, the default, for a model of one direction. A model with target-language tags takes `target` alone, or
    "" for lines that begin with their tags. They raise

    - `UserError` if arguments do not fit together, the server refuses the request or does not answer as an export
      does, or the export lacks the signature;
    - `ConnectionError` if the server cannot be reached or is not available, after all attempts; or if the connection
      breaks off before the answer is complete, or TLS fails;
    - `TimeoutError` if the answer to a batch has not arrived in full within `timeout`.

    Args:
        url: String, `http://host:8501` or `https://...` for REST, `grpc://host:8500` for gRPC, which needs the extra
            `serving` of keras_nmt, or `grpc` of keras-nmt-client.
        model: String, the name of the model on the server. Defaults to `None`: with REST, the only model of a
            development server; else `model`, the name in TensorFlow Serving's image.
        version: Integer, the version of the model. Defaults to `None`, for the server's highest version.
        timeout: Float, the seconds that a batch may take, including all attempts and the waits between them. Defaults
            to 60.
        retries: Integer, the largest number of times that a batch is sent again. Defaults to 5.
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
        problem = f"{{timeout}} must be a number above 0 and at most {LONGEST_TIMEOUT:g}"
        require(is_number(timeout) and 0 < timeout <= LONGEST_TIMEOUT, problem, timeout=timeout)
        _check_integer("retries", retries, 0)
        _check_integer("batch_size", batch_size, 1)
        _check_integer("version", 0 if version is None else version, 0)
        if model is not None:
            require(isinstance(model, str) and model, "{model} must be the name of a model", model=model)
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
        max_lengths: Iterable[int | None] | None = None,
        num_hypotheses: int | None = None,
        beam_size: int | None = None,
        constraints: Iterable[Iterable[str]] | None = None,
        avoid: Iterable[Iterable[str]] | None = None,
        word_scores: bool = False,
        markup: str | None = None,
        split_sentences: str | None = None,
        glossary: Glossary | None = None,
        keep: Iterable[str] | None = None,
    ) -> list[Translation]:
        """Translates any number of lines.

        `prefixes`, `max_lengths`, `num_hypotheses`, `beam_size`, `constraints`, `avoid` and `glossary` need the
        signature `search` of the export, except `num_hypotheses` alone, if the export gives as many hypotheses.
        `word_scores` needs the signature `tokens`. `markup` and `keep` need the signature `align` if there are tags, or
        text that stays, within texts.

        Args:
            lines: Iterable of strings, the sentences.
            source, target: The languages, see `Client`.
            num_hypotheses: Integer, the translations of a line, at most `beam_size`. Defaults to `None`: as many as the
                export gives, or 1 with any other option of the search or `word_scores`.
            beam_size: Integer, hypotheses that the search keeps, at most the export's beam size, which is the default.
            prefixes, max_lengths, constraints, avoid, word_scores, markup, split_sentences, glossary, keep: See
                `keras_nmt.inference.Translator.translate`.

        Returns:
            A list of a `Translation` for each line, in the order of the lines.
        """
        for name, value in (("num_hypotheses", num_hypotheses), ("beam_size", beam_size)):
            if value is not None:
                checked(name, value)
        if num_hypotheses is not None and beam_size is not None:
            check_hypotheses(num_hypotheses, beam_size)
        lines = check_lines(lines)
        tagged: list[TaggedLine] | None = None
        are_parts = glossary is not None or are_in_parts(markup, keep, split_sentences)
        if target is not None and source is None and are_parts:  # a model with tags
            # Each part of a line needs the tag of the line.
            names = languages_of_lines(target, len(lines), "target")
            pairs = zip(map(split_tag, lines), lines, names, strict=True)
            tagged = [x if name in (NO_LANGUAGE, x.language) else TaggedLine(name, "", line) for x, line, name in pairs]
            lines, target = [x.text for x in tagged], [x.language for x in tagged]
        request = make_request(
            lines,
            source,
            target,
            prefixes=prefixes,
            max_lengths=max_lengths,
            constraints=constraints,
            avoid=avoid,
            word_scores=word_scores,
        )
        translations = translate_lines(
            functools.partial(self._answer, num_hypotheses=num_hypotheses, beam_size=beam_size),
            self.align,
            request,
            markup=markup,
            split_sentences=split_sentences,
            glossary=glossary,
            keep=keep,
        )
        if tagged is None:
            return translations
        return [with_tag(x.tag, translation) for x, translation in zip(tagged, translations, strict=True)]

    def _answer(self, request: Request, num_hypotheses: int | None, beam_size: int | None) -> list[Translation]:
        """Translates the lines of a request by the server."""
        count = len(request.lines)
        inputs: dict[str, list[Any]] = {"text": request.lines, **_languages(count, request.source, request.target)}
        of_search = request.prefixes, request.max_lengths, beam_size, request.constraints, request.avoid
        is_plain = all(option is None for option in of_search)
        if is_plain and not request.word_scores and (num_hypotheses is None or not self._has_search):
            return self._translations("serving_default", inputs, num_hypotheses)
        searched = {
            **inputs,
            "prefix": [""] * count if request.prefixes is None else request.prefixes,
            "beam_size": [int(beam_size or 0)] * count,
            "max_length": [0] * count if request.max_lengths is None else request.max_lengths,
            "constraints": padded_phrases(request.constraints or [[]] * count),
            "avoid": padded_phrases(request.avoid or [[]] * count),
        }
        signature = "tokens" if request.word_scores else "search"
        try:
            return self._translations(signature, searched, num_hypotheses or 1, request.constraints)
        except _NoSignature:
            if request.word_scores or not is_plain:
                raise
        self._has_search = False
        return self._translations("serving_default", inputs, num_hypotheses)

    def align(
        self, sources: Iterable[str], targets: Iterable[str], source: Languages = None, target: Languages = None
    ) -> list[list[tuple[int, int]]]:
        """Aligns the words of given translations. The export must have the signature `align`.

        Args:
            sources: Iterable of strings, the sentences.
            targets: Iterable of strings, a translation of each sentence.
            source, target: The languages of the sources and of the targets, see `Client`.

        Returns:
            For each sentence the list of pairs (source word, target word), from 0, in ascending order; see
            `keras_nmt.inference.Translator.align`.
        """
        rows = self._of_pairs("align", POSITIONS, sources, targets, source, target)
        return [aligned_words(one, other, *(row[name] for name in POSITIONS)) for one, other, row in rows]

    def sample(
        self,
        lines: Iterable[str],
        source: Languages = None,
        target: Languages = None,
        *,
        seeds: int | Iterable[int] = 0,
    ) -> list[Translation]:
        """Draws translations at random. The model must have been exported with `sample=True`.

        Args:
            lines: Iterable of strings, the sentences.
            source, target: The languages, see `Client`.
            seeds: Iterable of integers, the seed of each line, which alone determines the line's translations; or an
                integer, from which the seeds of all lines are drawn as by `Translator.translate`. Defaults to 0.

        Returns:
            A list of a `Translation` for each line, with as many hypotheses as the export draws.
        """
        texts = check_lines(lines)
        languages = _languages(len(texts), source, target)
        return self._translations("sample", {"text": texts, **languages, "seed": seeds_of_lines(seeds, len(texts))})

    @overload
    def score(
        self,
        sources: Iterable[str],
        targets: Iterable[str],
        source: Languages = None,
        target: Languages = None,
        *,
        word_scores: Literal[False] = False,
    ) -> list[float]: ...

    @overload
    def score(
        self,
        sources: Iterable[str],
        targets: Iterable[str],
        source: Languages = None,
        target: Languages = None,
        *,
        word_scores: Literal[True],
    ) -> list[Hypothesis]: ...

    def score(
        self,
        sources: Iterable[str],
        targets: Iterable[str],
        source: Languages = None,
        target: Languages = None,
        *,
        word_scores: bool = False,
    ) -> list[float] | list[Hypothesis]:
        """Computes the log-probabilities of given translations, EOS included.

        Args:
            sources, targets, source, target: Those of `align`.
            word_scores: Boolean, whether to return the log-probability of each subword and word, too. Defaults to
                False. Exports of older versions do not give them.

        Returns:
            A list of floats, one per source; with `word_scores` of `Hypothesis`, as
            `keras_nmt.inference.Translator.score` returns.
        """
        outputs = ("log_probability", *(PIECES if word_scores else ()))
        rows = self._of_pairs("score", outputs, sources, targets, source, target)
        if word_scores:
            return [Hypothesis.of_target(other, row["log_probability"], row) for _, other, row in rows]
        return [row["log_probability"] for _, _, row in rows]

    def stream(
        self, lines: Iterable[str], source: str | None = None, target: str | None = None, *, language: str | None = None
    ) -> Iterator[Translation]:
        """Translates a document of any length, line by line, each line sentence by sentence.

        The client splits sentences with sentencex, of the extra `split`, and sends `batch_size` at a time. Each line is
        returned as soon as it is translated. A sentence ends at the end of its line at the latest. Spaces around
        sentences are kept; two sentences without a space between them get one. Lines without text are not sent.

        Args:
            lines: Iterable of strings, the lines of the document, such as an open file.
            source, target: Strings, the languages of the document and of the translation, see `Client`.
            language: String, the code of the language whose rules split the sentences, or of a similar language, such
                as "en". Defaults to `source`.

        Returns:
            An iterator over a `Translation` for each line, with one hypothesis: its text is the translated line without
            a line break, its score the sum of the scores of the line's sentences. `truncated` and `cut_off` are true
            if they are true for one of the sentences.
        """
        if isinstance(lines, str) or not isinstance(lines, Iterable):
            raise UserError(f"`lines` must be the lines of a document, not one string. Received: {lines!r:.40}")
        problem = "{target} must be a language: sentences are sent one by one, without the tag of their line"
        require(target != NO_LANGUAGE, problem, target=target)
        split = sentence_splitter(source if language is None else language)
        return translate_document(lines, split, lambda texts: self.translate(texts, source, target), self.batch_size)

    def close(self) -> None:
        """Closes the connections to the server. A closed client refuses requests."""
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _of_pairs(
        self,
        signature: str,
        outputs: tuple[str, ...],
        sources: Iterable[str],
        targets: Iterable[str],
        *languages: Languages,
    ) -> list[tuple[str, str, dict[str, Any]]]:
        """Returns each pair of lines with the outputs of `align` or `score` for it, and warns of truncated pairs."""
        sources, targets = check_pairs(sources, targets)
        inputs = {"source": sources, "target": targets, **_languages(len(sources), *languages)}
        rows = self._rows(signature, inputs, (*outputs, "truncated"))
        if truncated := sum(row["truncated"] for row in rows):
            message = f"The server truncated {truncated} pair(s) that were too long, and used their beginnings."
            warnings.warn(message, stacklevel=3)
        return list(zip(sources, targets, rows, strict=True))

    def _translations(
        self,
        signature: str,
        inputs: dict[str, list[Any]],
        count: int | None = None,
        constraints: list[list[str]] | None = None,
    ) -> list[Translation]:
        """Returns the translations of texts, at most `count` hypotheses each, and which constraints they meet."""
        met = ("met",) if "constraints" in inputs else ()
        pieces = PIECES if signature == "tokens" else ()
        rows = self._rows(signature, inputs, (*HYPOTHESES, "truncated", "has_unknown", *met, *pieces))
        most = min((len(row["translation"]) for row in rows), default=count)
        if count is not None and most is not None and most < count:
            raise UserError(
                f"The export gives at most {most} translation(s) of a sentence: export the model with more, or with a "
                f"larger beam and `--signature search`. Received: num_hypotheses={count}"
            )
        of_rows: Sequence[list[str] | None] = [None] * len(rows) if constraints is None else constraints
        is_sample = signature == "sample"
        return [
            Translation.of_outputs(row, phrases, count, is_sample=is_sample)
            for row, phrases in zip(rows, of_rows, strict=True)
        ]

    def _rows(self, signature: str, inputs: dict[str, list[Any]], outputs: tuple[str, ...]) -> list[dict[str, Any]]:
        """Sends the rows of the inputs in batches, the longest texts first, and returns the outputs of each row."""
        texts = [inputs[name] for name in ("text", "source", "target") if name in inputs]
        lengths = [max(len(text.encode()) for text in row) for row in zip(*texts, strict=True)]
        order = sorted(range(len(lengths)), key=lambda row: -lengths[row])
        outputs_by_row: dict[int, dict[str, Any]] = {}
        for start in range(0, len(order), self.batch_size):
            rows = order[start : start + self.batch_size]
            batch = {name: [column[row] for row in rows] for name, column in inputs.items()}
            outputs_by_row.update(zip(rows, self._predict(signature, batch, outputs, len(rows)), strict=True))
        return [outputs_by_row[row] for row in range(len(order))]

    def _predict(
        self, signature: str, inputs: dict[str, list[Any]], outputs: tuple[str, ...], count: int
    ) -> list[dict[str, Any]]:
        """Sends one batch, again if necessary, and returns the rows of the signature's outputs.

        Repeats here, not by `urllib3.Retry` and gRPC's service configuration, because all attempts share one deadline
        and a choice of signature, the same for both transports.
        """
        deadline = time.monotonic() + self.timeout
        attempts, wait, refusal = 0, transports.FIRST_WAIT, None
        while True:
            name = signature + "_xla" if self._xla else signature
            try:
                return checked_rows(self._transport.predict(name, inputs, deadline), outputs, count)
            except Failure as failure:
                if name != signature and XLA_DISABLED in failure.message:
                    self._xla = False
                    continue
                pause = wait * random.uniform(0.5, 1)
                out_of_time = time.monotonic() + pause > deadline
                if failure.code != "UNAVAILABLE" or attempts == self.retries or out_of_time:
                    raise self._error(failure, name, refusal) from failure
                refusal = failure
            attempts, wait = attempts + 1, min(2 * wait, transports.LONGEST_WAIT)
            time.sleep(pause)

    def _error(self, failure: Failure, signature: str, refusal: Failure | None) -> Exception:
        """Returns the error to raise for a failure. `refusal` is the failure of the previous attempt."""
        message, _, values = _shown(failure).partition(". Received: ")
        plain = signature.removesuffix("_xla")
        asked = f"model={self._transport.model!r}, version={self.version}, signature={signature!r}"
        received = f"Received: {f'{values}, ' if values else ''}{asked}"
        if failure.code == "UNAVAILABLE":
            return ConnectionError(f"{self.url} cannot be reached or is too busy: {message}. {received}")
        if failure.code == "BROKEN":
            return ConnectionError(f"The connection to {self.url} failed: {message}. {received}")
        if failure.code == "DEADLINE_EXCEEDED":
            before = "" if refusal is None else f"; the previous attempt: {_shown(refusal)}"
            return TimeoutError(f"{self.url} did not answer in {self.timeout:g} s: {message}{before}. {received}")
        if failure.code == "MALFORMED":
            return UserError(f"{self.url} does not answer as an export of keras_nmt: {message}. {received}")
        if failure.code == "OUTDATED":
            return UserError(f"The export has {message}: export the model again with `keras-nmt export`. {received}")
        if plain in _ON_REQUEST and f'"{signature}" not found' in failure.message:
            return _NoSignature(
                f"The export has no signature `{plain}`: export the model again with `keras-nmt export` and "
                f"`{_ON_REQUEST[plain]}`. {received}"
            )
        if TOO_MANY_PHRASES in failure.message:
            return TooManyPhrases(f"{self.url} answered {failure.code}: {message}. {received}")
        if re.search("(source|target)_language", failure.message):  # an input that the model needs, or does not have
            message += (
                ". Give languages to models that have several, and only to them; for lines that begin with tags, "
                '`target=""` or --target-language none'
            )
        if failure.code == "NOT_FOUND":
            message += ". Name a model that the server has, by `model` or --model, and one of its versions"
        return UserError(f"{self.url} answered {failure.code}: {message}. {received}")


def _shown(failure: Failure) -> str:
    """Returns the server's message of a failure in a form that is safe for the terminal.

    For a check of the graph, it returns the check's own message and values, without TensorFlow's words around them.
    """
    message = failure.message[:2000]
    if check := re.search(r"assertion failed: \[(.*?)\]((?: \[[^\[\]]*\])*)", message, re.DOTALL):
        message = check[1] + check[2]
    return one_line(message).rstrip(".")


def _transport(
    url: str, model: str | None, version: int | None, batch_size: int
) -> transports.RestTransport | transports.GrpcTransport:
    try:
        parts = urllib.parse.urlsplit(url)
        parts.port  # noqa: B018  raises if the port is not a number
        host = parts.hostname or ""
        host.encode("idna")  # raises if the host is not a name
        is_known = parts.scheme in ("http", "https", "grpc") and _HOST.fullmatch(host) and url.isprintable()
        # They would have no effect, and an error would show the password.
        path = parts.path.strip("/") if parts.scheme == "grpc" else ""
        is_known = is_known and not ("@" in parts.netloc or parts.query or parts.fragment or path)
    except (ValueError, TypeError, AttributeError):
        is_known = False
    if not is_known:
        shown = re.sub(r"//.*@", "//...@", url) if isinstance(url, str) else url
        raise UserError(
            "`url` must be http://HOST:8501 for REST, with or without a path, or grpc://HOST:8500 for gRPC, without a "
            f"user, a query or a fragment. Received: url={shown!r}"
        )
    if parts.scheme == "grpc":
        return transports.GrpcTransport(parts, model, version, batch_size)
    return transports.RestTransport(parts, model, version)


def _languages(count: int, source: Languages, target: Languages) -> dict[str, list[str]]:
    """Returns the inputs that name languages; none for a model of one direction."""
    require(target is not None or source is None, f"`source` needs `target`. Received: source={source!r}, target=None")
    languages = {
        f"{side}_language": languages_of_lines(one, count, side)
        for side, one in (("source", source), ("target", target))
        if one is not None
    }
    for name in {name for column in languages.values() for name in column}:
        check_utf8(name, "The name of a language")
    return languages


def _check_integer(name: str, value: Any, least: int) -> None:
    is_right = is_integer(value) and least <= value < 2**63
    require(is_right, f"{{{name}}} must be an integer of at least {least}", **{name: value})
