"""Several languages from files to scores, on a task learnt in a minute: numbers spelt in three ways."""

from __future__ import annotations

import dataclasses
import io
import json
import re
import sys

import numpy as np
import pytest
import tensorflow as tf
from configs import config

from keras_nmt.cli.app import app
from keras_nmt.data import SubwordTokenizer
from keras_nmt.errors import UserError
from keras_nmt.experiments import ExperimentConfig, run
from keras_nmt.experiments import run_experiment as module
from keras_nmt.experiments.corpus_files import sides_of_corpus
from keras_nmt.experiments.data_config import check_files
from keras_nmt.inference import Translator
from keras_nmt.models import ModelDirectory

MODEL = {
    "encoder": "transformer",
    "transformer": {"num_heads": 4, "intermediate_dim": 96},
    "hidden_dim": 48,
    "num_encoder_layers": 1,
    "num_decoder_layers": 1,
}
SPELLINGS = ("digits", "words", "letters")
PAIRS = ["digits-words", "words-digits", "words-letters", "letters-words", "digits-digits", "letters-letters"]


@pytest.fixture(scope="module")
def results(trained):
    return json.loads((trained / "results.json").read_text())


@pytest.fixture
def keras_nmt(monkeypatch, capfd):
    """Runs `keras-nmt` in this process, where TensorFlow is there already, and gives what it wrote."""

    def run(*arguments, stdin=""):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        app([*map(str, arguments)], standalone_mode=False)
        sys.stdout.flush()
        return capfd.readouterr().out

    return run


def test_pairs_that_were_never_trained_are_translated(results):
    scores = {pair: cell["bleu"]["score"] for pair, cell in results["test"].items()}
    unseen = [pair for pair, cell in results["test"].items() if not cell["trained"]]
    assert unseen == ["digits-letters", "letters-digits"]
    assert all(scores[pair] > 80 for pair in scores if pair not in unseen), scores
    assert all(scores[pair] > 45 for pair in unseen), scores


def test_the_score_that_chooses_is_the_mean_over_pairs_of_two_languages(results):
    of_pairs = {name: value for name, value in results["dev_greedy"].items() if name.startswith("bleu_")}
    assert set(of_pairs) == {f"bleu_{pair}" for pair in PAIRS[:4]}
    assert {f"chrf_{pair}" for pair in PAIRS[:4]} | {"chrf"} == set(results["dev_greedy"]) - {"bleu", *of_pairs}
    assert results["dev_greedy"]["bleu"] == pytest.approx(np.mean(list(of_pairs.values())), abs=0.01)


def test_a_pair_loaded_alone_equals_the_pair_of_the_whole_model(trained):
    together = Translator.from_directory(trained)
    alone = Translator.from_directory(trained, source="digits", target="letters")
    lines = ["3 0 7", "1 2", "9 9 9 9"]
    assert alone.translate(lines) == together.translate(lines, "digits", "letters")


