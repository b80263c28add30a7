"""The distributions: the contents of the wheels, and installed wheels in fresh environments without the repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import lazy_loader
import pytest
from echo_models import write_echo
from grpc_server import ServerOfBothApis

from keras_nmt.quickstart_data import FOLDER, LANGUAGES

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "client"
BUILD = tomllib.loads((CLIENT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
INCLUDED = BUILD["targets"]["wheel"]["force-include"]


def run(*command: object, **options) -> str:
    """Runs a command that must succeed and returns its output. PYTHONPATH does not reach the command."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, env=environment, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def copy_sources(folder, *names):
    """A copy of the package's sources, because a build writes beside the sources."""
    folder.mkdir()
    for name in names:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "dist", "build"))
        else:
            shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    names = ("setup.cfg", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE")
    return copy_sources(tmp_path_factory.mktemp("all") / "sources", *names, "keras_nmt", "client", "recipes", "docs")


def fresh_environment(folder):
    """The interpreter of a new virtual environment."""
    venv.create(folder, with_pip=True)
    return folder / "bin" / "python"


@pytest.mark.slow
def test_the_wheel_has_all_modules_and_the_quickstart(tmp_path):
    """Made of what the image for training copies, whose command is the wheel's."""
    dockerfile = (ROOT / "docker" / "train.Dockerfile").read_text()
    copied = [name for line in re.findall(r"^COPY (.*)", dockerfile, re.MULTILINE) for name in line.split()[:-1]]
    sources = copy_sources(tmp_path / "sources", *copied)
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", tmp_path, sources)
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    (entries,) = (name for name in names if name.endswith("/entry_points.txt"))
    assert b"keras-nmt = keras_nmt.cli:main" in zipfile.ZipFile(wheel).read(entries)
    assert '\nENTRYPOINT ["keras-nmt"]\n' in dockerfile
    sources = [path for path in (ROOT / "keras_nmt").rglob("*.py*") if path.suffix in (".py", ".pyi")]
    modules = {path.relative_to(ROOT).as_posix() for path in sources}
    parts = [f"{part}.{language}" for part in ("train", "dev", "test") for language in LANGUAGES]
    corpus = {f"keras_nmt/quickstart_data/{part}" for part in parts}
    inside = {name for name in names if ".dist-info/" not in name}
    assert modules | corpus | {"keras_nmt/py.typed"} <= inside
    assert not {name.split("/")[0] for name in inside} - {"keras_nmt"}


def test_the_client_alone_has_what_it_imports_and_advises_its_own_extras(tmp_path):
    """keras_nmt over keras-nmt-client would replace its modules."""
    for source, target in INCLUDED.items():
        (tmp_path / target).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (CLIENT / source).is_dir() else shutil.copy
        copy(CLIENT / source, tmp_path / target)
    code = (
        "import sys; sys.modules.update(dict.fromkeys(sys.argv.pop(1).split())); sys.path[:0] = sys.argv[1:]\n"
        "import keras_nmt; from keras_nmt.serving import Client\n"
        "from keras_nmt.text import Glossary, Translation; import warnings; warnings.simplefilter('error')\n"
        "Client('http://localhost:9', 'm').close(); assert not {'tensorflow', 'keras'} & set(sys.modules)\n"
        "print(*(m.__file__ for n, m in sys.modules.items() if n.split('.')[0] == 'keras_nmt'))\n"
        "for use in (lambda: Client('grpc://localhost:9'), lambda: Client('http://localhost:9').sample(['a']),\n"
        "            lambda: Client('http://localhost:9').stream(['a'], language='en'),\n"
        "            lambda: Glossary.read('entries.zst'), lambda: Glossary.read('gs://a/b')):\n"
        "    try: use()\n"
        "    except (ValueError, UserWarning) as error: print(error)"
    )
    needed = Path(lazy_loader.__file__).parents[1]
    (tmp_path / "entries.zst").write_bytes(bytes.fromhex("28b52ffd"))
    missing = "grpc sentencex numpy zstandard fsspec"
    command = [sys.executable, "-S", "-c", code, missing, tmp_path, needed]  # -S: not the keras_nmt of this environment
    files, *told = run(*command, cwd=tmp_path).splitlines()
    assert {*map(Path, files.split())} == {*(tmp_path / "keras_nmt").rglob("*.py")}
    advised = [*(f"keras-nmt-client[{extra}]" for extra in ("grpc", "sample", "split")), "zstandard", "fsspec"]
    assert [re.search(r"pip install '?([\w\[\]-]+)", line)[1] for line in told] == advised


@pytest.mark.nightly
def test_the_installed_client_translates_without_tensorflow(sources, tmp_path):
    run(sys.executable, "-m", "build", "-q", "--wheel", "--outdir", tmp_path, sources / "client")
    (wheel,) = tmp_path.glob("keras_nmt_client-*.whl")
    python = fresh_environment(tmp_path / "environment")
    run(python, "-m", "pip", "install", "-q", f"{wheel}[sample,grpc]")
    write_echo(tmp_path / "model" / "1")
    code = (
        "import importlib.util, sys; from keras_nmt.serving import Client\n"
        "assert importlib.util.find_spec('tensorflow') is importlib.util.find_spec('keras') is None\n"
        "for url in sys.argv[1:]:\n"
        "    with Client(url, 'model') as client:\n"
        "        print(client.translate(['a man'])[0].text, client.sample(['a man'])[0].text)"
    )
    with ServerOfBothApis(tmp_path / "model", port=0) as server:
        output = run(python, "-c", code, server.rest_url, server.grpc_url, cwd=tmp_path)
    assert re.fullmatch(r"(a man -?\d+ a man\n){2}", output)


@pytest.mark.nightly
def test_the_installed_wheel_runs_the_quickstart_without_the_repository(sources, tmp_path):
    run(sys.executable, "-m", "build", "-q", "--outdir", tmp_path / "dist", sources)
    (wheel,), (archive,) = (tmp_path / "dist").glob("*.whl"), (tmp_path / "dist").glob("*.tar.gz")
    python = fresh_environment(tmp_path / "environment")
    run(python, "-m", "pip", "install", "-q", wheel)
    data = tmp_path / "data"
    data.mkdir()
    for file in FOLDER.glob("*.??"):
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        (data / file.name).write_text("".join(lines if file.stem == "train" else lines[:24]), encoding="utf-8")
    command = python.with_name("keras-nmt")
    output = run(command, "quickstart", "--max-updates", 20, "--data-dir", data, cwd=tmp_path)
    assert "the same translations." in output
    assert "transformer" in run(command, "info", "runs/quickstart/en-de-plain-1", cwd=tmp_path).lower()
    run(python, "-m", "pip", "install", "-q", "--force-reinstall", "--no-deps", archive)
    assert "quickstart" in run(command, "--help", cwd=tmp_path)
    shutil.unpack_archive(archive, tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    assert (unpacked / "docs" / "getting_started.md").is_file()
    assert "compare" in run(python, unpacked / "recipes" / "multi30k" / "train.py", "--help", cwd=tmp_path)
