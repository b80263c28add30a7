"""What all tests share: two logical CPU devices, seeds, a place for real data."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras
import pytest
import tensorflow as tf

from keras_nmt.cli import app as cli

# Two devices, so that every test may use two replicas; set before TensorFlow starts.
tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
)


@pytest.fixture(autouse=True)
def _same_every_time():
    keras.utils.set_random_seed(1)
    yield
    keras.config.set_dtype_policy("float32")


@pytest.fixture(scope="session")
def multi30k() -> Path:
    """The Multi30k corpus, which is not part of the project."""
    default = Path(__file__).parents[2] / "shared" / "data" / "multi30k"
    folder = Path(os.environ.get("KERAS_NMT_MULTI30K", default))
    if not (folder / "train.en.gz").is_file():
        pytest.skip(f"Multi30k is not at {folder}; set KERAS_NMT_MULTI30K to its folder")
    return folder


@pytest.fixture
def error_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs `keras-nmt ARGUMENTS` in this process, which must end as errors do, and gives the one line that it tells."""

    def run(*arguments: object) -> str:
        monkeypatch.setattr(sys, "argv", ["keras-nmt", *map(str, arguments)])
        with pytest.raises(SystemExit) as raised:
            cli.main()
        assert raised.value.code == 2
        error = capsys.readouterr().err
        assert error.startswith("Error: ")
        assert error.count("\n") == 1
        return error

    return run


@pytest.fixture(scope="session")
def run_python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., subprocess.CompletedProcess[bytes]]]:
    """Runs `python ARGUMENTS` in a process of its own, without the seconds that importing TensorFlow takes."""
    folder = tmp_path_factory.mktemp("programs")
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    server = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("fork_server.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    )

    def run(
        *arguments: object, stdin: bytes = b"", cwd: str | Path = ".", **more: str
    ) -> subprocess.CompletedProcess[bytes]:
        files = {name: folder / name for name in ("stdin", "stdout", "stderr")}
        for name, file in files.items():
            file.write_bytes(stdin if name == "stdin" else b"")
        request = {
            "arguments": [*map(str, arguments)],
            "folder": os.path.abspath(cwd),
            "environment": {**environment, **more},
            **{name: str(file) for name, file in files.items()},
        }
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        status = int(server.stdout.readline())
        output, error = files["stdout"].read_bytes(), files["stderr"].read_bytes()
        return subprocess.CompletedProcess(request["arguments"], status, output, error)

    yield run
    server.communicate()
