"""Runs of experiments: one that is finished, one that continues, and settings that every architecture has."""

from __future__ import annotations

import datetime
import json
import os
import platform
import shutil
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from configs import config
from sentencepiece.sentencepiece_model_pb2 import ModelProto

from keras_nmt.data import ParallelCorpus, SubwordTokenizer, TrainingBatches, text_digest, train_subwords
from keras_nmt.errors import UserError
from keras_nmt.evaluation import corpus_scores
from keras_nmt.experiments import ExperimentConfig, run
from keras_nmt.experiments.results import finished_results, read_results
from keras_nmt.experiments.run_experiment import make_trainer
from keras_nmt.files.json_file import read_json
from keras_nmt.files.weights_file import OTHER_WEIGHTS
from keras_nmt.inference import Translator
from keras_nmt.layers import LayerSpec, RoleInteraction, Roles
from keras_nmt.models import ModelDirectory
from keras_nmt.training import Logging, RoleTemperature, extend_vocabulary, make_strategy


@pytest.fixture
def copied(tmp_path, trained_one):
    return Path(shutil.copytree(trained_one, tmp_path / "run"))


def start(directory, *settings):
    """Runs an experiment; returns its results and what it reported."""
    lines: list[str] = []
    results = run(config(directory, *settings), report=lines.append)
    return results, lines


def losses(folder: Path) -> list[float]:
    lines = [json.loads(line) for line in (folder / "training_log.jsonl").read_text().splitlines()]
    return [line["loss"] for line in lines if "loss" in line]


def test_the_results_are_by_direction(trained_one, one):
    results = json.loads((trained_one / "results.json").read_text())
    assert set(results["test"]) == {"source-target"}
    assert results["test"]["source-target"]["trained"]
    assert {"bleu", "chrf", "ter"} < set(results["test"]["source-target"])
    hypotheses = (trained_one / "test.source-target.hypotheses.txt").read_text().splitlines()
    outputs = results["test"]["source-target"]["outputs"]
    assert (outputs["lines"], outputs["empty"], outputs["distinct"]) == (30, 0, len(set(hypotheses)))
    translations = Translator.from_directory(trained_one).translate(
        Path(one["data.test.source"]).read_text().splitlines()
    )
    assert outputs["cut_off"] == sum(translation.cut_off for translation in translations) > 0  # of four updates
    assert set(results["dev_greedy"]) == {"bleu", "chrf"}
    assert results["replicas"] == 1
    assert outputs["truncated"] == 0
    assert f"Python {platform.python_version()}, TensorFlow {tf.__version__}" in results["machine"]
    assert datetime.date.fromisoformat(results["date"]) <= datetime.datetime.now(datetime.UTC).date()
    assert results["data"]["train source-target"] == [
        text_digest(one["data.train.source"]),
        text_digest(one["data.train.target"]),
    ]


def test_a_finished_run_has_no_scores_of_other_weights(copied, one):
    (weights, *_) = (copied / "checkpoints").glob("update-2.weights.h5")
    shutil.copy(weights, copied / "model.weights.h5")  # as `keras-nmt average`
    results, lines = start(copied, one)
    assert lines[2:] == [f"scores {OTHER_WEIGHTS}"]
    assert results["updates"] == 4
    assert weights.read_bytes() == (copied / "model.weights.h5").read_bytes()


def test_a_finished_run_reports_its_scores_and_ends(copied, one):
    before = {path: path.read_bytes() for path in copied.rglob("*") if path.is_file()}
    results, lines = start(copied, one, {"tensorboard": True})
    assert {path: path.read_bytes() for path in before} == before
    assert lines[1] == f"Finished before, at update 4 (max_updates): {copied / 'results.json'}"
    assert lines[2].startswith("dev bleu ")
    assert [line.split()[1] for line in lines[2:-1]] == ["bleu", "chrf"]
    assert lines[-1].startswith("test source-target  BLEU ")
    assert results["updates"] == 4


