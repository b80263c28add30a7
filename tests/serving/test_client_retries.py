"""The client when the server fails, by REST and by gRPC: what it sends again, and when."""

from __future__ import annotations

import http.server
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import grpc
import numpy as np
import pytest
from grpc_server import ServerOfBothApis
from tensorflow_serving.apis import predict_pb2, prediction_service_pb2_grpc

from keras_nmt.errors import UserError
from keras_nmt.serving import Client
from keras_nmt.serving.client.transports import FIRST_WAIT


def _free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def test_the_client_waits_for_a_server_that_starts_late(folder, api):
    port = _free_port()
    url = f"{'http' if api == 'rest_url' else 'grpc'}://127.0.0.1:{port}"
    ports = {"port": port} if api == "rest_url" else {"grpc_port": port}
    with Client(url, "echo", retries=1) as client, pytest.raises(ConnectionError, match="cannot be reached") as error:
        client.translate(["a"])
    assert "\n" not in str(error.value)
    started = []
    late = threading.Timer(0.5, lambda: started.append(ServerOfBothApis(folder / "echo", **ports)))
    late.start()
    try:
        with Client(url, "echo", retries=50) as client:
            assert client.translate(["a"])[0].text == "a"
    finally:
        late.join()
        started[0].stop()


@pytest.fixture(params=["rest", "grpc"])
def failing(request):
    """A server that fails as it is told to, and counts requests."""
    state = SimpleNamespace(
        requests=0,
        times=[],
        status=503,
        headers={},
        code=grpc.StatusCode.UNAVAILABLE,
        body=b'{"error": "queue is full"}',
    )

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            state.requests += 1
            state.times.append(time.monotonic())
            self.rfile.read(int(self.headers["Content-Length"] or 0))
            self.send_response(state.status)
            for name, value in state.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(state.body)

        do_GET = do_POST

        def log_message(self, *_):
            pass

    class Servicer(prediction_service_pb2_grpc.PredictionServiceServicer):
        def Predict(self, request, context):
            state.requests += 1
            if state.code is not None:
                context.abort(state.code, "queue is full")
            return state.answer

    if request.param == "rest":
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        state.url = f"http://127.0.0.1:{server.server_port}"
        yield state
        server.shutdown()
        server.server_close()
    else:
        server = grpc.server(ThreadPoolExecutor(2))
        prediction_service_pb2_grpc.add_PredictionServiceServicer_to_server(Servicer(), server)
        state.url = f"grpc://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        server.start()
        yield state
        server.stop(None).wait()


def test_a_client_without_the_name_of_a_model_asks_the_server(server, failing):
    with Client(server.rest_url) as client:
        assert client.translate(["a"])[0].text == "a"
        with pytest.raises(UserError, match="Received: model='echo'"):
            client.translate(["a"], "de", "fr")
    # TensorFlow Serving does not tell, by 400: the name is that of its image.
    failing.status, failing.code = 400, grpc.StatusCode.INVALID_ARGUMENT
    with Client(failing.url) as client, pytest.raises(UserError, match="queue is full. Received: model='model'"):
        client.translate(["a"])
    # Neither does a proxy that fails for a moment: the client asks again.
    if failing.url.startswith("http"):
        with Client(failing.url) as client:
            for failing.status in (502, 429, 500):
                failing.requests = 0
                with pytest.raises(UserError, match="queue is full. Received: model=None"):
                    client.translate(["a"])
                assert failing.requests == 1
            failing.status, failing.body = 200, b'{"models": ["mine"]}'
            with pytest.raises(UserError, match="Received: model='mine'"):
                client.translate(["a"])
        for body in (
            '"OK"',
            "[]",
            "5",
            "null",
            "{}",
            '{"models": {"a": 1}}',
            '{"models": [null]}',
            '{"models": ["\\ud800"]}',
        ):
            failing.body = body.encode()
            with Client(failing.url) as client, pytest.raises(UserError, match="not answer as an export of keras_nmt"):
                client.translate(["a"])
        failing.body = b'{"error": "queue is full"}'
    failing.status, failing.code = 503, grpc.StatusCode.UNAVAILABLE
    with (
        Client(failing.url, retries=1) as client,
        pytest.raises(ConnectionError, match="Received: model=(None|'model')"),
    ):
        client.translate(["a"])


