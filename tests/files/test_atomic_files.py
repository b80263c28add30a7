"""Atomic files, and locks of folders."""

import errno
import fcntl
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from full_disk import full_disk

import keras_nmt
from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import (
    atomic_folder,
    atomic_path,
    check_writable,
    directory_lock,
    remove_leftovers,
    write_bytes,
    write_json,
)
from keras_nmt.serving._versions import write_version
from keras_nmt.training.final_weights import average_weights

HOLD = """
import sys
from keras_nmt.files.atomic_files import directory_lock
with directory_lock(sys.argv[1]):
    print("locked", flush=True)
    sys.stdin.read()
"""


def hold(folder):
    """Starts another process that holds the lock."""
    environment = {**os.environ, "PYTHONPATH": str(Path(keras_nmt.__file__).parents[1])}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(folder)], **pipes, env=environment)
    assert process.stdout.readline() == "locked\n"
    return process


def test_keeps_other_processes_out_until_they_end_or_are_killed(tmp_path):
    other = hold(tmp_path / "run")
    with pytest.raises(UserError, match=f"Another run is using this folder.*Received: {tmp_path / 'run'}"):
        directory_lock(tmp_path / "run").__enter__()
    with directory_lock(tmp_path / "other"):
        pass
    other.kill()
    other.communicate()
    with directory_lock(tmp_path / "run"):
        pass


def test_a_process_may_lock_a_folder_twice_and_releases_it_after_an_error(tmp_path):
    with directory_lock(tmp_path):
        with directory_lock(tmp_path / "." / "../" / tmp_path.name):
            pass
        with pytest.raises(AssertionError):  # still locked
            hold(tmp_path)
    with pytest.raises(ZeroDivisionError), directory_lock(tmp_path):
        _ = 1 / 0
    hold(tmp_path).communicate()


def test_on_file_systems_without_locks_nothing_is_locked(tmp_path, monkeypatch):
    for number in (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP):

        def flock(*_, number=number):
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(fcntl, "flock", flock)
        with directory_lock(tmp_path):
            pass
    with directory_lock(tmp_path):
        hold(tmp_path).communicate()
    another = tmp_path / ".export-other"  # of an export that is still running: nothing tells
    another.mkdir()
    (another / ".lock").touch()
    write_version(tmp_path, None, lambda folder: (folder / "file").touch())
    assert [path.name for path in (tmp_path / "1").iterdir()] == ["file"]
    assert another.is_dir()


def test_a_failure_leaves_the_old_file_alone_and_names_it(tmp_path):
    path = tmp_path / "file.json"
    write_json(path, [1])

    def fill_the_disk():
        with atomic_path(path) as temporary:
            temporary.write_text("half")
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space left") as error:
        fill_the_disk()
    assert error.value.filename == str(path)
    assert path.read_text() == "[\n  1\n]\n"
    assert [file.name for file in tmp_path.iterdir()] == ["file.json"]


@pytest.mark.parametrize("exists", [False, True])
def test_a_folder_is_made_where_a_link_leads(tmp_path, exists):
    link, place = tmp_path / "link", tmp_path / "disk" / "place"
    place.mkdir(parents=True) if exists else place.parent.mkdir()
    link.symlink_to(place)
    with atomic_folder(link) as temporary:
        assert temporary.parent == place.parent
        (temporary / "file").write_text("whole")
    assert link.is_symlink()
    assert (place / "file").read_text() == "whole"
    with pytest.raises(UserError, match="must be new or empty"), atomic_folder(link):
        pass


@pytest.mark.parametrize("write", [atomic_path, atomic_folder])
def test_a_stop_leaves_no_folder_that_was_made_for_it(tmp_path, write):
    def stop():
        with write(tmp_path / "new" / "deeper" / "name"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop()
    assert not [*tmp_path.iterdir()]
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "other").touch()
    with pytest.raises(KeyboardInterrupt):
        stop()
    assert sorted(tmp_path.rglob("*")) == [tmp_path / "new", tmp_path / "new" / "other"]


def test_a_whole_folder_is_locked_until_it_has_its_name(tmp_path, monkeypatch):
    """Another process would take it for a leftover, and empty it."""
    replace = os.replace

    def replace_after_another(temporary, path):
        with pytest.raises(AssertionError):
            hold(temporary)
        replace(temporary, path)

    monkeypatch.setattr(os, "replace", replace_after_another)
    with atomic_folder(tmp_path / "folder") as temporary:
        (temporary / "file").touch()
    assert [path.name for path in tmp_path.rglob("*")] == ["folder", "file"]


def test_a_mount_point_is_refused_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "is_mount", lambda path: path == tmp_path)  # mounting needs rights
    with pytest.raises(UserError, match="must not be a mount point: name a folder in it"), atomic_folder(tmp_path):
        pass


def test_a_file_that_is_being_written_is_no_leftover(tmp_path):
    """`translate --output` in the folder of a training that is started again."""
    process = subprocess.Popen(["sleep", "60"])
    start = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[19]
    theirs, reused = (tmp_path / f".writing-{process.pid}.{at}-x.out" for at in (start, 7))
    for path in (theirs, reused, tmp_path / ".writing-12ab.h5"):
        path.touch()
    remove_leftovers(tmp_path)
    assert [*tmp_path.iterdir()] == [theirs]
    process.kill()
    process.wait()
    with atomic_path(tmp_path / "ours.out") as temporary:
        assert temporary.name.startswith(f".writing-{os.getpid()}.")
        remove_leftovers(tmp_path)
        assert not list(tmp_path.iterdir())  # as if a save had been killed
        temporary.touch()


