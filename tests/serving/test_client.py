"""The client against servers of both APIs: what it sends, and what it gives back."""

import math
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from grpc_server import ServerOfBothApis
from hypothesis import given, settings
from hypothesis import strategies as st
from raw_servers import sent_by

import keras_nmt
from keras_nmt.errors import UserError
from keras_nmt.inference import Hypothesis, Translation
from keras_nmt.serving import Client

APIS = ("rest_url", "grpc_url")


@pytest.fixture(scope="module")
def compiling_server(folder):
    with ServerOfBothApis(folder / "echo", xla=True) as server:
        yield server


@settings(max_examples=30)
@given(
    lines=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), max_size=17),
    batch_size=st.integers(1, 6),
    api=st.sampled_from(APIS),
)
def test_batches_have_similar_lengths_and_results_keep_their_order(server, lines, batch_size, api):
    with Client(getattr(server, api), "echo", batch_size=batch_size) as client:
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
    assert client.translate([]) == client.score([], []) == client.sample([]) == client.align([], []) == []
    assert client.score([], [], word_scores=True) == []
    assert client.translate([], beam_size=1) == client.translate([], word_scores=True) == []


def test_pairs_are_sorted_by_the_longer_text_and_scores_come_back_in_order(server, api):
    with Client(getattr(server, api), "echo", batch_size=1) as client:
        client._xla, sent = False, sent_by(client)
        assert client.score(["a", "abc", ""], ["dddd", "", "äh"]) == [1 - 400, 3, -300]
    assert [inputs["source"] for _, inputs in sent] == [["a"], ["abc"], [""]]


def test_the_compiled_signature_is_preferred_until_a_server_refuses_it(server, compiling_server, api):
    with Client(getattr(compiling_server, api), "echo") as client:
        assert [client.translate(["abc"])[0].score, client.score(["abc"], [""])[0]] == [-3, -3]
        assert client.sample(["abc"], seeds=[7])[0] == Translation((Hypothesis("7 abc", -5.0, False),), False)
    with Client(getattr(server, api), "echo", retries=0) as client:
        sent = sent_by(client)
        assert [client.translate(["abc"])[0].score, client.score(["abc"], [""])[0]] == [3, 3]
    assert [signature for signature, _ in sent] == ["serving_default_xla", "serving_default", "score"]


def test_options_of_a_search_reach_the_signature(server, api):
    with Client(getattr(server, api), "echo", batch_size=2) as client:
        phrases = {"constraints": [["a"], [], ["b|c", "d"]], "avoid": [["a"], [], []]}
        options = {"prefixes": ["die ", "", "der "], "beam_size": 3, "num_hypotheses": 2}
        found = client.translate(["x", "yyy", "zz"], **options, **phrases)
        texts = [[hypothesis.text for hypothesis in x.hypotheses] for x in found]
        assert texts == [["die x", "3"], ["yyy", "3"], ["der zz", "3"]]
        assert [x.hypotheses[0].met for x in found] == [(False,), (), (True, True)]
        with pytest.raises(UserError, match=r"gives at most 2 translation\(s\).* Received: num_hypotheses=4"):
            client.translate(["a"], num_hypotheses=4)
        with pytest.raises(UserError, match="`beam_size` must be an integer from 1 to 1,000. Received: beam_size=0"):
            client.translate(["a"], beam_size=0)
        with pytest.raises(UserError, match=r"a prefix for each line. Received: 1 line\(s\), 2 prefix\(es\)"):
            client.translate(["a"], prefixes=["b", "c"])
        with pytest.raises(UserError, match="no signature `tokens`.*--signature tokens"):
            client.translate(["a"], word_scores=True)
        with pytest.raises(UserError, match="has no scores of subwords: export the model again with"):
            client.score(["a"], ["b"], word_scores=True)


def test_languages_are_given_for_all_lines_or_for_each_line(server_of_languages, api):
    with Client(getattr(server_of_languages, api), "many", batch_size=2) as client:
        found = client.translate(["one", "three", "long"], "de", iter(["fr", "de", "fr"]))
        assert [x.text for x in found] == ["de fr one", "de de three", "de fr long"]
        assert [x.has_unknown for x in found] == [False, True, False]
        assert found[2] == Translation((Hypothesis("de fr long", -1.0, False), Hypothesis("long", -2.0, True)), True)
        assert len(client.translate(["one"], "de", "fr", num_hypotheses=2)[0].hypotheses) == 2  # without `search`
        assert client.score(["a", "b"], ["c", "d"], ["de", "fr"], "fr") == [-1, -9]
        samples = client.sample(["one", "three", "long"], "de", ["fr", "de", "fr"], seeds=[3, -(2**31), 2**31 - 1])
        assert [x.text for x in samples] == ["de fr 3 one", "de de -2147483648 three", "de fr 2147483647 long"]
        for arguments, told in (
            ((["one"], "de", "xx"), r"INVALID_ARGUMENT.*The model has de, fr.*xx.*model='many'"),
            ((["one"],), "INVALID_ARGUMENT.*source_language.* Give languages to models that have several"),
            ((["one", "two"], "de", ["fr"]), r"language for each line, .*: 1 language\(s\), 2 line\(s\)"),
            ((["one"], "de"), "`source` needs `target`"),
        ):
            with pytest.raises(UserError, match=told):
                client.translate(*arguments)
        for ask in (
            lambda: client.translate(["a"], "de", "fr", beam_size=2),
            lambda: client.align(["a"], ["b"], "de", "fr"),
        ):
            with pytest.raises(UserError, match=r"no signature `(search|align)`: .*`--signature \1`. Received"):
                ask()


