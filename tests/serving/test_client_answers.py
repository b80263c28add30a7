"""The client and servers that are not ours, or lie: an answer is right, or refused in one line."""

from __future__ import annotations

import contextlib
import json
import math
import re
import warnings
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import grpc
import numpy as np
import pytest
import tensorflow as tf
from google.protobuf import wrappers_pb2
from hypothesis import given, settings
from hypothesis import strategies as st
from raw_servers import listening, receive
from tensorflow.core.framework import tensor_pb2, tensor_shape_pb2
from tensorflow_serving.apis import model_pb2, predict_pb2

from keras_nmt.errors import UserError
from keras_nmt.inference import Hypothesis, Translation
from keras_nmt.serving import Client
from keras_nmt.serving.client import transports
from keras_nmt.serving.client.transports import POSITIONS


@pytest.fixture(scope="module")
def lying():
    """Two servers and their clients; `rest` and `grpc` are the bytes that they answer, whatever they are asked."""
    state = SimpleNamespace(rest=b"", grpc=b"", requests=0)

    def talk(connection):
        while receive(connection):
            state.requests += 1
            connection.sendall(state.rest)

    class Handler(grpc.GenericRpcHandler):
        def service(self, _):
            return grpc.unary_unary_rpc_method_handler(lambda *_: state.grpc)

    server = grpc.server(ThreadPoolExecutor(2), [Handler()])
    grpc_url = f"grpc://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    with listening(talk) as rest_url, Client(rest_url, "m") as by_rest, Client(grpc_url, "m") as by_grpc:
        state.by_rest, state.by_grpc = by_rest, by_grpc
        yield state
    server.stop(None).wait()


@pytest.fixture
def failing_by_grpc():
    """The client of a server that answers with an error of a message."""
    with contextlib.ExitStack() as stack:

        def fail(message):
            class Handler(grpc.GenericRpcHandler):
                def service(self, _):
                    return grpc.unary_unary_rpc_method_handler(
                        lambda _, context: context.abort(grpc.StatusCode.INTERNAL, message)
                    )

            server = grpc.server(ThreadPoolExecutor(1), [Handler()])
            port = server.add_insecure_port("127.0.0.1:0")
            server.start()
            stack.callback(lambda: server.stop(None).wait())
            return stack.enter_context(Client(f"grpc://127.0.0.1:{port}", "m"))

        yield fail


def _http(content, status=200, header=""):
    if not isinstance(content, bytes):
        content = json.dumps({"predictions": content}).encode()
    return f"HTTP/1.1 {status} Any\r\nContent-Length: {len(content)}\r\n{header}\r\n".encode() + content


def _refusal(client, lines=("a", "b")):
    """The error of a translation, which takes one line."""
    with pytest.raises(UserError) as error:
        client.translate(lines)
    assert "\n" not in str(error.value)
    assert "Received: model='m', version=None, signature='serving_default_xla'" in str(error.value)
    return str(error.value)


def test_redirects_are_not_followed(lying):
    lying.rest, lying.requests = _http(b"", 307, f"Location: {lying.by_rest.url}/other\r\n"), 0
    assert "answered HTTP 307: nothing" in _refusal(lying.by_rest)
    assert lying.requests == 1


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_an_answer_that_is_compressed_unasked_is_not_decompressed(lying, encoding):
    """A few bytes could become many."""
    lying.rest = _http(b"packed", header=f"Content-Encoding: {encoding}\r\n")
    assert "export of keras_nmt: packed" in _refusal(lying.by_rest)


@pytest.mark.parametrize(
    ("content", "status", "told"),
    [
        (b"<html>Bad gateway</html>", 502, "answered HTTP 502: <html>Bad gateway</html>. Received"),
        (b"", 502, "answered HTTP 502: nothing. Received"),
        (b'{"error": {"a": "b\\n"}}', 400, "answered INVALID_ARGUMENT: {'a': 'b"),
        (b"hello\r\nyou", 200, "does not answer as an export of keras_nmt: hello you. Received"),
        (b"[" * 100_000, 200, "does not answer as an export of keras_nmt: [[["),
        ([], 200, 'export of keras_nmt: {"predictions": []}'),
        ([0.5], 200, 'export of keras_nmt: {"predictions": [0.5]}'),
        ([{"y": 1}] * 2, 200, "export of keras_nmt: translation is missing"),
        ([{"translation": "a", "score": 1.0, "cut_off": True}] * 2, 200, "export of keras_nmt: truncated is missing"),
    ],
)
def test_answers_of_other_servers_are_recognised(lying, content, status, told):
    lying.rest = _http(content, status)
    assert told in _refusal(lying.by_rest)