def test_the_command_line_translates_scores_and_embeds(trained, corpus, tmp_path, keras_nmt):
    directory = trained
    text = keras_nmt("translate", directory, "-s", "words", "-t", "digits", stdin="le ka ne\n")
    assert text == "3 0 7\n"
    files = corpus / "test.digits", corpus / "test.words"
    both = ["--source", files[0], "--target", files[1]]
    scores = keras_nmt("score", directory, *both, "-s", "digits", "-t", "words")
    assert np.mean([float(line) > -1 for line in scores.split()]) > 0.8
    arguments = ["evaluate", directory, "--references", files[1], "--source", files[0]]
    report = keras_nmt(*arguments, "--source-language", "digits", "--target-language", "words")
    assert report.startswith("BLEU")
    vectors = {}
    for language, text in (("digits", "3 0 7\n1 1\n"), ("words", "le ka ne\nke ke\n")):
        keras_nmt("embed", directory, "--language", language, "--output", tmp_path / "v.npy", stdin=text)
        vectors[language] = np.load(tmp_path / "v.npy", allow_pickle=False)
    assert vectors["digits"].shape == (2, 48)
    # Sentences with the same meaning are nearer than others.
    distance = np.linalg.norm(vectors["digits"][:, None] - vectors["words"][None], axis=-1)
    assert distance[0, 0] < distance[0, 1]
    assert distance[1, 1] < distance[1, 0]
    output = ["--output", tmp_path / "v.npy", "--all-vectors"]
    keras_nmt("embed", directory, "--language", "words", *output, stdin="ke\n")
    assert np.load(tmp_path / "v.npy", allow_pickle=False).shape == (1, 6, 48)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["translate", "{}"], "digits, words, letters. Missing options --source-language and --target-language."),
        (["translate", "{}", "-s", "xx", "-t", "words"], "name a source and a target.* Received: from xx to words"),
        (["embed", "{}", "--language", "xx", "--output", "v.npy"], "digits, words, letters.*Received: 'xx'"),
        (["embed", "{}", "--language", "words", "--output", "v.txt"], r"\*.npy. Received: --output v.txt"),
        (["embed", "{}", "--language", "words", "--output", "v.npy"], "The input has no lines to embed"),
    ],
)
def test_errors_of_the_command_line(trained, command, message, keras_nmt):
    with pytest.raises(UserError, match=message):
        keras_nmt(*(word.format(trained) for word in command), stdin="ka\n" if "xx" in command else "")


def test_a_language_is_added_to_a_trained_model(trained, several, corpus, tmp_path):
    """New encoder and decoder against the bridge, the rest as it was."""
    for name in ("train", "dev", "test"):
        lines = (corpus / f"{name}.digits").read_text()
        (corpus / f"{name}.signs").write_text(lines.translate(str.maketrans("0123456789", "!@#$%^&*()")))
    old = ModelDirectory(trained).load_model()
    more = {
        **several,
        "languages": [*SPELLINGS, "signs"],
        "pairs": ["signs-words", "words-signs"],
        "dev_pairs": ["signs-words"],
        "init_from": str(trained),
        "allow_missing": ["signs_*"],
        "frozen": ["bridge/*", "digits_*", "words_*", "letters_*"],
        "max_updates": 8,
        "evaluation.every": 8,
        "schedule": "constant",
        "warmup_steps": None,
        "test": None,
    }
    run(config(tmp_path / "more", more), report=str)
    new = ModelDirectory(tmp_path / "more").load_model()
    assert new.languages == (*SPELLINGS, "signs")
    kept = {weight.path: weight.numpy() for weight in new.weights}
    for weight in old.weights:
        np.testing.assert_array_equal(kept[weight.path], weight.numpy())
    # As many subword models, the old ones' as they were.
    subwords = ModelDirectory(tmp_path / "more").subword_paths()
    assert subwords["words"].read_bytes() == ModelDirectory(trained).subword_paths()["words"].read_bytes()
    with pytest.raises(UserError, match="missing in the model to start from.*Received: signs_"):
        run(config(tmp_path / "refused", {**more, "allow_missing": []}), report=str)


def test_pairs_of_one_language_alone_are_developed_and_tested(several):
    settings = {**several, "directory": "x", "pairs": [f"{language}-{language}" for language in SPELLINGS]}
    settings["architecture"] = "attention_bridge"
    pairs = ExperimentConfig.from_settings(settings).pair_lists
    assert pairs.dev == pairs.train == [(language, language) for language in SPELLINGS]
    assert ("digits", "words") in pairs.test
    one = ExperimentConfig.from_settings({**settings, "languages": ["words"], "pairs": ["words-words"]}).pair_lists
    assert one.train == one.dev == one.test == [("words", "words")]


