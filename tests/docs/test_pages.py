"""The examples of the documentation's pages, and the options that the pages name."""

from __future__ import annotations

import dataclasses
import doctest
import re
from pathlib import Path

import numpy as np
import pytest
from echo_models import write_echo
from translators import make_model, source_tokenizer  # noqa: F401  fixtures

from keras_nmt.cli.app import app
from keras_nmt.cli.comparison import read_list
from keras_nmt.experiments import Experiment
from keras_nmt.experiments.recipe import merge_settings
from keras_nmt.models import ModelDirectory
from keras_nmt.models._transformer_options import TransformerOptions
from keras_nmt.serving import DevelopmentServer

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = {
    str(path.relative_to(DOCS)): path.read_text(encoding="utf-8")
    for path in [*DOCS.glob("*.md"), *DOCS.glob("concepts/*.md"), *DOCS.glob("how_to/*.md")]
}
README = (ROOT / "README.md").read_text(encoding="utf-8")
CLIENT = (ROOT / "client" / "README.md").read_text(encoding="utf-8")


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
    plain, fusion = make_model(), make_model(shortcuts="fusion")
    for path in ("runs/mine", "runs/quickstart/en-de-plain-1", "runs/baseline", "runs/fusion"):
        model = fusion if path == "runs/fusion" else plain
        directory = ModelDirectory(folder / path)
        subwords = {"source": "subwords.model", "target": "subwords.model"}
        source_tokenizer.save(folder / path / "subwords.model")
        directory.save_config(model, subwords=subwords, search={"beam_size": 2})
        directory.save_weights(model)
    return folder


def run(code: list[str], **names: object) -> dict:
    """Runs blocks of code in order and returns all names, first of them those given."""
    for block in code:
        exec(compile(block, "page", "exec"), names)
    return names


# Pages whose examples need a server, or names that the tests below give. Those of layers.md, own_mechanism.md and
# training.md have tests elsewhere.
ELSEWHERE = (
    "how_to/client.md",
    "how_to/track_experiments.md",
    "analysis.md",
    "layers.md",
    "models.md",
    "own_mechanism.md",
    "training.md",
)


@pytest.mark.parametrize("page", sorted(page for page in PAGES if blocks(page, "python") and page not in ELSEWHERE))
def test_the_examples_with_a_trained_model_run(page, with_models, monkeypatch, capsys):
    monkeypatch.chdir(with_models)
    code = [block.replace('prefix="Ein"', 'prefix="the"') for block in blocks(page, "python")]  # of the models' letters
    assert "translator" in run(code)
    assert capsys.readouterr().out.strip()


def test_the_classifier_trains():
    names = run(blocks("layers.md", "python")[:1])
    history = names["model"].history.history
    assert len(history["loss"]) == 2
    assert np.isfinite(history["loss"]).all()


@pytest.mark.nightly  # models of the sizes of the papers
def test_the_examples_of_models_have_the_shapes_of_the_comments():
    names = run(blocks("models.md", "python"))
    assert names["logits"].shape == (1, 2, 32_000)
    assert names["composed"].count_params() > names["fusion"].count_params()
    assert names["vectors"].shape == (2, 512)
    assert ("cs", "de") in names["more"].directions


@pytest.mark.nightly
def test_the_example_of_analyses_reads_the_states_of_two_models(with_models, monkeypatch, capsys):
    monkeypatch.chdir(with_models)
    texts = ["a small cat sat", "three red dogs"]
    names = run(blocks("analysis.md", "python"), sources=texts, targets=texts)
    assert "| fusion |" in capsys.readouterr().out.replace("similarity, ", "")
    batch = names["batch"]
    layers, tokens, dim = batch.source.states.shape
    assert batch.source.gates["self"].shape == (layers - 1, tokens, 2, dim)
    assert batch.target.attention["cross"][0].ndim == 4
    assert (with_models / "similarity.png").stat().st_size > 1000


@pytest.mark.parametrize("text", [PAGES["how_to/client.md"], CLIENT], ids=["page", "client"])
def test_the_examples_of_the_client_run(text, tmp_path, capsys):
    write_echo(tmp_path / "mine" / "1")
    with DevelopmentServer(tmp_path / "mine", port=0) as server:
        text = text.replace("http://localhost:8501", server.rest_url)
        run(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    assert ("Two dogs run." if "Two dogs run." in text else "A man sleeps.") in capsys.readouterr().out


def test_settings_in_files_are_settings(tmp_path):
    found = [(page, block) for page in PAGES for block in blocks(page, "json")]
    assert found
    for number, (_, block) in enumerate(found):
        path = tmp_path / f"{number}.json"
        path.write_text(block)
        settings = Experiment.read_settings(path)
        if "configurations" in settings:  # a list of `compare`
            compared = read_list(path)
            layers = [(compared["settings"], changes) for changes in compared["configurations"].values()]
        else:
            layers = [(settings,)]
        for both in layers:
            Experiment.from_settings({**merge_settings(*both), "directory": str(tmp_path / "run")})


def test_every_set_option_of_the_pages_is_a_setting():
    names = {field.name for field in dataclasses.fields(Experiment)}
    recipes = [path.read_text(encoding="utf-8") for path in ROOT.glob("recipes/**/*.md")]
    used = {name for text in [*PAGES.values(), README, *recipes] for name in re.findall(r"--set '?(\w+)=", text)}
    assert {"schedule", "frozen"} <= used <= names | {"NAME"}


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
