"""The development server's two APIs, called as any tool calls the model server; its limits."""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import re
import resource
import shutil
import socket
import struct
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import numpy as np
import pytest
import tensorflow as tf
from echo_models import write_echo
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tensorflow.core.framework import tensor_pb2, types_pb2
from tensorflow_serving.apis import (
    get_model_metadata_pb2,
    get_model_status_pb2,
    model_service_pb2_grpc,
    predict_pb2,
    prediction_service_pb2_grpc,
)

from keras_nmt.errors import UserError
from keras_nmt.serving import Client, DevelopmentServer

CODE = grpc.StatusCode


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
    with DevelopmentServer(path, port=0, rest_port=0) as server:
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


@pytest.fixture(scope="module")
def channel(server):
    with grpc.insecure_channel(server.grpc_url.removeprefix("grpc://")) as channel:
        yield channel


@pytest.fixture(scope="module")
def predict(channel):
    stub = prediction_service_pb2_grpc.PredictionServiceStub(channel)

    def predict(signature="", name="echo", version=None, output_filter=(), **inputs):
        request = predict_pb2.PredictRequest(output_filter=output_filter)
        request.model_spec.name, request.model_spec.signature_name = name, signature
        if version is not None:
            request.model_spec.version.value = version
        for key, value in inputs.items():
            request.inputs[key].CopyFrom(tf.make_tensor_proto(value))
        return stub.Predict(request, timeout=60)

    return predict


PREDICT = "/v1/models/echo:predict"


def deep(levels):
    """A body as text: `json.dumps` might not follow its depth here."""
    return b'{"inputs": [' + b'{"a": ' * levels + b"{}" + b"}" * levels + b"]}"


def test_rest_accepts_columns_and_rows(ask):
    expected = {"translation": ["äh", "\u0000\n"], "score": [3.0, 3.0], "truncated": [False, False]}
    rows = [dict(zip(expected, row, strict=True)) for row in zip(*expected.values(), strict=True)]
    columns = [{"inputs": {"text": ["äh", "\u0000\n"]}}, {"inputs": ["äh", "\u0000\n"]}]
    encoded = {"b64": base64.b64encode("äh".encode()).decode()}
    for body in (*columns, {"inputs": {"text": [encoded, "\u0000\n"]}}, {"signature_name": "", **columns[0]}):
        assert ask("POST", PREDICT, body) == (200, {"outputs": expected})
    for body in ([{"text": "äh"}, {"text": "\u0000\n"}], ["äh", "\u0000\n"], [encoded, "\u0000\n"]):
        assert ask("POST", PREDICT, {"instances": body}) == (200, {"predictions": rows})
    assert ask("POST", "/v1/models/echo/versions/10:predict", columns[0]) == (200, {"outputs": expected})
    none = {"translation": [], "score": [], "truncated": []}
    assert ask("POST", PREDICT, {"inputs": {"text": []}}) == (200, {"outputs": none})


def test_rest_handles_several_inputs_numbers_and_single_outputs(ask):
    pair = {"signature_name": "score", "inputs": {"source": ["abc", "long"], "target": ["", "d"]}}
    columns = {"log_probability": [3.0, -96.0], "truncated": [False, True]}
    assert ask("POST", PREDICT, pair) == (200, {"outputs": columns})
    halves = {"signature_name": "half", "inputs": {"x": [[1, 2], [3, 4]]}}
    assert ask("POST", PREDICT, halves) == (200, {"outputs": [[0.5, 1.0], [1.5, 2.0]]})
    halves = {"signature_name": "half", "instances": [[1, 2], [3, 4]]}
    assert ask("POST", PREDICT, halves) == (200, {"predictions": [[0.5, 1.0], [1.5, 2.0]]})
    binary = {"b64": base64.b64encode(b"\xff\x00").decode()}
    assert ask("POST", PREDICT, {"signature_name": "bytes", "inputs": [binary]}) == (200, {"outputs": [binary]})
    status, answer = ask("POST", PREDICT, {"signature_name": "sum", "inputs": [0.1]})
    assert (status, answer) == (200, {"outputs": {"sum": 0.1, "x": [0.1]}})  # not 0.10000000149011612