@pytest.mark.parametrize(
    "architecture", ["attention_bridge", pytest.param("language_label", marks=pytest.mark.nightly)]
)
def test_a_model_of_one_language_trains_translates_and_is_exported(several, corpus, tmp_path, keras_nmt, architecture):
    (tmp_path / "train.words-words.words").write_text((corpus / "train.words").read_text())
    model = several["model"] if architecture == "attention_bridge" else MODEL
    settings = {
        **several,
        "architecture": architecture,
        "languages": ["words"],
        "pairs": ["words-words"],
        "model": model,
    }
    settings |= {"train": str(tmp_path / "train.{pair}.{language}"), "schedule": "constant", "warmup_steps": None}
    folder, dev = tmp_path / "run", corpus / "dev.words"
    settings |= {"max_updates": 3, "evaluation.every": 2, "dev_metrics": ["bleu", "loss"], "beam_size": 1}
    results = run(config(folder, settings), report=str)
    assert set(results["test"]) == {"words-words"}
    assert set(results["dev_greedy"]) == {"bleu", "loss"}
    lines = keras_nmt("translate", folder, "--input", dev).splitlines()
    assert lines == keras_nmt("translate", folder, "--input", dev, "-s", "words", "-t", "words").splitlines()
    assert len(lines) == 30
    assert keras_nmt("evaluate", folder, "--source", dev, "--references", dev).startswith("BLEU")
    with pytest.raises(UserError, match="Received: "):
        keras_nmt("translate", folder, "--input", dev, "-s", "digits", "-t", "words")
    keras_nmt("export", folder, tmp_path / "export")
    served = tf.saved_model.load(str(tmp_path / "export" / "1")).signatures["serving_default"]
    answers = served(text=tf.constant(dev.read_text().splitlines()))
    assert [text.decode() for text in answers["translation"].numpy()] == lines


@pytest.fixture(scope="module")
def label_settings(several):
    model = {name: value for name, value in several["model"].items() if not name.startswith(("bridge", "penalty"))}
    label = {"architecture": "language_label", "model": model, "vocabulary_size": 40}
    return {**several, **label, "schedule": "constant", "warmup_steps": None, "max_updates": 6, "evaluation.every": 6}


@pytest.mark.nightly
def test_the_label_baseline_runs_on_the_same_data(label_settings, tmp_path):
    label = {**label_settings, "pairs": ["digits-words", "words-letters"], "test_pairs": ["digits-letters"]}
    results = run(config(tmp_path / "label", label), report=str)
    assert set(results["test"]) == {"digits-letters"}
    assert len(set(ModelDirectory(tmp_path / "label").subword_paths().values())) == 1


def test_a_label_model_that_starts_from_another_needs_its_labels(label_settings, tmp_path):
    """The model identifies labels by their ids."""
    two = {"languages": ["digits", "words"], "pairs": ["digits-words"], "test": None}
    label = {**label_settings, **two, "max_updates": 1, "evaluation.every": 1}
    run(config(tmp_path / "first", label), report=str)
    later = {**label, "init_from": str(tmp_path / "first")}
    for languages in (["words", "digits"], ["digits", "words", "letters"]):
        changed = {
            "languages": languages,
            "pairs": [f"{languages[0]}-{languages[1]}", f"{languages[-1]}-{languages[0]}"],
        }
        with pytest.raises(UserError, match="must be those of the labels at the beginning.* Received: languages="):
            run(config(tmp_path / "later", {**later, **changed}), report=str)
    again = config(tmp_path / "again", later)
    run(again, report=str)
    # A run that has its subwords does not need the model that it started from.
    (tmp_path / "first").rename(tmp_path / "gone")
    run(again, report=str)


