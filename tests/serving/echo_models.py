"""SavedModels that are quick to make and whose answers are known: an answer shows what reached the server, and how."""

from __future__ import annotations

import functools
from pathlib import Path

import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

PHRASES = ("constraints", "avoid")


def meta_graph_of(exported):
    """The graph and the signatures of a SavedModel."""
    return saved_model_pb2.SavedModel.FromString((exported / "saved_model.pb").read_bytes()).meta_graphs[0]


def _inputs(*names):
    """Columns of text, of integers where the name is `seed`, `beam_size` or `max_length`, and rows of phrases."""
    types = dict.fromkeys(("seed", "beam_size", "max_length"), tf.int32)
    shapes = {name: [None, None] for name in PHRASES}
    return [tf.TensorSpec(shapes.get(name, [None]), types.get(name, tf.string), name=name) for name in names]


def write_echo(folder: Path) -> None:
    """Writes the signatures of an export of one direction, and others for the server's sake.

    A translation is the text itself, its score the batch's largest number of bytes, and 0 for empty text; `cut_off`
    whether the text is "cut.", `truncated` whether the batch has five sentences. The compiled signatures give negative
    scores. A sample is the seed and the text. The two hypotheses of a search are the prefix with the text, and the beam
    size; it meets constraints that are not avoided. Each subword of an alignment is a word of both sides.
    """
    module = tf.Module()

    def translate(text, sign):
        longest = sign * tf.cast(tf.reduce_max(tf.strings.length(text)), tf.float32)
        count = tf.shape(text)
        return {
            "translation": text,
            "score": tf.where(text == "", 0.0, longest),
            "cut_off": tf.equal(text, "cut."),
            "truncated": tf.fill(count, count[0] == 5),
        }

    def sample(text, seed, sign):
        return translate(tf.strings.join([tf.strings.as_string(seed), text], " "), sign)

    def search(text, prefix, beam_size, max_length, constraints, avoid, sign):
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

    def align(source, target, sign):
        words = {f"{side}_word": tf.tile([[0, 1, -1]], [tf.shape(source)[0], 1]) for side in ("source", "target")}
        return {**words, "alignment": words["target_word"], "truncated": tf.not_equal(source, source)}

    def score(source, target, sign):
        lengths = tf.strings.length(source) - 100 * tf.strings.length(target)
        return {"log_probability": sign * tf.cast(lengths, tf.float32), "truncated": tf.equal(source, "long")}

    ints = tf.TensorSpec([None, 2], tf.int32, name="x")
    signed = {
        "serving_default": (translate, ["text"]),
        "score": (score, ["source", "target"]),
        "sample": (sample, ["text", "seed"]),
        "search": (search, ["text", "prefix", "beam_size", "max_length", *PHRASES]),
        "align": (align, ["source", "target"]),
    }
    module.functions = signatures = {
        **{
            name + suffix: tf.function(functools.partial(body, sign=sign), _inputs(*names), autograph=False)
            for name, (body, names) in signed.items()
            for suffix, sign in (("", 1.0), ("_xla", -1.0))
        },
        "half": tf.function(lambda x: {"y": tf.cast(x, tf.float32) / 2}, [ints], autograph=False),
        "bytes": tf.function(lambda x: {"x_bytes": x}, _inputs("x"), autograph=False),
        "sum": tf.function(lambda x: {"sum": tf.reduce_sum(x), "x": x}, [tf.TensorSpec([None], name="x")]),
    }
    tf.saved_model.save(module, str(folder), signatures=signatures)


def write_echo_of_languages(folder: Path) -> None:
    """Writes the signatures of a multilingual export that gives two hypotheses, with the languages in the text."""
    module = tf.Module()

    def translate(text, source_language, target_language):
        known = tf.reduce_all(tf.reduce_any(target_language[:, None] == tf.constant(["de", "fr"]), 1))
        checked = tf.debugging.Assert(known, ["The model has de, fr. Received:", target_language])
        with tf.control_dependencies([checked]):
            first = tf.strings.join([source_language, target_language, text], " ")
        texts = tf.stack([first, text], 1)
        return {
            "translation": texts,
            "score": tf.tile([[-1.0, -2.0]], [tf.shape(text)[0], 1]),
            "cut_off": tf.equal(texts, "long"),
            "truncated": tf.equal(text, "long"),
            "has_unknown": tf.equal(text, "three"),
        }

    def sample(text, source_language, target_language, seed):
        return translate(tf.strings.join([tf.strings.as_string(seed), text], " "), source_language, target_language)

    def score(source, target, source_language, target_language):
        same = tf.equal(source_language, "de") & tf.equal(target_language, "fr")
        return {"log_probability": tf.where(same, -1.0, -9.0), "truncated": tf.not_equal(source, source)}

    languages = ["source_language", "target_language"]
    signatures = {
        name + suffix: tf.function(body, _inputs(*names), autograph=False)
        for name, body, names in (
            ("serving_default", translate, ["text", *languages]),
            ("sample", sample, ["text", *languages, "seed"]),
            ("score", score, ["source", "target", *languages]),
        )
        for suffix in ("", "_xla")
    }
    module.functions = signatures
    tf.saved_model.save(module, str(folder), signatures=signatures)
