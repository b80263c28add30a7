"""The load script: times of requests, and counts of answers and errors."""

import os
import re

import pytest
import tensorflow as tf
from grpc_server import ServerOfBothApis
from scripts import run_main

from keras_nmt.errors import UserError

pytestmark = pytest.mark.nightly
SCRIPT = "benchmarks/load.py"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A model that gives an error for "no", and compiles for each length of a text."""
    folder = tmp_path_factory.mktemp("served") / "model"
    text = tf.TensorSpec([None], tf.string, name="text")

    @tf.function(jit_compile=True, autograph=False)
    def total(numbers):
        return tf.reduce_sum(tf.cast(numbers, tf.float32) ** 2)

    @tf.function(input_signature=[text], autograph=False)
    def translate(text):
        with tf.control_dependencies([tf.debugging.Assert(tf.reduce_all(text != "no"), ["not this"])]):
            score = total(tf.io.decode_raw(text[0], tf.uint8))
        count = tf.shape(text)
        no = tf.fill(count, False)
        return {"translation": text, "score": tf.fill(count, score), "cut_off": no, "truncated": no}

    module = tf.Module()
    module.functions = [translate]
    signatures = {"serving_default": translate, "serving_default_xla": translate}
    tf.saved_model.save(module, str(folder / "1"), signatures=signatures)
    return folder


@pytest.fixture(scope="module")
def server(path):
    with ServerOfBothApis(path, port=0) as server:
        yield server


def test_requests_arrive_at_the_requested_rate_and_errors_are_counted(script, server):
    lines = ["a", "bc"]
    found = script.put_load(script.Server(server.grpc_url, "model"), lines, clients=8, rate=200, duration=0.5)
    assert 60 < len(found.seconds) < 140  # 100, give or take four deviations
    assert not found.errors
    assert found.duration > 0.4
    assert min(found.seconds) > 0
    slower = script.put_load(script.Server(server.grpc_url, "model"), lines, clients=1, rate=5_000, duration=0.1)
    # One client is not fast enough: the wait for the client counts.
    assert max(slower.seconds) > slower.duration / 2
    rest = script.Server(server.rest_url, "model")
    found = script.put_load(rest, ["no", "yes"], clients=4, rate=100, duration=0.3)
    (message,) = found.errors
    assert "not this" in message
    assert found.seconds
    assert found.errors[message] > 1


def test_a_running_server_is_measured(script, server, tmp_path):
    (tmp_path / "lines").write_text("a\n\nbc\n")
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "compiled").touch()
    options = ["--server", server.rest_url, "--minutes", 0.005, "--rate", 100, "--lines", tmp_path / "lines"]
    output = run_main(script, *options, "--pid", os.getpid(), "--xla-cache", tmp_path / "cache")
    assert re.search(r"errors +0 ", output)
    assert re.search(r"p50 +[\d.]+ ms\s+p95 +[\d.]+ ms\s+p99 +[\d.]+ ms", output)
    start, end = re.search(r"at start and end +([\d,]+) MiB, ([\d,]+) MiB", output).groups()
    assert 100 < int(start.replace(",", "")) <= int(end.replace(",", "")) + 100
    assert re.search(r"compilations before and under load +1, 0 ", output)
    assert "memory" not in run_main(script, *options)
    (tmp_path / "lines").write_text(" \n\n")
    with pytest.raises(UserError, match="no sentences in the file"):
        run_main(script, *options)
