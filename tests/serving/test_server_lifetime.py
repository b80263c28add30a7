"""The development server from its start to its end: requests under way, signals."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from grpc_server import ServerOfBothApis

from keras_nmt.cli import app as cli
from keras_nmt.serving import Client
from keras_nmt.serving.development_server import ServedVersion

# A request waits for the file that its first text names, and leaves a file beside it.
SLOW_RUN = """
import os, pathlib, tempfile, time
from keras_nmt.serving.development_server import ServedVersion

def wait_and_run(self, signature, inputs, run=ServedVersion.run):
    file = pathlib.Path(inputs["text"].numpy()[0].decode())
    if signature == "serving_default" and not file.exists():
        os.close(tempfile.mkstemp(prefix="waiting", dir=file.parent)[0])
        while not file.exists():
            time.sleep(0.01)
    return run(self, signature, inputs)

ServedVersion.run = wait_and_run
"""


@pytest.fixture
def path(folder, monkeypatch):
    monkeypatch.setattr(ServedVersion, "run", ServedVersion.run)  # as it is afterwards
    exec(SLOW_RUN, {})
    return folder / "echo"


@contextlib.contextmanager
def ending(tmp_path):
    """The file that requests under way wait for; it is made at the end at the latest, so that a test ends."""
    try:
        yield tmp_path / "end"
    finally:
        (tmp_path / "end").touch()


def wait_for(requests, folder):
    """Waits until a number of requests are under way."""
    while len(list(folder.glob("waiting*"))) < requests:
        time.sleep(0.01)


def clients(server):
    """A client of each API, which does not try again."""
    return [Client(url, server.name, retries=0, timeout=60) for url in (server.rest_url, server.grpc_url)]


def test_stop_waits_for_running_requests(path, tmp_path):
    server = ServerOfBothApis(path)
    with ThreadPoolExecutor() as pool, ending(tmp_path) as end:
        calls = [pool.submit(client.translate, [str(end)]) for client in clients(server)]
        wait_for(2, tmp_path)
        stopping = pool.submit(server.stop)
        time.sleep(0.1)
        assert not stopping.done()
        end.touch()
        stopping.result(30)
        assert [call.result()[0].text for call in calls] == [str(end)] * 2
    for client in clients(server):
        with pytest.raises(ConnectionError):
            client.translate([__file__])


def client_of_command(lines):
    """A client as the command's output shows it."""
    line = next(words for words in map(str.split, lines) if "--server" in words)
    return Client(line[line.index("--server") + 1], line[line.index("--model") + 1], retries=0)


def test_a_signal_ends_the_command_after_running_requests(path, tmp_path, monkeypatch):
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    read, write = os.pipe()
    ended = []

    def user():
        sent = False
        try:
            with open(read) as errors, ThreadPoolExecutor() as pool, ending(tmp_path) as end:
                call = pool.submit(client_of_command(errors).translate, [str(end)])
                wait_for(1, tmp_path)
                os.kill(os.getpid(), signal.SIGTERM)
                sent = True
                time.sleep(0.1)
                assert not ended
                end.touch()
                return call.result()[0].text, errors.read()
        finally:
            if not sent:
                os.kill(os.getpid(), signal.SIGTERM)

    command = ["keras-nmt", "serve", str(path), "--port", "0", "--name", "mine"]
    with ThreadPoolExecutor() as pool, monkeypatch.context() as patch, open(write, "w") as stderr:
        asking = pool.submit(user)
        patch.setattr(sys, "argv", command)
        patch.setattr(sys, "stderr", stderr)
        with pytest.raises(SystemExit) as raised:
            cli.main()
        for number, handler in handlers.items():
            signal.signal(number, handler)
        ended.append(True)
        stderr.close()
        assert asking.result() == (str(tmp_path / "end"), "")
    assert not raised.value.code


@pytest.mark.nightly
def test_a_second_signal_ends_the_process_at_once(path, tmp_path):
    program = f"{SLOW_RUN}\nfrom keras_nmt.cli.app import main; main()"
    command = [sys.executable, "-c", program, "serve", str(path), "--port", "0", "--name", "mine"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    with process, ThreadPoolExecutor() as pool, ending(tmp_path) as end:
        try:
            call = pool.submit(client_of_command(process.stderr).translate, [str(end)])
            wait_for(1, tmp_path)
            for wait in (0, 0.5):
                time.sleep(wait)
                assert process.poll() is None
                process.send_signal(signal.SIGTERM)
            assert process.wait(5) == -signal.SIGTERM
            assert isinstance(call.exception(30), ConnectionError)
        finally:
            process.kill()
