"""The files in `savedmodels`: a model server can read them, they agree, and the README's requests are answered."""

import json
import re
import shlex
import shutil
import subprocess
import textwrap
from pathlib import Path, PurePosixPath

import pytest
import yaml
from google.protobuf import text_format
from grpc_server import ServerOfBothApis
from tensorflow_serving.config import model_server_config_pb2

from keras_nmt.files.search_options import SearchOptions

FOLDER = Path(__file__).parents[2] / "savedmodels"
README = (FOLDER / "README.md").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load((FOLDER / "compose.yaml").read_text())
KUBERNETES = list(yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text()))
TAG = "2.20.0"  # of the server's image
PORTS = {"grpc": 8500, "rest": 8501}
# Of the server's image: https://github.com/tensorflow/serving, tools/docker.
ENTRY_POINT = "/usr/bin/tf_serving_entrypoint.sh"
FLAGS = {"batching_parameters_file", "enable_batching", "model_config_file", "model_config_file_poll_wait_seconds"}
FLAGS |= {"monitoring_config_file", "rest_api_timeout_in_ms", "tensorflow_intra_op_parallelism"}
FLAGS |= {"xla_cpu_compilation_enabled", "xla_gpu_compilation_enabled"}
CONFIGURATIONS = {"models.config", "batching.config", "monitoring.config"}
# Fields of `BatchingParameters`, from the server's sources: tensorflow-serving-api lacks the message.
BATCHING = {"max_batch_size", "batch_timeout_micros", "max_enqueued_batches", "num_batch_threads"}


def _text(name):
    """A file on one line without its comments."""
    return " ".join(re.sub("#.*", "", (FOLDER / name).read_text()).split())


def _flags(arguments):
    pairs = [re.fullmatch(r"--(\w+)=(.+)", argument).groups() for argument in arguments]
    assert len(dict(pairs)) == len(pairs)
    assert dict(pairs).keys() <= FLAGS
    return dict(pairs)


def test_the_model_server_finds_the_models_and_metrics_where_the_readme_says():
    config = text_format.Parse(_text("models.config"), model_server_config_pb2.ModelServerConfig())
    (model,) = config.model_config_list.config
    assert (model.name, model.base_path, model.model_platform) == ("MODEL", "/models/MODEL", "tensorflow")
    assert f'source="$PWD/savedmodels/{model.name}",target={model.base_path},readonly' in README
    assert f"localhost:{PORTS['rest']}/v1/models/{model.name}:predict" in README
    (path,) = re.findall(r'^prometheus_config { enable: true path: "(.*)" }$', _text("monitoring.config"))
    assert f"http://localhost:{PORTS['rest']}{path}" in README


def test_the_version_policy_in_the_comments_is_valid():
    lines = re.findall("^ *#(     .*)", (FOLDER / "models.config").read_text(), re.MULTILINE)
    model = text_format.Parse("\n".join(lines), model_server_config_pb2.ModelConfig())
    assert list(model.model_version_policy.specific.versions) == [1, 2]
    assert dict(model.version_labels) == {"stable": 1, "canary": 2}


def test_batches_have_the_sizes_that_exports_pad_to():
    text = _text("batching.config")
    assert tuple(map(int, re.findall(r"allowed_batch_sizes: (\d+)", text))) == SearchOptions.batch_buckets
    wrapped = dict(re.findall(r"(\w+) { value: (\d+) }", text))
    assert wrapped.keys() == BATCHING
    assert int(wrapped["max_batch_size"]) == SearchOptions.batch_buckets[-1]
    assert int(wrapped["num_batch_threads"]) >= 1
    # Nothing else: pad_variable_length_inputs would pad phrases by another text's.
    assert not re.sub(r"\w+ { value: \d+ }|allowed_batch_sizes: \d+", "", text).split()


def test_the_compose_file_is_valid():
    services = COMPOSE["services"]
    assert set(services) == {"cpu", "cpu-xla", "gpu-xla"}
    for name, service in services.items():
        assert service["profiles"] == [name]
        assert f"`{name}`" in README
        assert f"--profile {name} up" in (FOLDER / "compose.yaml").read_text()
        flags = _flags(service["command"])
        assert service["ports"] == [f"{port}:{port}" for port in PORTS.values()]
        mounts = dict(volume.split(":")[:2] for volume in service["volumes"])
        assert mounts.pop("./") == "/models"
        assert set(mounts) <= set(COMPOSE["volumes"])
        used = {PurePosixPath(path) for key, path in flags.items() if key.endswith("_file")}
        assert used == {PurePosixPath("/models") / file for file in CONFIGURATIONS}
        assert service["healthcheck"]["test"][-1].endswith(f"/localhost/{PORTS['rest']}")

    for name, option in (
        ("cpu", "--tensorflow_intra_op_parallelism=1"),
        ("cpu-xla", "--xla_cpu_compilation_enabled=true"),
        ("gpu-xla", "--xla_gpu_compilation_enabled=true"),
    ):
        assert services[name]["entrypoint"] == [ENTRY_POINT, option]
        assert option in README
        assert services[name]["image"].endswith(f":{TAG}-gpu" if "gpu" in name else f":{TAG}")
    cpu = services["cpu-xla"]
    assert _cache(cpu["environment"]["TF_XLA_FLAGS"]) in dict(x.split(":")[:2] for x in cpu["volumes"]).values()


