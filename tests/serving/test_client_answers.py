"""The client and servers that are not ours, or lie: an answer is right, or refused in one line."""

import contextlib
import json
import math
import re

import grpc
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from raw_servers import http, listening, lying_server, receive
from tensorflow.core.framework import tensor_pb2
from tensorflow_serving.apis import predict_pb2

from keras_nmt.errors import UserError
from keras_nmt.inference import Hypothesis, Translation
from keras_nmt.serving import Client
from keras_nmt.serving.client import transports
from keras_nmt.serving.client.transports import PIECES, POSITIONS

pytestmark = pytest.mark.filterwarnings("ignore:The server truncated")


@pytest.fixture(scope="module")
def lying():
    with lying_server() as server, Client(server.rest_url, "m") as by_rest, Client(server.grpc_url, "m") as by_grpc:
        server.by_rest, server.by_grpc = by_rest, by_grpc
        yield server


def _refusal(client, lines=("a", "b")):
    """The error of a translation, which takes one line."""
    with pytest.raises(UserError) as error:
        client.translate(lines)
    assert "\n" not in str(error.value)
    assert "Received: model='m', version=None, signature='serving_default_xla'" in str(error.value)
    return str(error.value)


def test_redirects_are_not_followed_and_answers_not_decompressed(lying):
    lying.rest, lying.times = http(b"", 307, f"Location: {lying.by_rest.url}/other\r\n"), []
    assert "answered HTTP 307: nothing" in _refusal(lying.by_rest)
    assert len(lying.times) == 1
    for encoding in ("gzip", "deflate"):  # a few bytes could become many
        lying.rest = http(b"packed", header=f"Content-Encoding: {encoding}\r\n")
        assert "export of keras_nmt: packed" in _refusal(lying.by_rest)


def test_values_of_the_server_s_message_and_the_request_are_one_list(lying):
    lying.rest = http(b'{"error": "A beam size is from 1 to 4. Received: [9]"}', 400)
    told = r": A beam size is from 1 to 4\. Received: \[9\], model='m', version=None, signature='serving_default_xla'$"
    with pytest.raises(UserError, match=told):
        lying.by_rest.translate(["a"])


@pytest.mark.parametrize(("status", "header"), [(200, "Transfer-Encoding: chunked"), (200, "a: 1"), (500, "a: 1")])
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
    assert sum(sent) < 2**26  # less than 18 MB or 64 KB were read, and up to 36 MB may wait in the system's buffers


def test_an_answer_by_grpc_is_bounded_by_the_size_of_a_batch(lying):
    assert transports._largest_answer(lying.by_grpc.batch_size) == 80 * 2**20
    lying.grpc = bytes(80 * 2**20 + 1)
    assert "message larger than max (83886081 vs. 83886080)" in _refusal(lying.by_grpc)


def test_an_error_of_any_size_and_characters_is_a_line_for_a_terminal(lying):
    """Escape sequences of a server could write anything over the user's terminal."""
    message = "\x1b[2J\x9b1m\x00\x08\x7f\u202e ä"
    for content in (json.dumps({"error": message + "a" * 3_000_000}).encode(), (message + "a" * 3_000_000).encode()):
        lying.rest = http(content, 500)
        told = _refusal(lying.by_rest)
        assert told.isprintable()
        assert r"INTERNAL: " in told
        assert len(told) < 3000
    lying.rest = http(json.dumps({"error": message}).encode(), 500)
    lying.grpc = grpc.StatusCode.INTERNAL, message
    for client in (lying.by_rest, lying.by_grpc):
        assert r"INTERNAL: \x1b[2J\x9b1m\x00\x08\x7f\u202e ä. Received" in _refusal(client)


_ROW = {"translation": "a", "score": -1, "cut_off": False, "truncated": False}
_ROWS = {"translation": ["a", "b"], "score": [-1, -2.5], "cut_off": [False, True], "truncated": True}