def test_corpora_of_pairs_have_two_files_each(corpus, tmp_path, several):
    """A corpus a pair, in either order of its name; A -> A has the sides of all of them."""
    for pair, languages in (("digits-words", ("digits", "words")), ("letters-words", ("letters", "words"))):
        for language in languages:
            (tmp_path / f"train.{pair}.{language}").write_text((corpus / f"train.{language}").read_text())
    experiment = config(
        tmp_path / "run",
        {**several, "train": str(tmp_path / "train.{pair}.{language}"), "pairs": [*PAIRS, "words-words"]},
    )
    corpora = {d.name: [(a.name, b.name) for a, b in d.corpora] for d in experiment.directions}
    assert corpora["words-words"] == [("train.digits-words.words",) * 2, ("train.letters-words.words",) * 2]
    assert corpora["words-letters"] == [("train.letters-words.words", "train.letters-words.letters")]
    (tmp_path / "train.letters-words.words").unlink()
    with pytest.raises(UserError, match="There is no data for words-letters. Received: "):
        run(dataclasses.replace(experiment), report=str)
    assert not (tmp_path / "run").exists()


def test_halves_of_two_corpora_are_not_paired(corpus, tmp_path, several):
    for name in ("digits-words.digits", "words-digits.words", "words-digits.digits"):
        (tmp_path / f"train.{name}").write_text((corpus / f"train.{name.rpartition('.')[2]}").read_text())
    pattern = str(tmp_path / "train.{pair}.{language}")
    assert sides_of_corpus(pattern, ("digits", "words")) == tuple(
        tmp_path / f"train.words-digits.{language}" for language in ("digits", "words")
    )
    (tmp_path / "train.words-digits.digits").unlink()
    assert sides_of_corpus(pattern, ("digits", "words"), is_needed=False) is None
    with pytest.raises(UserError, match="Both files of digits-words must be of one corpus. Received: .*words-digits"):
        sides_of_corpus(pattern, ("digits", "words"))


def test_several_corpora_may_have_files_of_different_pairs(corpus, tmp_path, several):
    for language in ("digits", "words"):
        (tmp_path / f"more.digits-words.{language}").write_text("1\n2\n")
    patterns = [several["train"], str(tmp_path / "more.{pair}.{language}")]
    experiment = config("x", {**several, "train": patterns, "corpus_weights": [1, 0.5]})
    weights = {direction.name: direction.weights for direction in experiment.directions}
    assert weights["digits-words"] == weights["words-digits"] == weights["digits-digits"] == (1.0, 0.5)
    assert weights["words-letters"] == (1.0,)
    check_files(experiment.directions)
    for language in ("digits", "words"):
        (tmp_path / f"more.digits-words.{language}").unlink()
    with pytest.raises(UserError, match=r"has no file for any direction. Received: train='.*/more\."):
        dataclasses.replace(experiment).directions  # noqa: B018


