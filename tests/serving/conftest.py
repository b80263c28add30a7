"""Ways to run an export without keras_nmt, and servers of models that echo."""

import json

import pytest
from echo_models import meta_graph_of, write_echo, write_echo_of_languages
from grpc_server import ServerOfBothApis

# What a process that knows nothing of keras_nmt runs: the server's way of loading, by a session.
RUN_BY_SESSION = """
import json, sys, numpy as np
sys.modules["keras_nmt"] = None  # an import would fail
import tensorflow as tf, tensorflow_text
path, requests = sys.argv[1], json.load(sys.stdin)
with tf.compat.v1.Session(graph=tf.Graph()) as session:
    signatures = tf.compat.v1.saved_model.loader.load(session, ["serve"], path).signature_def
    answers = []
    for name, inputs in requests:
        signature = signatures[name]
        outputs = {key: info.name for key, info in signature.outputs.items()}
        ranks = {key: len(info.tensor_shape.dim) for key, info in signature.inputs.items()}
        feed = {signature.inputs[key].name: texts or np.empty([0] * ranks[key]) for key, texts in inputs.items()}
        try:
            answers.append({key: value.tolist() for key, value in session.run(outputs, feed).items()})
        except tf.errors.InvalidArgumentError as error:
            answers.append(str(error))
print(json.dumps(answers, default=bytes.decode))
"""


@pytest.fixture(scope="session")
def ask_session(run_python):
    """What signatures of an export answer to inputs, or the message of an error, in a process without keras_nmt."""

    def ask(exported, requests, **environment):
        stdin = json.dumps(requests).encode()
        done = run_python("-c", RUN_BY_SESSION, exported, stdin=stdin, cwd="/", **environment)
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(done.stdout)

    return ask


@pytest.fixture(scope="session")
def reached():
    """The operators that a signature of an export can run, and whether any function is marked for XLA."""

    def find(exported, signature):
        meta_graph = meta_graph_of(exported)
        nodes = {node.name: node for node in meta_graph.graph_def.node}
        library = {function.signature.name: function for function in meta_graph.graph_def.library.function}
        waiting = [nodes[info.name.split(":")[0]] for info in meta_graph.signature_def[signature].outputs.values()]
        seen, operators, marked = set(), set(), False
        while waiting:
            node = waiting.pop()
            operators.add(node.op)
            marked |= any("XlaMustCompile" in name and value.b for name, value in node.attr.items())
            for value in node.attr.values():
                for name in {value.func.name, *(function.name for function in value.list.func)} & set(library) - seen:
                    seen.add(name)
                    marked |= any("XlaMustCompile" in key and one.b for key, one in library[name].attr.items())
                    waiting.extend(library[name].node_def)
        return operators, marked

    return find


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """The folders of `write_echo` and `write_echo_of_languages`, with the version 1 each."""
    folder = tmp_path_factory.mktemp("served")
    write_echo(folder / "echo" / "1")
    write_echo_of_languages(folder / "many" / "1")
    return folder


@pytest.fixture(scope="module")
def server(folder):
    """A server of `write_echo`."""
    with ServerOfBothApis(folder / "echo") as server:
        yield server


@pytest.fixture(scope="module")
def server_of_languages(folder):
    """A server of `write_echo_of_languages`."""
    with ServerOfBothApis(folder / "many") as server:
        yield server


@pytest.fixture(params=["rest_url", "grpc_url"])
def api(request):
    """The attribute of a server that holds its URL for an API."""
    return request.param


@pytest.fixture
def written(monkeypatch):
    """What is given to write, of exports that write an empty file instead of a model."""
    made = []

    def write(*arguments):
        *given, folder = arguments
        (folder / "saved_model.pb").write_bytes(b"")
        made.append(given)

    monkeypatch.setattr("keras_nmt.serving._export._write", write)
    return made
