"""The examples of the documentation's pages, and the options that the pages name."""

from __future__ import annotations

import dataclasses
import doctest
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from echo_models import write_echo
from typer.testing import CliRunner

from keras_nmt.cli.app import app
from keras_nmt.cli.comparison import read_list
from keras_nmt.errors import UserError
from keras_nmt.evaluation.bootstrap import statistics_of
from keras_nmt.experiments import ExperimentConfig
from keras_nmt.files.settings import setting_names, whole_name
from keras_nmt.files.weights_file import weights_digest, write_weights
from keras_nmt.models import LowRank, ModelDirectory, add_adapter
from keras_nmt.models.factory import TransformerConfig
from keras_nmt.serving import DevelopmentServer

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = {
    str(path.relative_to(DOCS)): path.read_text(encoding="utf-8")
    for path in [*DOCS.glob("*.md"), *DOCS.glob("concepts/*.md"), *DOCS.glob("how_to/*.md")]
}
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
CLIENT = (ROOT / "client" / "README.md").read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of a page in a language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGES[page], re.DOTALL)


@pytest.mark.parametrize("page", sorted(page for page in PAGES if blocks(page, "pycon")))
def test_the_examples_with_results_give_these_results(page, tmp_path, monkeypatch):
    (tmp_path / "docs").symlink_to(DOCS)
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    in_order = re.findall(r"```(python|pycon)\n(.*?)```", PAGES[page], re.DOTALL)
    for number, (language, block) in enumerate(in_order):
        if language == "pycon":
            test = doctest.DocTestParser().get_doctest(block, names, page, page, number)
            assert test.examples
            assert doctest.DocTestRunner().run(test, clear_globs=False).failed == 0
            names = test.globs
        elif page == "decoding.md":
            names = run([block], **names)


def test_the_commands_of_decoding_translate_as_the_page_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (line,) = re.findall('>>> line = "(.*)"', PAGES["decoding.md"])
    files = {"phrases.txt": "Gebäude\teinen alten Wagen", "terms.txt": "House\tGebäude", "never.txt": "Haus\tAuto"}
    for name, text in {**files, "begun.txt": "Am Fluss", "test.en": line.replace("Nina", "Søren")}.items():
        (tmp_path / name).write_text(f"{text}\n", encoding="utf-8")
    parts = {
        "--constraints": ["Gebäude", "einen alten Wagen"],
        "--glossary": ["Gebäude"],
        "--avoid": ["Gebäude", "Wagen"],
        "--no-repeat-ngram-size": ["altes Haus", "alten Wagen"],
        "--suppress-sequences": ["Søren", "Haus"],
        "--prefixes": ["Haus"],
    }
    commands = re.findall(r"^    keras-nmt (translate runs/mine .*?) < test.en", PAGES["decoding.md"], re.MULTILINE)
    assert len(commands) == len(parts)
    for command in commands:
        arguments = shlex.split(command.replace("runs/mine", str(DOCS / "decoding_model")))
        found = CliRunner().invoke(app, [*arguments, "--input", "test.en"], catch_exceptions=False)
        assert found.exit_code == 0, found.output
        assert all(part in found.stdout for part in parts[arguments[2]]), (command, found.stdout)


@pytest.fixture(scope="module")
def with_models(tmp_path_factory, make_model, source_tokenizer):
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
    adapter = add_adapter(plain, LowRank(rank=2), weights_digest(folder / "runs/mine/model.weights.h5"))
    (folder / "runs/adapted").mkdir()
    write_weights(folder / "runs/adapted" / adapter.file_name, adapter)
    return folder


def run(code: list[str], **names: object) -> dict:
    """Runs blocks of code in order and returns all names, first of them those given."""
    for block in code:
        exec(compile(block, "page", "exec"), names)
    return names


# Pages whose examples need a server, or names that other tests give.
ELSEWHERE = (
    "decoding.md",
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


METRIC, _, FORMAT = re.findall(r"```python\n(.*?)```", CONTRIBUTING, re.DOTALL)


def test_the_metric_of_contributing_is_the_share_of_equal_lines_in_its_bootstrap():
    metric = run([METRIC])["ExactMatch"]()
    hypotheses, references = ["a  b", "c", "d"], [["a b", "x", "d"], ["y", "c", "z"]]
    assert metric.corpus_score(hypotheses, references).score == 100
    assert metric.corpus_score(hypotheses, references[:1]).score == pytest.approx(200 / 3)
    assert "nrefs:1" in str(metric.get_signature())
    sums = statistics_of(metric, hypotheses, references[:1]).sum(0)
    assert metric._compute_score_from_stats(sums.tolist()).score == pytest.approx(200 / 3)


def test_the_format_of_contributing_has_all_parameters_and_refuses_mechanisms(
    make_model,
    source_tokenizer,
    tmp_path,
):
    export = run([FORMAT])["export_arrays"]
    model = make_model(shortcuts=None)
    with np.load(export(tmp_path / "plain", model, source_tokenizer) / "parameters.npz") as arrays:
        assert sum(array.size for array in arrays.values()) == model.count_params()
    assert (tmp_path / "plain/source.model").read_bytes() == source_tokenizer.proto
    with pytest.raises(UserError, match="shortcuts"):
        export(tmp_path / "fusion", make_model(shortcuts="fusion"), source_tokenizer)
    assert [path.name for path in tmp_path.iterdir()] == ["plain"]


def test_settings_in_files_are_settings(tmp_path):
    found = [(page, block) for page in PAGES for block in blocks(page, "json")]
    assert found
    for number, (_, block) in enumerate(found):
        path = tmp_path / f"{number}.json"
        path.write_text(block)
        settings = ExperimentConfig.read_settings(path)
        if "configurations" in settings:  # a list of `compare`
            compared = read_list(path)
            layers = [(compared["settings"], changes) for changes in compared["configurations"].values()]
        else:
            layers = [(settings,)]
        for both in layers:
            ExperimentConfig.from_settings(*both, {"directory": str(tmp_path / "run")})


def test_every_set_option_of_the_pages_is_a_setting():
    recipes = [path.read_text(encoding="utf-8") for path in ROOT.glob("recipes/**/*.md")]
    used = {name for text in [*PAGES.values(), README, *recipes] for name in re.findall(r"--set '?([\w.]+)=", text)}
    assert {"schedule", "frozen", "lora"} <= used
    known = {*setting_names(ExperimentConfig), "model", "NAME"}
    assert {name for name in used if not name.startswith("model.")} <= known | {
        name for name in used if whole_name(ExperimentConfig, name) in known
    }


def test_the_counterparts_of_other_toolkits_exist():
    from typer.main import get_command

    options = {
        option
        for command in get_command(app).commands.values()
        for parameter in command.params
        for option in parameter.opts
    }
    names = {end for name in setting_names(ExperimentConfig) for end in (name, name.rpartition(".")[2])} | options
    names |= {"saving.every", "evaluation.every", "logging.every"}
    names |= {field.name for field in dataclasses.fields(TransformerConfig)}
    names |= {"tie_embeddings", "source_vocabulary_size", "num_encoder_layers", "num_decoder_layers"}
    text = (DOCS / "coming_from.md").read_text(encoding="utf-8")
    tables = text.split("## From keras_hub")[0]
    rows = re.findall(r"^\| (.*) \| (.*) \|$", tables, re.MULTILINE)
    ours = {name for _, cell in rows for name in re.findall(r"`([\w-]+)`", cell)}
    assert len(ours) > 40
    assert ours <= names
