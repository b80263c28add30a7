"""A decoder of random tables: a hash of the prefix selects the row of a table that has the logits."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
from keras import ops

from keras_nmt import decoding
from keras_nmt.ids import BOS, EOS, PAD

ROWS = 1009
NEG_INF = -1e9


class Hypothesis(NamedTuple):
    tokens: list[int]
    score: float
    log_probability: float
    finished: bool


def in_both_batches(search: Callable) -> Callable:
    """A search that also runs, where eager, with a batch that shrinks; both results must be equal."""

    @functools.wraps(search)
    def run(step: Callable, constants: Any, caches: Any, **options: Any) -> Any:
        whole = search(step, constants, caches, **options)
        if tf.executing_eagerly():
            calls = getattr(step, "calls", getattr(step, "__self__", step).__dict__.get("steps", []))
            count = len(calls)
            shrunk = search(step, constants, caches, **options, drop_finished=True)
            assert len(calls) <= 2 * count, "no step more than with a batch that stays"
            del calls[count:]
            assert_equal(whole, shrunk)
        return whole

    return run


beam_search = in_both_batches(decoding.beam_search)
greedy_search = in_both_batches(decoding.greedy_search)
sampling_search = in_both_batches(decoding.sampling_search)


def penalty(length: int, alpha: float, form: str = "gnmt") -> float:
    return {"gnmt": (5 + length) / 6, "power": length}[form] ** alpha


def find(
    search: Callable,
    decoder: TableDecoder,
    sentences: Any = (0, 1),
    *,
    compiled: Any = None,
    max_length: int = 8,
    **more,
) -> Any:
    """The result of a search, eagerly unless `compiled` compiles it: with a beam of 3, and with seeds 0, 1, ..."""
    defaults = {beam_search: {"beam_size": 3}, sampling_search: {"seeds": tf.range(len(sentences))}}.get(search, {})
    options = {"batch_size": len(sentences), "max_length": max_length, **defaults, **more}
    size = options.get("beam_size", options.get("num_samples", 1))

    def run(constants: Any, caches: Any) -> Any:
        return search(decoder.step, constants, caches, **options)

    return (compiled(run) if compiled else run)(*decoder.start(sentences, size, max_length))


class TableDecoder:
    """One decoder in two forms: on Keras tensors with its state in caches, and on plain Python lists."""

    def __init__(self, vocabulary_size: int = 16, seed: int = 0, scale: float = 1.5, end_bias: float = 0.0):
        logits = np.random.default_rng(seed).normal(size=(ROWS, vocabulary_size)) * scale
        logits[:, EOS] += end_bias
        self.table = logits.astype("float32")
        self.vocabulary_size = vocabulary_size
        self.steps: list[tuple[np.ndarray, np.ndarray]] = []  # (tokens, prefixes) of each call made eagerly

    def start(self, sentences: Any, beam_size: int, max_length: int) -> tuple[Any, Any]:
        sentences = tf.convert_to_tensor(sentences, "int32")
        shape = (sentences.shape[0], beam_size)
        prefix = ops.full((*shape, max_length), -1, dtype="int32")
        return {"sentence": sentences}, {"hash": ops.zeros(shape, dtype="int32"), "prefix": [prefix]}

    def step(self, tokens: Any, position: Any, constants: Any, caches: Any) -> tuple[Any, Any]:
        (prefix,) = caches["prefix"]
        prefix = ops.where(ops.arange(ops.shape(prefix)[-1]) == position, tokens[:, :, None], prefix)
        state = (caches["hash"] * 31 + tokens + 7) % ROWS
        rows = (state + constants["sentence"][:, None] * 101) % ROWS
        if tf.executing_eagerly():
            self.steps.append((tokens.numpy(), prefix.numpy()[:, :, : int(position) + 1]))
        return ops.take(self.table, rows, axis=0), {"hash": state, "prefix": [prefix]}

    def logits(self, sentence: int, tokens: list[int]) -> np.ndarray:
        state = 0
        for token in [BOS, *tokens]:
            state = (state * 31 + token + 7) % ROWS
        return self.table[(state + sentence * 101) % ROWS].astype("float64")

    def log_probabilities(self, sentence: int, tokens: list[int]) -> np.ndarray:
        logits = self.logits(sentence, tokens)
        return logits - np.log(np.sum(np.exp(logits)))

    def score_tokens(self, sentence: int, tokens: list[int]) -> float:
        """The log-probability of the tokens, one after the other, by teacher forcing."""
        return float(sum(self.log_probabilities(sentence, tokens[:i])[token] for i, token in enumerate(tokens)))

    def every_hypothesis(
        self, sentence: int, max_length: int, alpha: float, min_length: int = 1, form: str = "gnmt"
    ) -> list[Hypothesis]:
        """All finished hypotheses of at most `max_length` tokens, at least `min_length` before EOS, best first."""
        allowed = [token for token in range(self.vocabulary_size) if token not in (PAD, BOS, EOS)]
        found, prefixes = [], [[]]
        for length in range(1, max_length + 1):
            for prefix in prefixes if length > min_length else []:
                log_probability = self.score_tokens(sentence, [*prefix, EOS])
                score = log_probability / penalty(length, alpha, form)
                found.append(Hypothesis([*prefix, EOS], score, log_probability, True))
            prefixes = [[*prefix, token] for prefix in prefixes for token in allowed]
        return sorted(found, key=lambda hypothesis: -hypothesis.score)

    def beam(
        self,
        sentence: int,
        beam_size: int,
        max_length: int,
        alpha: float,
        min_length: int = 1,
        form: str = "gnmt",
        patience: float | None = None,
    ) -> tuple[list[Hypothesis], list]:
        """The search as documented, without early stop but that of `patience`, and the open prefixes of each step."""
        considered = 2 * beam_size if beam_size > 1 else 1
        open_beam, finished, trace = [([], 0.0)], [], []
        for length in range(1, max_length + 1):
            trace.append([prefix for prefix, _ in open_beam])
            pool = []
            for prefix, log_probability in open_beam:
                gains = self.log_probabilities(sentence, prefix)
                gains[[PAD, BOS] + [EOS] * (length <= min_length)] = NEG_INF
                for token in np.argsort(-gains, kind="stable")[:considered]:
                    pool.append(([*prefix, int(token)], log_probability + gains[token]))
            pool = [(tokens, value) for tokens, value in pool if value > NEG_INF / 2]
            last_chance = length == max_length
            pool.sort(key=lambda item: (not (last_chance and item[0][-1] == EOS), -item[1]))
            pool = pool[:considered]
            for tokens, value in pool if patience is None else pool[:beam_size]:
                if tokens[-1] == EOS:
                    finished.append(Hypothesis(tokens, value / penalty(length, alpha, form), value, True))
            open_beam = [item for item in pool if item[0][-1] != EOS][:beam_size]
            if beam_size == 1 and finished:
                break
            if patience is not None and len(finished) >= max(int(patience * beam_size + 0.5), 1):
                open_beam = []
                break
        finished.sort(key=lambda hypothesis: -hypothesis.score)
        rest = [Hypothesis(t, v / penalty(max_length, alpha, form), v, False) for t, v in open_beam]
        return (finished + rest)[:beam_size], trace


def hypotheses(result: Any, sentence: int) -> list[Hypothesis]:
    """One sentence of a `SearchResult` as a list, with the arrays checked against each other."""
    found = []
    tokens, scores, log_probabilities, lengths, finished = (ops.convert_to_numpy(x)[sentence] for x in result)
    for row, score, log_probability, length, ended in zip(
        tokens, scores, log_probabilities, lengths, finished, strict=True
    ):
        assert not row[length:].any(), "PAD after the hypothesis"
        kept = row[:length].tolist()
        assert (EOS in kept) == ended
        assert EOS not in kept[:-1]
        found.append(Hypothesis(kept, float(score), float(log_probability), bool(ended)))
    return found


def assert_equal(one: Any, other: Any) -> None:
    """Results are equal, scores but for rounding: TensorFlow adds in an order that depends on the number of rows.

    Near a probability of 1, rounding of the probability by 6e-8 is all that is left of its logarithm.
    """
    for name, x, y in zip(one._fields, one, other, strict=True):
        rounded = "score" in name or "log" in name
        np.testing.assert_allclose(x, y, rtol=1e-5 * rounded, atol=1e-6 * rounded, err_msg=name)


def assert_same(found: list[Hypothesis], expected: list[Hypothesis], tolerance: float = 1e-4) -> None:
    assert [hypothesis.tokens for hypothesis in found] == [hypothesis.tokens for hypothesis in expected]
    assert [hypothesis.finished for hypothesis in found] == [hypothesis.finished for hypothesis in expected]
    for name in ("score", "log_probability"):
        actual = np.array([getattr(hypothesis, name) for hypothesis in found])
        wanted = np.array([getattr(hypothesis, name) for hypothesis in expected])
        np.testing.assert_allclose(actual, wanted, atol=tolerance, rtol=1e-5)
