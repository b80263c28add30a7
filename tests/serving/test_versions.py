"""Versions of exports: several at once, and such as were killed."""

import os
import shutil
import signal
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import filelock
import pytest
import tensorflow as tf
from nasty_names import NAMES

from keras_nmt.errors import UserError
from keras_nmt.serving import export
from keras_nmt.serving._versions import LOCK, check_loadable, check_version, write_version
from keras_nmt.serving.development_server import ServedVersion

# Writes a part of a version, and is killed.
KILLED = """
import os, signal, sys
from pathlib import Path
from keras_nmt.serving._versions import write_version

def write(folder):
    (folder / "saved_model.pb").write_bytes(b"a part")
    os.kill(os.getpid(), signal.SIGKILL)

write_version(Path(sys.argv[1]), None, write)
"""


def writing(content):
    return lambda folder: (folder / "saved_model.pb").write_bytes(content)


def contents(path):
    return {child.name: [(x.name, x.read_bytes()) for x in child.iterdir()] for child in path.iterdir()}


def test_simultaneous_exports_take_the_next_numbers(tmp_path):
    barrier = threading.Barrier(8, timeout=60)

    def write(content):
        def wait_and_write(folder):
            barrier.wait()
            writing(content)(folder)

        write_version(tmp_path, None, wait_and_write)

    written = [str(i).encode() for i in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, written))
    found = contents(tmp_path)
    assert sorted(found) == [str(number) for number in range(1, 9)]
    assert sorted(files for files in found.values()) == [[("saved_model.pb", content)] for content in written]


def test_a_version_that_appears_during_an_export_is_not_overwritten(tmp_path):
    def write(folder):
        writing(b"late")(folder)
        write_version(tmp_path, 3, writing(b"early"))

    with pytest.raises(UserError, match=r"must be new.*Received: version=3"):
        write_version(tmp_path, 3, write)
    assert contents(tmp_path) == {"3": [("saved_model.pb", b"early")]}
    with pytest.raises(UserError, match=r"must be new.*Received: version=3"):
        check_version(tmp_path, 3)


@pytest.mark.slow
def test_the_next_export_removes_the_folder_of_a_killed_export_only(tmp_path, run_python):
    assert -run_python("-c", KILLED, tmp_path).returncode == signal.SIGKILL
    (leftover,) = tmp_path.iterdir()
    assert not leftover.name.isdecimal()  # no server loads it

    def write(folder):
        writing(b"first")(folder)
        assert set(tmp_path.iterdir()) == {folder}
        write_version(tmp_path, None, writing(b"second"))

    assert write_version(tmp_path, None, write).name == "2"
    assert contents(tmp_path) == {"1": [("saved_model.pb", b"second")], "2": [("saved_model.pb", b"first")]}


def test_an_export_that_fails_leaves_nothing(tmp_path):
    def fail(folder):
        assert not folder.name.isdecimal()  # no server loads it
        writing(b"a part")(folder)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_version(tmp_path / "models" / "model", None, fail)
    assert not [*tmp_path.iterdir()]
    (tmp_path / "model").mkdir()  # which a server may watch
    with pytest.raises(KeyboardInterrupt):
        write_version(tmp_path / "model", None, fail)
    assert [*tmp_path.rglob("*")] == [tmp_path / "model"]


def test_an_export_that_is_stopped_before_it_has_its_lock_leaves_nothing(tmp_path, monkeypatch):
    def stop(lock):
        raise KeyboardInterrupt

    monkeypatch.setattr(filelock.FileLock, "acquire", stop)
    with pytest.raises(KeyboardInterrupt):
        write_version(tmp_path / "model", None, pytest.fail)
    assert not [*tmp_path.iterdir()]


def test_a_new_folder_that_another_export_takes_for_a_leftover_is_replaced(tmp_path, monkeypatch):
    """Between the moment at which the folder is made and the moment at which the folder is locked."""
    make, taken = tempfile.mkdtemp, []

    def make_and_lose(**options):
        folder = make(**options)
        if not taken:
            taken.append(filelock.FileLock(Path(folder) / LOCK))
            taken[0].acquire()
        return folder

    monkeypatch.setattr(tempfile, "mkdtemp", make_and_lose)
    assert write_version(tmp_path, None, writing(b"whole")).name == "1"
    assert len(taken) == 1
    taken[0].release()
    write_version(tmp_path, None, writing(b"whole"))
    assert contents(tmp_path) == {name: [("saved_model.pb", b"whole")] for name in ("1", "2")}


@pytest.fixture(scope="module")
def tripled(tmp_path_factory):
    """A SavedModel with a variable."""
    module = tf.Module()
    module.factor = tf.Variable(3.0)
    x = tf.TensorSpec([None], tf.float32, name="x")
    module.triple = tf.function(lambda x: {"y": x * module.factor}, input_signature=[x], autograph=False)
    folder = tmp_path_factory.mktemp("tripled")
    tf.saved_model.save(module, str(folder), signatures={"serving_default": module.triple})
    return folder


REFUSED = ["[v1]", "a\\b", os.fsdecode(b"\xff")]


@pytest.mark.parametrize(
    "name", [*REFUSED, *(pytest.param(name, marks=[pytest.mark.nightly] * (name not in "*?~😀")) for name in NAMES)]
)
def test_a_model_is_served_from_a_folder_of_any_name_or_refused(tripled, tmp_path, name):
    def write(folder):
        shutil.copytree(tripled, folder, dirs_exist_ok=True)

    version = write_version(tmp_path / name, None, write)
    answer = ServedVersion(version, xla=False).run("serving_default", {"x": tf.constant([2.0])})
    assert answer["y"].tolist() == [6.0]
    try:
        check_loadable(tmp_path / name)
    except UserError:
        with pytest.raises(UserError, match="cannot load a model from a path"):
            export(tmp_path / name, None, None)
        if name in REFUSED:  # only a name that TensorFlow cannot load
            with pytest.raises((FileNotFoundError, UnicodeEncodeError)):
                tf.saved_model.load(str(version))
        return
    assert name not in REFUSED
    loaded = tf.saved_model.load(str(version))
    assert loaded.signatures["serving_default"](x=tf.constant([2.0]))["y"].numpy().tolist() == [6.0]
    with tf.compat.v1.Session(graph=tf.Graph()) as session:
        tf.compat.v1.saved_model.loader.load(session, ["serve"], str(version))