def test_bytes_that_are_not_utf8_reach_the_model(ask):
    body = b'{"signature_name": "bytes", "inputs": ["\xff"]}'
    assert ask("POST", PREDICT, body) == (200, {"outputs": [{"b64": base64.b64encode(b"\xff").decode()}]})
    status, answer = ask("POST", PREDICT, b'{"inputs": ["\xff"]}')
    assert (status, answer["outputs"]["translation"]) == (200, ["\ufffd"])


@pytest.mark.parametrize(
    ("url", "body", "status", "message"),
    [
        ("/v1/models/other:predict", {"inputs": ["a"]}, 404, "Servable not found for request: Latest(other)"),
        ("/v1/models/echo/versions/9:predict", {"inputs": ["a"]}, 404, "Specific(echo, 9)"),
        ("/v1/models/echo:regress", {"inputs": ["a"]}, 400, "Malformed request: POST /v1/models/echo:regress"),
        (PREDICT, {"inputs": ["a"], "signature_name": "sing"}, 400, '"sing" not found in signature def'),
        (PREDICT, {"inputs": ["a"], "signature_name": 1}, 400, "signature_name"),
        (PREDICT, {"inputs": ["a"], "signature_name": "serving_default_xla"}, 500, "XLA compilation disabled"),
        (PREDICT, {"inputs": ["a"], "instances": ["a"]}, 400, "one of 'inputs' and 'instances'"),
        (PREDICT, {}, 400, "one of 'inputs' and 'instances'"),
        (PREDICT, b"", 400, "JSON Parse error"),
        (PREDICT, b"[" * 100_000, 400, "JSON Parse error"),
        (PREDICT, b"[" * 100_000 + b"]" * 100_000, 400, "JSON Parse error"),
        (PREDICT, b'{"inputs":' * 100_000 + b"1" + b"}" * 100_000, 400, "JSON Parse error"),
        *((PREDICT, deep(levels), 400, "JSON") for levels in (800, 850, 900, 925, 950)),
        (PREDICT, b'{"inputs": ' + b"[" * 300 + b'"a"' + b"]" * 300 + b"}", 400, "deeper than 32"),
        ("/v1/models/echo/versions/" + "9" * 5000 + ":predict", {"inputs": ["a"]}, 400, "Malformed request"),
        (PREDICT, ["a"], 400, "A request is an object"),
        (PREDICT, {"inputs": {"txt": ["a"]}}, 400, "Missing named input: text"),
        (PREDICT, {"inputs": {"text": [1]}}, 400, "not of expected type: string"),
        (PREDICT, {"inputs": {"text": ["a", ["b"]]}}, 400, ""),
        (PREDICT, {"inputs": {"text": ["\ud800"]}}, 400, "surrogates"),
        (PREDICT, {"inputs": {"text": [{"b64": "a"}]}}, 400, ""),
        (PREDICT, {"inputs": [["a", "b"]], "signature_name": "half"}, 400, "not of expected type: int32"),
        (PREDICT, {"inputs": [[True, 1]], "signature_name": "half"}, 400, "not of expected type: int32"),
        (PREDICT, {"inputs": [[2**40, 1]], "signature_name": "half"}, 400, "not of expected type: int32"),
        (PREDICT, {"inputs": [10**400], "signature_name": "sum"}, 400, "out-of-range integer"),
        (PREDICT, {"inputs": [[1, 2, 3]], "signature_name": "half"}, 400, "int32 tensor of shape (None, 2)"),
        (PREDICT, {"inputs": [["a"]]}, 400, "string tensor of shape (None,). Received: string, (1, 1)"),
        (PREDICT, {"instances": [{"text": "a", "x": "a" * 5000}]}, 400, "Failed to process element: 0"),
        (PREDICT, {"inputs": ["a"], "signature_name": "score"}, 400, "source,target"),
        (PREDICT, {"instances": []}, 400, "at least one"),
        (PREDICT, {"instances": [{"text": "a", "source_language": "de"}]}, 400, '"de"} keys must be equal to: text'),
        (PREDICT, {"instances": [{"text": "a"}, "b"]}, 400, "element: 1"),
        (PREDICT, {"instances": [1.5], "signature_name": "sum"}, 400, "inconsistent batch size"),
    ],
)
def test_rest_errors_are_those_of_the_model_server(ask, url, body, status, message):
    answered, answer = ask("POST", url, body)
    assert answered == status
    assert list(answer) == ["error"]
    assert message in answer["error"]
    assert len(answer["error"]) <= 2000


