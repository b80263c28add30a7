"""Fixtures of all tests: two logical CPU devices, seeds, folders shared between processes, real data."""

from __future__ import annotations

import ctypes
import functools
import gc
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

# Before TensorFlow is imported, here and by the workers. There are as many test processes as cores: more threads per
# process would only compete with each other. Most graphs run once: neither XLA nor TensorFlow optimises them.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "1")
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")
# Tests have two replicas and expect equal bits: on a GPU, some thirty of tests/training fail for these reasons.
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import pytest
from filelock import FileLock
from hypothesis import settings
from run_of_tests import (  # noqa: F401  hooks
    LongTests,
    pytest_runtest_makereport,
    pytest_runtest_protocol,
    pytest_xdist_auto_num_workers,
)

# Imports and graphs make many objects: by default, a tenth of the time goes into looking through them for garbage.
gc.set_threshold(50_000, 10, 10)

# A property holds on slow machines, too. `--hypothesis-profile` takes precedence.
settings.register_profile("without_deadline", deadline=None)
settings.load_profile("without_deadline")


# As a module with docstring examples, pytest would import the file again, and register its layers again.
collect_ignore = ["support/own_mechanisms.py"]


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Gives TensorFlow two devices, before it starts, so that every test may use two replicas."""
    if not hasattr(config, "workerinput"):  # workers send their reports to the process that shows them
        config.pluginmanager.register(LongTests())
        if config.getoption("tx"):
            return  # This process only distributes the tests: it does without TensorFlow.
    import tensorflow as tf
    import typer.main
    from tensorflow.python.ops import gen_resource_variable_ops

    # A command line is made from the types of all commands: 20 ms, which each test of a command would take again.
    typer.main.get_command = functools.cache(typer.main.get_command)
    # Variables without names share the kernel that makes them: for each name, TensorFlow prepares another, in 1 ms.
    make_handle = gen_resource_variable_ops.var_handle_op
    gen_resource_variable_ops.var_handle_op = lambda **options: make_handle(
        **{**options, "debug_name": "" if tf.executing_eagerly() else options["debug_name"]}
    )
    gc.collect()
    gc.freeze()  # what is imported stays
    tf.random.set_seed(1)
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    if "optimization_level=0" in os.environ["XLA_FLAGS"]:
        tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
    config.pluginmanager.import_plugin("small")  # the models that tests share
    config.pluginmanager.import_plugin("examples")


@pytest.fixture(autouse=True, scope="module")
def _memory_is_given_back() -> Iterator[None]:
    """Frees the models, graphs and kernels of a file before the next file.

    Files share most of the objects that remain. Later collections, which took up to a second each, pass over these as
    long as the process has less than 3 GB.
    """
    import tensorflow as tf

    yield
    tf.random.set_seed(1)  # which also removes kernels and prepared graphs
    statm = Path("/proc/self/statm")  # the second number is the resident memory in pages
    if not statm.exists() or int(statm.read_text().split()[1]) * resource.getpagesize() > 3e9:
        gc.unfreeze()
    gc.collect()
    gc.freeze()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)  # the C library keeps what is freed


@pytest.fixture(autouse=True)
def _same_every_time(request: pytest.FixtureRequest) -> Iterator[None]:
    import keras
    import tensorflow as tf
    from small import seed

    seed(1)
    yield
    if request.node.get_closest_marker("slow"):
        tf.random.set_seed(1)  # which also removes kernels: those of XLA and of exports are large
    keras.config.set_dtype_policy("float32")


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], object]], Path]:
    """Makes a folder once for all test files and all processes of a test run: an export, a trained model, subwords.

        @pytest.fixture(scope="session")
        def exported(made_once):
            return made_once("export of one direction", lambda folder: export(folder, small_model(), tokenizer()))

    `made_once(name, make)` calls `make` with an empty folder unless a test of this run has already done so, and returns
    the folder. Other processes wait meanwhile. `make` starts from the same random seed whichever test calls it first,
    and must depend on nothing but its name. The folder is shared: a test that changes a folder changes a copy.
    """
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent  # the folder of the run; each worker has a folder inside
    shared = shared / "made_once"
    shared.mkdir(exist_ok=True)

    def made(name: str, make: Callable[[Path], object]) -> Path:
        from small import seed

        folder, complete = shared / name, shared / f"{name}.complete"
        with FileLock(shared / f"{name}.lock"):
            if not complete.exists():
                shutil.rmtree(folder, ignore_errors=True)  # of an attempt that failed
                folder.mkdir()
                seed(1)
                make(folder)
                complete.touch()
        return folder

    return made


@pytest.fixture(scope="session")
def multi30k() -> Path:
    """The Multi30k corpus, which is not part of the project."""
    default = Path(__file__).parents[2] / "shared" / "data" / "multi30k"
    folder = Path(os.environ.get("KERAS_NMT_MULTI30K", default))
    if not (folder / "train.en.gz").is_file():
        pytest.skip(f"Multi30k is not at {folder}; set KERAS_NMT_MULTI30K to its folder")
    return folder


@pytest.fixture(scope="session")
def run_python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., subprocess.CompletedProcess[bytes]]]:
    """Runs `python ARGUMENTS` in a separate process, without the seconds that importing TensorFlow takes."""
    folder = tmp_path_factory.mktemp("programs")
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    server = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("support") / "fork_server.py")],
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

    with server:
        yield run
        server.kill()  # its end would take a second