def test_a_finished_run_of_several_languages_reports_them(trained, several, tmp_path):
    folder = Path(shutil.copytree(trained, tmp_path / "run"))
    _, lines = start(folder, several)
    assert lines[1].startswith("Finished before, at update 600 (max_updates)")
    assert [line for line in lines if line.startswith("test digits-letters  BLEU") and "(never trained)" in line]


def test_a_finished_run_continues(copied, one, tmp_path):
    """With a larger `max_updates`, and other updates between evaluations, as a run that was longer from the start."""
    longer = {**one, "max_updates": 6, "evaluation.every": 3}
    _, lines = start(copied, longer)
    assert f"Going on from update 4 in {copied}" in lines
    start(tmp_path / "at once", longer)
    assert losses(copied) == losses(tmp_path / "at once")
    assert len(losses(copied)) == 6
    assert set(read_json(copied / "data.json", "digests")) == {f"{x} source-target" for x in ("train", "dev", "test")}
    with pytest.raises(UserError, match=r"other settings.* Received: training.batch_size=9 \(was 64\)$"):
        start(copied, longer, {"batch_size": 9, "max_updates": 8})


def test_a_run_continues_on_another_machine_and_with_another_evaluation(copied, one, tmp_path):
    changed = {"accumulation_steps": 2, "replicas": 2, "saving.every": 1, "evaluation.every": 3, "max_updates": 6}
    changed |= {"bleu_tokenizer": "char", "dev_sentences": 3, "dev_metrics": ["bleu", "loss"], "best_metric": "loss"}
    before = losses(copied)
    results, lines = start(copied, one, changed)
    assert losses(copied)[:4] == before
    assert len(losses(copied)) == 6
    again = [line for line in lines if line.startswith("Evaluating")]
    kept = "Evaluating the kept weights of 2 updates again"
    assert again == [f"{kept}: scores are now loss (char, 3 sentences of source-target)"]
    scores = json.loads((copied / "checkpoints" / "index.json").read_text())["scores"]
    assert set(scores) == {"2", "4", "6"}
    assert all(2 < score < 4 for score in scores.values())  # losses near log(30), no BLEU
    assert "tok:char" in results["test"]["source-target"]["bleu"]["signature"]


def test_layers_that_start_tensorflow_are_trained_on_replicas(one, tmp_path, run_python):
    settings = {**one, "directory": str(tmp_path / "new"), "replicas": 2, "max_updates": 1, "model.roles": "softmax"}
    made = run_python(
        "-c",
        "import json, sys; from keras_nmt.experiments import ExperimentConfig, run; "
        "run(ExperimentConfig.from_settings(json.loads(sys.argv[1])))",
        json.dumps(settings),
    )
    assert made.returncode == 0, made.stderr
    assert b"2 replica(s) on CPU" in made.stdout


def test_embeddings_of_other_subwords_are_not_a_start(copied, one, tmp_path):
    proto = ModelProto.FromString((copied / "subwords.model").read_bytes())
    proto.pieces[-1].piece, proto.pieces[-2].piece = proto.pieces[-2].piece, proto.pieces[-1].piece
    models = tmp_path / "other.model"
    models.write_bytes(proto.SerializeToString())
    with pytest.raises(UserError, match="belong to other source subwords.*Received: init_from="):
        start(tmp_path / "warm", one, {"init_from": str(copied), "subwords.models": str(models), "max_updates": 1})


