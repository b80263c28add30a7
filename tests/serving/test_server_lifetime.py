"""The development server from its start to its end: the version, requests under way, signals."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import tensorflow as tf
from grpc_server import ServerOfBothApis

from keras_nmt.cli import app as cli
from keras_nmt.serving import Client, DevelopmentServer


@pytest.fixture(scope="module")
def write_version(tmp_path_factory):
    """Writes a version. Its score is its number, and it answers once there is the file that the first text names."""
    texts = tf.TensorSpec([None], tf.string, name="text")
    written = tmp_path_factory.mktemp("versions")

    def write(folder: Path, number: int) -> None:
        @tf.function(input_signature=[texts], autograph=False)
        def translate(text):
            (turns,) = tf.while_loop(
                lambda turns: tf.size(tf.io.matching_files(text[0])) == 0, lambda turns: [turns + 1], [tf.constant(0)]
            )
            with tf.control_dependencies([turns]):
                count = tf.shape(text)
                return {
                    "translation": tf.identity(text),
                    "score": tf.fill(count, float(number)),
                    "cut_off": tf.fill(count, False),
                    "truncated": tf.fill(count, False),
                }

        if not (written / str(number)).exists():
            module = tf.Module()
            module.functions = [translate]
            signatures = {"serving_default": translate, "serving_default_xla": translate}
            tf.saved_model.save(module, str(written / str(number)), signatures=signatures)
        shutil.copytree(written / str(number), folder / ".half-written")
        (folder / ".half-written").rename(folder / str(number))

    return write


@pytest.fixture
def path(tmp_path, write_version):
    folder = tmp_path / "model"
    folder.mkdir()
    write_version(folder, 1)
    return folder


@contextlib.contextmanager
def ending(path):
    """The file that requests under way wait for; it is made at the end at the latest, so that a test ends."""
    try:
        yield path.with_name("end")
    finally:
        path.with_name("end").touch()


def clients(server):
    """A client of each API, which does not try again."""
    return [Client(url, server.name, retries=0, timeout=60) for url in (server.rest_url, server.grpc_url)]


def scores(server):
    return {client.translate([__file__])[0].score for client in clients(server)}


def test_the_highest_version_is_served(path, write_version):
    write_version(path, 10)
    write_version(path, 9)
    with ServerOfBothApis(path) as server:
        assert scores(server) == {10}


def test_missing_gradients_are_no_warning(tmp_path, caplog):
    double = tf.custom_gradient(lambda x: (2 * x, lambda gradient: gradient))
    module = tf.Module()
    module.double = tf.function(double, input_signature=[tf.TensorSpec([None], name="x")], autograph=False)
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
    tf.saved_model.save(module, str(tmp_path / "1"), signatures=module.double, options=options)
    ServerOfBothApis(tmp_path, port=0).stop()
    assert "custom gradients" not in caplog.text
    tf.saved_model.load(str(tmp_path / "1"))
    assert "custom gradients" in caplog.text


def test_stop_waits_for_running_requests(path):
    server = ServerOfBothApis(path)
    with ThreadPoolExecutor() as pool, ending(path) as end:
        calls = [pool.submit(client.translate, [str(end)]) for client in clients(server)]
        time.sleep(0.5)
        stopping = pool.submit(server.stop)
        time.sleep(0.5)
        assert not stopping.done()
        end.touch()
        stopping.result(30)
        assert [call.result()[0].score for call in calls] == [1, 1]
    for client in clients(server):
        with pytest.raises(ConnectionError):
            client.translate([__file__])


@pytest.fixture
def kept_handlers():
    """The test may change what SIGINT and SIGTERM do in this process."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


def client_of_command(lines):
    """A client as the command's output shows it."""
    line = next(words for words in map(str.split, lines) if "--server" in words)
    return Client(line[line.index("--server") + 1], line[line.index("--model") + 1], retries=0)


def test_a_signal_ends_the_command_after_running_requests(path, kept_handlers, monkeypatch):
    read, write = os.pipe()
    ended = []

    def user():
        sent = False
        try:
            with open(read) as errors, ThreadPoolExecutor() as pool, ending(path) as end:
                call = pool.submit(client_of_command(errors).translate, [str(end)])
                time.sleep(0.5)
                os.kill(os.getpid(), signal.SIGTERM)
                sent = True
                time.sleep(0.5)
                assert not ended
                end.touch()
                return call.result()[0].score, errors.read()
        finally:
            if not sent:
                os.kill(os.getpid(), signal.SIGTERM)

    command = ["keras-nmt", "serve", str(path), "--port", "0", "--name", "mine"]
    with ThreadPoolExecutor() as pool, monkeypatch.context() as patch:
        asking = pool.submit(user)
        patch.setattr(sys, "argv", command)
        with open(write, "w") as stderr:
            patch.setattr(sys, "stderr", stderr)
            with pytest.raises(SystemExit) as raised:
                cli.main()
        ended.append(True)
        assert asking.result() == (1, "")
    assert not raised.value.code


def test_a_port_in_use_is_one_line_of_the_command(path, kept_handlers, error_line):
    with DevelopmentServer(path, port=0) as server:
        port = urllib.parse.urlsplit(server.rest_url).port
        error = error_line("serve", path, "--port", port)
        assert re.search(f"The port cannot be used .Address already in use.* port={port}", error)


@contextlib.contextmanager
def serving(path):
    """`keras-nmt serve` in a process of its own, and a client as the command's output shows it."""
    program = "from keras_nmt.cli.app import main; main()"
    command = [sys.executable, "-c", program, "serve", str(path), "--port", "0", "--name", "mine"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process, client_of_command(process.stderr)
        finally:
            process.kill()


@pytest.mark.nightly  # usually: SIGTERM, in this process
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_the_first_signal_ends_the_process_after_running_requests(path, number, status):
    with serving(path) as (process, client), ThreadPoolExecutor() as pool, ending(path) as end:
        call = pool.submit(client.translate, [str(end)])
        time.sleep(1)
        process.send_signal(number)
        time.sleep(0.5)
        assert process.poll() is None
        end.touch()
        assert call.result()[0].score == 1
        assert process.wait(60) == status
        assert process.stderr.read() == ""


@pytest.mark.nightly
def test_the_second_signal_ends_the_command_at_once(path):
    with serving(path) as (process, client), ThreadPoolExecutor() as pool, ending(path) as end:
        call = pool.submit(client.translate, [str(end)])
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert process.wait(5) == -signal.SIGTERM
        assert isinstance(call.exception(30), ConnectionError)
