"""Warm-up records of exports."""

import itertools
import sys

import pytest
import tensorflow as tf
from echo_models import write_echo_of_languages
from tensorflow_serving.apis import prediction_log_pb2

from keras_nmt.errors import UserError
from keras_nmt.serving import DevelopmentServer, export
from keras_nmt.serving.warmup import warmup_records, write_warmup


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

    for number, request, told in (
        (1, ["xx"], r"export the model again\. .*/1, .*The model has de, fr.*xx"),
        (2, ["fr", "sing"], r"export the model again\. Received: .*/2, signature sing"),
        (
            3,
            ["fr", "serving_default_xla"],
            "allow XLA by --xla, or export .* without --warmup-xla.*/3, signature .*_xla",
        ),
    ):
        write(number, *request)
        with pytest.raises(UserError, match=f"warm-up request of the version fails: {told}"):
            DevelopmentServer(tmp_path / "model", port=0)
    write(4, "fr")
    with DevelopmentServer(tmp_path / "model", port=0) as server:
        assert server.version == 4


def _requests(exported):
    path = exported / "assets.extra" / "tf_serving_warmup_requests"
    logs = (prediction_log_pb2.PredictionLog.FromString(x.numpy()) for x in tf.data.TFRecordDataset(str(path)))
    return [log.predict_log.request for log in logs]


def _values(request, name="text"):
    return [value.decode() for value in tf.make_ndarray(request.inputs[name])]


@pytest.mark.slow
def test_requests_compile_nothing_after_the_warm_up(exported, lines, ask_session, tmp_path):
    """As on a server: records run in a session, and then requests. XLA writes a file for each compilation."""
    flags = f"--tf_xla_persistent_cache_directory={tmp_path} --tf_xla_persistent_cache_device_types=CPU"
    records = [(x.model_spec.signature_name, {"text": _values(x)}) for x in _requests(exported)]
    requests = [(name, {"text": [line]}) for line in lines for name in ("serving_default_xla", "serving_default")]
    for asked in ([x for x in records if len(x[1]["text"]) == 1], requests):  # a compilation takes long
        answers = ask_session(exported, asked, TF_XLA_FLAGS=flags)
        assert all(len(answer["translation"]) == 1 for answer in answers)
        assert len(list(tmp_path.iterdir())) == 4  # the encoder and the search, for two lengths


@pytest.fixture
def export_tiny(model, tokenizers, options, written, tmp_path):
    def make(**changed):
        return export(tmp_path / "model", model, tokenizers, **{**options, **changed})

    return make


def test_there_is_a_record_for_each_batch_bucket_and_length_bucket(export_tiny, translator, lines):
    assert not (export_tiny() / "assets.extra").exists()
    found = []
    for request in _requests(export_tiny(warmup=lines, warmup_xla=True)):
        text = _values(request)
        assert request.model_spec.name == "model"
        assert set(request.inputs) == {"text"}
        assert set(text) <= set(lines)
        lengths = translator.tokenizers["source"].tokenize(text).row_lengths().numpy() + 1
        buckets = {6 if length <= 6 else 12 for length in lengths}
        found.append((request.model_spec.signature_name, len(text), *buckets))
    names = ("serving_default", "serving_default_xla")
    assert sorted(found) == sorted(itertools.product(names, (1, 4), (6, 12)))


def _texts(translator, lines, xla=False):
    """The texts of the records made of lines, a list for each record."""
    records = warmup_records(lines, xla, translator, "model")
    logs = map(prediction_log_pb2.PredictionLog.FromString, records)
    return [_values(log.predict_log.request) for log in logs]


def test_few_lines_are_repeated_and_of_many_lines_the_first_are_used(translator):
    assert _texts(translator, ["a cat", "a mouse"]) == [["a cat"], ["a cat", "a mouse"] * 2]
    many = [f"a {word}" for word in ("cat", "mouse", "bird", "dog", "house")]
    assert _texts(translator, many) == [many[:1], many[:4]]
    assert _texts(translator, ["", " ", *many]) == _texts(translator, many)  # blank lines would compile nothing


def test_an_impossible_warm_up_is_an_error(translator, monkeypatch):
    monkeypatch.setattr(translator.options, "batch_buckets", tuple(range(1, 502)))
    for arguments, message in (
        ([["", " "]], "must have lines that are not blank"),
        ([None, True], "needs `warmup`, the lines to translate. Received: warmup_xla=True"),
        (["a mouse"], "list of strings, not one string"),
        ([["a mouse"], True], "at most 1,000 warm-up requests.*: 1,002 records"),
    ):
        with pytest.raises(UserError, match=message):
            _texts(translator, *arguments)


def test_a_missing_package_is_named_before_any_file_is_written(export_tiny, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorflow_serving.apis", None)
    with pytest.raises(
        UserError, match=r"Missing package for lines to warm up with: pip install 'keras_nmt\[serving\]'"
    ):
        export_tiny(warmup=["a mouse"])
    assert not (tmp_path / "model").exists()
    export_tiny()  # nothing else needs it


def test_a_multilingual_export_has_records_from_each_language_and_to_each(make_multilingual, written, tmp_path):
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