def test_an_answer_that_no_export_gives_is_refused(lying):
    export = "does not answer as an export of keras_nmt: "
    for content, status, told in (
        (b"<html>Bad gateway</html>", 502, "answered HTTP 502: <html>Bad gateway</html>. Received"),
        (b'{"error": {"a": "b\\n"}}', 400, "answered INVALID_ARGUMENT: {'a': 'b"),
        (b"[" * 100_000, 200, f"{export}[[["),
        ([], 200, export + '{"predictions": []}'),
        ([_ROW, "a"], 200, export + '{"predictions": [{'),
        ([_ROW], 200, f"{export}translation is missing, or not of 2 sentence(s)"),
        ([{name: x for name, x in _ROW.items() if name != "truncated"}] * 2, 200, f"{export}truncated is missing"),
        ([_ROW, {**_ROW, "translation": 3}], 200, f"{export}translation must be of type str, and is "),
        ([{**_ROW, "cut_off": 1}] * 2, 200, f"{export}cut_off must be of type bool, and is "),
        ([{**_ROWS, "score": [-1]}] * 2, 200, f"{export}sentences differ in their number of hypotheses"),
        ([{"translation": [], "score": [], "cut_off": [], "truncated": False}] * 2, 200, "or have none"),
    ):
        lying.rest = http(content, status)
        assert told in _refusal(lying.by_rest)
    for pieces, told in (
        ({"token": [["a"], ["b"]], "token_log_probability": [[-1.0], [-1.0]]}, "number of hypotheses"),
        ({"token": ["a"], "token_log_probability": []}, "number of hypotheses"),
        ({"token": ["a"], "token_log_probability": [-1.0, -2.0]}, "subwords and their log-probabilities"),
        ({"token": "a", "token_log_probability": [-1.0]}, "token must be of type str, and is 'a'"),
    ):
        lying.rest = http([{"log_probability": -1.0, "truncated": False, **pieces}])
        with pytest.raises(UserError, match=f"does not answer as an export of keras_nmt: .*{told}"):
            lying.by_rest.score(["a"], ["b"], word_scores=True)
    for value in ([-1.0], "a", None):
        lying.rest = http([{"log_probability": value, "truncated": False}])
        with pytest.raises(UserError, match=rf"log_probability must be of type float, and is {re.escape(repr(value))}"):
            lying.by_rest.score(["a"], ["b"])


def test_an_alignment_without_its_words_is_refused(lying):
    pair = {"alignment": [1, 0, -1], "source_word": [0, 1], "target_word": [0, 1, -1], "truncated": False}
    lying.rest = http([pair])
    assert lying.by_rest.align(["a"], ["b"]) == [[(0, 1), (1, 0)]]
    for wrong in (
        *({"alignment": x} for x in ([2, 0, -1], [0.5, 0, -1], [-2, 0, 0], [1, 0], 1, "1", None, [[1], 0, 0])),
        *({"alignment": [x, 0, -1]} for x in (True, None, "1", 1e400, float("nan"))),
        *({"source_word": x} for x in ([], [0], [0, -1], [0, 0.1])),
        *({"target_word": x} for x in ([], [0, 1], [0, -1, -1], {})),
        {"truncated": 1},
    ):
        lying.rest = http([{**pair, **wrong}])
        with pytest.raises(UserError, match=r"does not answer as an export of keras_nmt: .* Received: model="):
            lying.by_rest.align(["a"], ["b"])


def test_unusual_but_correct_answers_are_accepted(lying):
    for text, found in (("a\nb\rc", "a b c"), ("\ud800", "\ufffd" * 3), ("\ud83d\ude00", "\U0001f600")):
        lying.rest = http([{**_ROW, "translation": text}])
        assert lying.by_rest.translate(["a"])[0].text == found
    row = b'{"translation": "a\n\xff", "score": 1%b, "cut_off": false, "truncated": true, "more": {}}' % (b"0" * 9999)
    lying.rest = http(b'{"predictions": [%b]}' % row)
    assert lying.by_rest.translate(["a"]) == [Translation((Hypothesis("a \ufffd", math.inf, False),), True)]
    lying.rest = http([_ROWS])
    (found,) = lying.by_rest.translate(["a"])
    assert found == Translation((Hypothesis("a", -1.0, False), Hypothesis("b", -2.5, True)), True)
    assert isinstance(found.score, float)


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
        "token": st.lists(st.text(max_size=3), max_size=3) | _JSON,
        "token_log_probability": st.lists(st.floats(), max_size=3) | _JSON,
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
        assert {tuple(map(type, hypothesis[:3])) for hypothesis in hypotheses} == {(str, float, bool)}
    with contextlib.suppress(UserError):
        assert [type(x) for x in client.score(["a"], ["b"])] == [float]
    with contextlib.suppress(UserError):
        (found,) = client.score(["a"], ["b"], word_scores=True)
        assert {tuple(map(type, piece)) for piece in found.pieces} <= {(str, float)}
    with contextlib.suppress(UserError):
        assert {type(x) for pairs in client.align(["a"], ["b"]) for pair in pairs for x in pair} <= {int}


@settings(max_examples=100)
@given(content=_ANY_ANSWER.map(json.dumps).map(str.encode) | st.binary(max_size=20))
def test_any_rest_answer_is_correct_or_refused(lying, content):
    lying.rest = http(content)
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


@settings(max_examples=100)
@given(
    tensors=st.dictionaries(
        st.sampled_from(["translation", "score", "cut_off", "truncated", "log_probability", *PIECES, *POSITIONS]),
        _TENSORS,
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