def test_a_connection_stays_open(server, ask):
    """After answers, errors and bodies that nobody needs; until the client says that it ends."""
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(server.rest_url).netloc, timeout=60)
    connection.connect()
    connection.auto_open = 0
    start = time.monotonic()
    for _ in range(20):
        for method, path, body, status in (
            ("POST", PREDICT, '{"inputs": ["a"]}', 200),
            ("GET", "/v1/models/echo", "a body", 200),
            ("POST", "/nowhere", "a body", 404),
            ("PUT", PREDICT, "a body", 400),
        ):
            connection.request(method, path, body)
            response = connection.getresponse()
            assert response.version == 11
            assert response.status == status
            assert response.read()
    assert time.monotonic() - start < 3  # Nagle's algorithm would take 40 ms for each
    connection.request("GET", "/v1/models/echo", headers={"Connection": "close"})
    assert connection.getresponse().read()
    with pytest.raises(http.client.NotConnected):
        connection.request("GET", "/v1/models/echo")


@pytest.mark.parametrize("line", ["POST http://[ HTTP/1.1", "POST", "GET / HTTP/9.9", "\0"])
def test_a_malformed_request_is_refused_without_a_traceback(server, line, capfd):
    parts = urllib.parse.urlsplit(server.rest_url)
    with socket.create_connection((parts.hostname, parts.port), timeout=60) as connection:
        connection.sendall(f"{line}\r\nHost: x\r\n\r\n".encode())
        answer = b""
        while part := connection.recv(9999):
            answer += part
    assert re.search(rb"HTTP/1.1 (400|505)|Error code: (400|505)", answer)
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
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_json_is_answered(ask, request_):
    status, answer = ask("POST", PREDICT, request_)
    assert status in (200, 400)
    assert len(answer) == 1


@pytest.mark.parametrize(
    "headers", ["Content-Length: abc", "Content-Length: -1", f"Content-Length: {10**17}", "Transfer-Encoding: chunked"]
)
def test_a_body_without_a_length_is_refused_and_the_connection_closed(server, headers):
    parts = urllib.parse.urlsplit(server.rest_url)
    with socket.create_connection((parts.hostname, parts.port), timeout=60) as connection:
        connection.sendall(f"POST {PREDICT} HTTP/1.1\r\nHost: x\r\n{headers}\r\n\r\n1\r\n{{\r\n".encode())
        answer = b""
        with contextlib.suppress(ConnectionResetError):  # it closes with what we sent unread
            while part := connection.recv(9999):
                answer += part
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1") == 1
    assert b"Content-Length must say how long" in answer


@pytest.mark.parametrize("body", [b"{", b'{"instances": ["a"]}'])
def test_a_client_that_disconnects_causes_no_server_error(server, body, capfd):
    parts = urllib.parse.urlsplit(server.rest_url)
    before = set(server._http._connections)
    with socket.create_connection((parts.hostname, parts.port), timeout=60) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closes by a reset
        connection.sendall(f"POST {PREDICT} HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n".encode() + body)
        while not server._http._connections - before:
            time.sleep(0.01)
    while server._http._connections - before:
        time.sleep(0.01)
    assert capfd.readouterr().err == ""


