"""The client when the server fails, by REST and by gRPC: what it sends again, and when."""

import socket
import time
from types import SimpleNamespace

import numpy as np
import pytest
from grpc import StatusCode
from grpc_server import ServerOfBothApis
from raw_servers import http, lying_server
from tensorflow_serving.apis import predict_pb2

from keras_nmt.errors import UserError
from keras_nmt.serving import Client
from keras_nmt.serving.client.transports import FIRST_WAIT, LONGEST_WAIT


@pytest.fixture
def waits(monkeypatch):
    """The waits between attempts, in seconds, of clients whose clock stands still but for them."""
    waits, start = [], time.monotonic()
    clock = SimpleNamespace(monotonic=lambda: start + sum(waits), sleep=waits.append)
    monkeypatch.setattr("keras_nmt.serving.client.time", clock)
    return waits


def test_the_client_waits_for_a_server_that_starts_late(folder, api, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"{'http' if api == 'rest_url' else 'grpc'}://127.0.0.1:{port}"
    ports = {"port": port} if api == "rest_url" else {"grpc_port": port}
    with Client(url, "echo", retries=0) as client, pytest.raises(ConnectionError, match="cannot be reached") as error:
        client.translate(["a"])
    assert "\n" not in str(error.value)
    started, sleep = [], time.sleep

    def start(seconds):
        if not started:
            started.append(ServerOfBothApis(folder / "echo", **ports))
        sleep(seconds)

    monkeypatch.setattr("keras_nmt.serving.client.time", SimpleNamespace(monotonic=time.monotonic, sleep=start))
    try:
        with Client(url, "echo", retries=50) as client:
            assert client.translate(["a"])[0].text == "a"
    finally:
        for server in started:
            server.stop()


@pytest.fixture
def failing(api):
    """A server that fails as it is told to, and notes the times of requests."""
    with lying_server() as server:
        server.is_rest, server.url = api == "rest_url", getattr(server, api)

        def fail(status, code, content=b'{"error": "queue is full"}'):
            server.times.clear()
            server.rest, server.grpc = http(content, status), (code, "queue is full")

        server.fail = fail
        fail(503, StatusCode.UNAVAILABLE)
        yield server


def test_a_client_without_the_name_of_a_model_asks_the_server(server, failing):
    with Client(server.rest_url) as client:
        assert client.translate(["a"])[0].text == "a"
        with pytest.raises(UserError, match="Received: .*model='echo'"):
            client.translate(["a"], "de", "fr")
    # TensorFlow Serving does not tell, by 400: the name is that of its image.
    failing.fail(400, StatusCode.INVALID_ARGUMENT)
    with Client(failing.url) as client, pytest.raises(UserError, match="queue is full. Received: model='model'"):
        client.translate(["a"])
    # Neither does a proxy that fails for a moment: the client asks again.
    if failing.is_rest:
        with Client(failing.url) as client:
            for status in (502, 429, 500):
                failing.fail(status, None)
                with pytest.raises(UserError, match="queue is full. Received: model=None"):
                    client.translate(["a"])
                assert len(failing.times) == 1
            failing.fail(200, None, b'{"models": ["mine"]}')
            with pytest.raises(UserError, match="Received: model='mine'"):
                client.translate(["a"])
        for body in ('"OK"', "[]", "{}", '{"models": {"a": 1}}', '{"models": [null]}', '{"models": ["\\ud800"]}'):
            failing.fail(200, None, body.encode())
            with Client(failing.url) as client, pytest.raises(UserError, match="not answer as an export of keras_nmt"):
                client.translate(["a"])
    failing.fail(503, StatusCode.UNAVAILABLE)
    with Client(failing.url, retries=0) as client, pytest.raises(ConnectionError, match="model=(None|'model')"):
        client.translate(["a"])


def test_an_unavailable_server_is_asked_again_after_waits_that_grow_to_a_limit_and_are_random(failing, waits):
    with Client(failing.url, "model", retries=8) as client, pytest.raises(ConnectionError, match="queue is full"):
        client.translate(["a"])
    assert len(failing.times) == 9
    parts = np.array(waits) / np.minimum(FIRST_WAIT * 2.0 ** np.arange(8), LONGEST_WAIT)
    assert parts.min() >= 0.5
    assert parts.max() <= 1
    assert np.ptp(parts) > 0.01


# The errors of statuses and codes, and the number of requests: one is sent again only if the server has not begun it. A
# server whose time was over would compute the same request again and again.
_REQUESTS = {UserError: 1, ConnectionError: 3, TimeoutError: 1}
_STATUSES = {204, 301, 307, 400, 401, 403, 404, 408, 409, 413, 418, 429, 499, 500, 501, 502, 503, 504, 505}
_KINDS = {503: ConnectionError, 504: TimeoutError}
_KINDS |= {StatusCode.UNAVAILABLE: ConnectionError, StatusCode.DEADLINE_EXCEEDED: TimeoutError}


def test_only_an_unavailable_server_is_asked_again(failing, monkeypatch):
    monkeypatch.setattr("keras_nmt.serving.client.transports.FIRST_WAIT", 0.001)
    with Client(failing.url, "model", retries=2) as client:
        for code in _STATUSES if failing.is_rest else set(StatusCode) - {StatusCode.OK}:
            kind = _KINDS.get(code, UserError)
            failing.fail(code, code)
            with pytest.raises(kind):
                client.translate(["a"])
            assert len(failing.times) == _REQUESTS[kind], code
        failing.fail(200, None, b"no answer")
        failing.grpc = predict_pb2.PredictResponse().SerializeToString()
        with pytest.raises(UserError, match="does not answer as an export"):
            client.translate(["a"])
        assert len(failing.times) == 1


def test_one_deadline_covers_all_attempts_and_no_wait_begins_that_would_end_after_it(failing, waits):
    client = Client(failing.url, "model", retries=1000, timeout=60)
    with client, pytest.raises(ConnectionError, match="queue is full"):
        client.translate(["a"])
    assert 60 - LONGEST_WAIT < sum(waits) <= 60
    assert len(failing.times) == len(waits) + 1


def test_a_server_that_does_not_answer_meets_the_deadline(api):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"{'http' if api == 'rest_url' else 'grpc'}://127.0.0.1:{silent.getsockname()[1]}"
        start = time.monotonic()
        with Client(url, "model", timeout=0.2) as client, pytest.raises((TimeoutError, ConnectionError)) as error:
            client.translate(["a"])
        assert 0.1 < time.monotonic() - start < 30  # without a deadline, it would wait for ever
        assert "Received: model='model'" in str(error.value)
