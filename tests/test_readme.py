"""The examples, options and links of the READMEs and of the documentation."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def python_blocks(document):
    return re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(encoding="utf-8"), re.DOTALL)


def test_the_examples_with_layers_work():
    alone, with_mechanisms = python_blocks("docs/layers.md")
    names: dict = {}
    exec(alone, names)
    tokens = np.array([[5, 6, 7, 0], [8, 9, 10, 11]])
    names["model"].jit_compile = False  # XLA, the default, takes ten seconds and is tested for each layer
    names["model"].fit(tokens, np.array([0, 1]), verbose=0)
    # Padding makes no difference, although no mask is passed.
    np.testing.assert_allclose(names["model"](tokens[:1, :3]), names["model"](tokens[:1]), rtol=1e-4, atol=1e-5)
    exec(with_mechanisms, names)
    assert names["composed"].shape == (None, None, 256)


def test_the_examples_of_the_readme_work():
    from keras_nmt.models import Transformer

    model, layer = python_blocks("README.md")
    ids = np.array([[5, 6, 7, 3], [8, 9, 3, 0]])
    names: dict = {"source_ids": ids, "target_input_ids": ids}
    exec(model, names)
    assert names["logits"].shape == (2, 4, 8000)
    exec(layer, names)
    options = {"source_vocabulary_size": 11, "layer_composition": "mixing>Mixing"}  # as the command's --set
    mixed = Transformer.from_preset("transformer_tiny", **options)
    assert mixed([ids, ids]).shape == (2, 4, 11)
    assert any(weight.path.endswith("/w") for weight in mixed.trainable_weights)


def test_the_example_of_searches_on_ids_works():
    (example,) = (example for example in python_blocks("docs/models.md") if "beam_search" in example)
    names: dict = {}
    exec(example, names)
    assert names["tokens"].shape == (2, 4, 8)
    assert names["scores"].shape == (2, 4)
    assert names["greedy"].tokens.shape == (2, 1, 8)


def test_the_readme_has_the_two_commands_of_the_setup():
    assert "pip install -e . && python recipes/quickstart.py" in README
    assert 'pip install -e ".[test]" && python -m pytest' in README


def test_no_placeholder_is_left():
    for path in [ROOT / "README.md", *ROOT.glob("recipes/**/*.md"), *ROOT.glob("savedmodels/*.md")]:
        assert not re.findall(r"^[A-Z0-9_]{6,}$|\b[A-Z0-9]+_(?:FIGURES|TABLE)\b", path.read_text(), re.MULTILINE), path


def relative_links(path):
    text = re.sub(r"^(?: {4}.*|```(?:.*\n)*?```)$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)  # no code
    links = re.findall(r"\]\(<?([^)\s>]+)", text) + re.findall(r"^ {0,3}\[[^\]]+\]: *<?([^\s>]+)", text, re.MULTILINE)
    return [link.split("#")[0] for link in links if not re.match(r"[a-z]+:|#", link)]


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "client/README.md",
        "savedmodels/README.md",
        *sorted(str(x.relative_to(ROOT)) for x in ROOT.glob("docs/**/*.md")),
        *sorted(str(x.relative_to(ROOT)) for x in ROOT.glob("recipes/**/README.md")),
        "keras_nmt/quickstart_data/README.md",
    ],
)
def test_relative_links_lead_to_files_that_exist(path):
    for link in relative_links(ROOT / path):
        assert (ROOT / path).parent.joinpath(link).is_file(), link


def test_relative_links_are_found():
    assert "recipes/multi30k/README.md" in relative_links(ROOT / "README.md")
    assert {"models.config", "../tests/serving/saved_model_run.c"} <= set(
        relative_links(ROOT / "savedmodels" / "README.md")
    )


COMMAND = r"^    (?:\w+=\S+ )*(?:echo .* \| )?keras-nmt ([a-z][\w-]*)((?:.*\\\n)*.*)"
DOCUMENTS = [
    "README.md",
    "savedmodels/README.md",
    *(str(x.relative_to(ROOT)) for x in sorted([*ROOT.glob("docs/**/*.md"), *ROOT.glob("recipes/**/*.md")])),
]


def test_the_readme_is_one_screen_and_the_first_page_shows_every_command():
    assert len(README.splitlines()) <= 90
    from keras_nmt.cli.app import app

    names = {command.name for command in app.registered_commands} | {"inspect"}
    page = (ROOT / "docs/getting_started.md").read_text(encoding="utf-8")
    assert {name for name, _ in re.findall(COMMAND, page, re.MULTILINE)} == names


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_documented_options_exist(document):
    from typer.main import get_command

    from keras_nmt.cli.app import app

    commands = get_command(app).commands
    for name, line in re.findall(COMMAND, (ROOT / document).read_text(encoding="utf-8"), re.MULTILINE):
        command = commands[name]
        if hasattr(command, "commands"):  # a command of several words, as `inspect bridge`
            command = command.commands[line.split()[0]]
        known = {option for parameter in command.params for option in parameter.opts}
        own = re.sub(r"--beam --\S+", "--beam", line)  # the value is an option of Apache Beam
        assert set(re.findall(r"--[a-z-]+", own)) <= known, line
