"""The README and the documentation's pages: their examples, and the options, settings and files that they name."""

from __future__ import annotations

import dataclasses
import doctest
import json
import re
import shlex
from pathlib import Path
from types import SimpleNamespace

import keras
import numpy as np
import pytest
import tensorflow as tf
from echo_models import write_echo
from scripts import RECIPES
from small import nightly, opening, run_on_backend, save_model
from typer.main import get_command
from typer.testing import CliRunner

from keras_nmt.cli.app import app
from keras_nmt.cli.comparison import read_list
from keras_nmt.errors import UserError
from keras_nmt.evaluation.bootstrap import statistics_of
from keras_nmt.experiments import ExperimentConfig
from keras_nmt.files.search_options import TABLE, SearchOptions, flag_of
from keras_nmt.files.settings import setting_names, whole_name
from keras_nmt.files.weights_file import weights_digest, write_weights
from keras_nmt.inference import Translator
from keras_nmt.models import LowRank, Transformer, add_adapter
from keras_nmt.models.factory import KNOWN, MECHANISMS, TransformerConfig
from keras_nmt.serving import DevelopmentServer

ROOT = RECIPES.parent
DOCS = ROOT / "docs"
PAGES = {
    str(path.relative_to(DOCS)): path.read_text(encoding="utf-8")
    for path in [*DOCS.glob("*.md"), *DOCS.glob("concepts/*.md"), *DOCS.glob("how_to/*.md")]
}
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMAND = r"^    (?:\w+=\S+ )*(?:echo .* \| )?keras-nmt ([a-z][\w-]*)((?:.*\\\n)*.*)"
XLIFF = """\
<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2">
 <file original="x" source-language="en" target-language="de" datatype="plaintext"><body>
  <trans-unit id="1"><source>the <g id="1">cat</g> &amp; a mouse</source><target state="new">x</target></trans-unit>
  <trans-unit id="2" translate="no"><source>stays</source></trans-unit>
 </body></file>
</xliff>"""
IDS = np.array([[5, 6, 7, 3], [8, 9, 3, 0]])


