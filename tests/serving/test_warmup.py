"""Warm-up records of exports."""

from __future__ import annotations

import itertools
import sys

import pytest
import tensorflow as tf
from echo_models import write_echo_of_languages
from tensorflow_serving.apis import prediction_log_pb2

from keras_nmt.errors import UserError
from keras_nmt.serving import DevelopmentServer, export
from keras_nmt.serving.warmup import warmup_records, write_warmup

# What a server does: it runs records in a session, and then answers. XLA writes a file for each compilation.
REPLAY = """
import os, sys
from pathlib import Path
exported, cache, text = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
os.environ["TF_XLA_FLAGS"] = (
    f"--tf_xla_persistent_cache_directory={cache} --tf_xla_persistent_cache_device_types=CPU"
)
sys.modules["keras_nmt"] = None  # an import would fail
import tensorflow as tf, tensorflow_text
from tensorflow_serving.apis import prediction_log_pb2

with tf.compat.v1.Session(graph=tf.Graph()) as session:
    signatures = tf.compat.v1.saved_model.loader.load(session, ["serve"], str(exported)).signature_def

    def ask(name, inputs):
        signature = signatures[name]
        outputs = {key: info.name for key, info in signature.outputs.items()}
        answer = session.run(outputs, {signature.inputs[key].name: value for key, value in inputs.items()})
        assert len(answer["translation"]) == len(next(iter(inputs.values())))

    def tell():
        print(len(list(cache.iterdir())))

    path = exported / "assets.extra" / "tf_serving_warmup_requests"
    for record in tf.compat.v1.io.tf_record_iterator(str(path)):
        request = prediction_log_pb2.PredictionLog.FromString(record).predict_log.request
        name, inputs = request.model_spec.signature_name, {k: tf.make_ndarray(v) for k, v in request.inputs.items()}
        if name == "serving_default" or len(inputs["text"]) == 1:  # a compilation takes long
            ask(name, inputs)
    tell()
    for line in text:
        ask("serving_default_xla", {"text": [line]})
        ask("serving_default", {"text": [line] * 3})
    tell()
"""


def test_a_development_server_without_xla_refuses_an_export_that_warms_up_xla(exported):
    """As TensorFlow Serving does; XLA is tested above."""
    told = "warm-up request of the version fails: allow XLA by --xla, or export .*Received: .*serving_default_xla"
    with pytest.raises(UserError, match=told):
        DevelopmentServer(exported.parent, port=0)


def test_a_development_server_runs_warm_up_requests_before_it_answers(tmp_path):
    def write(number, language, signature="serving_default"):
        folder = tmp_path / "model" / str(number)
        write_echo_of_languages(folder)
        log = prediction_log_pb2.PredictionLog()
        request = log.predict_log.request
        request.model_spec.signature_name = signature
        for name, value in (("text", "a"), ("source_language", "de"), ("target_language", language)):
            request.inputs[name].CopyFrom(tf.make_tensor_proto([value]))
        write_warmup([log.SerializeToString()], folder)

    write(1, "xx")
    with pytest.raises(UserError, match=r"warm-up request of the version fails.*/1, .*The model has de, fr.*xx"):
        DevelopmentServer(tmp_path / "model", port=0)
    write(2, "fr", "sing")
    with pytest.raises(UserError, match=r"warm-up request of the version fails: .* Received: .*/2, signature sing"):
        DevelopmentServer(tmp_path / "model", port=0)
    write(3, "fr")
    with DevelopmentServer(tmp_path / "model", port=0) as server:
        assert server.version == 3


def _requests(exported):
    path = exported / "assets.extra" / "tf_serving_warmup_requests"
    logs = (prediction_log_pb2.PredictionLog.FromString(x.numpy()) for x in tf.data.TFRecordDataset(str(path)))
    return [log.predict_log.request for log in logs]


def _values(request, name="text"):
    return [value.decode() for value in tf.make_ndarray(request.inputs[name])]


