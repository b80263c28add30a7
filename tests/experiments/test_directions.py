"""Several languages from files to scores, on a task learnt in a minute: numbers spelt in three ways."""

import dataclasses
import gzip
import json
import shutil
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from configs import config
from small import save_model, write_lines

from keras_nmt.data import SubwordTokenizer
from keras_nmt.errors import UserError
from keras_nmt.experiments import ExperimentConfig, run
from keras_nmt.experiments.corpus_files import sides_of_corpus
from keras_nmt.experiments.data_config import check_files, digests_of
from keras_nmt.inference import Translator
from keras_nmt.models import ModelDirectory


@pytest.fixture(scope="module")
def many(several, tmp_path_factory):
    """The folder of an experiment with three languages that has learnt them."""
    folder = tmp_path_factory.mktemp("many")
    tested = ["digits-words", "words-letters", "digits-letters", "letters-digits"]
    run(config(folder, {**several, "test_pairs": tested}), report=str)
    return folder


@pytest.mark.slow
def test_pairs_that_were_never_trained_are_translated(many, several, tmp_path):
    results = json.loads((many / "results.json").read_text())
    scores = {pair: cell["bleu"]["score"] for pair, cell in results["test"].items()}
    unseen = [pair for pair, cell in results["test"].items() if not cell["trained"]]
    assert unseen == ["digits-letters", "letters-digits"]
    assert all(scores[pair] > 75 for pair in scores if pair not in unseen), scores
    assert all(scores[pair] > 30 for pair in unseen), scores
    # The score that chooses is the mean over pairs of two languages.
    of_pairs = {name: value for name, value in results["dev_greedy"].items() if name.startswith("bleu_")}
    assert set(of_pairs) == {f"bleu_{pair}" for pair in several["pairs"][:4]}
    assert {f"chrf_{pair}" for pair in several["pairs"][:4]} | {"chrf"} == set(results["dev_greedy"]) - {
        "bleu",
        *of_pairs,
    }
    assert results["dev_greedy"]["bleu"] == pytest.approx(np.mean(list(of_pairs.values())), abs=0.01)
    # A finished run reports them.
    folder, lines = shutil.copytree(many, tmp_path / "run"), []
    run(config(folder, {**several, "test_pairs": list(results["test"])}), report=lines.append)
    assert lines[1].startswith(f"Finished before, at update {several['max_updates']} (max_updates)")
    assert [line for line in lines if line.startswith("test digits-letters  BLEU") and "(never trained)" in line]


@pytest.mark.slow
def test_the_command_line_translates_scores_and_embeds(many, corpus, tmp_path, keras_nmt):
    together = Translator.from_directory(many)
    lines = ["3 0 7", "1 2", "9 9 9 9"]
    expected = [x.text for x in together.translate(lines, "digits", "letters")]
    text = keras_nmt("translate", many, "-s", "digits", "-t", "letters", stdin="\n".join(lines)).output
    assert text.splitlines() == expected  # of the pair loaded alone
    files = corpus / "test.digits", corpus / "test.words"
    scores = keras_nmt("score", many, "--source", files[0], "--target", files[1], "-s", "digits", "-t", "words").output
    assert np.mean([float(line) > -1 for line in scores.split()]) > 0.7
    arguments = ["evaluate", many, "--references", files[1], "--source", files[0]]
    report = keras_nmt(*arguments, "--source-language", "digits", "--target-language", "words").output
    assert report.startswith("BLEU")
    vectors = {}
    for language, text in (("digits", "3 0 7\n1 1\n"), ("words", "le ka ne\nke ke\n")):
        keras_nmt("embed", many, "--language", language, "--output", tmp_path / "v.npy", stdin=text)
        vectors[language] = np.load(tmp_path / "v.npy", allow_pickle=False)
    assert vectors["digits"].shape == (2, 48)
    # Sentences with the same meaning are nearer than others.
    distance = np.linalg.norm(vectors["digits"][:, None] - vectors["words"][None], axis=-1)
    assert distance[0, 0] < distance[0, 1]
    assert distance[1, 1] < distance[1, 0]
    output = ["--output", tmp_path / "v.npy", "--all-vectors"]
    keras_nmt("embed", many, "--language", "words", *output, stdin="ke\n")
    assert np.load(tmp_path / "v.npy", allow_pickle=False).shape == (1, 6, 48)