def test_a_name_may_be_as_long_as_the_file_system_allows(tmp_path):
    for name in (255 * "x", f"x.{253 * 'y'}", f"{63 * '😀'}.gz", f"x.{63 * '😀'}"):
        write_json(tmp_path / name, name)
        assert json.loads((tmp_path / name).read_text(encoding="utf-8")) == name
        write_json(tmp_path / name, name)
    assert len([*tmp_path.iterdir()]) == 4


def test_pipes_are_written_links_replaced_and_permissions_kept(tmp_path):
    target, link, pipe = tmp_path / "new" / "file.json", tmp_path / "link.json", tmp_path / "pipe"
    write_json(target, 1)
    (tmp_path / "plain").touch()
    assert stat.S_IMODE(target.stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)  # the usual ones
    target.chmod(0o600)
    write_json(target, "ä\udcff")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert json.loads(target.read_text(encoding="utf-8")) == "ä\udcff"  # a lone surrogate is an escape
    link.symlink_to(target)
    write_json(link, 3)
    assert not link.is_symlink()
    assert json.loads(target.read_text(encoding="utf-8")) == "ä\udcff"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_bytes(pipe, b"3\n")
    assert os.read(reader, 9) == b"3\n"
    with pytest.raises(UserError, match=r"^This must be a regular file\. Received: .*pipe, a pipe$"):
        write_json(pipe, 3)  # only the package reads it: nobody might open the pipe
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_files_that_cannot_be_written_are_rejected_before_the_work(tmp_path, error_line):
    (tmp_path / "file").touch()
    device = Path("/dev/keras-nmt-file")
    for path in (tmp_path, device):
        with pytest.raises(OSError, match=f"'{path}'"):
            check_writable(path)
    with pytest.raises(UserError, match=f"where this file is.*Received: {tmp_path}/file$"):
        check_writable(tmp_path / "file" / "deeper" / "x")
    with pytest.raises(UserError, match="Received: 300 bytes, xxxxxxxx$"):
        check_writable(tmp_path / ("x" * 300))
    for path in (tmp_path / "new" / "deeper" / "x", tmp_path / "file", Path("/dev/null")):
        check_writable(path)
    for path in (tmp_path, device):
        with pytest.raises(OSError, match=r"Is a directory|Files cannot be made in this folder") as error:
            write_bytes(path, b"1")
        assert error.value.filename == str(path)
    assert not device.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    # Commands reject them before they load a model.
    (tmp_path / "folder.npy").mkdir()
    for command in (("translate", "nowhere", "--alignments"), ("embed", "nowhere", "--language", "de", "--output")):
        assert f"Is a directory. Received: {tmp_path}/folder.npy" in error_line(*command, tmp_path / "folder.npy")


def test_a_file_or_a_long_name_where_a_folder_is_to_be_is_named(untrained, tmp_path, error_line):
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    text, long = __file__, tmp_path / ("x" * 300) / "deeper"
    train = ["train", "--train", text, text, "--dev", text, text, "--max-updates", 1, "--directory"]
    for command in (
        train,
        ["train", "--dry-run", *train[1:]],
        ["distill", untrained, "--input", text, "--output"],
        ["export", untrained],
        ["inspect", "gates", untrained, "--source", text, "--target", text, "--output"],
    ):
        for path in (tmp_path / "file", tmp_path / "link"):
            told = f"give another name. Received: {path}\n"
            assert all(error_line(*command, one).endswith(told) for one in (path, path / "deeper")), command
        assert error_line(*command, long).endswith("use a shorter one. Received: 300 bytes, xxxxxxxx\n"), command


def test_an_average_without_disk_space_is_an_error_with_its_file(tmp_path):
    checkpoint, mean = tmp_path / "update-1.weights.h5", tmp_path / "mean.weights.h5"
    with h5py.File(checkpoint, "w") as file:
        file["w"] = np.ones(10_000)
    with pytest.raises(OSError, match="File too large") as error, full_disk(20_000):
        average_weights([checkpoint], mean)
    assert error.value.filename == str(mean)
    assert [path.name for path in tmp_path.iterdir()] == [checkpoint.name]


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EIO])
def test_files_folders_and_exports_are_flushed_also_where_folders_cannot_be(number, tmp_path, monkeypatch):
    flush, flushed = os.fsync, set()

    def fsync(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(number, os.strerror(number))
        flush(descriptor)
        flushed.add(Path(f"/proc/self/fd/{descriptor}").readlink().parent.name)

    def write_all():
        write_json(tmp_path / "file.json", 1)
        with atomic_folder(tmp_path / "folder") as temporary:
            (temporary / "note.txt").write_text("whole")
        write_version(tmp_path / "export", None, lambda folder: write_json(folder / "file.json", 1))

    monkeypatch.setattr(os, "fsync", fsync)
    if number == errno.EIO:  # a failure, and no lack
        with pytest.raises(OSError, match="Input/output error"):
            write_all()
        return
    write_all()
    written = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert written == {"file.json", "folder/note.txt", "export/1/file.json"}
    # Each before it gets its final name: after a power cut, no file with this name is half.
    assert any(name.startswith(".writing-folder") for name in flushed)
    assert any(name.startswith(".export-") for name in flushed)