def test_samples_follow_the_seeds(server, api):
    with Client(getattr(server, api), "echo", batch_size=2) as client:
        found = client.sample(["a", "abc", "ab"], seeds=iter([1, -2, 3]))
        assert [x.text for x in found] == ["1 a", "-2 abc", "3 ab"]
        drawn = [x.text.split()[0] for x in client.sample(["a", "abc"], seeds=5)]
        assert drawn == [str(x) for x in np.random.RandomState(5).randint(2**31 - 1, size=2)]
        with pytest.raises(UserError, match="a seed for each line"):
            client.sample(["a"], seeds=[1, 2])


def test_a_refusal_of_the_server_is_one_line(server, api):
    url = getattr(server, api)
    for arguments, options, told in (
        (("other",), {}, r"NOT_FOUND: .*other.* by `model` or --model, .*Received: model='other', version=None"),
        (("a b/c?",), {}, "NOT_FOUND: .*a b/c|NOT_FOUND: .*a%20b%2Fc"),
        (("echo",), {"version": 3}, "NOT_FOUND: .*no echo, version 3: the server has echo, version 1"),
    ):
        with Client(url, *arguments, **options) as client, pytest.raises(UserError, match=told) as error:
            client.translate(["a"])
        assert "\n" not in str(error.value)
    with Client(url, "echo", version=1) as client:
        assert client.translate(["a"])[0].text == "a"
        with pytest.raises(UserError, match="INVALID_ARGUMENT.* and only to them.*source_language"):  # of one pair
            client.translate(["a"], "de", "fr")
        with pytest.raises(UserError, match=r"a target for each source. Received: 1 source\(s\), 2 target\(s\)"):
            client.score(["a"], ["b", "c"])
        with pytest.raises(UserError, match="Line 2 cannot be encoded as UTF-8: surrogates not allowed"):
            client.translate(["a", "\ud800"])


def test_large_requests_and_answers_pass(server, api):
    lines = ["ö" * 1_500_000, *["word " * 100_000] * 4]  # more than gRPC takes unless told to
    with Client(getattr(server, api), "echo") as client:
        assert [translation.text for translation in client.translate(lines)] == lines


def test_arguments_are_checked():
    urls = ["http://my..host:8501", f"grpc://{'a' * 64}.net", "http://[::1", "localhost:8501", "http://", "http://a b"]
    urls += ["http://host:99999", "http://host:x", "http://host\n:8501", "https://a%00b", b"http://host:8501", None]
    for url in (*urls, "ftp://host", "http://host/path?key=5", "http://host#part", "grpc://host:1/path"):
        with pytest.raises(UserError, match=f"`url` must be .* Received: url={re.escape(repr(url))}$"):
            Client(url, "model")
    for url in ("http://user:secret@host", "http://user:se/cr@et@host"):  # the password is not shown
        with pytest.raises(UserError, match=r"without a user, .* Received: url='http://\.\.\.@host'$"):
            Client(url, "model")
    wrong = {"timeout": (0, math.nan, math.inf, 1e300, True, "3", None, 2j), "batch_size": (0, 8.0, True, None)}
    for name, values in {**wrong, "retries": (-1, 2**63), "version": (-1, True), "model": ("", 3)}.items():
        for value in values:
            with pytest.raises(UserError, match=rf"`{name}` must be .* Received: {name}={re.escape(repr(value))}$"):
                Client("http://host", **{"model": "model", name: value})
    with pytest.raises(UserError, match="cannot be encoded as UTF-8"):
        Client("http://host", "\ud800")
    for scheme in ("http", "https", "grpc"):
        Client(f"{scheme}://[100::a]", "m").close()
    client = Client("http://host", "m", timeout=np.float32(3), retries=np.int64(0), batch_size=np.int32(2))
    assert (client.timeout, client.retries, client.batch_size) == (3, 0, 2)


def test_grpc_without_its_package_names_the_extra(monkeypatch):
    Client("grpc://localhost:8500", "model").close()
    monkeypatch.setitem(sys.modules, "grpc", None)
    Client("http://localhost:8501", "model").close()
    with pytest.raises(UserError, match=r"pip install 'keras_nmt\[serving\]'"):
        Client("grpc://localhost:8500", "model")


