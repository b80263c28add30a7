"""SavedModels that are quick to make and whose answers are known: an answer shows what reached the server, and how."""

from __future__ import annotations

import functools
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import tensorflow as tf


def _written_once(write: Callable[[Path], None]) -> Callable[[Path], None]:
    """Traces and writes a model once in a process; other folders get copies."""

    @functools.cache
    def first() -> tempfile.TemporaryDirectory[str]:
        folder = tempfile.TemporaryDirectory()  # of the process
        write(Path(folder.name) / "model")
        return folder

    @functools.wraps(write)
    def copy(folder: Path) -> None:
        shutil.copytree(Path(first().name) / "model", folder, dirs_exist_ok=True)

    return copy


PHRASES = ("constraints", "avoid")


def _inputs(*names: str) -> list[tf.TensorSpec]:
    """Columns of text, of integers where the name is `seed` or `beam_size`, and rows of phrases."""
    return [
        tf.TensorSpec(
            [None, None] if name in PHRASES else [None],
            tf.int32 if name in ("seed", "beam_size") else tf.string,
            name=name,
        )
        for name in names
    ]


@_written_once
def write_echo(folder: Path) -> None:
    """Writes the signatures of an export of one direction, and others for the server's sake.

    A translation is the text itself, its score the batch's largest number of bytes, and 0 for empty text; `cut_off`
    whether the text is "cut.", `truncated` whether the batch has five sentences. The compiled signatures give negative
    scores. A sample is the seed and the text. The two hypotheses of a search are the prefix with the text, and the beam
    size; it meets constraints that are not avoided. Each subword of an alignment is a word of both sides.
    """
    module = tf.Module()

    def translate(text: tf.Tensor, sign: float) -> dict[str, tf.Tensor]:
        longest = sign * tf.cast(tf.reduce_max(tf.strings.length(text)), tf.float32)
        count = tf.shape(text)
        return {
            "translation": text,
            "score": tf.where(text == "", 0.0, longest),
            "cut_off": tf.equal(text, "cut."),
            "truncated": tf.fill(count, count[0] == 5),
        }

    def sample(text: tf.Tensor, seed: tf.Tensor, sign: float) -> dict[str, tf.Tensor]:
        return translate(tf.strings.join([tf.strings.as_string(seed), text], " "), sign)

    def search(
        text: tf.Tensor,
        prefix: tf.Tensor,
        beam_size: tf.Tensor,
        constraints: tf.Tensor,
        avoid: tf.Tensor,
        sign: float,
    ) -> dict[str, tf.Tensor]:
        texts = tf.stack([tf.strings.join([prefix, text]), tf.strings.as_string(beam_size)], 1)
        scores = sign * tf.tile([[-1.0, -2.0]], [tf.shape(text)[0], 1])
        met = tf.strings.reduce_join(tf.where(constraints == avoid, "0", "1"), 1)
        return {
            "translation": texts,
            "score": scores,
            "cut_off": tf.equal(texts, "1"),
            "met": tf.stack([met, met], 1),
            "truncated": tf.not_equal(text, text),
        }

    def align(source: tf.Tensor, target: tf.Tensor, sign: float) -> dict[str, tf.Tensor]:
        words = {f"{side}_word": tf.tile([[0, 1, -1]], [tf.shape(source)[0], 1]) for side in ("source", "target")}
        return {**words, "alignment": words["target_word"], "truncated": tf.not_equal(source, source)}

    def score(source: tf.Tensor, target: tf.Tensor, sign: float) -> dict[str, tf.Tensor]:
        lengths = tf.strings.length(source) - 100 * tf.strings.length(target)
        return {"log_probability": sign * tf.cast(lengths, tf.float32), "truncated": tf.equal(source, "long")}

    def signed(body, sign, *names):
        return tf.function(lambda *inputs: body(*inputs, sign), input_signature=_inputs(*names), autograph=False)

    ints = tf.TensorSpec([None, 2], tf.int32, name="x")
    module.functions = signatures = {
        "serving_default": signed(translate, 1.0, "text"),
        "serving_default_xla": signed(translate, -1.0, "text"),
        "score": signed(score, 1.0, "source", "target"),
        "score_xla": signed(score, -1.0, "source", "target"),
        "sample": signed(sample, 1.0, "text", "seed"),
        "sample_xla": signed(sample, -1.0, "text", "seed"),
        "search": signed(search, 1.0, "text", "prefix", "beam_size", *PHRASES),
        "search_xla": signed(search, -1.0, "text", "prefix", "beam_size", *PHRASES),
        "align": signed(align, 1.0, "source", "target"),
        "align_xla": signed(align, -1.0, "source", "target"),
        "half": tf.function(lambda x: {"y": tf.cast(x, tf.float32) / 2}, input_signature=[ints], autograph=False),
        "bytes": tf.function(lambda x: {"x_bytes": x}, input_signature=_inputs("x"), autograph=False),
        "sum": tf.function(
            lambda x: {"sum": tf.reduce_sum(x), "x": x}, input_signature=[tf.TensorSpec([None], name="x")]
        ),
    }
    tf.saved_model.save(module, str(folder), signatures=signatures)


@_written_once
def write_echo_of_languages(folder: Path) -> None:
    """Writes the signatures of a multilingual export that gives two hypotheses, with the languages in the text."""
    module = tf.Module()

    def translate(text: tf.Tensor, source_language: tf.Tensor, target_language: tf.Tensor) -> dict[str, tf.Tensor]:
        known = tf.reduce_all(tf.reduce_any(target_language[:, None] == tf.constant(["de", "fr"]), 1))
        with tf.control_dependencies(
            [tf.debugging.Assert(known, ["The model has de, fr. Received:", target_language])]
        ):
            first = tf.strings.join([source_language, target_language, text], " ")
        texts = tf.stack([first, text], 1)
        return {
            "translation": texts,
            "score": tf.tile([[-1.0, -2.0]], [tf.shape(text)[0], 1]),
            "cut_off": tf.equal(texts, "long"),
            "truncated": tf.equal(text, "long"),
        }

    def sample(
        text: tf.Tensor, source_language: tf.Tensor, target_language: tf.Tensor, seed: tf.Tensor
    ) -> dict[str, tf.Tensor]:
        return translate(tf.strings.join([tf.strings.as_string(seed), text], " "), source_language, target_language)

    def score(source: tf.Tensor, target: tf.Tensor, source_language: tf.Tensor, target_language: tf.Tensor):
        same = tf.equal(source_language, "de") & tf.equal(target_language, "fr")
        return {"log_probability": tf.where(same, -1.0, -9.0), "truncated": tf.not_equal(source, source)}

    def function(body, *names):
        return tf.function(body, input_signature=_inputs(*names), autograph=False)

    names = ("source_language", "target_language")
    signatures = {
        "serving_default": function(translate, "text", *names),
        "sample": function(sample, "text", *names, "seed"),
        "score": function(score, "source", "target", *names),
    }
    signatures |= {f"{name}_xla": signature for name, signature in signatures.items()}
    module.functions = signatures
    tf.saved_model.save(module, str(folder), signatures=signatures)