def test_names_that_need_quoting_work(path):
    with DevelopmentServer(path, name="en dé", port=0, rest_port=0) as server:
        for url in (server.rest_url, server.grpc_url):
            with Client(url, "en dé") as client:
                assert len(client.translate(["a"])) == 1


def test_status_and_metadata_by_both_apis(server, ask, channel):
    state = {"version": "10", "state": "AVAILABLE", "status": {"error_code": "OK", "error_message": ""}}
    for path in ("/v1/models/echo", "/v1/models/echo/versions/10", "/V1/models/echo?x=y"):
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
    for path in ("/", "/healthz", "/monitoring/prometheus/metrics"):
        assert ask("GET", path) == (404, {"error": f"The development server has no {path}"})
    assert ask("GET", "/v1/other")[0] == 400

    models = model_service_pb2_grpc.ModelServiceStub(channel)
    request = get_model_status_pb2.GetModelStatusRequest()
    request.model_spec.name = "echo"
    (found,) = models.GetModelStatus(request).model_version_status
    assert (found.version, found.state, found.status.error_code) == (10, found.AVAILABLE, 0)
    request.model_spec.version.value = 9
    with pytest.raises(grpc.RpcError) as error:
        models.GetModelStatus(request)
    assert error.value.code() == CODE.NOT_FOUND

    predictions = prediction_service_pb2_grpc.PredictionServiceStub(channel)
    asked = get_model_metadata_pb2.GetModelMetadataRequest(metadata_field=["signature_def"])
    asked.model_spec.name = "echo"
    answered = predictions.GetModelMetadata(asked)
    signatures = get_model_metadata_pb2.SignatureDefMap()
    assert answered.metadata["signature_def"].Unpack(signatures)
    assert set(signatures.signature_def) >= {"serving_default", "score", "half"}
    assert answered.model_spec.version.value == server.version == 10
    asked.metadata_field.append("more")
    with pytest.raises(grpc.RpcError) as error:
        predictions.GetModelMetadata(asked)
    assert error.value.code() == CODE.INVALID_ARGUMENT


def test_grpc_answers_as_the_model_server_does(predict):
    response = predict(text=["äh", "b"])
    assert tf.make_ndarray(response.outputs["translation"]).tolist() == ["äh".encode(), b"b"]
    assert (list(response.outputs["score"].float_val), list(response.outputs["truncated"].bool_val)) == (
        [3.0, 3.0],
        [False, False],
    )
    spec = response.model_spec
    assert (spec.name, spec.version.value, spec.signature_name) == ("echo", 10, "serving_default")
    assert set(predict("score", output_filter=["truncated"], source=["a"], target=["b"]).outputs) == {"truncated"}
    halves = predict("half", x=np.arange(6, dtype="int32").reshape(3, 2)).outputs["y"]
    np.testing.assert_array_equal(tf.make_ndarray(halves), np.arange(6).reshape(3, 2) / 2)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ({"name": "other", "text": ["a"]}, CODE.NOT_FOUND, "Latest(other)"),
        ({"version": 9, "text": ["a"]}, CODE.NOT_FOUND, "Specific(echo, 9)"),
        ({"signature": "sing", "text": ["a"]}, CODE.FAILED_PRECONDITION, '"sing" not found'),
        ({"signature": "serving_default_xla", "text": ["a"]}, CODE.INTERNAL, "XLA compilation disabled"),
        ({"txt": ["a"]}, CODE.INVALID_ARGUMENT, "Sent extra: {txt}. Missing but required: {text}"),
        ({"text": [1, 2]}, CODE.INVALID_ARGUMENT, "expected to be a string tensor"),
        ({"text": ["a"], "output_filter": ["more"]}, CODE.INVALID_ARGUMENT, "more"),
    ],
)
def test_grpc_errors_are_those_of_the_model_server(predict, arguments, code, message):
    with pytest.raises(grpc.RpcError) as error:
        predict(**arguments)
    assert error.value.code() == code
    assert message in error.value.details()


