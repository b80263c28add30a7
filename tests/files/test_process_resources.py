"""The processors that a process may use, and its standard error."""

import os
import signal
import subprocess
import sys

import pytest

from keras_nmt.files import process_resources
from keras_nmt.files.process_resources import num_processors, without_standard_error

VERSION_2 = "0::/slice/unit\n"
VERSION_1 = "3:cpuset:/\n2:cpu,cpuacct:/docker/abc\n1:name=systemd:/\n0::/\n"


@pytest.mark.parametrize(
    ("listed", "files", "expected"),
    [
        (VERSION_2, {"slice/unit/cpu.max": "max 100000"}, 8),
        (VERSION_2, {"slice/unit/cpu.max": "250000 100000"}, 3),
        (VERSION_2, {"slice/unit/cpu.max": "max 100000", "slice/cpu.max": "400000 100000"}, 4),  # of a group above
        ("0::/\n", {"cpu.max": "10000 100000"}, 1),
        (VERSION_1, {"cpu,cpuacct/docker/abc/cpu.cfs_quota_us": "-1", "cpu,cpuacct/cpu.cfs_quota_us": "-1"}, 8),
        (VERSION_1, {"cpu,cpuacct/docker/abc/cpu.cfs_quota_us": "150000"}, 2),
        (VERSION_1, {"cpu,cpuacct/cpu.cfs_quota_us": "500000"}, 5),  # a container sees its own group as the root
    ],
)
def test_a_quota_limits_the_processors_of_the_affinity(listed, files, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))
    (tmp_path / "groups").write_text(listed)
    for name, content in files.items():
        path = tmp_path / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{content}\n")
        if name.endswith("quota_us"):
            (path.parent / "cpu.cfs_period_us").write_text("100000\n")
    monkeypatch.setattr(process_resources, "CGROUPS", tmp_path / "root")
    for name, number in (("groups", expected), ("nowhere", 8)):
        monkeypatch.setattr(process_resources, "GROUPS", tmp_path / name)
        assert num_processors() == number


@pytest.mark.slow
def test_a_process_ends_with_its_killed_parent():
    code = "from keras_nmt.files.process_resources import end_with_parent; import os, time; end_with_parent({parent}); "
    child = code.replace("{parent}", "int(os.environ['PARENT'])") + "print(os.getpid(), flush=True); time.sleep(60)"
    parent = (
        "import os, subprocess, sys, time; os.environ['PARENT'] = str(os.getpid()); "
        f"subprocess.Popen([sys.executable, '-c', {child!r}]); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        process.kill()
        assert process.stdout.read() == b""  # until the child has closed it, long before its 60 s are over
    orphan = subprocess.run([sys.executable, "-c", code.format(parent=1)], check=False)
    assert orphan.returncode == -signal.SIGKILL


def test_standard_error_is_dropped_in_a_block_also_that_of_libraries(capfd):
    with without_standard_error():
        os.write(2, b"of a library")
    os.write(2, b"afterwards")
    assert capfd.readouterr().err == "afterwards"