@pytest.mark.parametrize("status", [200, 500])
@pytest.mark.parametrize("header", [f"Content-Length: {10**15}", "Transfer-Encoding: chunked", "x-any: 1"])
def test_an_endless_answer_is_read_as_far_as_its_request_allows(status, header):
    part, sent = b"10000\r\n" + b"x" * 2**16 + b"\r\n", []  # a chunk

    def talk(connection):
        receive(connection)
        connection.sendall(f"HTTP/1.1 {status} Any\r\n{header}\r\n\r\n".encode())
        while sum(sent) < 2**28:
            connection.sendall(part)
            sent.append(len(part))

    with listening(talk) as url, Client(url, "m", retries=0) as client:
        told = _refusal(client)
    assert ("the answer has more than 18,874,368 bytes: send fewer lines" in told) == (status == 200)
    assert sum(sent) < (2**24 + 2 * 2**20 if status == 200 else 2**16) + 2**23  # what waits in the system's buffers


def test_an_answer_by_grpc_is_bounded_by_the_size_of_a_batch(lying):
    assert transports._largest_answer(lying.by_grpc.batch_size) == 80 * 2**20
    lying.grpc = bytes(80 * 2**20 + 1)
    assert "message larger than max (83886081 vs. 83886080)" in _refusal(lying.by_grpc)


def test_an_error_of_any_size_and_characters_is_a_line_for_a_terminal(lying, failing_by_grpc):
    """Escape sequences of a server could write anything over the user's terminal."""
    message = "\x1b[2J\x9b1m\x00\x08\x7f\u202e ä"
    for content in (json.dumps({"error": message + "a" * 3_000_000}).encode(), (message + "a" * 3_000_000).encode()):
        lying.rest = _http(content, 500)
        told = _refusal(lying.by_rest)
        assert told.isprintable()
        assert r"INTERNAL: " in told
        assert len(told) < 3000
    lying.rest = _http(json.dumps({"error": message}).encode(), 500)
    shown = r"INTERNAL: \x1b[2J\x9b1m\x00\x08\x7f\u202e ä. Received"
    assert shown in _refusal(lying.by_rest)
    assert shown in _refusal(failing_by_grpc(message))


_ROW = {"translation": "a", "score": -1, "cut_off": False, "truncated": False}
_ROWS = {"translation": ["a", "b"], "score": [-1, -2.5], "cut_off": [False, True], "truncated": True}


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([_ROW, {**_ROW, "translation": 3}], "translation must be of type str, and is "),
        ([{**_ROW, "translation": None}, _ROW], "translation must be of type str, and is "),
        ([{**_ROW, "translation": {}}] * 2, "translation must be of type str, and is "),
        ([{**_ROWS, "translation": ["a", ["b"]]}] * 2, "translation must be of type str, and is "),
        ([{**_ROW, "score": "-1"}] * 2, "score must be of type float, and is "),
        ([{**_ROW, "score": True}] * 2, "score must be of type float, and is "),
        ([{**_ROWS, "score": [-1, None]}] * 2, "score must be of type float, and is "),
        ([{**_ROW, "truncated": 0}] * 2, "truncated must be of type bool, and is "),
        ([{**_ROW, "cut_off": 1}] * 2, "cut_off must be of type bool, and is "),
        ([{**_ROW, "truncated": [False]}] * 2, "truncated must be of type bool, and is "),
        ([{**_ROWS, "score": [-1]}] * 2, "sentences differ in their number of hypotheses"),
        ([_ROW, _ROWS], "sentences differ in their number of hypotheses"),
        ([{"translation": [], "score": [], "cut_off": [], "truncated": False}] * 2, "or have none"),
        ([_ROW], "translation is missing, or not of 2 sentence(s)"),
        ([_ROW] * 3, "translation is missing, or not of 2 sentence(s)"),
        ([_ROW, {"translation": "a"}], '{"predictions": [{'),
        ([_ROW, "a"], '{"predictions": [{'),
    ],
)
def test_an_answer_with_wrong_types_is_refused(lying, rows, told):
    lying.rest = _http(rows)
    refusal = _refusal(lying.by_rest)
    assert "does not answer as an export of keras_nmt: " in refusal
    assert told in refusal