def test_errors_of_the_command_line(make_multilingual, tmp_path, error_line):
    save_model(tmp_path, *make_multilingual("transformer"))
    names = "de, fr, zh-Hans"
    text = ["--input", write_lines(tmp_path / "text", ["a mouse"])]
    for command, message in (
        (["translate", *text], f"{names}. Missing options --source-language and --target-language."),
        (["embed", *text, "--language", "xx", "--output", "v.npy"], names),
        (["embed", *text, "--language", "de", "--output", "v.txt"], "*.npy. Received: --output v.txt"),
    ):
        assert message in error_line(command[0], tmp_path, *command[1:])


@pytest.mark.slow
def test_a_language_is_added_to_a_trained_model(many, several, corpus, tmp_path):
    """New encoder and decoder against the bridge, the rest as it was."""
    signs = str.maketrans("0123456789", "!@#$%^&*()")
    for name in ("train", "dev"):
        (tmp_path / f"{name}.words").write_text((corpus / f"{name}.words").read_text())
        (tmp_path / f"{name}.signs").write_text((corpus / f"{name}.digits").read_text().translate(signs))
    old, files = ModelDirectory(many).load_model(), {x: str(tmp_path / f"{x}.{{language}}") for x in ("train", "dev")}
    more = {**several, **files, "languages": [*several["languages"], "signs"], "dev_pairs": ["signs-words"]}
    more |= {"pairs": ["signs-words", "words-signs"], "test": None, "init_from": str(many)}
    more |= {"frozen": ["bridge/*", "digits_*", "words_*", "letters_*"], "allow_missing": ["signs_*"]}
    more |= {"max_updates": 8, "evaluation.every": 8, "schedule": "constant", "warmup_steps": None}
    run(config(tmp_path / "more", more), report=str)
    new = ModelDirectory(tmp_path / "more").load_model()
    assert new.languages == (*several["languages"], "signs")
    kept = {weight.path: weight.numpy() for weight in new.weights}
    for weight in old.weights:
        np.testing.assert_array_equal(kept[weight.path], weight.numpy())
    # As many subword models, the old ones' as they were.
    subwords = ModelDirectory(tmp_path / "more").read().subword_paths()
    assert subwords["words"].read_bytes() == ModelDirectory(many).read().subword_paths()["words"].read_bytes()
    with pytest.raises(UserError, match="missing in the model to start from.*Received: signs_"):
        run(config(tmp_path / "refused", {**more, "allow_missing": []}), report=str)


def test_pairs_of_one_language_alone_are_developed_and_tested(several):
    settings = {**several, "directory": "x", "pairs": [f"{language}-{language}" for language in several["languages"]]}
    settings["architecture"] = "attention_bridge"
    pairs = ExperimentConfig.from_settings(settings).pair_lists
    assert pairs.dev == pairs.train == [(language, language) for language in several["languages"]]
    assert ("digits", "words") in pairs.test
    one = ExperimentConfig.from_settings({**settings, "languages": ["words"], "pairs": ["words-words"]}).pair_lists
    assert one.train == one.dev == one.test == [("words", "words")]


@pytest.mark.nightly
def test_a_model_of_one_language_trains_translates_and_is_exported(several, corpus, tmp_path, keras_nmt):
    (tmp_path / "train.words-words.words").write_text((corpus / "train.words").read_text())
    settings = {**several, "architecture": "language_label", "languages": ["words"], "pairs": ["words-words"]}
    settings["model"] = _without_bridge(several["model"])
    settings |= {"train": str(tmp_path / "train.{pair}.{language}"), "schedule": "constant", "warmup_steps": None}
    folder, dev = tmp_path / "run", corpus / "dev.words"
    settings |= {"max_updates": 3, "evaluation.every": 2, "dev_metrics": ["bleu", "loss"], "beam_size": 1}
    results = run(config(folder, settings), report=str)
    assert set(results["test"]) == {"words-words"}
    assert set(results["dev_greedy"]) == {"bleu", "loss"}
    lines = keras_nmt("translate", folder, "--input", dev).output.splitlines()
    assert lines == keras_nmt("translate", folder, "--input", dev, "-s", "words", "-t", "words").output.splitlines()
    assert len(lines) == 30
    assert keras_nmt("evaluate", folder, "--source", dev, "--references", dev).output.startswith("BLEU")
    keras_nmt("translate", folder, "--input", dev, "-s", "digits", "-t", "words", code=2)
    keras_nmt("export", folder, tmp_path / "export")
    served = tf.saved_model.load(str(tmp_path / "export" / "1")).signatures["serving_default"]
    answers = served(text=tf.constant(dev.read_text().splitlines()))
    assert [text.decode() for text in answers["translation"].numpy()] == lines