# None in place of a module: an import fails.
WITHOUT_TENSORFLOW = """
import sys
names = "tensorflow", "tensorflow_text", "tensorflow_serving", "keras", "keras_hub", "numpy", "h5py", "sentencepiece"
sys.modules.update(dict.fromkeys(names))
from keras_nmt.serving import Client
with Client(sys.argv[1], "echo") as client:
    print(client.translate(["abc", "de"])[1].text, client.score(["abc"], [""]), client.sample(["a"], seeds=[3])[0].text)
from keras_nmt.cli import app
sys.argv = ["keras-nmt", "translate", "--server", sys.argv[1], "--model", "echo", "--scores"]
app.main()
"""


@pytest.mark.parametrize("api", ["rest_url", pytest.param("grpc_url", marks=pytest.mark.slow)])
def test_a_client_needs_neither_tensorflow_nor_keras_nor_numpy(server, api):
    command = [sys.executable, "-c", WITHOUT_TENSORFLOW, getattr(server, api)]
    environment = {**os.environ, "PYTHONPATH": str(Path(keras_nmt.__file__).parents[1])}
    done = subprocess.run(command, input=b"abc\n", capture_output=True, env=environment, timeout=60)
    assert (done.stdout, done.stderr, done.returncode) == (b"de [3.0] 3 a\n3.0000\tabc\n", b"", 0)


# keras-nmt translate --server


def test_translate_uses_a_server(server, server_of_languages, keras_nmt, api):
    there = ["translate", "--server", getattr(server, api), "--model", "echo"]
    assert keras_nmt(*there, stdin="äh\n\nb\r\n") == ("äh\n\nb\n", "")
    named = there[:3] if api == "rest_url" else there  # by gRPC, the client does not ask for the name
    assert keras_nmt(*named, "--timeout", "20", "--retries", "0", stdin="a\n") == ("a\n", "")
    output, errors = keras_nmt(*there, "--scores", stdin="a\nb\nc\nd\nabc\n")
    assert output == "3.0000\ta\n3.0000\tb\n3.0000\tc\n3.0000\td\n3.0000\tabc\n"
    assert errors.startswith("5 line(s), the first of them line 1, were truncated")
    there = ["translate", "--server", getattr(server_of_languages, api), "--model", "many", "-s", "de", "-t", "fr"]
    assert keras_nmt(*there, stdin="one\n") == ("de fr one\n", "")
    assert keras_nmt(*there, "--n-best", "2", "--scores", stdin="one\n").output == "-1.0000\tde fr one\n-2.0000\tone\n"
    drawn = [*there, "--sample", "--seed", "1", "--n-best"]
    assert keras_nmt(*drawn, "2", stdin="one\n").output.startswith("de fr 1791095845 one\n")
    errors = keras_nmt(*drawn, "1", stdin="one\n", code=2).error  # the better one of two would be no sample
    assert "was exported to draw 2 translation(s) of a sentence: give as many. Received: --n-best 1" in errors
    output, errors = keras_nmt(*there, "--n-best", "3", stdin="one\n", code=2)
    assert output == ""
    assert "gives at most 2 translation(s) of a sentence" in errors


def test_translate_by_a_server_has_prefixes_n_best_and_alignments(server, keras_nmt, tmp_path):
    begun, words = tmp_path / "begun", tmp_path / "words"
    begun.write_text("die \n\n")
    options = ["--prefixes", begun, "--n-best", "2", "--beam-size", "3", "--alignments", words]
    there = ["translate", "--server", server.rest_url, "--model", "echo"]
    assert keras_nmt(*there, *options, stdin="one cat\na dog\n") == ("die one cat\n3\na dog\n3\n", "")
    assert words.read_text() == "0-0 1-1\n" * 4


def test_a_translation_cannot_steer_the_terminal(server, keras_nmt, monkeypatch):
    there, text = ["translate", "--server", server.rest_url, "--model", "echo"], "ä\x1b]0;a\x07\x9b\ta\u200cb"
    assert keras_nmt(*there, stdin=f"{text}\n").output == f"{text}\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert keras_nmt(*there, stdin=f"{text}\n").output == "ä\\x1b]0;a\\x07\\x9b\ta\u200cb\n"


def test_errors_of_translate_by_a_server_are_one_line(error_line, monkeypatch):
    monkeypatch.setattr("keras_nmt.serving.client.transports.FIRST_WAIT", 0.001)
    there = ["--server", "http://localhost:1"]
    for arguments, told in (
        (["runs/mine", *there], "no effect with --server. Received: DIRECTORY"),
        ([*there, "--length-penalty", "2", "--xla"], "Received: --length-penalty, --xla"),
        ([*there, "--sample", "--beam-size", "2"], "--sample. Received: --beam-size"),
        (["runs/mine", "--retries", "3"], "--retries goes with --server. Received: --retries 3"),
        (["--server", "grpc://127.0.0.1:1", "--timeout", "0.2", "--model", "m"], "Received: model='m'"),
        ([], "Missing argument: the DIRECTORY of a model, or --server URL"),
    ):
        assert told in error_line("translate", *arguments, stdin="a\n")
