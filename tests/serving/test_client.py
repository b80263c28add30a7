"""The client against real servers, by REST and by gRPC: what it sends, what it gives back, when it tries again."""

from __future__ import annotations

import http.server
import math
import os
import re
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import grpc
import numpy as np
import pytest
from echo_models import write_echo, write_echo_of_languages
from grpc_server import ServerOfBothApis
from hypothesis import given, settings
from hypothesis import strategies as st
from tensorflow_serving.apis import predict_pb2, prediction_service_pb2_grpc

import keras_nmt
from keras_nmt.errors import UserError
from keras_nmt.inference import Translation
from keras_nmt.serving import Client
from keras_nmt.serving.client import FIRST_WAIT

APIS = ("rest", "grpc")


def _serve(path, **options):
    return ServerOfBothApis(path, port=0, **options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    write_echo(folder / "echo" / "1")
    write_echo_of_languages(folder / "many" / "1")
    return folder


@pytest.fixture(scope="module")
def server(folder):
    with _serve(folder / "echo") as server:
        yield server


@pytest.fixture(scope="module")
def compiling_server(folder):
    with _serve(folder / "echo", xla=True) as server:
        yield server


@pytest.fixture(scope="module")
def server_of_languages(folder):
    with _serve(folder / "many") as server:
        yield server


@pytest.fixture(params=APIS)
def api(request):
    return request.param


def _url(server, api):
    return server.rest_url if api == "rest" else server.grpc_url


def test_an_export_gives_the_translators_answers(exported, translator, lines, tmp_path):
    (tmp_path / "model" / "1").mkdir(parents=True)
    for name in ("saved_model.pb", "variables", "assets"):  # without the warm-up, which needs XLA
        (tmp_path / "model" / "1" / name).symlink_to(exported / name)
    sources, targets = lines[:4], ["die katze", "", "saß", "vier vögel"]
    expected = translator.translate(lines)
    assert any(x.truncated for x in expected)
    with pytest.warns(UserWarning, match="were truncated"):
        expected_scores = translator.score(sources, targets)
    with _serve(tmp_path / "model") as server:
        for api in APIS:
            with Client(_url(server, api), "model", batch_size=3) as client:
                found = client.translate(lines)
                assert [translation.text for translation in found] == [translation.text for translation in expected]
                assert [x.score for x in found] == pytest.approx([x.score for x in expected], abs=1e-4)
                assert [x.truncated for x in found] == [x.truncated for x in expected]
                with pytest.warns(UserWarning, match=r"The server truncated 1 pair\(s\)"):
                    assert client.score(sources, targets) == pytest.approx(expected_scores, abs=1e-4)


@settings(max_examples=30, deadline=None)
@given(
    lines=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), max_size=17),
    batch_size=st.integers(1, 6),
    api=st.sampled_from(APIS),
)
def test_batches_have_similar_lengths_and_results_keep_their_order(server, lines, batch_size, api):
    with Client(_url(server, api), "echo", batch_size=batch_size) as client:
        found = client.translate(lines)
    on_one_line = [line.replace("\r", " ").replace("\n", " ") for line in lines]
    assert [translation.text for translation in found] == on_one_line
    order = sorted(range(len(lines)), key=lambda i: -len(lines[i].encode()))
    for place, row in enumerate(order):
        first = place - place % batch_size  # of its batch, and the longest there
        size = min(batch_size, len(lines) - first)
        assert found[row].score == (len(lines[order[first]].encode()) if lines[row] else 0)
        assert found[row].truncated == (size == 5)


def test_no_lines_make_no_request():
    client = Client("http://localhost:9", "model")
    assert client.translate([]) == []
    assert client.score([], []) == []


def test_scores_come_back_in_order(server, api):
    with Client(_url(server, api), "echo", batch_size=2) as client:
        assert client.score(["a", "abc", ""], ["d", "", "äh"]) == [1 - 100, 3, -300]


def test_pairs_are_sorted_by_the_longer_text(server):
    with Client(server.rest_url, "echo", batch_size=1) as client:
        sent, predict = [], client._transport.predict

        def noted(signature, inputs, deadline):
            sent.append(inputs["source"][0])
            return predict(signature, inputs, deadline)

        client._xla, client._transport.predict = False, noted
        client.score(["a", "bb", ""], ["cccc", "bb", "ddd"])
    assert sent == ["a", "", "bb"]