def _without_bridge(model):
    return {name: value for name, value in model.items() if not name.startswith(("bridge", "penalty"))}


@pytest.mark.nightly
def test_a_label_model_that_starts_from_another_needs_its_labels(several, tmp_path):
    """The model identifies labels by their ids."""
    label = {**several, "architecture": "language_label", "model": _without_bridge(several["model"])}
    label |= {"vocabulary_size": 40, "schedule": "constant", "warmup_steps": None, "max_updates": 1, "test": None}
    label |= {"languages": ["digits", "words"], "pairs": ["digits-words"], "length_buckets": [16]}
    run(config(tmp_path / "first", label), report=str)
    later = {**label, "init_from": str(tmp_path / "first")}
    for languages in (["words", "digits"], ["digits", "words", "letters"]):
        pairs = [f"{languages[0]}-{languages[1]}", f"{languages[-1]}-{languages[0]}"]
        changed = {"languages": languages, "pairs": pairs}
        with pytest.raises(UserError, match="must be those of the labels at the beginning.* Received: languages="):
            run(config(tmp_path / "later", {**later, **changed}), report=str)
    again = config(tmp_path / "again", later)
    run(again, report=str)
    # A run that has its subwords does not need the model that it started from.
    (tmp_path / "first").rename(tmp_path / "gone")
    run(again, report=str)


def test_corpora_of_pairs_have_two_files_each(tmp_path, several):
    """A corpus a pair, in either order of its name; A -> A has the sides of all of them."""
    for name in ("digits-words.digits", "digits-words.words", "letters-words.letters", "letters-words.words"):
        (tmp_path / f"train.{name}").write_text("1\n2\n")
    pattern = str(tmp_path / "train.{pair}.{language}")
    experiment = config(tmp_path / "run", {**several, "train": pattern, "pairs": [*several["pairs"], "words-words"]})
    corpora = {d.name: [(a.name, b.name) for a, b in d.corpora] for d in experiment.directions}
    assert corpora["words-words"] == [("train.digits-words.words",) * 2, ("train.letters-words.words",) * 2]
    assert corpora["words-letters"] == [("train.letters-words.words", "train.letters-words.letters")]
    # Beside another corpus.
    both = config("x", {**several, "train": [several["train"], pattern], "corpus_weights": [1, 0.5]})
    weights = {direction.name: direction.weights for direction in both.directions}
    assert weights["digits-words"] == weights["words-digits"] == weights["digits-digits"] == (1.0, 0.5)
    check_files(both.directions)
    one = dataclasses.replace(both.directions[0], corpora=((tmp_path / "train.letters-words.words",) * 2,))
    same = rf"of {one.name} are the same text, whose lines are to be copied\. Received: '.*letters-words.wo"
    with pytest.warns(UserWarning, match=same):
        check_files([one])
    (tmp_path / "train.letters-words.words").unlink()
    with pytest.raises(UserError, match="There is no data for words-letters. Received: "):
        run(dataclasses.replace(experiment), report=str)
    assert not (tmp_path / "run").exists()
    for path in tmp_path.glob("train.*"):
        path.unlink()
    with pytest.raises(UserError, match=r"has no file for any direction. Received: train='.*/train\."):
        dataclasses.replace(both).directions  # noqa: B018


def test_copies_of_a_text_are_told_whatever_their_names(several, tmp_path):
    direction = next(one for one in config("x", several).directions if one.source != one.target and one.dev)
    copies = tuple(tmp_path / f"copy.{side}.gz" for side in "ab")
    for copy, side in zip(copies, direction.corpora[0], strict=True):
        copy.write_bytes(gzip.compress(Path(side).read_bytes()))
    for changed, told in (
        ({}, []),
        ({"dev": copies}, ["A dev text"]),
        ({"tests": (direction.dev, copies)}, ["A test text"]),
        ({"corpora": (*direction.corpora, copies)}, ["A training text"]),
        ({"dev": (direction.dev[0],) * 2}, ["Source and target"]),
    ):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            check_files([dataclasses.replace(direction, **changed)])
        assert len(found) == len(told)
        assert all(
            str(one.message).startswith(f"{text} of {direction.name} ") for one, text in zip(found, told, strict=True)
        )


def test_a_file_of_several_directions_is_counted_and_hashed_once(several, monkeypatch):
    for name, use in (("_num_lines", check_files), ("_digest", digests_of)):
        read = []
        monkeypatch.setattr(sys.modules[use.__module__], name, lambda path, read=read: read.append(path) or 5)
        use(config("x", several).directions)
        assert len(read) == len(set(read)) > 0


