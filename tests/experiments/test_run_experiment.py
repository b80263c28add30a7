"""Runs of experiments: one that is finished, one that continues, and settings that every architecture has."""

from __future__ import annotations

import datetime
import json
import os
import platform
import shutil
import types
from pathlib import Path

import keras
import numpy as np
import pytest
import sacrebleu
import sentencepiece
import tensorflow as tf
from comparisons import make
from configs import config
from sentencepiece.sentencepiece_model_pb2 import ModelProto
from small import LEARNT

from keras_nmt.data import (
    ParallelCorpus,
    SubwordTokenizer,
    TrainingBatches,
    read_parallel,
    text_digest,
    train_subwords,
)
from keras_nmt.errors import UserError
from keras_nmt.evaluation import corpus_scores
from keras_nmt.evaluation.metrics import METRICS, MetricKind
from keras_nmt.experiments import ExperimentConfig, run, run_experiment
from keras_nmt.experiments import scores as module
from keras_nmt.experiments.data_config import Direction
from keras_nmt.experiments.results import finished_results, read_results
from keras_nmt.experiments.run_experiment import make_tokenizers, make_trainer
from keras_nmt.experiments.scores import development_scores
from keras_nmt.files.model_config import ModelFiles
from keras_nmt.files.weights_file import OTHER_WEIGHTS
from keras_nmt.inference import Translator
from keras_nmt.layers import LayerSpec, RoleInteraction, Roles
from keras_nmt.models import ModelDirectory
from keras_nmt.training import Evaluation, Logging, RoleTemperature, extend_vocabulary, make_strategy

LAST = LEARNT["max_updates"]


@pytest.fixture
def copied(tmp_path, trained):
    return Path(shutil.copytree(trained, tmp_path / "run"))


@pytest.fixture(scope="module")
def learnt(one):
    """The settings of `trained`."""
    return {**one, **LEARNT}


def start(directory, *settings):
    """Runs an experiment; returns its results and what it reported."""
    lines: list[str] = []
    results = run(config(directory, *settings), report=lines.append)
    return results, lines


def losses(folder: Path) -> list[float]:
    lines = [json.loads(line) for line in (folder / "training_log.jsonl").read_text().splitlines()]
    return [line["loss"] for line in lines if "loss" in line]


def test_the_results_are_by_direction(trained, one):
    results = json.loads((trained / "results.json").read_text())
    (cell,) = results["test"].values()
    assert cell["trained"]
    assert {"bleu", "chrf", "ter"} < set(cell)
    translations = Translator.from_directory(trained).translate(Path(one["data.test.source"]).read_text().splitlines())
    hypotheses = (trained / "test.source-target.hypotheses.txt").read_text().splitlines()
    assert [translation.text for translation in translations] == hypotheses
    expected = {"lines": 30, "empty": 0, "distinct": len(set(hypotheses)), "truncated": 0}
    expected["cut_off"] = sum(translation.cut_off for translation in translations)
    assert cell["outputs"] == expected
    assert set(results["dev_greedy"]) == {"bleu", "chrf"}
    assert results["replicas"] == 1
    assert f"Python {platform.python_version()}, TensorFlow {tf.__version__}" in results["machine"]
    assert datetime.date.fromisoformat(results["date"]) <= datetime.datetime.now(datetime.UTC).date()
    files = [text_digest(one[f"data.train.{side}"]) for side in ("source", "target")]
    assert results["data"]["train source-target"] == files


def test_a_finished_run_reports_its_scores_and_ends(copied, learnt):
    before = {path: path.read_bytes() for path in copied.rglob("*") if path.is_file()}
    results, lines = start(copied, learnt, {"tensorboard": True})
    assert {path: path.read_bytes() for path in before} == before
    assert lines[1] == f"Finished before, at update {LAST} (max_updates): {copied / 'results.json'}"
    assert lines[2].startswith("dev bleu ")
    assert [line.split()[1] for line in lines[2:-1]] == ["bleu", "chrf"]
    assert lines[-1].startswith("test source-target  BLEU ")
    assert results["updates"] == LAST
    weights = min((copied / "checkpoints").glob("update-*.weights.h5"))
    shutil.copy(weights, copied / "model.weights.h5")  # as `keras-nmt average`
    assert start(copied, learnt)[1][2:] == [f"scores {OTHER_WEIGHTS}"]
    assert weights.read_bytes() == (copied / "model.weights.h5").read_bytes()