def test_a_joint_vocabulary_may_have_a_subword_model_for_each_side(copied, one, tmp_path):
    """As OPUS-MT has it: the same subwords and one table, but the scores of the pieces divide words differently."""
    proto = ModelProto.FromString((copied / "subwords.model").read_bytes())
    names = {side: f"subwords.{side}.model" for side in ("source", "target")}
    for name in names.values():
        (copied / name).write_bytes(proto.SerializeToString())
        for piece, score in zip(proto.pieces[4:], [piece.score for piece in proto.pieces[:3:-1]], strict=True):
            piece.score = score
    (copied / "subwords.model").unlink()
    folder = ModelDirectory(copied)
    folder.save_config(folder.load_model(), subwords=names, search=folder.load_config()["search"])
    further = ModelDirectory(tmp_path / "further")
    start(further.path, one, {"init_from": copied, "max_updates": 1})
    moved = copied.rename(tmp_path / "moved")
    start(further.path, one, {"init_from": copied, "max_updates": 2})  # is not there any more
    moved.rename(copied)
    start(tmp_path / "student", one, {"teacher": copied, "max_updates": 1})
    for made in (further, ModelDirectory(tmp_path / "student")):
        theirs, ours = (ModelDirectory(x).subword_paths() for x in (copied, made.path))
        assert {x: ours[x].read_bytes() for x in ours} == {x: theirs[x].read_bytes() for x in theirs}
        assert made.load_model().get_config()["target_vocabulary_size"] is None
    with pytest.raises(UserError, match="model for each side.*cannot be extended.*Received: "):
        extend_vocabulary(further.path, tmp_path / "larger", language="source", words=["zwei"])


def test_the_index_has_the_scores_of_another_evaluation(copied, one):
    (copied / "results.json").unlink()  # stopped before the end
    start(copied, one, {"dev_metrics": ["bleu", "loss"], "best_metric": "loss"})
    scores = json.loads((copied / "checkpoints" / "index.json").read_text())["scores"]
    assert set(scores) == {"2", "4"}
    assert all(2 < score < 4 for score in scores.values())  # losses near log(30), no BLEU


def test_another_least_length_of_translations_is_another_score(copied, one):
    _, lines = start(copied, one, {"min_length": 9, "max_updates": 6})
    again = "Evaluating the kept weights of 2 updates again: scores are now "
    assert any(line.startswith(again) and line.endswith(", at least 9 subwords)") for line in lines)


def test_scores_of_another_search_do_not_pass_for_new_ones_after_a_kill(copied, one):
    def killed(line: str) -> None:
        if line == "Building the model":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(config(copied, {**one, "max_updates": 6}), report=killed)
    assert read_results(copied)["updates"] == 4  # of the shorter run, until the longer run has results
    wider = config(copied, {**one, "beam_size": 2})
    with pytest.raises(KeyboardInterrupt):
        run(wider, report=killed)
    assert finished_results(wider, str) is None


def test_fewer_updates_than_there_were_end_a_run_once(copied, one):
    (copied / "results.json").unlink()  # stopped before the end
    for said in ("Translating the test data", "Finished before, at update 4"):
        results, lines = start(copied, one, {"max_updates": 3})
        assert results["updates"] == 4
        assert any(line.startswith(said) for line in lines)


def test_one_hot_roles_given_as_an_object_get_their_temperature(one, tmp_path):
    roles = Roles(LayerSpec(RoleInteraction, assignment="one_hot", kernel_size=5), num_roles=4)
    e = config(tmp_path, {**one, "model": {**one["model"], "roles": roles}})
    model = e.make_model(e.vocabulary_sizes)
    batches = TrainingBatches(ParallelCorpus.from_lists([[4, 5]], [[5, 4]]), batch_size=1, batch_unit="sentences")
    of_direction = {e.directions[0].name: batches}
    trainer = make_trainer(e, model, of_direction, make_strategy(1), tmp_path, logging=Logging(report=str))
    assert [type(callback) for callback in trainer.callbacks] == [RoleTemperature]


def test_other_test_data_are_scored_without_training(copied, one):
    other = {f"data.test.{side}": one[f"data.dev.{side}"] for side in ("source", "target")}
    _, lines = start(copied, one, other)
    assert "Translating the test data" in lines
    assert not [line for line in lines if line.startswith("update ")]