@pytest.fixture(scope="module")
def send(channel):
    """Sends a tensor to a signature; gives the code, and the outputs or the message."""
    stub = prediction_service_pb2_grpc.PredictionServiceStub(channel)

    def send(proto, signature, name):
        request = predict_pb2.PredictRequest()
        request.model_spec.name, request.model_spec.signature_name = "echo", signature
        request.inputs[name].CopyFrom(proto)
        try:
            return CODE.OK, stub.Predict(request, timeout=60).outputs
        except grpc.RpcError as error:
            return error.code(), error.details()

    return send


def proto_of(dtype, sizes, *, unknown_rank=False, **values):
    proto = tensor_pb2.TensorProto(dtype=dtype, **values)
    proto.tensor_shape.unknown_rank = unknown_rank
    for size in sizes:
        proto.tensor_shape.dim.add(size=size)
    return proto


STRING, INT = types_pb2.DT_STRING, types_pb2.DT_INT32


@pytest.mark.parametrize(
    ("proto", "message"),
    [
        # Without the check the process ends by a segmentation fault.
        *((proto_of(STRING, [1] * rank, string_val=[b"a"]), "at most 32 dimensions") for rank in (33, 40, 63, 64, 300)),
        (proto_of(STRING, [30_000_000], string_val=[b"a"]), "16777216 elements"),
        (proto_of(STRING, [3_000_000], string_val=[b"a"]), "array of size 1 into shape (3000000,)"),
        (proto_of(STRING, [2], string_val=[b"a"]), "array of size 1 into shape (2,)"),
        (proto_of(STRING, [1], string_val=[b"a", b"b"]), "array of size 2 into shape (1,)"),
        (proto_of(STRING, [1]), "array of size 0 into shape (1,)"),
        (proto_of(STRING, [10**12]), "16777216 elements"),
        (proto_of(STRING, [2**62, 2**62, 0]), "16777216 elements"),
        (proto_of(STRING, [2**32, 2**32], string_val=[b"a"]), "16777216 elements"),
        (proto_of(STRING, [10**12, 0]), "16777216 elements"),
        (proto_of(STRING, [-1], string_val=[b"a"]), "none below 0"),
        (proto_of(STRING, [-(2**63)], string_val=[b"a"]), "none below 0"),
        (proto_of(STRING, [-1, -1], string_val=[b"a"]), "none below 0"),
        (proto_of(STRING, [1], unknown_rank=True, string_val=[b"a"]), "dimensions"),
        (proto_of(STRING, [], string_val=[b"a"]), "tensor of shape (None,). Received: string, ()"),
        (proto_of(STRING, [1], tensor_content=b"a"), "parsing error"),
        (proto_of(STRING, [1], int_val=[1]), "array of size 0"),
        (proto_of(INT, [2], tensor_content=b"12345"), "parsing error"),
        (proto_of(INT, [2], tensor_content=b"1234"), "array of size 1 into shape (2,)"),
        (proto_of(INT, [1], tensor_content=b"1234"), "expected to be a string tensor"),
        *(
            (proto_of(dtype, [1], string_val=[b"a"], int_val=[1], tensor_content=b"1"), f"has type {dtype},")
            for dtype in (0, *map(types_pb2.DataType.Value, ("DT_RESOURCE", "DT_VARIANT", "DT_QINT8")), 101, 999)
        ),
    ],
)
def test_malformed_tensors_are_refused_at_once(send, proto, message):
    start, memory = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    code, answer = send(proto, "serving_default", "text")
    assert code == CODE.INVALID_ARGUMENT
    assert message in answer
    assert time.monotonic() - start < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 2**16  # KiB