_PAIR = {"alignment": [1, 0, -1], "source_word": [0, 1], "target_word": [0, 1, -1], "truncated": False}


@pytest.mark.parametrize(
    "wrong",
    [
        *({"alignment": x} for x in ([2, 0, -1], [0.5, 0, -1], [-2, 0, 0], [1, 0], 1, "1", None, [[1], 0, 0])),
        *({"alignment": [x, 0, -1]} for x in (True, None, "1", 1e400, float("nan"))),
        *({"source_word": x} for x in ([], [0], [0, -1], [0, 0.1])),
        *({"target_word": x} for x in ([], [0, 1], [0, -1, -1], {})),
        {"truncated": 1},
    ],
)
def test_an_alignment_without_its_words_is_refused(lying, wrong):
    lying.rest = _http([_PAIR])
    assert lying.by_rest.align(["a"], ["b"]) == [[(0, 1), (1, 0)]]
    lying.rest = _http([{**_PAIR, **wrong}])
    with pytest.raises(UserError, match=r"does not answer as an export of keras_nmt: .* Received: model="):
        lying.by_rest.align(["a"], ["b"])


def test_log_probabilities_are_plain_numbers(lying):
    for value in ([-1.0], "a", None):
        lying.rest = _http([{"log_probability": value, "truncated": False}])
        told = f"keras_nmt: log_probability must be of type float, and is {value!r}. Received"
        with pytest.raises(UserError, match=re.escape(told)):
            lying.by_rest.score(["a"], ["b"])


def test_unusual_but_correct_answers_are_accepted(lying):
    for text, found in (("a\nb\rc", "a b c"), ("\ud800", "\ufffd" * 3), ("\ud83d\ude00", "\U0001f600")):
        lying.rest = _http([{**_ROW, "translation": text}])
        assert lying.by_rest.translate(["a"])[0].text == found
    row = b'{"translation": "a\n\xff", "score": 1%b, "cut_off": false, "truncated": true, "more": {}}' % (b"0" * 9999)
    lying.rest = _http(b'{"predictions": [%b]}' % row)
    assert lying.by_rest.translate(["a"]) == [Translation((Hypothesis("a \ufffd", math.inf, False),), True)]
    lying.rest = _http([_ROWS])
    assert lying.by_rest.translate(["a"]) == [
        Translation((Hypothesis("a", -1.0, False), Hypothesis("b", -2.5, True)), True)
    ]
    assert isinstance(lying.by_rest.translate(["a"])[0].score, float)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
_ANY_ROW = st.fixed_dictionaries(
    {
        "translation": st.text(max_size=3) | st.lists(st.text(max_size=3), max_size=3) | _JSON,
        "score": st.floats() | st.lists(st.floats(), max_size=3) | _JSON,
        "cut_off": st.booleans() | st.lists(st.booleans(), max_size=3) | _JSON,
        "truncated": st.booleans() | _JSON,
        "log_probability": st.floats() | _JSON,
        **dict.fromkeys(POSITIONS, st.lists(st.integers(-2, 3) | st.floats(), max_size=3) | _JSON),
    }
)
_ANY_ANSWER = _JSON | st.fixed_dictionaries({"predictions": st.lists(_ANY_ROW, max_size=3) | _JSON})