def test_both_sides_of_every_file_are_counted(corpus, tmp_path, several):
    (tmp_path / "dev.digits").write_text("1\n")
    (tmp_path / "dev.words").write_text("ka\n")
    (tmp_path / "dev.letters").write_text("a\nb\n")
    experiment = config(tmp_path / "run", {**several, "dev": str(tmp_path / "dev.{language}")})
    with pytest.raises(UserError, match="same number of lines.*dev.words' with 1 lines, '.*dev.letters' with 2$"):
        run(experiment, report=str)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"languages": []}, "must name each language once"),
        ({"languages": ["digits", "digits"]}, "must name each language once"),
        ({"languages": "digits"}, "must be list"),
        ({"pairs": ["digits-greek"]}, "of digits, words, letters. Received: pairs='digits-greek'"),
        ({"pairs": ["digits-words", "digits-words"]}, "must name each direction once"),
        ({"pairs": []}, "no direction to train on"),
        ({"pairs": ["digits-words", "words-digits"]}, "letters is in none. Received: pairs="),
        ({"dev_pairs": []}, "`dev_pairs` must name a direction"),
        (
            {"pairs": ["digits-words", "digits-letters"], "test_pairs": ["words-digits"]},
            "`test_pairs` must only have sources and targets that are trained as such. Received: words-digits",
        ),
        ({"train": "train.txt"}, "with {language} in it, or a dictionary of files by language. Received: train="),
        ({"task_schedule": "weighted"}, "`task_weights` must be used together with"),
        ({"task_weights": {"digits-words": 1.0}}, "`task_weights` must be used together with"),
        ({"task_schedule": "weighted", "task_weights": {"digits-words": 1.0}}, "must have a weight for each of"),
        ({"task_schedule": "random"}, "`training.task_schedule` must be 'uniform', 'weighted' or"),
        ({"best_metric": "bleu_words-greek"}, "`best_metric` must be one of"),
        ({"architecture": "none"}, "`model.architecture` must be 'transformer', "),
        ({"model": {"use_cudnn": "auto"}}, "AttentionBridgeModel has no such arguments"),
        ({"architecture": "transformer", "model": {}}, "A Transformer has one direction"),
        ({"architecture": "language_label", "model": {}, "joint_vocabulary": False}, "labels must have one vocabulary"),
        ({"corpus_weights": [1.0, 1.0]}, "must have a number for each of 1 corpora"),
        ({"test": None, "test_pairs": ["xx-yy"]}, "`test_pairs` needs `test`. Received: test_pairs=['xx-yy']"),
        ({"languages": ["a", "b-c", "a-b", "c"]}, "must not have the same name, SOURCE-TARGET. Received: languages="),
        ({"warmup_steps": 10**20}, "`training.warmup_steps` must be"),
    ],
)
def test_settings_that_exclude_each_other_are_refused(several, changed, message):
    with pytest.raises((UserError, KeyError), match=re.escape(message).replace(r"\ ", " ")):
        config("x", {**several, **changed})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"frozen": ["tower/*"]}, r"must match a weight.*Received: 'tower/\*'"),
        ({"model": {"shared_attention": True, "decoder": "transformer"}}, "`shared_attention` is for recurrent dec"),
    ],
)
def test_an_impossible_model_is_refused_before_any_work(several, tmp_path, changed, message):
    with pytest.raises(UserError, match=message):
        run(config(tmp_path / "x", {**several, **changed}), report=str)
    assert not (tmp_path / "x").exists()


def test_task_schedules_follow_weights_and_temperature(several):
    weights = dict.fromkeys(PAIRS, 1.0) | {"words-digits": 3.0}
    weighted = config("x", {**several, "task_schedule": "weighted", "task_weights": weights})
    sizes = dict.fromkeys(PAIRS, 100)
    assert weighted.training.weights_of_tasks(sizes) == weights
    tempered = config("x", {**several, "task_schedule": "temperature", "temperature": 2.0})
    found = tempered.training.weights_of_tasks({**sizes, "words-digits": 400})
    assert found["words-digits"] == pytest.approx(2 * found["digits-words"])


def test_settings_of_tasks_reach_the_training(several, tmp_path, monkeypatch):
    class Reached(Exception):
        pass

    made = {}

    def trainer(model, data, directory, **options):
        made.update(options, model=model, tasks=data)
        raise Reached

    monkeypatch.setattr(module, "Trainer", trainer)
    weights = {pair: 1.0 + i for i, pair in enumerate(PAIRS)}
    more = {"task_schedule": "weighted", "task_weights": weights, "best_metric": "bleu_words-digits"}
    more |= {"beam_size": 7, "dtype": "mixed_bfloat16", "lowercase": True}
    experiment = config(tmp_path / "run", {**several, **more})
    with pytest.raises(Reached):
        run(experiment, report=str)
    assert {task.name: task.weight for task in made["tasks"]} == weights
    assert made["evaluation"].best_metric == "bleu_words-digits"
    assert made["model"].get_config()["dtype"] == "mixed_bfloat16"
    folder = ModelDirectory(tmp_path / "run")
    assert folder.load_config()["search"]["beam_size"] == 7
    tokenizer = SubwordTokenizer(folder.subword_paths()["words"])
    assert tokenizer.tokenize(["KA"]).to_list() == tokenizer.tokenize(["ka"]).to_list()