_small = st.integers(-(2**31), 2**31 - 1)
_protos = st.builds(
    proto_of,
    st.integers(0, 30) | st.sampled_from([STRING, INT, types_pb2.DT_FLOAT, 101, 2**31 - 1]),
    st.lists(st.integers(0, 3) | st.integers(-(2**63), 2**63 - 1), max_size=4) | st.lists(st.just(1), max_size=70),
    unknown_rank=st.booleans(),
    tensor_content=st.just(b"") | st.binary(max_size=16),
    string_val=st.lists(st.binary(max_size=4), max_size=4),
    int_val=st.lists(_small, max_size=4),
    float_val=st.lists(st.floats(width=32), max_size=4),
    bool_val=st.lists(st.booleans(), max_size=2),
)
_sound_protos = st.builds(
    lambda texts: proto_of(STRING, [len(texts)], string_val=texts), st.lists(st.binary(max_size=4), max_size=4)
)


@given(_protos | _sound_protos, st.sampled_from([("bytes", "x"), ("half", "x"), ("sum", "x")]))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_tensor_is_answered(send, proto, to):
    code, answer = send(proto, *to)
    if code == CODE.OK:
        expected = tf.make_ndarray(proto)
        name, factor = {"bytes": ("x_bytes", 1), "half": ("y", 0.5), "sum": ("x", 1)}[to[0]]
        found = tf.make_ndarray(answer[name])
        np.testing.assert_array_equal(found, expected if expected.dtype == object else expected * np.float32(factor))
    else:
        assert code == CODE.INVALID_ARGUMENT
        assert to[0] != "bytes" or proto != proto_of(STRING, [len(proto.string_val)], string_val=proto.string_val)


def test_requests_that_are_too_large_are_refused(server, send, ask):
    texts = [b"a" * 2**20] * 17
    code, message = send(proto_of(STRING, [17], string_val=texts), "no such signature", "x")  # no such answer, either
    assert (code, "larger than max" in message) == (CODE.RESOURCE_EXHAUSTED, True)
    with contextlib.suppress(ConnectionError):  # the server does not read all of it
        assert ask("POST", PREDICT, b" " * (2**24 + 1))[0] == 400
    assert ask("POST", PREDICT, b" " * (2**24 - 20) + b'{"inputs": ["a"]}')[0] == 200


def test_xla_signatures_where_they_are_allowed(path):
    with DevelopmentServer(path, name="mine", port=0, rest_port=0, xla=True) as server:
        for url in (server.rest_url, server.grpc_url):
            assert Client(url, "mine", timeout=60).translate(["abc"])[0].score == -3


def test_many_requests_at_once_are_answered(ask, predict):
    texts = [f"text {i}" for i in range(100)]
    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(lambda text: ask("POST", PREDICT, {"inputs": [text]}), texts))
        protos = list(pool.map(lambda text: predict(text=[text]), texts))
    assert [answer["outputs"]["translation"] for _, answer in answers] == [[text] for text in texts]
    assert [proto.outputs["translation"].string_val[0].decode() for proto in protos] == texts


def test_a_folder_that_cannot_be_served_is_one_line(path, server, tmp_path):
    for nothing in (tmp_path, tmp_path / "nowhere", path / "10"):
        with pytest.raises(UserError, match="no version of a model in the folder"):
            DevelopmentServer(nothing, port=0, rest_port=0)
    used = {name: urllib.parse.urlsplit(url).port for name, url in vars(server).items() if name.endswith("_url")}
    with pytest.raises(UserError, match="The port for gRPC cannot be used"):
        DevelopmentServer(path, port=used["grpc_url"], rest_port=0)
    with pytest.raises(UserError, match="The port for REST cannot be used"):
        DevelopmentServer(path, port=0, rest_port=used["rest_url"])
    with pytest.raises(UserError, match="The port for REST cannot be used.* Received: rest_port=70000"):
        DevelopmentServer(path, port=0, rest_port=70_000)
    shutil.copytree(path / "10", tmp_path / "cut" / "1")
    saved_model = tmp_path / "cut" / "1" / "saved_model.pb"
    for content in (b"", saved_model.read_bytes()[:-9]):
        saved_model.write_bytes(content)
        with pytest.raises(UserError, match="export it again. Received: .*cut/"):
            DevelopmentServer(tmp_path / "cut", port=0, rest_port=0)