def _check_right_or_refused(client):
    with contextlib.suppress(UserError):
        found = client.translate(["a", "b"])
        assert [type(x.truncated) for x in found] == [bool] * 2
        assert all(x.hypotheses for x in found)
        hypotheses = [y for x in found for y in x.hypotheses]
        assert {tuple(map(type, hypothesis)) for hypothesis in hypotheses} == {(str, float, bool)}
    with contextlib.suppress(UserError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [type(x) for x in client.score(["a"], ["b"])] == [float]
    with contextlib.suppress(UserError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert {type(x) for pairs in client.align(["a"], ["b"]) for pair in pairs for x in pair} <= {int}


@settings(max_examples=150, deadline=None)
@given(content=_ANY_ANSWER.map(json.dumps).map(str.encode) | st.binary(max_size=20))
def test_any_rest_answer_is_correct_or_refused(lying, content):
    lying.rest = _http(content)
    _check_right_or_refused(lying.by_rest)


_TENSORS = st.builds(
    dict,
    dtype=st.sampled_from([tf.float32, tf.int32, tf.string, tf.bool]).map(lambda x: x.as_datatype_enum)
    | st.integers(0, 150),
    dims=st.lists(st.sampled_from([-1, 0, 1, 2, 2, 2, 10**12, 2**62]), max_size=3),
    float_val=st.lists(st.floats(width=32), max_size=4),
    string_val=st.lists(st.binary(max_size=3), max_size=4),
    int_val=st.lists(st.integers(-2, 3), max_size=4),
    bool_val=st.lists(st.booleans(), max_size=4),
    tensor_content=st.binary(max_size=9),
)


@settings(max_examples=150, deadline=None)
@given(
    tensors=st.dictionaries(
        st.sampled_from(["translation", "score", "cut_off", "truncated", "log_probability", *POSITIONS]), _TENSORS
    ),
    noise=st.just(b"") | st.binary(max_size=5),
)
def test_any_grpc_answer_is_correct_or_refused(lying, tensors, noise):
    response = predict_pb2.PredictResponse()
    for name, fields in tensors.items():
        for size in fields.pop("dims"):
            response.outputs[name].tensor_shape.dim.add(size=size)
        response.outputs[name].MergeFrom(tensor_pb2.TensorProto(**fields))
    lying.grpc = response.SerializeToString() + noise
    _check_right_or_refused(lying.by_grpc)


@pytest.mark.parametrize(
    ("dtype", "shape", "count"),
    [
        *((tf.string, shape, 1) for shape in ([], [2], [-1, -1], [10**12], [1, 1, 1, 1], [2**62, 4])),
        (tf.string, [2, 2], 3),
        (tf.string, [2], 0),
        (tf.string, [2, 0], 0),
        (tf.int64, [0], 0),
        (tf.variant, [2], 0),
    ],
)
def test_a_tensor_with_too_few_or_too_many_values_is_refused(lying, dtype, shape, count):
    """Nothing of the shape's size is made."""
    number = dtype.as_datatype_enum
    response = predict_pb2.PredictResponse()
    tensor = response.outputs["translation"]
    tensor.dtype = number
    tensor.string_val.extend([b"a"] * count)
    for size in shape:
        tensor.tensor_shape.dim.add(size=size)
    lying.grpc = response.SerializeToString()
    told = (
        f"does not answer as an export of keras_nmt: {count} values in a tensor of type {number} and shape {shape}. Rec"
    )
    assert told in _refusal(lying.by_grpc)


def test_tensors_may_come_packed(lying):
    """As numbers in `tensor_content`, which a model server may use; strings have no such form."""
    response = predict_pb2.PredictResponse()
    columns = {
        "translation": [["a", "b"]] * 2,
        "score": np.float32([[1, 2], [3, 4]]),
        "cut_off": np.array([[0, 1], [0, 0]], bool),
        "truncated": np.array([1, 0], bool),
    }
    for name, values in columns.items():
        response.outputs[name].CopyFrom(tf.make_tensor_proto(values))
    assert response.outputs["score"].tensor_content
    response.outputs["truncated"].ClearField("bool_val")  # TensorFlow's function packs no booleans
    response.outputs["truncated"].tensor_content = b"\x01\x00"
    lying.grpc = response.SerializeToString()
    first, second = lying.by_grpc.translate(["a", "b"])
    assert first == Translation((Hypothesis("a", 1.0, False), Hypothesis("b", 2.0, True)), True)
    assert second == Translation((Hypothesis("a", 3.0, False), Hypothesis("b", 4.0, False)), False)


def test_messages_equal_those_of_the_official_protocol():
    """The client has the protocol's messages without TensorFlow: names, numbers and types are compared."""
    protocol = {
        "Version": wrappers_pb2.Int64Value,
        "ModelSpec": model_pb2.ModelSpec,
        "Dimension": tensor_shape_pb2.TensorShapeProto.Dim,
        "Shape": tensor_shape_pb2.TensorShapeProto,
        "Tensor": tensor_pb2.TensorProto,
        "Request": predict_pb2.PredictRequest,
        "Response": predict_pb2.PredictResponse,
    }
    for name, message in transports.message_classes().items():
        if name == "Entry":
            continue
        for field in message.DESCRIPTOR.fields:
            other = protocol[name].DESCRIPTOR.fields_by_name[field.name]
            assert field.number == other.number
            assert field.is_repeated == other.is_repeated
            assert field.type == (field.TYPE_INT32 if field.name == "dtype" else other.type)
