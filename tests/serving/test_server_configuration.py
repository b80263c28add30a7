"""The configuration in `savedmodels`: a model server can read it, and its parts agree with each other and exports."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

import pytest
import yaml
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format, wrappers_pb2
from tensorflow_serving.config import model_server_config_pb2

from keras_nmt.inference.search_options import SearchOptions

FOLDER = Path(__file__).parents[2] / "savedmodels"
README = (FOLDER / "README.md").read_text(encoding="utf-8")
TAG = "2.20.0"  # of the server's image
PORTS = {"grpc": 8500, "rest": 8501}
# Of the server's image: https://github.com/tensorflow/serving, tools/docker.
ENTRY_POINT = "/usr/bin/tf_serving_entrypoint.sh"
FLAGS = {
    "batching_parameters_file",
    "enable_batching",
    "model_config_file",
    "model_config_file_poll_wait_seconds",
    "monitoring_config_file",
    "rest_api_timeout_in_ms",
    "tensorflow_intra_op_parallelism",
    "xla_cpu_compilation_enabled",
    "xla_gpu_compilation_enabled",
}


def _messages(*names):
    """Messages of the server's configuration that tensorflow-serving-api lacks, from the server's sources."""
    file = descriptor_pb2.FileDescriptorProto(name="server_configuration.proto", package="tensorflow.serving")
    file.syntax = "proto3"
    file.dependency.append("google/protobuf/wrappers.proto")
    field = descriptor_pb2.FieldDescriptorProto
    int64, string = ".google.protobuf.Int64Value", ".google.protobuf.StringValue"
    messages = {
        "BatchingParameters": [
            ("max_batch_size", 1, int64),
            ("batch_timeout_micros", 2, int64),
            ("max_enqueued_batches", 3, int64),
            ("num_batch_threads", 4, int64),
            ("thread_pool_name", 5, string),
            ("allowed_batch_sizes", 6, field.TYPE_INT64),
            ("pad_variable_length_inputs", 7, field.TYPE_BOOL),
        ],
        "PrometheusConfig": [("enable", 1, field.TYPE_BOOL), ("path", 2, field.TYPE_STRING)],
        "MonitoringConfig": [("prometheus_config", 1, ".tensorflow.serving.PrometheusConfig")],
    }
    for name, fields in messages.items():
        message = file.message_type.add(name=name)
        for field_name, number, kind in fields:
            many = field_name == "allowed_batch_sizes"
            added = message.field.add(name=field_name, number=number)
            added.label = field.LABEL_REPEATED if many else field.LABEL_OPTIONAL
            added.type = field.TYPE_MESSAGE if isinstance(kind, str) else kind
            if isinstance(kind, str):
                added.type_name = kind
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(wrappers_pb2.DESCRIPTOR.serialized_pb)
    pool.Add(file)
    return (message_factory.GetMessageClass(pool.FindMessageTypeByName(f"tensorflow.serving.{x}")) for x in names)


@pytest.fixture(scope="module")
def configurations():
    """The message in each file."""
    batching, monitoring = _messages("BatchingParameters", "MonitoringConfig")
    classes = {
        "models.config": model_server_config_pb2.ModelServerConfig,
        "batching.config": batching,
        "monitoring.config": monitoring,
    }
    return {name: text_format.Parse((FOLDER / name).read_text(), kind()) for name, kind in classes.items()}


@pytest.fixture(scope="module")
def compose():
    return yaml.safe_load((FOLDER / "compose.yaml").read_text())


@pytest.fixture(scope="module")
def kubernetes():
    return tuple(yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text()))


def _flags(arguments):
    pairs = [re.fullmatch(r"--(\w+)=(.+)", argument).groups() for argument in arguments]
    assert len(dict(pairs)) == len(pairs)
    assert dict(pairs).keys() <= FLAGS
    return dict(pairs)


def test_the_model_server_finds_the_models(configurations):
    (model,) = configurations["models.config"].model_config_list.config
    assert (model.name, model.base_path, model.model_platform) == ("MODEL", "/models/MODEL", "tensorflow")
    # As the README's commands mount it.
    assert f'source="$PWD/savedmodels/{model.name}",target={model.base_path},readonly' in README
    assert f"localhost:{PORTS['rest']}/v1/models/{model.name}:predict" in README


def test_the_version_policy_in_the_comments_is_valid():
    lines = (FOLDER / "models.config").read_text().splitlines()
    commented = [line.strip().removeprefix("#") for line in lines if line.strip().startswith("#     ")]
    assert len(commented) == 3
    model = text_format.Parse("\n".join(commented), model_server_config_pb2.ModelConfig())
    assert list(model.model_version_policy.specific.versions) == [1, 2]
    assert dict(model.version_labels) == {"stable": 1, "canary": 2}


def test_batches_have_the_sizes_that_exports_pad_to(configurations):
    batching = configurations["batching.config"]
    assert tuple(batching.allowed_batch_sizes) == SearchOptions.batch_buckets
    assert batching.max_batch_size.value == SearchOptions.batch_buckets[-1]
    assert batching.num_batch_threads.value >= 1
    assert not batching.pad_variable_length_inputs  # it would pad phrases by another text's


def test_monitoring_has_the_path_of_the_readme(configurations):
    prometheus = configurations["monitoring.config"].prometheus_config
    assert prometheus.enable
    assert f"http://localhost:{PORTS['rest']}{prometheus.path}" in README


def test_the_compose_file_is_valid(compose, configurations):
    services = compose["services"]
    assert set(services) == {"cpu", "cpu-xla", "gpu-xla"}
    for name, service in services.items():
        assert service["profiles"] == [name]
        assert f"`{name}`" in README
        assert f"--profile {name} up" in (FOLDER / "compose.yaml").read_text()
        flags = _flags(service["command"])
        assert service["ports"] == [f"{port}:{port}" for port in PORTS.values()]
        mounts = dict(volume.split(":")[:2] for volume in service["volumes"])
        assert mounts.pop("./") == "/models"
        assert set(mounts) <= set(compose["volumes"])
        used = {PurePosixPath(path) for key, path in flags.items() if key.endswith("_file")}
        assert used == {PurePosixPath("/models") / file for file in configurations}
        assert service["healthcheck"]["test"][-1].endswith(f"/localhost/{PORTS['rest']}")

    plain, cpu, gpu = (services[name] for name in ("cpu", "cpu-xla", "gpu-xla"))
    by_service = (plain, "tensorflow_intra_op_parallelism", "1"), (cpu, "xla_cpu_compilation_enabled", "true")
    for service, flag, value in (*by_service, (gpu, "xla_gpu_compilation_enabled", "true")):
        assert service["entrypoint"][0] == ENTRY_POINT
        assert _flags(service["entrypoint"][1:]) == {flag: value}
        assert service["entrypoint"][1] in README
    assert [x["image"].partition(":")[2] for x in (plain, cpu, gpu)] == [TAG, TAG, f"{TAG}-gpu"]
    assert _cache(cpu["environment"]["TF_XLA_FLAGS"]) in dict(x.split(":")[:2] for x in cpu["volumes"]).values()


def _cache(flags):
    """The folder of compilations, which the README names, too."""
    assert f'TF_XLA_FLAGS="{flags}"' in README
    return re.search(r"cache_directory=(\S+)", flags)[1]


def test_the_kubernetes_files_are_valid(kubernetes, compose, configurations):
    deployment, service, _ = kubernetes
    assert [x["kind"] for x in kubernetes] == ["Deployment", "Service", "PodDisruptionBudget"]
    pod, labels = deployment["spec"]["template"]["spec"], deployment["spec"]["template"]["metadata"]["labels"]
    assert deployment["spec"]["selector"]["matchLabels"] == service["spec"]["selector"] == labels
    (container,) = pod["containers"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert ports == PORTS
    assert {port["targetPort"]: port["port"] for port in service["spec"]["ports"]} == PORTS

    flags = _flags(container["args"])
    files = {PurePosixPath(value) for key, value in flags.items() if key.endswith("_file")}
    mounts = {mount["name"]: PurePosixPath(mount["mountPath"]) for mount in container["volumeMounts"]}
    assert files == {mounts["config"] / name for name in configurations}
    assert set(mounts) == {volume["name"] for volume in pod["volumes"]}
    (config,) = (volume["configMap"]["name"] for volume in pod["volumes"] if volume["name"] == "config")
    head = " ".join((FOLDER / "kubernetes.yaml").read_text().split("apiVersion")[0].split())
    assert f"kubectl create configmap {config} " in head
    assert set(re.findall(r"--from-file=(\S+)", head)) == set(configurations)
    (model,) = configurations["models.config"].model_config_list.config
    assert PurePosixPath(model.base_path).parent == mounts["models"]
    assert container["readinessProbe"]["httpGet"] == {"path": f"/v1/models/{model.name}/metadata", "port": "rest"}
    (variable,) = container["env"]
    assert variable["name"] == "TF_XLA_FLAGS"
    assert PurePosixPath(_cache(variable["value"])) == mounts["cache"]

    # The same server as that of compose, but for the folders of the files.
    other = _flags([*compose["services"]["cpu-xla"]["entrypoint"][1:], *compose["services"]["cpu-xla"]["command"]])
    assert {key: PurePosixPath(value).name for key, value in flags.items()} == {
        key: PurePosixPath(value).name for key, value in other.items()
    }


def test_a_pod_ends_after_its_requests_and_never_all_pods_at_once(kubernetes):
    deployment, _, budget = kubernetes
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


def test_the_readme_names_every_file():
    for path in FOLDER.iterdir():
        if path.is_file() and path.name != "README.md":
            assert f"]({path.name})" in README