def test_the_compiled_signature_is_preferred_until_a_server_refuses_it(server, compiling_server, api):
    with Client(_url(compiling_server, api), "echo") as client:
        assert [client.translate(["abc"])[0].score, client.score(["abc"], [""])[0]] == [-3, -3]
    with Client(_url(server, api), "echo", retries=0) as client:
        asked, predict = [], client._transport.predict

        def noted(signature, *arguments):
            asked.append(signature)
            return predict(signature, *arguments)

        client._transport.predict = noted
        assert [client.translate(["abc"])[0].score, client.score(["abc"], [""])[0]] == [3, 3]
    assert asked == ["serving_default_xla", "serving_default", "score"]


def test_languages_are_given_for_all_lines_or_for_each_line(server_of_languages, api):
    with Client(_url(server_of_languages, api), "many", batch_size=2) as client:
        found = client.translate(["one", "three", "long"], "de", iter(["fr", "de", "fr"]))
        assert [x.text for x in found] == ["de fr one", "de de three", "de fr long"]
        assert found[2] == Translation((("de fr long", -1.0, False), ("long", -2.0, True)), True)
        assert client.score(["a", "b"], ["c", "d"], ["de", "fr"], "fr") == [-1, -9]
        samples = client.sample(["one", "three", "long"], "de", ["fr", "de", "fr"], seeds=[3, -(2**31), 2**31 - 1])
        assert [x.text for x in samples] == ["de fr 3 one", "de de -2147483648 three", "de fr 2147483647 long"]
        with pytest.raises(UserError, match=r"INVALID_ARGUMENT.*The model has de, fr.*xx.*model='many'"):
            client.translate(["one"], "de", "xx")
        with pytest.raises(UserError, match="INVALID_ARGUMENT.*source_language"):
            client.translate(["one"])
        with pytest.raises(
            UserError, match="a target language for each line, or one for all. Received: 1 languages, 2"
        ):
            client.translate(["one", "two"], "de", ["fr"])
        for languages in (("de",), (None, "fr")):
            with pytest.raises(UserError, match="Give both languages, or none"):
                client.translate(["one"], *languages)
        with pytest.raises(UserError, match="A target language is a string. Received: 7"):
            client.translate(["one"], "de", 7)
        with pytest.raises(UserError, match="cannot be written as UTF-8"):
            client.translate(["one"], "de", "\ud800")


def test_samples_follow_the_seeds(server, compiling_server, api):
    with Client(_url(server, api), "echo", batch_size=2) as client:
        found = client.sample(["a", "abc", "ab"], seeds=iter([1, -2, 3]))
        assert [x.text for x in found] == ["1 a", "-2 abc", "3 ab"]
        drawn = [x.text.split()[0] for x in client.sample(["a", "abc"], seeds=5)]
        assert drawn == [str(x) for x in np.random.RandomState(5).randint(2**31 - 1, size=2)]
        assert client.sample([]) == []
        with pytest.raises(UserError, match="a seed for each line"):
            client.sample(["a"], seeds=[1, 2])
    with Client(_url(compiling_server, api), "echo") as client:
        assert client.sample(["abc"], seeds=[7])[0] == Translation((("7 abc", -5.0, False),), False)


@pytest.mark.parametrize(
    "url",
    [
        *("http://my..host:8501", f"grpc://{'a' * 64}.net", "http://[::1", "host:8501", "http://", "http://a b"),
        *("http://host:99999", "http://host\n:8501", "https://a%00b", b"http://host:8501", None, 3),
    ],
)
def test_an_address_without_a_server_is_named(url):
    with pytest.raises(UserError, match="A server's URL is .* Received: url="):
        Client(url, "model")


