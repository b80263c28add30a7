"""The examples of the documentation's pages, and the options that the pages name."""

from __future__ import annotations

import dataclasses
import doctest
import re
from pathlib import Path

import pytest
from echo_models import write_echo
from translators import make_model, source_tokenizer  # noqa: F401  fixtures

from keras_nmt.cli.app import app
from keras_nmt.experiments import Experiment
from keras_nmt.models import ModelDirectory
from keras_nmt.models._transformer_options import TransformerOptions
from keras_nmt.serving import DevelopmentServer

DOCS = Path(__file__).parents[2] / "docs"
# The page about mechanisms of one's own and the pages beside this folder's have tests of their own.
PAGES = {
    str(path.relative_to(DOCS)): path.read_text(encoding="utf-8")
    for path in [DOCS / "getting_started.md", *DOCS.glob("concepts/*.md"), *DOCS.glob("how_to/*.md")]
}


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of a page in a language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGES[page], re.DOTALL)


@pytest.mark.parametrize("page", sorted(page for page in PAGES if blocks(page, "pycon")))
def test_the_examples_with_results_give_these_results(page):
    names: dict = {}
    for number, block in enumerate(blocks(page, "pycon")):
        test = doctest.DocTestParser().get_doctest(block, names, page, page, number)
        assert test.examples
        assert doctest.DocTestRunner().run(test, clear_globs=False).failed == 0
        names = test.globs


@pytest.fixture(scope="module")
def with_models(tmp_path_factory, make_model, source_tokenizer):  # noqa: F811
    """A folder with untrained models at the paths of the pages."""
    folder = tmp_path_factory.mktemp("reader")
    model = make_model()
    for path in ("runs/mine", "runs/quickstart/en-de-plain-1"):
        directory = ModelDirectory(folder / path)
        subwords = {"source": "subwords.model", "target": "subwords.model"}
        directory.save_config(model, subwords=subwords, search={"beam_size": 2})
        directory.save_weights(model)
        source_tokenizer.save(folder / path / "subwords.model")
    return folder


def run_page(page: str) -> dict:
    names: dict = {}
    for block in blocks(page, "python"):
        exec(compile(block, page, "exec"), names)
    return names


# The client needs a server. Trackers are no part of the test environment: tests/cli/test_trackers.py runs their page.
ELSEWHERE = ("how_to/client.md", "how_to/track_experiments.md")


@pytest.mark.parametrize("page", sorted(page for page in PAGES if blocks(page, "python") and page not in ELSEWHERE))
def test_the_examples_with_a_trained_model_run(page, with_models, monkeypatch, capsys):
    monkeypatch.chdir(with_models)
    assert "translator" in run_page(page)
    assert capsys.readouterr().out.strip()


def test_the_example_of_the_client_runs(tmp_path, monkeypatch, capsys):
    write_echo(tmp_path / "mine" / "1")
    with DevelopmentServer(tmp_path / "mine", port=0, rest_port=0) as server:
        text = PAGES["how_to/client.md"].replace("http://localhost:8501", server.rest_url)
        monkeypatch.setitem(PAGES, "how_to/client.md", text)
        run_page("how_to/client.md")
    assert "Two dogs run." in capsys.readouterr().out


def test_settings_in_files_are_settings(tmp_path):
    found = [(page, block) for page in PAGES for block in blocks(page, "json")]
    assert found
    for number, (_, block) in enumerate(found):
        path = tmp_path / f"{number}.json"
        path.write_text(block)
        Experiment.from_settings({**Experiment.read_settings(path), "directory": str(tmp_path / "run")})


def test_every_set_option_of_the_pages_is_a_setting():
    names = {field.name for field in dataclasses.fields(Experiment)}
    used = {name for text in PAGES.values() for name in re.findall(r"--set '?(\w+)=", text)}
    assert {"schedule", "frozen"} <= used <= names


def test_the_counterparts_of_other_toolkits_exist():
    from typer.main import get_command

    options = {
        option
        for command in get_command(app).commands.values()
        for parameter in command.params
        for option in parameter.opts
    }
    names = {field.name for field in dataclasses.fields(Experiment)} | options
    names |= {field.name for field in dataclasses.fields(TransformerOptions)}
    names |= {"tie_embeddings", "source_vocabulary_size", "num_encoder_layers", "num_decoder_layers"}
    text = (DOCS / "coming_from.md").read_text(encoding="utf-8")
    tables = text.split("## From keras_hub")[0]
    rows = re.findall(r"^\| (.*) \| (.*) \|$", tables, re.MULTILINE)
    ours = {name for _, cell in rows for name in re.findall(r"`([\w-]+)`", cell)}
    assert len(ours) > 40
    assert ours <= names