def blocks(page, language="python"):
    """The fenced blocks of a page, or of a text, in a language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGES.get(page, page), re.DOTALL)


def run(code, **names):
    """Runs blocks of code in order and returns all names, first of them those given."""
    for block in code:
        exec(compile(block, "page", "exec"), names)
    return names


def documents(*patterns):
    return sorted({path for pattern in patterns for path in ROOT.glob(pattern)})


def test_the_examples_of_the_readme_work():
    names = run(blocks(README))
    assert names["logits"].shape == (1, 4, 8000)
    options = {"source_vocabulary_size": 11, "layer_composition": "mixing>Mixing"}  # as the command's --set
    mixed = Transformer.from_preset("transformer_tiny", **options)
    assert mixed([IDS, IDS]).shape == (2, 4, 11)
    assert any(weight.path.endswith("/w") for weight in mixed.trainable_weights)
    (settings,) = (json.loads(block) for block in blocks(README, "json"))
    config = ExperimentConfig.from_settings(settings, {"directory": "runs/mixing"})
    assert config.settings()["model"]["layer_composition"] == options["layer_composition"]
    patterns = (config.data.train, config.data.dev)
    assert all((ROOT / x.format(language=language)).is_file() for x in patterns for language in ("en", "de"))


def test_the_readme_is_one_screen_and_the_first_page_shows_every_command():
    assert len(README.splitlines()) <= 100
    assert "pip install -e . && python recipes/quickstart.py" in README
    assert 'pip install -e ".[test]" && python -m pytest' in README
    names = {command.name for command in app.registered_commands} | {"inspect"}
    assert {name for name, _ in re.findall(COMMAND, PAGES["getting_started.md"], re.MULTILINE)} == names


def run_examples(text, *languages):
    names: dict = {}
    for language, block in re.findall(rf"```({'|'.join(languages)})\n(.*?)```", text, re.DOTALL):
        if language == "pycon":
            test = doctest.DocTestParser().get_doctest(block, names, block, None, None)
            assert test.examples
            assert doctest.DocTestRunner().run(test, clear_globs=False).failed == 0
            names = test.globs
        else:
            names = run([block], **names)


def test_the_examples_with_results_give_these_results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pages = {page for page in PAGES if blocks(page, "pycon")} - {"decoding.md"}
    assert len(pages) > 4
    for page in pages:
        run_examples(PAGES[page], "pycon")


BEGIN, *SECTIONS = re.split("^## ", PAGES["decoding.md"], flags=re.MULTILINE)
# The options of these sections are those of the commands in the test below.
NIGHTLY = ("Beginnings", "Phrases that must occur", "Phrases that must not occur", "Repetition")


@pytest.mark.slow
@pytest.mark.parametrize(
    "section",
    [
        pytest.param(x, id=name, marks=[pytest.mark.nightly] * (name in NIGHTLY))
        for x in SECTIONS
        for name in x.splitlines()[:1]
    ],
)
def test_the_examples_of_decoding_give_these_results(section, tmp_path, monkeypatch):
    (tmp_path / "docs").symlink_to(DOCS)
    monkeypatch.chdir(tmp_path)
    run_examples(BEGIN + section, "pycon", "python")


def test_the_commands_of_decoding_translate_as_the_page_says(tmp_path, monkeypatch, eager):
    monkeypatch.chdir(tmp_path)
    opened = Translator.from_directory(DOCS / "decoding_model")
    monkeypatch.setattr(Translator, "from_directory", opening(opened))
    (line,) = re.findall('>>> line = "(.*)"', PAGES["decoding.md"])
    files = {
        "phrases.txt": "Gebäude\teinen alten Wagen",
        "terms.txt": "House\tGebäude",
        "never.txt": "Haus\tAuto\tfluss",
    }
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
        told = "of line 1, have a phrase to avoid, in other letters or subwords"  # "Fluss"
        assert (told in found.stderr) == (arguments[2] == "--avoid")


@pytest.fixture(scope="module")
def with_models(tmp_path_factory, make_model, source_tokenizer):
    """A folder with untrained models at the paths of the pages."""
    folder = tmp_path_factory.mktemp("reader")
    plain, fusion = make_model(), make_model(shortcuts="fusion")
    for path in ("runs/mine", "runs/quickstart/en-de-plain-1", "runs/baseline", "runs/fusion"):
        save_model(folder / path, fusion if path == "runs/fusion" else plain, source_tokenizer, beam_size=2)
    adapter = add_adapter(plain, LowRank(rank=2), weights_digest(folder / "runs/mine/model.weights.h5"))
    (folder / "runs/adapted").mkdir()
    write_weights(folder / "runs/adapted" / adapter.file_name, adapter)
    (folder / "new.xliff").write_text(XLIFF)
    return folder


def test_the_program_for_xliff_writes_targets_and_leaves_all_else(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("new.xliff").write_text(XLIFF)

    def translate(lines, markup):
        return [SimpleNamespace(text=re.sub("(?<=>)[a-z ]+", lambda found: found[0].upper(), line)) for line in lines]

    run(blocks("markup.md")[1:], translator=SimpleNamespace(translate=translate))
    expected = XLIFF.replace('<target state="new">x</target>', '<target>THE <g id="1">CAT</g> &amp; a mouse</target>')
    assert Path("translated.xliff").read_text().partition("\n")[2] == expected


def test_the_program_for_tmx_writes_the_pairs_of_two_languages(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    rows = [
        {"en-GB": "A <bpt i='1'>&lt;b&gt;</bpt>cat<ept i='1'>x</ept> &amp; a\n  dog.", "fr": "Un", "DE": "Eine"},
        {"en": "", "de": "Leer"},
        {"en-US": "10\u00a0<hi>km</hi>", "de-AT": "<![CDATA[<10>\u00a0km]]><ph>%s<sub>x</sub></ph>"},
        {"fr": "Deux", "en": "Two"},
    ]
    units = [
        "".join(f"<tuv xml:lang='{language}'><seg>{text}</seg></tuv>" for language, text in row.items()) for row in rows
    ]
    body = "".join(f"<tu><note>n</note>{unit}</tu>" for unit in units)
    declaration = '<?xml version="1.0"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">'
    Path("memory.tmx").write_text(f'{declaration}<tmx version="1.4"><header/><body>{body}</body></tmx>')
    run(blocks("how_to/train_on_your_data.md"))
    assert Path("train.en").read_text() == "A cat & a dog.\n10\u00a0km\n"
    assert Path("train.de").read_text() == "Eine\n<10>\u00a0km\n"


# Pages whose examples need a server, or names that other tests give.
ELSEWHERE = {"decoding.md", "how_to/client.md", "how_to/track_experiments.md", "analysis.md"}
ELSEWHERE |= {"how_to/train_on_your_data.md", "how_to/own_loop.md"}
SLOW = ("getting_started.md", "markup.md", "how_to/keras_hub.md")
ELSEWHERE |= {"layers.md", "models.md", "own_mechanism.md", "training.md"}


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.slow if page in SLOW else pytest.mark.nightly)
        for page in sorted(page for page in PAGES if blocks(page) and page not in ELSEWHERE)
    ],
)
def test_the_examples_with_a_trained_model_run(page, with_models, monkeypatch, capsys):
    monkeypatch.chdir(with_models)
    code = [block.replace('prefix="Ein"', 'prefix="the"') for block in blocks(page)]  # of the models' letters
    assert "translator" in run(code)
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize("trained", [False, pytest.param(True, marks=pytest.mark.nightly)])
def test_the_examples_with_layers_work(trained):
    classifier, with_mechanisms, with_mask, causal, _ = blocks("layers.md")
    names = run([classifier if trained else classifier.partition("model.fit")[0]])
    # Padding makes no difference, although no mask is passed.
    tokens = np.array([[5, 6, 7, 0]])
    np.testing.assert_allclose(names["model"](tokens[:, :3]), names["model"](tokens), rtol=1e-4, atol=1e-5)
    assert run([with_mechanisms], **names)["composed"].shape == (None, None, 256)
    assert run([with_mask], **names)["encoded"].shape == (None, None, 256)
    logits = run([causal], **names)["language_model"]
    one, other = (logits(np.array([[5, 6, 7, *later]])) for later in ((8, 9), (4, 0)))
    np.testing.assert_allclose(one[:, :3], other[:, :3], rtol=1e-4, atol=1e-5)
    assert abs(one[:, 3:] - other[:, 3:]).numpy().max() > 1e-3
    if trained:
        losses = names["model"].history.history["loss"]
        assert len(losses) == 2
        assert np.isfinite(losses).all()


@pytest.mark.slow
def test_the_example_with_layers_of_keras_hub_is_trained_saved_loaded_and_exported(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    classifier, *_, mixed = blocks("layers.md")
    names = run([classifier.partition("model.fit")[0], mixed])
    assert len(names["mixed"].optimizer.variables) > 10  # it was trained
    tokens = np.array([[5, 6, 7, 0, 0]])
    found = names["mixed"](tokens)
    np.testing.assert_allclose(names["mixed"](tokens[:, :3]), found, rtol=1e-4, atol=1e-5)
    exported = tf.saved_model.load("exported")
    np.testing.assert_allclose(exported.serve(tf.constant(tokens, tf.int32)), found, rtol=1e-4, atol=1e-5)


def test_the_example_of_searches_on_ids_works():
    (example,) = (example for example in blocks("models.md") if "beam_search" in example)
    names = run([example])
    assert names["tokens"].shape == (2, 4, 8)
    assert names["scores"].shape == (2, 4)
    assert names["greedy"].tokens.shape == (2, 1, 8)


@pytest.mark.nightly  # models of the sizes of the papers
def test_the_examples_of_models_have_the_shapes_of_the_comments():
    names = run(blocks("models.md"))
    assert names["logits"].shape == (1, 2, 32_000)
    assert names["composed"].count_params() > names["fusion"].count_params()
    assert names["vectors"].shape == (2, 512)
    assert ("cs", "de") in names["more"].directions


@pytest.mark.nightly
def test_the_example_of_analyses_reads_the_states_of_two_models(with_models, monkeypatch, capsys):
    monkeypatch.chdir(with_models)
    texts = ["a small cat sat", "three red dogs"]
    model, ids = Translator.from_directory("runs/fusion").model, np.ones([1, 4], "int32")
    page = blocks(PAGES["analysis.md"].replace("layer=5, head=2", "layer=1, head=2"))  # these models are small
    names = run(page, sources=texts, targets=texts, model=model, source_ids=ids, target_ids=ids)
    assert not np.allclose(names["logits"], model([ids, ids]))
    assert "| fusion |" in capsys.readouterr().out.replace("similarity, ", "")
    batch = names["batch"]
    layers, tokens, dim = batch.source.states.shape
    assert batch.source.gates["self"].shape == (layers - 1, tokens, 2, dim)
    assert batch.target.attention["cross"][0].ndim == 4
    assert (with_models / "similarity.png").stat().st_size > 1000


def test_the_examples_of_the_client_run(tmp_path, capsys):
    write_echo(tmp_path / "mine" / "1")
    client = (ROOT / "client" / "README.md").read_text(encoding="utf-8")
    with DevelopmentServer(tmp_path / "mine", port=0) as server:
        for text in (PAGES["how_to/client.md"], client):
            run(blocks(text.replace("http://localhost:8501", server.rest_url)))
            assert ("Two dogs run." if "Two dogs run." in text else "A man sleeps.") in capsys.readouterr().out


METRIC, _, FORMAT = blocks((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))


def test_the_metric_of_contributing_is_the_share_of_equal_lines_in_its_bootstrap():
    metric = run([METRIC])["ExactMatch"]()
    hypotheses, references = ["a  b", "c", "d"], [["a b", "x", "d"], ["y", "c", "z"]]
    assert metric.corpus_score(hypotheses, references).score == 100
    assert metric.corpus_score(hypotheses, references[:1]).score == pytest.approx(200 / 3)
    assert "nrefs:1" in str(metric.get_signature())
    sums = statistics_of(metric, hypotheses, references[:1]).sum(0)
    assert metric._compute_score_from_stats(sums.tolist()).score == pytest.approx(200 / 3)


def test_the_format_of_contributing_has_all_parameters_and_refuses_mechanisms(make_model, source_tokenizer, tmp_path):
    export = run([FORMAT])["export_arrays"]
    model = make_model(shortcuts=None)
    with np.load(export(tmp_path / "plain", model, source_tokenizer) / "parameters.npz") as arrays:
        assert sum(array.size for array in arrays.values()) == model.count_params()
    assert (tmp_path / "plain/target.model").read_bytes() == source_tokenizer.proto
    with pytest.raises(UserError, match="shortcuts"):
        export(tmp_path / "fusion", make_model(shortcuts="fusion"), source_tokenizer)
    assert [path.name for path in tmp_path.iterdir()] == ["plain"]


def test_settings_in_files_are_settings(tmp_path):
    found = [block for page in PAGES for block in blocks(page, "json")] + blocks(README, "json")
    assert found
    found.append((RECIPES / "multi30k" / "many.json").read_text(encoding="utf-8"))
    for number, block in enumerate(found):
        path = tmp_path / f"{number}.json"
        path.write_text(block)
        layers = [(ExperimentConfig.read_settings(path),)]
        if "configurations" in layers[0][0]:  # a list of `compare`
            compared = read_list(path)
            layers = [(compared["settings"], changes) for changes in compared["configurations"].values()]
        for both in layers:
            ExperimentConfig.from_settings(*both, {"directory": str(tmp_path / "run")})


def test_every_set_option_of_the_pages_is_a_setting():
    recipes = [path.read_text(encoding="utf-8") for path in documents("recipes/**/*.md", "benchmarks/*.md", "lab/*.md")]
    used = {name for text in [*PAGES.values(), README, *recipes] for name in re.findall(r"--set '?([\w.]+)=", text)}
    assert {"schedule", "frozen", "lora"} <= used
    known = {*setting_names(ExperimentConfig), "model", "NAME"}
    used = {name for name in used - known if not name.startswith("model.")}
    assert {whole_name(ExperimentConfig, name) for name in used} <= known


def test_the_documented_options_exist():
    commands = get_command(app).commands
    for path in documents(
        "README.md", "savedmodels/README.md", "docs/**/*.md", "recipes/**/*.md", "benchmarks/*.md", "lab/*.md"
    ):
        for name, line in re.findall(COMMAND, path.read_text(encoding="utf-8"), re.MULTILINE):
            command = commands[name]
            if hasattr(command, "commands"):  # a command of several words, as `inspect bridge`
                command = command.commands[line.split()[0]]
            known = {option for parameter in command.params for option in parameter.opts}
            own = re.sub(r"--beam --\S+", "--beam", line)  # the value is an option of Apache Beam
            assert set(re.findall(r"--[a-z-]+", own)) <= known, (path, line)


def test_the_counterparts_of_other_toolkits_exist():
    parameters = [parameter for command in get_command(app).commands.values() for parameter in command.params]
    names = {option for parameter in parameters for option in parameter.opts}
    names |= {end for name in setting_names(ExperimentConfig) for end in (name, name.rpartition(".")[2])}
    names |= {field.name for field in dataclasses.fields(TransformerConfig)}
    names |= {"tie_embeddings", "source_vocabulary_size", "num_encoder_layers", "num_decoder_layers"}
    names |= {"saving.every", "evaluation.every", "logging.every"}
    tables = PAGES["coming_from.md"].split("## From keras_hub")[0]
    rows = re.findall(r"^\| (.*) \| (.*) \|$", tables, re.MULTILINE)
    ours = {name for _, cell in rows for name in re.findall(r"`([\w-]+)`", cell)}
    assert len(ours) > 40
    assert ours <= names


def relative_links(path):
    text = re.sub(r"^(?: {4}.*|```(?:.*\n)*?```)$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)  # no code
    links = re.findall(r"\]\(<?([^)\s>]+)", text) + re.findall(r"^ {0,3}\[[^\]]+\]: *<?([^\s>]+)", text, re.MULTILINE)
    return [link.split("#")[0] for link in links if not re.match(r"[a-z]+:|#", link)]


def test_relative_links_lead_to_files_that_exist():
    assert "docs/results.md" in relative_links(ROOT / "README.md")
    assert "../tests/serving/saved_model_run.c" in relative_links(ROOT / "savedmodels" / "README.md")
    pages = ("README.md", "client/README.md", "savedmodels/README.md", "keras_nmt/quickstart_data/README.md")
    for path in documents(*pages, "docs/**/*.md", "recipes/**/README.md", "benchmarks/*.md", "lab/*.md"):
        for link in relative_links(path):
            assert path.parent.joinpath(link).is_file(), (path, link)


def test_the_table_of_search_options_is_that_of_the_code():
    rows = [
        "| in Python | on the command line | values | default | in `config.json` |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, option in TABLE.items():
        default = getattr(SearchOptions, name)
        shown = ", ".join(map(str, default)) if isinstance(default, tuple) else "" if default is None else default
        values = ", ".join(map("`{}`".format, option.choices)) or ("" if option.range.endswith("inf") else option.range)
        flag = f"`{flag_of(name)}`" if option.group else ""
        rows.append(f"| `{name}` | {flag} | {values} | {shown} | {'yes' if option.in_model else ''} |")
    assert "\n".join(rows) in PAGES["decoding.md"]


def test_the_table_of_models_names_all_kinds_and_their_arguments():
    rows = re.findall(r"^\| (`.*?) \| (.*)$", PAGES["models.md"], re.MULTILINE)
    named = {name: set(re.findall("`([^`]+)`", cell)) for names, cell in rows for name in re.findall(r"\w+", names)}
    for argument, kinds in {**KNOWN, **{name: one.KINDS for name, one in MECHANISMS.items()}}.items():
        assert {f'"{kind}"' for kind in kinds} <= named[argument]
    for argument, mechanism in MECHANISMS.items():
        assert {field.name for field in dataclasses.fields(mechanism)[1:]} <= named[argument]


@pytest.mark.slow
@pytest.mark.parametrize(("number", "backend"), [(0, "jax"), nightly(1, "torch")], ids=["jax", "torch"])
def test_a_loop_of_another_backend_trains_a_model_that_every_backend_loads(number, backend, tmp_path):
    printed = run_on_backend(backend, "-c", blocks("how_to/own_loop.md")[number], cwd=tmp_path)
    assert float(printed.split()[-1]) > 0.9
    source = np.array([[9, 20, 33, 7, 51, 18, 3]])
    target = np.array([[2, 9, 20, 33, 7, 51, 18]])
    found = keras.models.load_model(tmp_path / "copy.keras")([source, target])
    np.testing.assert_array_equal(np.argmax(found, axis=-1), source)