def test_several_test_sets_are_scored_as_one_and_apart(copied, one):
    def files(use):
        return {side: one[f"data.{use}.{side}"] for side in ("source", "target")}

    def scores(cell):
        return {name: cell[name]["score"] for name in ("bleu", "chrf", "ter")}

    path = copied / "test.source-target.hypotheses.txt"
    before, apart = path.read_text(), read_results(copied)["test"]["source-target"]
    settings = {name: value for name, value in one.items() if not name.startswith("data.test")}
    made = config(copied, {**settings, "data.test": [files("dev"), files("test")]})
    run(made, report=str)
    whole = read_results(copied)["test"]["source-target"]
    sets, (_, references) = whole["sets"], made.directions[0].read_tests()
    assert list(sets) == [Path(one[f"data.{use}.target"]).name for use in ("dev", "test")]
    of_dev, of_test = sets.values()
    assert scores(of_test) == scores(apart) != scores(of_dev)
    assert path.read_text().endswith(before)
    lines = path.read_text().splitlines()
    assert whole["outputs"]["lines"] == len(lines) == len(references) > len(before.splitlines())
    assert {name: round(x.score, 2) for name, x in corpus_scores(lines, references).items()} == scores(whole)
    with pytest.raises(UserError, match="This corpus has no file for any direction. Received: test='.*none"):
        start(copied, settings, {"data.test": [files("test"), copied / "none.{language}"]})


def test_test_sets_may_share_a_file_of_references(copied, one):
    settings = {name: value for name, value in one.items() if not name.startswith("data.test")}
    source, target = (Path(one[f"data.test.{side}"]) for side in ("source", "target"))
    (copied / "noisy").write_text(source.read_text().upper())
    sets = [{"source": source, "target": target}, {"source": copied / "noisy", "target": target}]
    (direction,) = config(copied, {**settings, "data.test": sets}).directions
    lines = source.read_text().splitlines()
    assert list(direction.read_test_sets()) == [f"{source} {target}", f"{copied / 'noisy'} {target}"]
    assert direction.read_tests()[0] == [*lines, *(line.upper() for line in lines)]
    with pytest.raises(UserError, match="A test set must be named once. Received: "):
        _ = config(copied, {**settings, "data.test": [sets[0], sets[0]]}).directions


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("settings.json", "null", "settings.json must contain"),
        ("results.json", "[]", "results.json must contain"),
        ("results.json", '{"updates": "4", "ended_by": "x"}', "Damaged: updates in .*results.json.*Received: '4'"),
        ("results.json", '{"updates": 4}', "Damaged: ended_by in .*results.json"),
        ("data.json", '{"train source-target": 3}', "Damaged: .*data.json.*Received: 3"),
        *((name, None, f"{name}, a pipe") for name in ("settings.json", "results.json", "data.json")),
    ],
)
def test_a_damaged_file_of_a_run_is_one_line(copied, one, name, content, message):
    (copied / name).unlink()
    if content is None:
        os.mkfifo(copied / name)
    else:
        (copied / name).write_text(content)
    with pytest.raises(UserError, match=message) as raised:
        start(copied, one, {"max_updates": 6})
    assert "\n" not in str(raised.value)


def test_settings_of_several_languages_work_for_one_direction(one, corpus, tmp_path):
    """Freezing, lower-casing, development sentences, patterns, and own subwords, in a Transformer."""
    (tmp_path / "upper").mkdir()
    for path in corpus.glob("*.*"):
        (tmp_path / "upper" / path.name).write_text(path.read_text().upper())
    files = {name: str(tmp_path / "upper" / f"{name}.{{language}}") for name in ("train", "dev", "test")}
    settings = {name: value for name, value in one.items() if not name.startswith("data.")}
    text = [corpus / "train.words", corpus / "train.letters"]
    subwords = {
        "source": train_subwords(text[0], tmp_path / "words.model", vocabulary_size=24, lowercase=True),
        "target": train_subwords(text[1], tmp_path / "letters.model", vocabulary_size=18, lowercase=True),
    }
    experiment = config(
        tmp_path / "run",
        {
            **settings,
            "schedule": "noam",
            "learning_rate": None,
            **files,
            "languages": ["words", "letters"],
            "pairs": ["words-letters"],
            "joint_vocabulary": False,
            "lowercase": True,
            "models": subwords,
            "frozen": ["encoder/*"],
            "dev_metrics": ["bleu", "loss"],
            "best_metric": "loss",
            "bleu_tokenizer": "char",
        },
    )
    lines: list[str] = []
    results = run(experiment, report=lines.append)
    assert [line for line in lines if line.startswith("Warning: ")] == [
        "Warning: the run ends before the learning rate reaches its peak: set `warmup_steps` to about a tenth of the "
        "updates. Received: warmup_steps=4000, max_updates=4"
    ]
    assert list(results["test"]) == ["words-letters"]
    assert "case:lc" in results["test"]["words-letters"]["bleu"]["signature"]
    assert "tok:char" in results["test"]["words-letters"]["bleu"]["signature"]
    assert set(results["dev_greedy"]) == {"bleu", "loss"}
    folder = ModelDirectory(tmp_path / "run")
    assert {side: path.read_bytes() for side, path in folder.subword_paths().items()} == {
        side: path.read_bytes() for side, path in subwords.items()
    }
    model = folder.load_model()
    assert (model.source_vocabulary_size, model.target_vocabulary_size) == (24, 18)
    fresh = experiment.make_model({"source": 24, "target": 18})
    assert not [weight.path for weight in fresh.trainable_weights if weight.path.startswith("encoder/")]


