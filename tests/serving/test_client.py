"""The client against real servers, by REST and by gRPC: what it sends, what it gives back, when it tries again."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from grpc_server import ServerOfBothApis
from hypothesis import given, settings
from hypothesis import strategies as st

import keras_nmt
from keras_nmt.errors import UserError
from keras_nmt.inference import Hypothesis, Translation
from keras_nmt.serving import Client

APIS = ("rest_url", "grpc_url")


@pytest.fixture(scope="module")
def compiling_server(folder):
    with ServerOfBothApis(folder / "echo", xla=True) as server:
        yield server


def test_an_export_gives_the_translators_answers(exported, translator, lines, tmp_path):
    (tmp_path / "model" / "1").mkdir(parents=True)
    for name in ("saved_model.pb", "variables", "assets"):  # without the warm-up, which needs XLA
        (tmp_path / "model" / "1" / name).symlink_to(exported / name)
    sources, targets = lines[:4], ["die katze", "", "saß", "vier vögel"]
    expected = translator.translate(lines)
    assert any(x.truncated for x in expected)
    with pytest.warns(UserWarning, match="were truncated"):
        expected_scores = translator.score(sources, targets)
    with ServerOfBothApis(tmp_path / "model") as server:
        for api in APIS:
            with Client(getattr(server, api), "model", batch_size=3) as client:
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
    assert client.translate([]) == []
    assert client.score([], []) == []


def test_scores_come_back_in_order(server, api):
    with Client(getattr(server, api), "echo", batch_size=2) as client:
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
    with Client(getattr(compiling_server, api), "echo") as client:
        assert [client.translate(["abc"])[0].score, client.score(["abc"], [""])[0]] == [-3, -3]
    with Client(getattr(server, api), "echo", retries=0) as client:
        asked, predict = [], client._transport.predict

        def noted(signature, *arguments):
            asked.append(signature)
            return predict(signature, *arguments)

        client._transport.predict = noted
        assert [client.translate(["abc"])[0].score, client.score(["abc"], [""])[0]] == [3, 3]
    assert asked == ["serving_default_xla", "serving_default", "score"]


def test_languages_are_given_for_all_lines_or_for_each_line(server_of_languages, api):
    with Client(getattr(server_of_languages, api), "many", batch_size=2) as client:
        found = client.translate(["one", "three", "long"], "de", iter(["fr", "de", "fr"]))
        assert [x.text for x in found] == ["de fr one", "de de three", "de fr long"]
        assert found[2] == Translation((Hypothesis("de fr long", -1.0, False), Hypothesis("long", -2.0, True)), True)
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
            with pytest.raises(UserError, match="must be given together"):
                client.translate(["one"], *languages)
        with pytest.raises(UserError, match="A target language must be a string. Received: 7"):
            client.translate(["one"], "de", 7)
        with pytest.raises(UserError, match="cannot be encoded as UTF-8"):
            client.translate(["one"], "de", "\ud800")


def test_samples_follow_the_seeds(server, compiling_server, api):
    with Client(getattr(server, api), "echo", batch_size=2) as client:
        found = client.sample(["a", "abc", "ab"], seeds=iter([1, -2, 3]))
        assert [x.text for x in found] == ["1 a", "-2 abc", "3 ab"]
        drawn = [x.text.split()[0] for x in client.sample(["a", "abc"], seeds=5)]
        assert drawn == [str(x) for x in np.random.RandomState(5).randint(2**31 - 1, size=2)]
        assert client.sample([]) == []
        with pytest.raises(UserError, match="a seed for each line"):
            client.sample(["a"], seeds=[1, 2])
    with Client(getattr(compiling_server, api), "echo") as client:
        assert client.sample(["abc"], seeds=[7])[0] == Translation((Hypothesis("7 abc", -5.0, False),), False)


@pytest.mark.parametrize(
    "url",
    [
        *("http://my..host:8501", f"grpc://{'a' * 64}.net", "http://[::1", "host:8501", "http://", "http://a b"),
        *("http://host:99999", "http://host\n:8501", "https://a%00b", b"http://host:8501", None, 3),
    ],
)
def test_an_address_without_a_server_is_named(url):
    with pytest.raises(UserError, match="`url` must be .* Received: url="):
        Client(url, "model")


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
        with pytest.raises(UserError, match="INVALID_ARGUMENT.*source_language"):  # a model of one pair
            client.translate(["a"], "de", "fr")
        with pytest.raises(UserError, match="must be a list of strings, not one string"):
            client.translate("a")
        with pytest.raises(UserError, match="a target for each source. Received: 1 sources, 2 targets"):
            client.score(["a"], ["b", "c"])
        with pytest.raises(UserError, match="Line 2 cannot be encoded as UTF-8: surrogates not allowed"):
            client.translate(["a", "\ud800"])


def test_large_requests_and_answers_pass(server, api):
    lines = ["ö" * 1_500_000, *["word " * 100_000] * 4]  # more than gRPC takes unless told to
    with Client(getattr(server, api), "echo") as client:
        assert [translation.text for translation in client.translate(lines)] == lines


def test_threads_share_a_client(server, api):
    texts = [f"text {i}" for i in range(60)]
    with Client(getattr(server, api), "echo") as client, ThreadPoolExecutor(16) as pool:
        assert [found[0].text for found in pool.map(lambda text: client.translate([text]), texts)] == texts


@pytest.mark.parametrize(
    ("url", "options", "told"),
    [
        ("localhost:8501", {}, "`url` must be http://HOST:8501"),
        ("ftp://host", {}, "Received: url='ftp://host'"),
        ("http://", {}, "Received: url='http://'"),
        ("http://user:secret@host", {}, r"without a user, .* Received: url='http://...@host'$"),
        ("http://user:secret@", {}, r"Received: url='http://...@'$"),
        ("http://user:se/cr@et@host", {}, r"Received: url='http://...@host'$"),
        ("http://host/path?key=5", {}, r"Received: url='http://host/path\?key=5'$"),
        ("http://host#part", {}, "Received: url='http://host#part'$"),
        ("grpc://host:1/path", {}, "Received: url='grpc://host:1/path'$"),
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
        ("http://host", {"model": "\ud800"}, "cannot be encoded as UTF-8"),
    ],
)
def test_arguments_are_checked(url, options, told):
    with pytest.raises(UserError, match=told):
        Client(url, **{"model": "model", **options})


def test_numpy_numbers_are_accepted():
    client = Client("http://host", "m", timeout=np.float32(3), retries=np.int64(0), batch_size=np.int32(2))
    assert (client.timeout, client.retries, client.batch_size) == (3, 0, 2)


def test_grpc_without_its_package_names_the_extra(monkeypatch):
    Client("grpc://localhost:8500", "model").close()
    monkeypatch.setitem(sys.modules, "grpc", None)
    Client("http://localhost:8501", "model").close()
    with pytest.raises(UserError, match=r"pip install 'keras_nmt\[serving\]'"):
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
    command = [sys.executable, "-c", f"{start}\n{program}", getattr(server, api)]
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