def test_there_is_a_record_for_each_batch_bucket_and_length_bucket(exported, translator, lines):
    found = []
    for request in _requests(exported):
        text = _values(request)
        assert request.model_spec.name == exported.parent.name
        assert set(request.inputs) == {"text"}
        assert set(text) <= set(lines)
        lengths = translator.tokenizers["source"].tokenize(text).row_lengths().numpy() + 1
        buckets = {6 if length <= 6 else 12 for length in lengths}
        found.append((request.model_spec.signature_name, len(text), *buckets))
    names = ("serving_default", "serving_default_xla")
    assert sorted(found) == sorted(itertools.product(names, (1, 4), (6, 12)))


def test_requests_compile_nothing_after_the_warm_up(exported, lines, run_python, tmp_path):
    done = run_python("-c", REPLAY, exported, tmp_path, *lines, cwd="/")
    assert done.returncode == 0, done.stderr[-3000:]
    # The encoder and the search, for two lengths.
    assert done.stdout.split() == [b"4", b"4"]


@pytest.fixture
def quick_write(monkeypatch):
    """Exports that write a file instead of a model, for what is beside it."""

    def write(*arguments):
        (arguments[-1] / "saved_model.pb").write_bytes(b"")

    monkeypatch.setattr("keras_nmt.serving._export._write", write)


@pytest.fixture
def export_tiny(model, tokenizers, options, quick_write, tmp_path):
    def make(**changed):
        return export(tmp_path / "model", model, tokenizers, **{**options, **changed})

    return make


def test_without_lines_there_are_no_records(export_tiny):
    assert not (export_tiny() / "assets.extra").exists()
    requests = _requests(export_tiny(warmup=["a mouse"]))
    assert [(x.model_spec.signature_name, _values(x)) for x in requests] == [
        ("serving_default", ["a mouse"]),
        ("serving_default", ["a mouse"] * 4),
    ]


@pytest.fixture
def make_texts(translator):
    """The texts of the records made of lines, a list for each record."""

    def make(lines, xla=False):
        records = warmup_records(lines, xla, translator, "model")
        logs = map(prediction_log_pb2.PredictionLog.FromString, records)
        return [_values(log.predict_log.request) for log in logs]

    return make


def test_few_lines_are_repeated_and_of_many_lines_the_first_are_used(make_texts):
    assert make_texts(["a cat", "a mouse"]) == [["a cat"], ["a cat", "a mouse"] * 2]
    many = [f"a {word}" for word in ("cat", "mouse", "bird", "dog", "house")]
    assert make_texts(many) == [many[:1], many[:4]]
    assert make_texts(["", " ", *many]) == make_texts(many)  # blank lines would compile nothing


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([[]], "The warm-up text must have lines"),
        ([["", " "]], "must have lines that are not blank"),
        ([None, True], "needs `warmup`, the lines to translate. Received: warmup_xla=True"),
        (["a mouse"], "list of strings, not one string"),
        ([["a mouse"], True], "at most 1,000 warm-up requests.*: 1,002 records"),
    ],
)
def test_an_impossible_warm_up_is_an_error(make_texts, translator, monkeypatch, arguments, message):
    monkeypatch.setattr(translator.options, "batch_buckets", tuple(range(1, 502)))
    with pytest.raises(UserError, match=message):
        make_texts(*arguments)


def test_a_missing_package_is_named_before_any_file_is_written(export_tiny, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorflow_serving.apis", None)
    with pytest.raises(UserError, match=r"pip install 'keras_nmt\[serving\]'\. Received: lines to warm up with"):
        export_tiny(warmup=["a mouse"])
    assert not (tmp_path / "model").exists()
    export_tiny()  # nothing else needs it


def test_a_multilingual_export_has_records_from_each_language_and_to_each(make_multilingual, quick_write, tmp_path):
    model, tokenizers = make_multilingual("recurrent")
    long = "seven cats sleep in the garden"
    buckets = {"length_buckets": (4, 40), "batch_buckets": (1, 2)}
    folder = export(tmp_path, model, tokenizers, **buckets, warmup=["a", long])
    requests = _requests(folder)
    assert {x.model_spec.signature_name for x in requests} == {"serving_default"}
    assert all(len(set(map(len, map(_values, [x] * 3, x.inputs)))) == 1 for x in requests)
    for size, text in itertools.product((1, 2), ("a", long)):
        of_shape = [x for x in requests if _values(x) == [text] * size]
        for side in ("source_language", "target_language"):
            assert sorted(_values(x, side)[0] for x in of_shape) == ["de", "fr", "zh-Hans"]
