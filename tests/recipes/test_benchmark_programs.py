"""The benchmark of warm-up requests, on an export whose score is the number of the request's sentences."""

from __future__ import annotations

import json

import pytest
import tensorflow as tf
from scripts import load_script, run_main

from keras_nmt.errors import UserError
from keras_nmt.serving._serving_api import serving_api
from keras_nmt.serving.warmup import write_warmup


@pytest.fixture
def version(tmp_path):
    module = tf.Module()
    module.f = tf.function(
        lambda text: {"score": tf.strings.length(text)}, input_signature=[tf.TensorSpec([None], tf.string, "text")]
    )
    signatures = {"serving_default": module.f, "serving_default_xla": module.f}
    tf.saved_model.save(module, str(tmp_path / "1"), signatures=signatures)
    return tmp_path / "1"


def request(signature, *texts):
    _, apis = serving_api("a test")
    log = apis.prediction_log_pb2.PredictionLog()
    log.predict_log.request.model_spec.signature_name = signature
    log.predict_log.request.inputs["text"].CopyFrom(tf.make_tensor_proto(list(texts), tf.string))
    return log.SerializeToString()


def test_every_request_runs_twice(version, tmp_path):
    write_warmup([request("serving_default", "a"), request("serving_default_xla", "a b c", "d")], version)
    shown = run_main(load_script("benchmarks/programs.py"), version, "--output", tmp_path / "table.json")
    assert "2 requests: " in shown
    rows = json.loads((tmp_path / "table.json").read_text())
    assert [(row["signature"], row["sentences"], row["words of the longest"]) for row in rows] == [
        ("serving_default", "1", "1"),
        ("serving_default_xla", "2", "3"),
    ]
    assert all(float(row[f"{which} run, s"]) >= 0 for row in rows for which in ("first", "second"))


def test_a_version_without_requests_is_refused(version):
    with pytest.raises(UserError, match=f"has no warm-up requests: export it with --warmup. Received: {version}"):
        run_main(load_script("benchmarks/programs.py"), version)