def test_a_client_without_the_name_of_a_model_asks_the_server(server, failing):
    with Client(server.rest_url) as client:
        assert client.translate(["a"])[0].text == "a"
        with pytest.raises(UserError, match="Received: model='echo'"):
            client.translate(["a"], "de", "fr")
    # TensorFlow Serving does not tell: the name is that of its image.
    failing.status, failing.code = 400, grpc.StatusCode.INVALID_ARGUMENT
    with Client(failing.url) as client, pytest.raises(UserError, match="queue is full. Received: model='model'"):
        client.translate(["a"])
    failing.status, failing.code = 503, grpc.StatusCode.UNAVAILABLE
    with (
        Client(failing.url, retries=1) as client,
        pytest.raises(ConnectionError, match="Received: model=(None|'model')"),
    ):
        client.translate(["a"])


def test_a_refusal_of_the_server_is_one_line(server, api):
    url = _url(server, api)
    for arguments, options, told in (
        (("other",), {}, r"NOT_FOUND: .*other.* by `model` or --model, .*Received: model='other', version=None"),
        (("a b/c?",), {}, "NOT_FOUND: .*a b/c|NOT_FOUND: .*a%20b%2Fc"),
        (("echo",), {"version": 3}, r"NOT_FOUND: .*Specific\(echo, 3\)"),
    ):
        with Client(url, *arguments, **options) as client, pytest.raises(UserError, match=told) as error:
            client.translate(["a"])
        assert "\n" not in str(error.value)
    with Client(url, "echo", version=1) as client:
        assert client.translate(["a"])[0].text == "a"
        with pytest.raises(UserError, match="INVALID_ARGUMENT.*source_language"):  # a model of one pair
            client.translate(["a"], "de", "fr")
        with pytest.raises(UserError, match="Give a list of lines, not one string"):
            client.translate("a")
        with pytest.raises(UserError, match="a target for each source. Received: 1 sources, 2 targets"):
            client.score(["a"], ["b", "c"])
        with pytest.raises(UserError, match="Line 2 cannot be written as UTF-8: surrogates not allowed"):
            client.translate(["a", "\ud800"])


def test_large_requests_and_answers_pass(server, api):
    lines = ["ö" * 1_500_000, *["word " * 100_000] * 4]  # more than gRPC takes unless told to
    with Client(_url(server, api), "echo") as client:
        assert [translation.text for translation in client.translate(lines)] == lines


def test_threads_share_a_client(server, api):
    texts = [f"text {i}" for i in range(60)]
    with Client(_url(server, api), "echo") as client, ThreadPoolExecutor(16) as pool:
        assert [found[0].text for found in pool.map(lambda text: client.translate([text]), texts)] == texts


# When the server fails


def _free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def test_the_client_waits_for_a_server_that_starts_late(folder, api):
    port = _free_port()
    url = f"{'http' if api == 'rest' else 'grpc'}://127.0.0.1:{port}"
    ports = {"port": port} if api == "rest" else {"grpc_port": port}
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


@pytest.fixture(params=APIS)
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
    monkeypatch.setattr("keras_nmt.serving.client.FIRST_WAIT", 0.001)
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
    monkeypatch.setattr("keras_nmt.serving.client.FIRST_WAIT", 0.1)
    monkeypatch.setattr("keras_nmt.serving.client.LONGEST_WAIT", 0.1)
    start = time.monotonic()
    with Client(failing.url, "model", retries=8) as client, pytest.raises(ConnectionError, match="queue is full"):
        client.translate(["a"])
    assert failing.requests == 9
    assert 8 * 0.05 <= time.monotonic() - start < 5  # 25 s if each wait were twice the one before
    gaps = np.diff(failing.times)
    assert gaps.min() < 0.095


@pytest.mark.parametrize("failing", ["rest"], indirect=True)
def test_no_wait_begins_that_would_end_after_the_deadline(failing, monkeypatch):
    monkeypatch.setattr("keras_nmt.serving.client.FIRST_WAIT", 8)
    start = time.monotonic()
    client = Client(failing.url, "model", retries=8, timeout=3)
    with client, pytest.raises(ConnectionError, match="queue is full"):
        client.translate(["a"])
    assert failing.requests == 1
    assert time.monotonic() - start < 2.5


