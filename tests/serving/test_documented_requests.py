"""The requests of savedmodels/README.md, sent as they stand to the development server."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest
from echo_models import write_echo
from grpc_server import ServerOfBothApis

SECTION = (Path(__file__).parents[2] / "savedmodels/README.md").read_text(encoding="utf-8").split("\n## Send text")[1]
SECTION = SECTION.split("\n## ")[0]
COMMANDS = re.findall(r"^    (curl (?:.*\\\n)*.*)", SECTION, re.MULTILINE) + re.findall(r"`(curl [^`]*)`", SECTION)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("documented")
    write_echo(folder / "MODEL" / "1")
    with ServerOfBothApis(folder / "MODEL", port=0, xla=True) as running:
        yield running


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