def _cache(flags):
    """The folder of compilations, which the README names, too."""
    assert f'TF_XLA_FLAGS="{flags}"' in README
    return re.search(r"cache_directory=(\S+)", flags)[1]


def test_the_kubernetes_files_are_valid():
    deployment, service, _ = KUBERNETES
    assert [x["kind"] for x in KUBERNETES] == ["Deployment", "Service", "PodDisruptionBudget"]
    pod, labels = deployment["spec"]["template"]["spec"], deployment["spec"]["template"]["metadata"]["labels"]
    assert deployment["spec"]["selector"]["matchLabels"] == service["spec"]["selector"] == labels
    (container,) = pod["containers"]
    assert {port["name"]: port["containerPort"] for port in container["ports"]} == PORTS
    assert {port["targetPort"]: port["port"] for port in service["spec"]["ports"]} == PORTS

    flags = _flags(container["args"])
    files = {PurePosixPath(value) for key, value in flags.items() if key.endswith("_file")}
    mounts = {mount["name"]: PurePosixPath(mount["mountPath"]) for mount in container["volumeMounts"]}
    assert files == {mounts["config"] / name for name in CONFIGURATIONS}
    assert set(mounts) == {volume["name"] for volume in pod["volumes"]}
    (config,) = (volume["configMap"]["name"] for volume in pod["volumes"] if volume["name"] == "config")
    head = " ".join((FOLDER / "kubernetes.yaml").read_text().split("apiVersion")[0].split())
    assert f"kubectl create configmap {config} " in head
    assert set(re.findall(r"--from-file=(\S+)", head)) == CONFIGURATIONS
    assert mounts["models"] == PurePosixPath("/models")
    assert container["readinessProbe"]["httpGet"] == {"path": "/v1/models/MODEL/metadata", "port": "rest"}
    ((name, value),) = (variable.values() for variable in container["env"])
    assert (name, PurePosixPath(_cache(value))) == ("TF_XLA_FLAGS", mounts["cache"])

    # The same server as that of compose, but for the folders of the files.
    xla = COMPOSE["services"]["cpu-xla"]
    other = _flags([*xla["entrypoint"][1:], *xla["command"]])
    names = [{key: PurePosixPath(value).name for key, value in x.items()} for x in (flags, other)]
    assert names[0] == names[1]


def test_a_pod_ends_after_its_requests_and_never_all_pods_at_once():
    deployment, _, budget = KUBERNETES
    pod = deployment["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    wait = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
    longest_request = int(_flags(container["args"])["rest_api_timeout_in_ms"]) / 1000
    assert longest_request < wait < pod["terminationGracePeriodSeconds"]
    assert deployment["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
    assert budget["spec"]["minAvailable"] < deployment["spec"]["replicas"]
    assert budget["spec"]["selector"] == deployment["spec"]["selector"]


def test_every_file_has_the_same_image():
    root = FOLDER.parent
    files = [*FOLDER.iterdir(), *(root / "docker").iterdir(), *(root / "recipes" / "kubernetes").iterdir()]
    files += [*(root / "docs").rglob("*.md"), *(root / "keras_nmt").rglob("*.py")]
    texts = "".join(path.read_text(encoding="utf-8") for path in files if path.is_file())
    found = re.findall(r"tensorflow/serving:([\w.]+)|^ARG SERVING=(.*)$", texts, re.MULTILINE)
    assert len(found) == 8
    assert {"".join(tags) for tags in found} == {TAG}


SECTION = README.split("\n## Send text")[1].split("\n## ")[0]
COMMANDS = re.findall(r"^    (curl (?:.*\\\n)*.*)", SECTION, re.MULTILINE) + re.findall(r"`(curl [^`]*)`", SECTION)


@pytest.fixture(scope="module")
def server(folder):
    with ServerOfBothApis(folder / "echo", name="MODEL", xla=True) as running:
        yield running


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_requests_by_curl_are_answered(server):
    answers = []
    for command in COMMANDS:
        arguments = shlex.split(command.replace("http://localhost:8501", server.rest_url).replace("\\\n", " "))
        run = subprocess.run([*arguments, "--fail-with-body"], capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stdout
        answers.append(json.loads(run.stdout))
    translated, scored, searched, health = answers
    assert translated["outputs"]["translation"] == ["A man sleeps.", ""]
    assert {"score", "cut_off", "truncated"} < set(translated["outputs"])
    assert scored["outputs"]["log_probability"] == [100 * len("Ein Mann schläft.".encode()) - len("A man sleeps.")]
    assert searched["predictions"][0]["translation"] == ["EinA man sleeps.", "3"]
    assert health == {"model": "MODEL", "version": 1}


def test_the_program_by_grpc_prints_the_translation(server, capsys):
    (program,) = re.findall(r"^    import grpc\n(?:    .*\n|\n)*", SECTION, re.MULTILINE)
    exec(textwrap.dedent(program).replace("localhost:8500", server.grpc_url.removeprefix("grpc://")), {})
    assert capsys.readouterr().out == "['A man sleeps.']\n"