def test_a_server_that_does_not_answer_meets_the_deadline(api):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"{'http' if api == 'rest' else 'grpc'}://127.0.0.1:{silent.getsockname()[1]}"
        start = time.monotonic()
        with Client(url, "model", timeout=0.4) as client, pytest.raises((TimeoutError, ConnectionError)) as error:
            client.translate(["a"])
        assert 0.3 < time.monotonic() - start < 3
        assert "Received: model='model'" in str(error.value)


@pytest.mark.parametrize(
    ("url", "options", "told"),
    [
        ("localhost:8501", {}, "A server's URL is http://HOST:8501"),
        ("ftp://host", {}, "Received: url='ftp://host'"),
        ("http://", {}, "Received: url='http://'"),
        ("http://host:x", {}, "Received: url='http://host:x'"),
        *(
            ("http://host", {name: value}, rf"`{name}` must be .* Received: {name}={re.escape(repr(value))}$")
            for name, values in {
                "timeout": (0, -1, math.nan, math.inf, -math.inf, 1e300, True, "3", None, 2j, [1]),
                "retries": (-1, 2.0, math.nan, True, "3", None, 2**63),
                "batch_size": (0, -1, 8.0, True, "3", None, 2**63),
                "version": (-1, 1.0, True, "3", 2**63),
            }.items()
            for value in values
        ),
        ("http://host", {"model": ""}, "`model` must be the name of a model. Received: model=''"),
        ("http://host", {"model": 3}, "`model` must be the name of a model. Received: model=3"),
        ("http://host", {"model": "\ud800"}, "cannot be written as UTF-8"),
    ],
)
def test_arguments_are_checked(url, options, told):
    with pytest.raises(UserError, match=told):
        Client(url, **{"model": "model", **options})


def test_numpy_numbers_are_accepted():
    client = Client("http://host", "m", timeout=np.float32(3), retries=np.int64(0), batch_size=np.int32(2))
    assert (client.timeout, client.retries, client.batch_size) == (3, 0, 2)


def test_a_server_and_grpc_without_their_packages_name_the_extra(monkeypatch, folder):
    extra = r"pip install 'keras_nmt\[serving\]'"
    monkeypatch.setitem(sys.modules, "keras_nmt.serving._rest_server", None)  # as without Werkzeug
    Client("grpc://localhost:8500", "model").close()
    with pytest.raises(UserError, match=extra):
        _serve(folder / "echo")
    monkeypatch.setitem(sys.modules, "grpc", None)
    Client("http://localhost:8501", "model").close()
    with pytest.raises(UserError, match=extra):
        Client("grpc://localhost:8500", "model")


HEAVY = ("tensorflow", "tensorflow_text", "tensorflow_serving", "keras", "keras_hub", "numpy", "h5py", "sentencepiece")


@pytest.mark.parametrize(
    "program",
    [
        """
from keras_nmt.serving import Client
with Client(sys.argv[1], "echo") as client:
    print(client.translate(["abc", "de"])[1].text, client.score(["abc"], [""]), client.sample(["a"], seeds=[3])[0].text)
""",
        """
from keras_nmt.cli import app
sys.argv = ["keras-nmt", "translate", "--server", sys.argv[1], "--model", "echo", "--scores"]
app.main()
""",
    ],
)
def test_a_client_needs_neither_tensorflow_nor_keras_nor_numpy(server, api, program):
    start = f"import sys; sys.modules.update(dict.fromkeys({HEAVY}))"  # None: an import fails
    command = [sys.executable, "-c", f"{start}\n{program}", _url(server, api)]
    environment = {**os.environ, "PYTHONPATH": str(Path(keras_nmt.__file__).parents[1])}
    done = subprocess.run(command, input=b"abc\n", capture_output=True, env=environment, timeout=60)
    assert done.stderr == b""
    assert done.stdout in (b"de [3.0] 3 a\n", b"3.0000\tabc\n")
    assert done.returncode == 0


@pytest.mark.parametrize("package", [keras_nmt.experiments, keras_nmt.inference, keras_nmt.serving])
def test_names_are_imported_on_first_use(package):
    """No module has the public name of a thing: whoever imports the module would hide the thing."""
    modules = {path.stem for path in Path(package.__file__).parent.glob("*.py")}
    assert not modules & set(package.__all__)
    assert dir(package) == package.__all__
    for name in package.__all__:
        assert getattr(package, name).__name__ == name
    with pytest.raises(AttributeError, match="other"):
        _ = package.other