def test_an_unavailable_server_is_asked_again_after_waits(failing):
    start = time.monotonic()
    with Client(failing.url, "model", retries=3) as client:
        with pytest.raises(ConnectionError, match="queue is full"):
            client.translate(["a"])
        assert failing.requests == 4
        assert (1 + 2 + 4) * FIRST_WAIT / 2 <= time.monotonic() - start < 5


# Whether an error is temporary, by status and by code: a request is sent again only where the server has not begun it.
_KINDS = {UserError: 1, ConnectionError: 3, TimeoutError: 1}
_STATUSES = {
    **dict.fromkeys((204, 301, 307, 400, 401, 403, 404, 408, 409, 413, 418, 429, 499, 500, 501, 502, 505), UserError),
    503: ConnectionError,
    504: TimeoutError,
}
_GRPC_CODES = {
    **dict.fromkeys(set(grpc.StatusCode) - {grpc.StatusCode.OK}, UserError),
    grpc.StatusCode.UNAVAILABLE: ConnectionError,
    grpc.StatusCode.DEADLINE_EXCEEDED: TimeoutError,
}


def test_only_an_unavailable_server_is_asked_again(failing, monkeypatch):
    """Requests are counted: a server whose time was over would compute the same request again and again."""
    monkeypatch.setattr("keras_nmt.serving.client.transports.FIRST_WAIT", 0.001)
    is_rest = failing.url.startswith("http")
    with Client(failing.url, "model", retries=2) as client:
        for code, kind in (_STATUSES if is_rest else _GRPC_CODES).items():
            failing.status, failing.code, failing.requests = code, code, 0
            with pytest.raises(kind):
                client.translate(["a"])
            assert failing.requests == _KINDS[kind], code
        if is_rest:
            failing.status, failing.requests, failing.body = 200, 0, b"no answer"
        else:
            failing.code, failing.requests, failing.answer = None, 0, predict_pb2.PredictResponse()
        with pytest.raises(UserError, match="does not answer as an export"):
            client.translate(["a"])
        assert failing.requests == 1


def test_one_deadline_covers_all_attempts(failing):
    start = time.monotonic()
    client = Client(failing.url, "model", retries=1000, timeout=2)
    # The last attempt may come too late to be answered; the error then names the answer before.
    with client, pytest.raises((ConnectionError, TimeoutError), match="queue is full"):
        client.translate(["a"])
    assert failing.requests > 1
    assert time.monotonic() - start < 10  # a thousand attempts, or a deadline for each, take minutes


@pytest.mark.parametrize("failing", ["rest"], indirect=True)
def test_waits_are_random_and_bounded(failing, monkeypatch):
    monkeypatch.setattr("keras_nmt.serving.client.transports.FIRST_WAIT", 0.1)
    monkeypatch.setattr("keras_nmt.serving.client.transports.LONGEST_WAIT", 0.1)
    start = time.monotonic()
    with Client(failing.url, "model", retries=8) as client, pytest.raises(ConnectionError, match="queue is full"):
        client.translate(["a"])
    assert failing.requests == 9
    assert 8 * 0.05 <= time.monotonic() - start < 5  # 25 s if each wait were twice the one before
    gaps = np.diff(failing.times)
    assert gaps.min() < 0.095


@pytest.mark.parametrize("failing", ["rest"], indirect=True)
def test_no_wait_begins_that_would_end_after_the_deadline(failing, monkeypatch):
    monkeypatch.setattr("keras_nmt.serving.client.transports.FIRST_WAIT", 8)
    start = time.monotonic()
    client = Client(failing.url, "model", retries=8, timeout=3)
    with client, pytest.raises(ConnectionError, match="queue is full"):
        client.translate(["a"])
    assert failing.requests == 1
    assert time.monotonic() - start < 2.5


def test_a_server_that_does_not_answer_meets_the_deadline(api):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"{'http' if api == 'rest_url' else 'grpc'}://127.0.0.1:{silent.getsockname()[1]}"
        start = time.monotonic()
        with Client(url, "model", timeout=0.4) as client, pytest.raises((TimeoutError, ConnectionError)) as error:
            client.translate(["a"])
        assert 0.3 < time.monotonic() - start < 3
        assert "Received: model='model'" in str(error.value)