@pytest.mark.slow
def test_a_model_with_target_tags_is_trained_and_scored(one, tmp_path):
    tagged = {}
    for name in ("data.train.source", "data.dev.source", "data.test.source"):
        tagged[name] = str(tmp_path / name)
        lines = Path(one[name]).read_text().splitlines()
        Path(tagged[name]).write_text("".join(f"<2{'de' if i % 2 else 'fr'}> {x}\n" for i, x in enumerate(lines)))
    tags = {"user_symbols": ["<2de>", "<2fr>"], "dev_metrics": ["bleu", "loss"], "max_updates": 1}
    results, _ = start(tmp_path / "run", one, tagged, tags, {"length_buckets": [16]})
    translator = Translator.from_directory(tmp_path / "run")
    assert list(translator.graph.language_inputs.tags.texts) == ["de", "fr"]
    assert results["test"]["source-target"]["outputs"]["lines"] == 30


@pytest.mark.slow
def test_a_run_that_a_callback_ended_goes_on_without_it(one, tmp_path):
    def end(batch, logs):
        stop.model.stop_training = True

    stop = keras.callbacks.LambdaCallback(on_train_batch_end=end)
    # One-hot roles have a callback of their own, which ends no run.
    settings = config(tmp_path, {**one, "model": {**one["model"], "roles": "one_hot"}, "max_updates": 2})
    for callbacks, updates in (([stop], 1), ([stop], 1), ([RoleTemperature()], 2)):
        assert run(settings, report=str, callbacks=callbacks)["updates"] == updates


@pytest.mark.slow
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


@pytest.mark.nightly
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
    folder.save_config(folder.load_model(), subwords=names, search=folder.read().search)
    further = ModelDirectory(tmp_path / "further")
    start(further.path, one, {"init_from": copied, "max_updates": 1})
    start(tmp_path / "student", one, {"teacher": copied, "max_updates": 1})
    for made in (further, ModelDirectory(tmp_path / "student")):
        theirs, ours = (ModelDirectory(x).read().subword_paths() for x in (copied, made.path))
        assert {x: ours[x].read_bytes() for x in ours} == {x: theirs[x].read_bytes() for x in theirs}
        assert made.load_model().get_config()["target_vocabulary_size"] is None
    with pytest.raises(UserError, match="model for each side.*cannot be extended.*Received: "):
        extend_vocabulary(further.path, tmp_path / "larger", language="source", words=["zwei"])


def test_scores_of_another_search_do_not_pass_for_new_ones_after_a_kill(copied, learnt):
    def killed(line: str) -> None:
        if line == "Building the model":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(config(copied, {**learnt, "max_updates": LAST + 2}), report=killed)
    assert read_results(copied)["updates"] == LAST  # of the shorter run, until the longer run has results
    wider = config(copied, {**learnt, "beam_size": 2})
    with pytest.raises(KeyboardInterrupt):
        run(wider, report=killed)
    assert finished_results(wider, str) is None