# The command line


def test_translate_uses_a_server(server, server_of_languages, command, api):
    there = ["--server", _url(server, api), "--model", "echo"]
    assert command(*there, stdin="äh\n\nb\r\n".encode()) == (0, "äh\n\nb\n", "")
    named = there[:2] if api == "rest" else there  # by gRPC, the client does not ask for the name
    assert command(*named, "--timeout", "20", "--retries", "0", stdin=b"a\n") == (0, "a\n", "")
    code, output, errors = command(*there, "--scores", stdin=b"a\nb\nc\nd\nabc\n")
    assert (code, output) == (0, "3.0000\ta\n3.0000\tb\n3.0000\tc\n3.0000\td\n3.0000\tabc\n")
    assert errors.startswith("5 line(s) were truncated")
    there = ["--server", _url(server_of_languages, api), "--model", "many", "-s", "de", "-t", "fr"]
    assert command(*there, stdin=b"one\n") == (0, "de fr one\n", "")
    assert command(*there, "--n-best", "2", "--scores", stdin=b"one\n")[1] == "-1.0000\tde fr one\n-2.0000\tone\n"
    assert command(*there, "--sample", "--seed", "1", stdin=b"one\n")[1].startswith("de fr 1791095845 one\n")
    code, output, errors = command(*there, "--n-best", "3", stdin=b"one\n")
    assert (code, output) == (2, "")
    assert "gives 2 translation(s) of a sentence at most" in errors


def test_a_translation_cannot_steer_the_terminal(server, command, monkeypatch):
    there, text = ["--server", server.rest_url, "--model", "echo"], "ä\x1b]0;a\x07\x9b\ta\u200cb"
    assert command(*there, stdin=f"{text}\n".encode())[1] == f"{text}\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert command(*there, stdin=f"{text}\n".encode())[1] == "ä\\x1b]0;a\\x07\\x9b\ta\u200cb\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["runs/mine", "--server", "http://localhost:1"], "no effect with --server. Received: DIRECTORY"),
        (["--server", "http://localhost:1", "--length-penalty", "2", "--xla"], "Received: --length-penalty, --xla"),
        (["--server", "http://localhost:1", "--sample", "--beam-size", "2"], "--sample. Received: --beam-size"),
        (["--server", "http://localhost:1", "--split-sentences", "en", "--n-best", "2"], "es. Received: --n-best"),
        (["runs/mine", "--split-sentences", "en"], "goes with --server. Received: --split-sentences en"),
        (["--server", "http://localhost:1", "--seed", "3"], "--seed goes with --sample. Received: --seed 3"),
        (["--server", "http://localhost:1", "--sample", "--top-k", "3"], "no effect with --server. Received: --top-k"),
        (["runs/mine", "--model", "mine"], "--model goes with --server"),
        (["runs/mine", "--timeout", "3"], "--timeout goes with --server. Received: --timeout 3"),
        (["runs/mine", "--retries", "3"], "--retries goes with --server. Received: --retries 3"),
        (["--server", "http://localhost:1", "--timeout", "0"], "`timeout` must be a number above 0"),
        (["--server", "http://localhost:1", "--retries", "-1"], "`retries` must be an integer of at least 0"),
        (["--server", "grpc://127.0.0.1:1", "--timeout", "0.2", "--model", "m"], "Received: model='m'"),
        ([], "Missing argument: the DIRECTORY of a model, or --server URL"),
        (["--server", "localhost"], "A server's URL is"),
        (["--server", f"http://127.0.0.1:{_free_port()}"], "cannot be reached"),
    ],
)
def test_errors_of_translate_by_a_server_are_one_line(command, monkeypatch, arguments, told):
    monkeypatch.setattr("keras_nmt.serving.client.FIRST_WAIT", 0.001)
    code, output, errors = command(*arguments, stdin=b"a\n")
    assert (code, output) == (2, "")
    assert errors.startswith("Error: ")
    assert errors.count("\n") == 1
    assert told in errors