def test_halves_of_two_corpora_are_not_paired(tmp_path):
    for name in ("digits-words.digits", "words-digits.words", "words-digits.digits"):
        (tmp_path / f"train.{name}").write_text("1\n")
    pattern = str(tmp_path / "train.{pair}.{language}")
    sides = sides_of_corpus(pattern, ("digits", "words"))
    assert sides == tuple(tmp_path / f"train.words-digits.{language}" for language in ("digits", "words"))
    (tmp_path / "train.words-digits.digits").unlink()
    assert sides_of_corpus(pattern, ("digits", "words"), is_needed=False) is None
    with pytest.raises(UserError, match="Both files of digits-words must be of one corpus. Received: .*words-digits"):
        sides_of_corpus(pattern, ("digits", "words"))


def test_settings_that_exclude_each_other_are_refused(several):
    for changed, message in (
        ({"languages": ["digits", "digits"]}, "must name each language once"),
        ({"pairs": ["digits-greek"]}, "of digits, words, letters, each once. Received: pairs=['digits-greek']"),
        ({"pairs": []}, "no direction to train on"),
        ({"pairs": ["digits-words", "words-digits"]}, "letters is in none. Received: pairs="),
        ({"dev_pairs": []}, "`dev_pairs` must name a direction"),
        (
            {"pairs": ["digits-words", "digits-letters"], "test_pairs": ["words-digits"]},
            "must only have sources and targets that are trained as such. Received: test_pairs=['words-digits']",
        ),
        ({"train": "train.txt"}, "with {language} in it, or a dictionary of files by language. Received: train="),
        ({"task_schedule": "weighted"}, "Missing `task_weights`: task_schedule=weighted needs it"),
        ({"task_schedule": "weighted", "task_weights": {"digits-words": 1.0}}, "must have a weight for each of"),
        ({"best_metric": "bleu_words-greek"}, "`best_metric` must be one of"),
        ({"architecture": "transformer", "model": {}}, "A Transformer has one direction"),
        ({"architecture": "language_label", "model": {}, "joint_vocabulary": False}, "labels must have one vocabulary"),
        ({"corpus_weights": [1.0, 1.0]}, "must have a number for each of 1 corpora"),
        (
            {"test": None, "test_pairs": ["xx-yy"]},
            "`test_pairs` needs `test`. Received: test=None, test_pairs=['xx-yy']",
        ),
        ({"languages": ["a", "b-c", "a-b", "c"]}, "must not have the same name, SOURCE-TARGET. Received: languages="),
    ):
        with pytest.raises((UserError, KeyError)) as raised:
            config("x", {**several, **changed})
        assert message in str(raised.value)


def test_task_schedules_follow_weights_and_temperature(several):
    weights = dict.fromkeys(several["pairs"], 1.0) | {"words-digits": 3.0}
    weighted = config("x", {**several, "task_schedule": "weighted", "task_weights": weights})
    sizes = dict.fromkeys(several["pairs"], 100)
    assert weighted.training.weights_of_tasks(sizes) == weights
    tempered = config("x", {**several, "task_schedule": "temperature", "temperature": 2.0})
    found = tempered.training.weights_of_tasks({**sizes, "words-digits": 400})
    assert found["words-digits"] == pytest.approx(2 * found["digits-words"])


def test_settings_of_tasks_reach_the_training(several, tmp_path, reach, monkeypatch):
    weights = {pair: 1.0 + i for i, pair in enumerate(several["pairs"])}
    more = {"task_schedule": "weighted", "task_weights": weights, "best_metric": "bleu_words-digits"}
    more |= {"beam_size": 7, "dtype": "mixed_bfloat16", "lowercase": True}
    monkeypatch.setattr("keras_nmt.files.process_resources.has_bfloat16", lambda: False)
    with pytest.warns(UserWarning, match="^mixed_bfloat16 is hardly faster on this processor"):
        made = reach(config(tmp_path / "run", {**several, **more}))
    assert {task.name: task.weight for task in made["data"]} == weights
    assert made["evaluation"].best_metric == "bleu_words-digits"
    assert made["model"].get_config()["dtype"] == "mixed_bfloat16"
    folder = ModelDirectory(tmp_path / "run")
    assert folder.read().search["beam_size"] == 7
    tokenizer = SubwordTokenizer(folder.read().subword_paths()["words"])
    assert tokenizer.tokenize(["KA"]).to_list() == tokenizer.tokenize(["ka"]).to_list()