def test_a_bridge_may_have_one_vocabulary_and_a_preset(several, corpus):
    settings = {**several, "joint_vocabulary": True, "preset": "transformer_tiny", "model": {"bridge_heads": 2}}
    experiment = config("x", {**settings, "user_symbols": ["<x>"]})
    assert experiment.vocabulary_sizes == dict.fromkeys(several["languages"], 22)
    made = experiment.make_model(experiment.vocabulary_sizes).get_config()
    assert (made["hidden_dim"], made["encoder"], made["transformer"]["num_heads"]) == (128, "transformer", 4)
    student = {"directory": "x", **settings, "preset": "transformer_student"}
    made = ExperimentConfig.from_settings(student).make_model(experiment.vocabulary_sizes).get_config()
    assert (made["num_decoder_layers"], made["transformer"]["decoder_self_attention"]) == (2, "ssru")


def test_subwords_with_other_ids_are_refused(one, corpus, tmp_path):
    import sentencepiece

    model = tmp_path / "other.model"
    with open(model, "wb") as file:
        sentencepiece.SentencePieceTrainer.train(
            input=str(corpus / "train.words"), model_writer=file, vocab_size=24, model_type="bpe", minloglevel=2
        )
    with pytest.raises(UserError, match="ids.*Received: "):
        start(tmp_path / "run", one, {"models": model})
    assert not list((tmp_path / "run").glob("*.model"))


@pytest.mark.parametrize("lowercase", [False, True])
def test_given_subwords_treat_case_as_the_settings_say(lowercase, one, corpus, tmp_path):
    """Otherwise, scores would ignore case, or count it, for a model that does not."""
    train_subwords([corpus / "train.words"], tmp_path / "m", vocabulary_size=24, lowercase=not lowercase)
    with pytest.raises(UserError, match=f"set subwords.lowercase={str(not lowercase).lower()}. Received"):
        start(tmp_path / "run", one, {"models": tmp_path / "m", "lowercase": lowercase})
    assert not list((tmp_path / "run").glob("*.model"))


def test_corpus_weights_equal_a_corpus_seen_as_often(several, corpus, tmp_path):
    """Two corpora of which one is weighted: an epoch is longer by that."""
    from keras_nmt.experiments.run_experiment import _batches

    train_subwords([corpus / "train.digits", corpus / "train.words"], tmp_path / "m", vocabulary_size=30)
    tokenizers = dict.fromkeys(several["languages"], SubwordTokenizer(tmp_path / "m"))
    sizes = []
    for weights in ([1, 1], [1, 3]):
        settings = {**several, "train": [several["train"]] * 2, "corpus_weights": weights}
        experiment = config("x", settings)
        sizes.append(_batches(experiment, experiment.directions[0], tokenizers, str).updates_per_epoch)
    assert sizes == [np.ceil(2 * 1740 / 64), np.ceil(4 * 1740 / 64)]
