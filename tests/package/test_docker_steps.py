"""The steps of the Dockerfiles as a script: a folder in place of an image, a virtual environment for its Python."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import venv
from pathlib import Path

import pytest
from echo_models import write_echo

from keras_nmt.serving import Client, DevelopmentServer

ROOT = Path(__file__).parents[2]


class Image:
    """A folder as the root of an image, in which the instructions of a Dockerfile run.

    Args:
        name: Str, the name of the file in `docker`.
        root: Path, the root of the image.
        context: Path, the folder that COPY reads.
        arguments: Dict, values for ARG.
    """

    def __init__(self, name: str, root: Path, context: Path, arguments: dict[str, str]):
        self.root, self.context, self.arguments = root, context, arguments
        self.environment: dict[str, str] = {}
        self.folder, self.entrypoint, self.command = Path("/"), [], []
        text = (ROOT / "docker" / f"{name}.Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
        self.instructions = [line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#")]

    def path(self, path: str | Path) -> Path:
        return self.root / str(self.folder / path).lstrip("/")

    def filled(self, text: str) -> str:
        values = {**self.arguments, **self.environment}
        return re.sub(r"\$\{(\w+)\}", lambda match: values[match[1]], text)

    def build(self, path: str) -> None:
        """Runs all instructions. `path` is PATH of the commands."""
        for instruction, text in self.instructions:
            if instruction == "ARG":
                name, _, default = text.partition("=")
                self.arguments.setdefault(name, default)
            elif instruction == "ENV":
                name, _, value = self.filled(text).partition("=")
                self.environment[name] = value
            elif instruction == "WORKDIR":
                self.folder = Path(text)
                self.path(".").mkdir(parents=True, exist_ok=True)
            elif instruction == "COPY":
                *sources, target = self.filled(text).split()
                for source in sources:
                    if (self.context / source).is_dir():
                        shutil.copytree(
                            self.context / source, self.path(target), ignore=shutil.ignore_patterns("__pycache__")
                        )
                    else:
                        shutil.copy(self.context / source, self.path(target))
            elif instruction == "RUN":
                self.run(["sh", "-ec", self.filled(text)], path)
            elif instruction == "ENTRYPOINT":
                self.entrypoint = json.loads(text)
            elif instruction == "CMD":
                self.command = json.loads(text)
            else:
                assert instruction in ("FROM", "USER", "EXPOSE"), instruction

    def run(self, command: list[str], path: str) -> str:
        """Runs a command in the image's folder and returns its output."""
        environment = {"HOME": str(self.root), "PATH": path, **self.environment}
        environment |= {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "UV_"))}
        done = subprocess.run(command, cwd=self.path("."), env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.mark.nightly
def test_the_image_for_training_has_the_command(tmp_path):
    venv.create(tmp_path / "python", with_pip=True)
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "useradd").write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/user\n')  # makes no user on this machine
    (tools / "useradd").chmod(0o755)
    path = os.pathsep.join([str(tmp_path / "python" / "bin"), str(tools), "/usr/bin", "/bin"])
    image = Image("train", tmp_path / "root", ROOT, {"EXTRAS": "serving"})
    image.build(path)
    assert (tmp_path / "user").read_text().split() == ["--create-home", "--uid", "1000", "user"]
    assert image.path(".") == tmp_path / "root" / "home" / "user"
    assert "quickstart" in image.run([*image.entrypoint, *image.command], path)
    assert "serve" in image.run([*image.entrypoint, "serve", "--help"], path)


def test_the_image_for_serving_has_the_exported_versions(tmp_path):
    """The model server's image reads /models/$MODEL_NAME; here the development server reads the same folder."""
    write_echo(tmp_path / "context" / "savedmodels" / "mine" / "1")
    image = Image("serve", tmp_path / "root", tmp_path / "context", {"MODEL": "mine"})
    image.build(os.defpath)
    model = image.path(Path("/models") / image.environment["MODEL_NAME"])
    with DevelopmentServer(model, port=0) as server, Client(server.rest_url, "mine") as client:
        assert client.translate(["a man"])[0].text == "a man"
