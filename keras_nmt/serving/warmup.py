"""Warm-up requests, which a model server runs while it loads a version."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import tensorflow as tf

from keras_nmt.errors import needs_extra, require
from keras_nmt.files.atomic_files import plain_name
from keras_nmt.inference.translator import Translator
from keras_nmt.text.lines import check_lines

WARMUP_PATH = Path("assets.extra") / "tf_serving_warmup_requests"
MAX_RECORDS = 1000  # a server does not load a version with more


def warmup_records(lines: Iterable[str] | None, xla: bool, translator: Translator, model_name: str) -> list[bytes]:
    """Makes requests to `serving_default`, one for each batch bucket and each length bucket that has lines.

    A translator of several directions gets them from each language and to each language. With `xla`, each request is
    also made to `serving_default_xla`. If there are fewer lines than a batch bucket has, they are repeated.

    Returns:
        List of bytes, serialised `PredictionLog` messages; empty if `lines` is None.

    Raises:
        UserError: There are no lines, or too many records, or `tensorflow-serving-api` is not installed.
    """
    if lines is None:
        require(not xla, f"`warmup_xla` needs `warmup`, the lines to translate. Received: warmup_xla={xla}")
        return []
    predict_pb2, prediction_log_pb2 = _messages("lines to warm up with")
    texts = (translator.tags.split(line).text for line in check_lines(lines))  # requests name their language
    lines = [text for text in texts if text.strip()]  # models do not compute blank lines
    require(lines, "The warm-up text must have lines that are not blank.")
    signatures = ["serving_default", *(["serving_default_xla"] if xla else [])]
    records = []
    tag = f"{translator.tags.example} " if translator.tags else ""  # which the graph puts in front
    for source, target in _one_per_language(translator):
        many = len(translator.directions) > 1
        languages = {"source_language": source, "target_language": target} if many else {}
        if translator.tags and translator.target is None:
            languages = {"target_language": next(iter(translator.tags.texts))}  # all have one graph
        by_length: dict[int, list[str]] = {}
        lengths = translator.lengths([tag + line for line in lines], source, is_source=True)
        for line, length in zip(lines, lengths, strict=True):
            by_length.setdefault(bisect_left(translator.length_buckets, length), []).append(line)
        for length in sorted(by_length):
            for size, signature in itertools.product(translator.options.batch_buckets, signatures):
                request = predict_pb2.PredictRequest()
                request.model_spec.name = model_name
                request.model_spec.signature_name = signature
                text = list(itertools.islice(itertools.cycle(by_length[length]), size))
                for name, values in {"text": text, **{key: [x] * size for key, x in languages.items()}}.items():
                    request.inputs[name].CopyFrom(tf.make_tensor_proto(values, tf.string, [size]))
                log = prediction_log_pb2.PredictionLog()
                log.predict_log.request.CopyFrom(request)
                records.append(log.SerializeToString(deterministic=True))
    problem = f"A server takes at most {MAX_RECORDS:,} warm-up requests: leave out lengths, or use fewer buckets"
    require(len(records) <= MAX_RECORDS, f"{problem}. Received: {len(records):,} records")
    return records


def _one_per_language(translator: Translator) -> list[tuple[str, str]]:
    """Returns directions in which each language is the source once and the target once."""
    if len(translator.directions) == 1:
        return list(translator.directions)
    first, *others = translator.languages
    return list(zip(translator.languages, [*others, first], strict=True))


def write_warmup(records: Sequence[bytes], folder: Path) -> None:
    """Writes records, if there are any, to the file of a SavedModel that model servers read."""
    if not records:
        return
    path = folder / WARMUP_PATH
    path.parent.mkdir(exist_ok=True)
    with tf.io.TFRecordWriter(str(path)) as writer:
        for record in records:
            writer.write(record)


def warmup_requests(folder: Path) -> list[tuple[str, dict[str, tf.Tensor]]]:
    """Returns the signature and the inputs of each warm-up request of a SavedModel."""
    path = folder / WARMUP_PATH
    if not path.is_file():
        return []
    with plain_name(path.parent) as name:
        records = list(tf.data.TFRecordDataset(f"{name}/{path.name}").as_numpy_iterator())
    _, prediction_log_pb2 = _messages(f"the warm-up requests of {folder}")
    requests = [prediction_log_pb2.PredictionLog.FromString(record).predict_log.request for record in records]
    return [
        (request.model_spec.signature_name, {key: tf.constant(tf.make_ndarray(x)) for key, x in request.inputs.items()})
        for request in requests
    ]


def _messages(needed_for: str) -> tuple[Any, Any]:
    """Imports the model server's messages, which only the extra `serving` installs."""
    with needs_extra(needed_for, "serving"):
        from tensorflow_serving.apis import predict_pb2, prediction_log_pb2
    return predict_pb2, prediction_log_pb2