@pytest.mark.slow
def test_fewer_updates_and_another_evaluation_end_a_run_once(copied, learnt):
    (copied / "results.json").unlink()  # stopped before the end
    other = {"max_updates": LAST - 1, "dev_metrics": ["bleu", "loss"], "best_metric": "loss"}
    for said in ("Scoring the translations of ", f"Finished before, at update {LAST}"):
        results, lines = start(copied, learnt, other)
        assert results["updates"] == LAST
        assert any(line.startswith(said) for line in lines)
    scores = json.loads((copied / "checkpoints" / "index.json").read_text())["scores"]
    assert set(scores) == {str(LAST // 2), str(LAST)}
    assert all(0 < score < 4 for score in scores.values())  # losses, no BLEU


def test_one_hot_roles_given_as_an_object_get_their_temperature(one, tmp_path):
    roles = Roles(LayerSpec(RoleInteraction, assignment="one_hot", kernel_size=5), num_roles=4)
    e = config(tmp_path, {**one, "model": {**one["model"], "roles": roles}})
    model = e.make_model(e.vocabulary_sizes)
    batches = TrainingBatches(ParallelCorpus.from_lists([[4, 5]], [[5, 4]]), batch_size=1, batch_unit="sentences")
    of_direction = {e.directions[0].name: batches}
    trainer = make_trainer(e, model, of_direction, make_strategy(1), tmp_path, logging=Logging(report=str))
    assert [type(callback) for callback in trainer.callbacks] == [RoleTemperature]


@pytest.mark.slow
def test_several_test_sets_are_scored_without_training_as_one_and_apart(copied, learnt):
    def files(use):
        return {side: learnt[f"data.{use}.{side}"] for side in ("source", "target")}

    def scores(cell):
        return {name: cell[name]["score"] for name in ("bleu", "chrf", "ter")}

    path = copied / "test.source-target.hypotheses.txt"
    before, apart = path.read_text(), read_results(copied)["test"]["source-target"]
    settings = {name: value for name, value in learnt.items() if not name.startswith("data.test")}
    made = config(copied, {**settings, "data.test": [files("dev"), files("test")]})
    lines: list[str] = []
    run(made, report=lines.append)
    assert not [line for line in lines if line.startswith("update ")]
    whole = read_results(copied)["test"]["source-target"]
    sets, references = whole["sets"], made.directions[0].read_tests().references
    assert list(sets) == [Path(learnt[f"data.{use}.target"]).name for use in ("dev", "test")]
    assert scores(sets["test.words"]) == scores(apart)
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
    assert list(direction.read_tests().sets) == [f"{source} {target}", f"{copied / 'noisy'} {target}"]
    assert direction.read_tests().sources == [*lines, *(line.upper() for line in lines)]
    for side in ("source", "target"):
        (copied / f".{direction.name.split('-')[side == 'target']}").write_text(target.read_text())
    without_name = config(copied, {**settings, "data.test": [sets[0], str(copied / ".{language}")]}).directions[0]
    assert without_name.test_names == [str(target), str(copied / f".{direction.target}")]
    with pytest.raises(UserError, match="A test set must be named once. Received: "):
        _ = config(copied, {**settings, "data.test": [sets[0], sets[0]]}).directions


def test_a_damaged_file_of_a_run_is_one_line(copied, learnt):
    for name, content, message in (
        ("settings.json", "null", "settings.json must contain"),
        ("results.json", "[]", "results.json must contain"),
        ("results.json", '{"updates": "4", "ended_by": "x"}', "Damaged: updates in .*results.json.*Received: '4'"),
        ("results.json", '{"updates": 4}', "Damaged: ended_by in .*results.json"),
        ("data.json", '{"train source-target": 3}', "Damaged: .*data.json.*Received: 3"),
        *((name, None, f"{name}, a pipe") for name in ("settings.json", "results.json", "data.json")),
    ):
        whole = (copied / name).read_bytes()
        (copied / name).unlink()
        if content is None:
            os.mkfifo(copied / name)
        else:
            (copied / name).write_text(content)
        with pytest.raises(UserError, match=message) as raised:
            start(copied, learnt, {"max_updates": LAST + 2})
        assert "\n" not in str(raised.value)
        (copied / name).unlink()
        (copied / name).write_bytes(whole)


def test_a_bridge_may_have_one_vocabulary_and_a_preset(several, corpus):
    settings = {**several, "joint_vocabulary": True, "preset": "transformer_tiny", "model": {"bridge_heads": 2}}
    experiment = config("x", {**settings, "user_symbols": ["<x>"]})
    assert experiment.vocabulary_sizes == dict.fromkeys(several["languages"], 22)
    sizes = {"digits": 14, "words": 22, "letters": 16}
    separate = config("x", {**several, "joint_vocabulary": False, "vocabulary_size": sizes})
    assert separate.vocabulary_sizes == sizes
    made = experiment.make_model(experiment.vocabulary_sizes).get_config()
    assert (made["hidden_dim"], made["encoder"], made["transformer"]["num_heads"]) == (128, "transformer", 4)
    student = {"directory": "x", **settings, "preset": "transformer_student"}
    made = ExperimentConfig.from_settings(student).make_model(experiment.vocabulary_sizes).get_config()
    assert (made["num_decoder_layers"], made["transformer"]["decoder_self_attention"]) == (2, "ssru")


def test_subwords_with_other_ids_or_case_are_refused(one, corpus, tmp_path):
    """Otherwise, scores would ignore case, or count it, for a model that does not."""
    text, model = corpus / "train.words", tmp_path / "other.model"
    with open(model, "wb") as file:
        sentencepiece.SentencePieceTrainer.train(
            input=str(text), model_writer=file, vocab_size=24, model_type="bpe", minloglevel=2
        )
    with pytest.raises(UserError, match="ids.*Received: "):
        start(tmp_path / "run", one, {"models": model})
    for lowercase in (True, False):
        given = train_subwords([text], tmp_path / f"{lowercase}.model", vocabulary_size=24, lowercase=not lowercase)
        with pytest.raises(UserError, match=f"set subwords.lowercase={str(not lowercase).lower()}. Received"):
            start(tmp_path / "run", one, {"models": given, "lowercase": lowercase})
    assert not list((tmp_path / "run").glob("*.model"))


def test_subwords_of_sources_alone_are_those_of_their_clean_text(one, tmp_path):
    for side in ("digits", "words"):
        (tmp_path / side).write_text("0\xa01 2\xad3\n" * 9, encoding="utf-8")
    found = []
    for source, target, is_on in (("digits", "words", True), ("words", "words", True), ("digits", "words", False)):
        files = {"data.train": {"source": tmp_path / source, "target": tmp_path / target}}
        subwords = {"joint_vocabulary": False, "vocabulary_size": 12, "source_cleaning": is_on}
        made = config(tmp_path / f"run{len(found)}", one, files, subwords)
        tokenizers = make_tokenizers(made, ModelDirectory(made.directory), str)
        found.append("\xa0" in "".join(tokenizers["source"].pieces()))
        assert tokenizers["source"].source.cleans == is_on
    assert found == [False, True, True]


SOURCES = ["1 2 3", "4 5", "0 1"]
REFERENCES = ["ke la ma", "ma me", "ka ka"]


def test_sentences_of_a_line_are_counted_where_text_keeps_its_case(tmp_path):
    text, direction = tmp_path / "text", Direction(source="a", target="b", sides=("source", "target"))
    text.write_text("The cat sat. A dog ran.\nThe mat sat. The hat ran.\n" * 5)
    for lowercase, expected in ((False, 2), (True, None)):
        path = train_subwords(text, tmp_path / "subwords.model", vocabulary_size=40, lowercase=lowercase)
        tokenizer = SubwordTokenizer(path)
        batches = {"a-b": TrainingBatches(read_parallel(text, text, tokenizer, tokenizer), batch_size=64)}
        tokenizers = {"source": tokenizer, "target": tokenizer}
        settings = types.SimpleNamespace(directions=[direction])
        assert run_experiment._sentences_per_line(settings, batches, tokenizers) == expected


def test_scores_are_those_of_sacrebleu_and_of_the_model(trained, one, monkeypatch):
    monkeypatch.setitem(METRICS, "errors", MetricKind(lambda sacrebleu, *_: sacrebleu.TER(), lower_is_better=True))
    metrics = ["bleu", "chrf", "ter", "errors", "loss"]
    made = config("x", one, {"dev_metrics": metrics, "bleu_tokenizer": "char"})
    translator = Translator.from_directory(trained, beam_size=1)
    found = development_scores(made, translator, {made.directions[0]: (SOURCES, REFERENCES)})
    assert list(found) == metrics
    hypotheses = [translation.text for translation in translator.translate(SOURCES)]
    assert found["bleu"] == pytest.approx(sacrebleu.corpus_bleu(hypotheses, [REFERENCES], tokenize="char").score)
    assert found["chrf"] == pytest.approx(sacrebleu.corpus_chrf(hypotheses, [REFERENCES], word_order=2).score)
    assert found["ter"] == found["errors"] == pytest.approx(sacrebleu.corpus_ter(hypotheses, [REFERENCES]).score)
    assert 0 < found["chrf"] < 100
    # The loss is the mean over subwords with the end.
    subwords = sum(len(ids) + 1 for ids in translator.tokenizers["target"].tokenize(REFERENCES).to_list())
    assert found["loss"] == pytest.approx(-np.sum(translator.score(SOURCES, REFERENCES)) / subwords)
    assert 0 < found["loss"] < 20
    for name in ("errors", "errors_de-en", "ter", "loss_de-en"):
        assert not Evaluation(evaluate=dict, every=1, best_metric=name).higher_is_better
    assert Evaluation(evaluate=dict, every=1, best_metric="chrf_de-en").higher_is_better


def test_speed_is_measured_on_all_lines_after_a_warm_up(files, tmp_path, monkeypatch):
    clock, sizes = [0.0], []

    class Slow:
        def translate(self, lines, *sides):
            sizes.append(len(lines))
            clock[0] += 100.0 if len(sizes) == 1 else 4.0
            return []

    monkeypatch.setattr(module.Translator, "from_directory", lambda directory: Slow())
    read = ModelFiles(tmp_path, {"search": {"beam_size": 4}})
    monkeypatch.setattr(ModelDirectory, "read", lambda self: read)
    monkeypatch.setattr(module.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(module, "WARM_UP", 8)
    (tmp_path / "model.weights.h5").write_bytes(b"weights")
    (tmp_path / "config.json").write_text('{"search": {"beam_size": 4}}')
    for at in ("before", "now", "now"):  # the turns of another moment are dropped
        sizes.clear()
        module.measure_speed(make(1, tmp_path, files), at, "source-target")
        assert sizes == [8, 40]
    found = json.loads((tmp_path / "speed.json").read_text())
    assert (found["at"], found["sentences"], found["rates"]) == ("now", 40, [10.0, 10.0])
