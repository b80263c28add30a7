"""Requests that a model server runs while it loads a version, before anyone is answered by it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path

import tensorflow as tf

from keras_nmt.errors import UserError
from keras_nmt.inference._text_translator import TextTranslator, check_lines
from keras_nmt.inference.buckets import bucket_size
from keras_nmt.serving._serving_api import serving_api
from keras_nmt.text import SubwordTokenizer

WARMUP_PATH = Path("assets.extra") / "tf_serving_warmup_requests"
MOST_RECORDS = 1000  # with more, a server does not load the version


def warmup_records(
    lines: Iterable[str] | None,
    xla: bool,
    translator: TextTranslator,
    model_name: str,
    sides: Sequence[tuple[SubwordTokenizer, dict[str, str]]],
) -> list[bytes]:
    """Requests to `serving_default`, one for each batch bucket and length bucket in which there are lines.

    Args:
        lines: Sentences, which are repeated where they are fewer than a batch bucket. `None`: there are no records.
        xla: Whether each request is also one to `serving_default_xla`.
        translator: What is exported.
        model_name: What the server calls the model.
        sides: Of each source language its subwords, and the languages that a request names.

    Returns:
        Serialised `PredictionLog` messages.

    Raises:
        UserError: There are no lines, or too many records, or `tensorflow-serving-api` is not installed.
    """
    if lines is None:
        if xla:
            raise UserError(f"`warmup_xla` goes with lines to warm up with: give `warmup`. Received: warmup_xla={xla}")
        return []
    _, apis = serving_api("lines to warm up with")
    lines = check_lines(lines)
    if not lines:
        raise UserError("There must be lines to warm up with. Received: no lines")
    signatures = ["serving_default", *(["serving_default_xla"] if xla else [])]
    records = []
    for tokenizer, languages in sides:
        by_length: dict[int, list[str]] = {}
        for line, length in zip(lines, translator._lengths(lines, tokenizer), strict=True):
            by_length.setdefault(bucket_size(int(length), translator.length_buckets), []).append(line)
        for length in sorted(by_length):
            for size, signature in itertools.product(translator.batch_buckets, signatures):
                request = apis.predict_pb2.PredictRequest()
                request.model_spec.name = model_name
                request.model_spec.signature_name = signature
                text = list(itertools.islice(itertools.cycle(by_length[length]), size))
                for name, values in {"text": text, **{key: [x] * size for key, x in languages.items()}}.items():
                    request.inputs[name].CopyFrom(tf.make_tensor_proto(values, tf.string, [size]))
                log = apis.prediction_log_pb2.PredictionLog()
                log.predict_log.request.CopyFrom(request)
                records.append(log.SerializeToString(deterministic=True))
    if len(records) > MOST_RECORDS:
        raise UserError(
            f"A server takes {MOST_RECORDS:,} warm-up records at most: leave out lengths, or have fewer buckets. "
            f"Received: {len(records):,} records"
        )
    return records


def write_warmup(records: Sequence[bytes], folder: Path) -> None:
    """Writes records, where there are any, to the place in a SavedModel where model servers look."""
    if not records:
        return
    path = folder / WARMUP_PATH
    path.parent.mkdir(exist_ok=True)
    with tf.io.TFRecordWriter(str(path)) as writer:
        for record in records:
            writer.write(record)
