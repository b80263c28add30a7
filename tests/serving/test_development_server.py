"""The development server's REST API, called as any tool calls the model server; its limits."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import shutil
import socket
import struct
import time
import urllib.parse
from pathlib import Path

import pytest
from echo_models import write_echo
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keras_nmt.errors import UserError
from keras_nmt.serving import Client, DevelopmentServer


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> Path:
    """Versions 9 and 10, and two folders that are none."""
    folder = tmp_path_factory.mktemp("served") / "echo"
    write_echo(folder / "10")
    (folder / "9").symlink_to(folder / "10")
    for name in ("11", ".12-half-written"):
        (folder / name).mkdir()
    return folder


@pytest.fixture(scope="module")
def server(path):
    with DevelopmentServer(path, port=0) as server:
        yield server


@pytest.fixture(scope="module")
def ask(server):
    """Sends method, path and body; gives the status and the JSON."""

    def ask(method, path, body=None):
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(server.rest_url).netloc, timeout=60)
        content = body if isinstance(body, bytes | None) else json.dumps(body)
        connection.request(method, path, content)
        response = connection.getresponse()
        assert response.getheader("Content-Type") == "application/json"
        answer = json.loads(response.read())
        connection.close()
        return response.status, answer

    return ask


PREDICT = "/v1/models/echo:predict"


def deep(levels):
    """A body as text: `json.dumps` might not follow its depth here."""
    return b'{"inputs": [' + b'{"a": ' * levels + b"{}" + b"}" * levels + b"]}"


def test_rest_accepts_columns_and_rows(ask):
    expected = {"translation": ["äh", "\u0000\n"], "score": [3.0, 3.0]}
    expected |= {name: [False, False] for name in ("cut_off", "truncated")}
    rows = [dict(zip(expected, row, strict=True)) for row in zip(*expected.values(), strict=True)]
    columns = [{"inputs": {"text": ["äh", "\u0000\n"]}}, {"inputs": ["äh", "\u0000\n"]}]
    for body in (*columns, {"signature_name": "", **columns[0]}):
        assert ask("POST", PREDICT, body) == (200, {"outputs": expected})
    for body in ([{"text": "äh"}, {"text": "\u0000\n"}], ["äh", "\u0000\n"]):
        assert ask("POST", PREDICT, {"instances": body}) == (200, {"predictions": rows})
    assert ask("POST", "/v1/models/echo/versions/10:predict", columns[0]) == (200, {"outputs": expected})
    none = {name: [] for name in expected}
    assert ask("POST", PREDICT, {"inputs": {"text": []}}) == (200, {"outputs": none})


def test_rest_handles_several_inputs_numbers_and_single_outputs(ask):
    pair = {"signature_name": "score", "inputs": {"source": ["abc", "long"], "target": ["", "d"]}}
    columns = {"log_probability": [3.0, -96.0], "truncated": [False, True]}
    assert ask("POST", PREDICT, pair) == (200, {"outputs": columns})
    halves = {"signature_name": "half", "inputs": {"x": [[1, 2], [3, 4]]}}
    assert ask("POST", PREDICT, halves) == (200, {"outputs": [[0.5, 1.0], [1.5, 2.0]]})
    halves = {"signature_name": "half", "instances": [[1, 2], [3, 4]]}
    assert ask("POST", PREDICT, halves) == (200, {"predictions": [[0.5, 1.0], [1.5, 2.0]]})
    status, answer = ask("POST", PREDICT, {"signature_name": "sum", "inputs": [0.1]})
    assert (status, answer) == (200, {"outputs": {"sum": 0.1, "x": [0.1]}})  # not 0.10000000149011612


def test_a_request_that_cannot_be_answered_is_refused(ask):
    of_half = {"signature_name": "half"}
    for body, message in (
        (
            {"inputs": ["a"], "signature_name": "sing"},
            '"sing" not found in signature def, which has align, align_xla, ',
        ),
        ({"inputs": ["a"], "signature_name": "x" * 10**6}, 'x" not found in signature def'),
        ({"inputs": [[], ["a"]]}, "text must have type string and shape (None,). Received: [[], ['a']]"),
        *(({"inputs": ["a"], "signature_name": name}, "signature_name") for name in (1, 0, None)),
        ({"inputs": ["a"], "instances": ["a"]}, "one of 'inputs' and 'instances'"),
        *((body, "JSON Parse error") for body in (b"", b'{"inputs": ["\xff"]}', b"[" * 100_000)),
        (b'{"inputs": ["a"], "inputs": ["b"]}', "the entry 'inputs' twice"),  # one of them would be lost
        *((deep(levels), "") for levels in (800, 850, 900, 925, 950)),
        (b'{"inputs": ' + b"[" * 300 + b'"a"' + b"]" * 300 + b"}", "text must have type string and"),
        ({"inputs": {"text": [1]}}, "text must have type string and shape (None,). Received: [1]"),
        ({"inputs": "abc"}, "text must have type string and shape (None,): send a list. Received: 'abc'"),
        ({"inputs": {"texts": ["abc"]}}, "'inputs' must be an object with text. Received: ['texts']"),
        ({"inputs": {"text": ["\ud800"]}}, "text must have type string"),
        ({"inputs": [[2**40, 1]], **of_half}, "x must have type int32 and shape (None, 2)"),
        ({"inputs": [[1, 2, 3]], **of_half}, "x must have type int32 and shape (None, 2)"),
        ({"inputs": [10**400], "signature_name": "sum"}, "x must have type float32"),
        ({"instances": []}, "at least one"),
        ({"instances": [{"text": "a", "x": "a" * 5000}]}, "Row 0 of 'instances'"),
        ({"instances": [{"text": "a", "source_language": "de"}]}, "with the keys text. Received: {"),
        ({"instances": [1.5], "signature_name": "sum"}, "sum has no value for each of the 1 instances"),
    ):
        check_refusal(ask("POST", PREDICT, body), 400, message)
    body = {"inputs": ["a"]}
    xla = ask("POST", PREDICT, body | {"signature_name": "serving_default_xla"})
    check_refusal(xla, 500, "XLA compilation disabled")
    for path, message in (
        ("other:predict", "There is no other: the server has echo, version 10"),
        ("echo/versions/9:predict", "There is no echo, version 9"),
        (f"echo/versions/{'9' * 5000}:predict", "There is no echo, version 9999"),
        ("echo:regress", "no POST /v1/models/echo:regress"),
    ):
        check_refusal(ask("POST", f"/v1/models/{path}", body), 404, message)


def check_refusal(answered, status, message):
    found, answer = answered
    assert (found, list(answer)) == (status, ["error"])
    assert message in answer["error"]
    assert len(answer["error"]) <= 500
    assert "\n" not in answer["error"]


def talk(server, request):
    """Sends bytes, and returns all that comes back."""
    parts = urllib.parse.urlsplit(server.rest_url)
    with socket.create_connection((parts.hostname, parts.port), timeout=60) as connection:
        connection.sendall(request)
        answer = b""
        with contextlib.suppress(ConnectionResetError):  # it closes with what we sent unread
            while part := connection.recv(9999):
                answer += part
    return answer


def test_a_malformed_request_is_refused_without_a_traceback(server, capfd):
    for line in ("POST http://[ HTTP/1.1", "POST", "GET / HTTP/9.9", "\0"):
        answer = talk(server, f"{line}\r\nHost: x\r\n\r\n".encode())
        assert re.search(rb"HTTP/1.0 (400|404|505)|Error code: (400|505)", answer)
    assert capfd.readouterr().err == ""


# Objects of JSON that may be a request.
_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just({"b64": "/w=="}),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["text", "x", "b64"]), inner),
    max_leaves=8,
)
_requests = st.fixed_dictionaries(
    {},
    optional={
        "signature_name": st.sampled_from(["", "serving_default", "score", "half", "bytes", "sum", "no"]) | _values,
        "inputs": _values,
        "instances": _values,
    },
)


@given(_requests | _values)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_json_is_answered(ask, request_):
    status, answer = ask("POST", PREDICT, request_)
    assert status in (200, 400)
    assert len(answer) == 1


def test_a_body_without_a_length_is_refused_and_the_connection_closed(server):
    lengths = [f"Content-Length: {length}" for length in ("abc", -1, 10**17)]
    for headers in (*lengths, "Transfer-Encoding: chunked"):
        answer = talk(server, f"POST {PREDICT} HTTP/1.1\r\nHost: x\r\n{headers}\r\n\r\n1\r\n{{\r\n".encode())
        assert answer.startswith(b"HTTP/1.0 400 ")
        assert answer.count(b"HTTP/1.0") == 1
        assert b"Content-Length must be the length" in answer


def test_a_client_that_disconnects_causes_no_server_error(path, capfd, monkeypatch):
    """Before its request is read, after the answer, or before the answer."""
    answer, pause = DevelopmentServer.answer, [0.0]
    monkeypatch.setattr(DevelopmentServer, "answer", lambda *args: (time.sleep(pause[0]), answer(*args))[1])
    with DevelopmentServer(path, port=0) as server:
        parts = urllib.parse.urlsplit(server.rest_url)
        for body, pause[0] in ((b"{", 0), (b'{"instances": ["a"]}', 0), (b'{"instances": ["a"]}', 0.3)):
            with socket.create_connection((parts.hostname, parts.port), timeout=60) as connection:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closes by a reset
                connection.sendall(f"POST {PREDICT} HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n".encode() + body)
                time.sleep(0.15)
    assert capfd.readouterr().err == ""


def test_names_that_need_quoting_work(path):
    name = "en dé"
    with DevelopmentServer(path, name=name, port=0, xla=True) as server, Client(server.rest_url, name) as client:
        assert client.translate(["abc"])[0].score == -3  # of the XLA signature, which is allowed here


def test_status_metadata_and_health(server, ask):
    state = {"version": "10", "state": "AVAILABLE", "status": {"error_code": "OK", "error_message": ""}}
    for path in ("/v1/models/echo", "/v1/models/echo/versions/10", "/v1/models/echo?x=y"):
        assert ask("GET", path) == (200, {"model_version_status": [state]})
    status, answer = ask("GET", "/v1/models/echo/metadata")
    assert status == 200
    assert answer["model_spec"] == {"name": "echo", "signature_name": "", "version": "10"}
    shown = answer["metadata"]["signature_def"]["signature_def"]["score"]
    assert {name: info["dtype"] for name, info in shown["inputs"].items()} == dict.fromkeys(
        ("source", "target"), "DT_STRING"
    )
    assert shown["inputs"]["source"]["tensor_shape"]["dim"] == [{"size": "-1", "name": ""}]
    for path in ("/v1/models/other", "/v1/models/echo/versions/9", "/v1/models/other/metadata"):
        assert ask("GET", path)[0] == 404
    assert ask("GET", "/v1/models") == (200, {"models": ["echo"]})
    assert ask("GET", "/healthz") == (200, {"model": "echo", "version": server.version})
    for path in ("/", "/monitoring/prometheus/metrics", "/v1/other", PREDICT):
        assert ask("GET", path) == (404, {"error": f"The development server has no GET {path}"})


def test_requests_that_are_too_large_are_refused(ask):
    status, answer = ask("POST", PREDICT, b" " * (2**24 + 1))
    assert status == 400
    assert "at most 16777216: send fewer or shorter lines at once, by `batch_size`" in answer["error"]
    assert ask("POST", PREDICT, b" " * (2**24 - 20) + b'{"inputs": ["a"]}')[0] == 200


def test_a_folder_that_cannot_be_served_is_one_line(path, server, tmp_path):
    for nothing in (tmp_path, tmp_path / "nowhere", path / "10"):
        with pytest.raises(UserError, match="must have a version of a model"):
            DevelopmentServer(nothing, port=0)
    with pytest.raises(UserError, match=f"name the folder that it is in, {path}. Received: {path}/"):
        DevelopmentServer(path / "10", port=0)
    used = urllib.parse.urlsplit(server.rest_url).port
    shutil.copytree(path / "10", tmp_path / "cut" / "1")
    saved_model = tmp_path / "cut" / "1" / "saved_model.pb"
    for content in (b"", saved_model.read_bytes()[:-9]):
        saved_model.write_bytes(content)
        for port in (used, 70_000, "8501"):  # before the model is loaded
            with pytest.raises(UserError, match=f"The port cannot be used.* Received: port={port!r}"):
                DevelopmentServer(tmp_path / "cut", port=port)
        with pytest.raises(UserError, match="export it again.*Received: .*cut/"):
            DevelopmentServer(tmp_path / "cut", port=0)
