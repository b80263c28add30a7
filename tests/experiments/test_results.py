"""Settings and text that may change when a run continues, and the files that a refused start leaves."""

import shutil

import pytest

from keras_nmt.data import text_digest
from keras_nmt.errors import UserError
from keras_nmt.experiments import ExperimentConfig
from keras_nmt.experiments import results as module
from keras_nmt.experiments.data_config import digests_of
from keras_nmt.experiments.results import finished_results, has_other_subwords, record
from keras_nmt.files.json_file import read_json

PARTS, SIDES = ("train", "dev"), ("source", "target")
SETTINGS = {"languages": list(SIDES), "pairs": ["source-target"], "max_updates": 1}


@pytest.fixture
def files(tmp_path):
    """Settings with files of two lines for training and development."""
    paths = {f"data.{part}.{side}": tmp_path / f"{part}.{side}" for part in PARTS for side in SIDES}
    for path in paths.values():
        path.write_text("eins\nzwei\n")
    return paths


@pytest.fixture
def note(tmp_path, files):
    """Notes the start of an experiment with these settings, and whether the run has checkpoints then."""

    def start(directory=tmp_path / "run", checkpoints=True, **changed):
        record(ExperimentConfig.from_settings({**SETTINGS, "directory": directory, **files}, changed))
        if checkpoints:
            (directory / "checkpoints").mkdir(exist_ok=True)

    return start


def test_a_run_continues_only_with_the_same_text_and_a_refused_start_changes_no_file(note, files, tmp_path):
    run, more, text = tmp_path / "run", tmp_path / "more", files["data.train.target"].read_text()
    more.write_text("drei\n")
    note()
    digests = {f"{part} source-target": [text_digest(files[f"data.{part}.{side}"]) for side in SIDES] for part in PARTS}
    assert read_json(run / "data.json", "digests") == digests
    before = {path.name: path.read_bytes() for path in run.glob("*.json")}
    assert set(before) == {"data.json", "settings.json"}
    train = {side: files[f"data.train.{side}"] for side in SIDES}
    for changed, message in (
        ({"data.train": [train, dict.fromkeys(train, more)]}, "began with other text"),
        ({"batch_size": 9}, "run with other settings.* Received: training.batch_size=9"),
        ({}, "began with other text.* Received: train source-target$"),
    ):
        files["data.train.target"].write_text(text if changed else "eins\nzwo\n")
        with pytest.raises(UserError, match=message):
            note(**changed)
    assert before == {path.name: path.read_bytes() for path in run.glob("*.json")}
    files["data.train.target"].write_text(text)
    note(max_updates=9)  # longer is no other run, and nor is the same text elsewhere
    elsewhere = {name: path.rename(tmp_path / f"moved {name}") for name, path in files.items()}
    for lines in ("drei\n", "vier\n"):  # and test data may change, too
        more.write_text(lines)
        note(max_updates=9, **elsewhere, test={"source": more, "target": more})
        assert read_json(run / "data.json", "digests") == {**digests, "test source-target": [text_digest(more)] * 2}


def test_what_changes_no_update_may_change_on_continuing(note):
    note()
    every = dict.fromkeys(("saving.every", "evaluation.every"), 7)
    scored = {"dev_metrics": ["bleu", "loss"], "best_metric": "loss", "bleu_tokenizer": "char", "dev_sentences": 1}
    note(accumulation_steps=4, replicas=2, jit_compile=True, deterministic=True, **every, **scored)
    changed = {"batch_size": 9, "learning_rate": 2.0, "dtype": "mixed_bfloat16", "clip": 1.0, "seed": 2}
    for name, value in changed.items():
        with pytest.raises(UserError, match=f"other settings.* Received: [a-z_.]*{name}="):
            note(**{name: value})


def test_files_that_a_run_began_with_are_compared_by_content(note, tmp_path):
    start, subwords = tmp_path / "start", tmp_path / "a.model"
    start.mkdir()
    (start / "model.weights.h5").write_bytes(b"weights")
    subwords.write_bytes(b"subwords")
    run = tmp_path / "runs" / "run"
    note(run, init_from=start, models=subwords)
    shutil.copy(subwords, run / "subwords.model")  # as a start does
    note(run, init_from=start, models=subwords)
    moved, elsewhere = shutil.move(start, tmp_path / "moved"), shutil.move(subwords, tmp_path / "b.model")
    run = shutil.move(run, tmp_path / "moved run")
    note(run, init_from=start, models=subwords)  # the same command, though the files are gone
    note(run, init_from=moved, models=elsewhere, allow_missing=["*"], ignore_extra=["*"])
    (moved / "model.weights.h5").write_bytes(b"trained further")
    note(run, init_from=moved, models=elsewhere)  # the run has its start behind it
    shutil.copytree(moved, tmp_path / "other")
    for name, other in {"init_from": tmp_path / "other", "models": tmp_path / "dev.source"}.items():
        with pytest.raises(UserError, match=f"other settings.* Received: [a-z_.]*{name}="):
            note(run, **{"init_from": moved, "models": elsewhere, name: other})
        with pytest.raises(UserError, match=f"other settings.* Received: [a-z_.]*{name}=None"):
            note(run, **{"init_from": moved, "models": elsewhere, name: None})


def test_the_length_of_a_cosine_schedule_cannot_change(note):
    cosine = {"schedule": "cosine", "learning_rate": 0.001, "warmup_steps": 2}
    note(**cosine, max_updates=5)
    with pytest.raises(UserError, match=r"Received: training.stop.max_updates=9 \(was 5\)"):  # the rate would jump
        note(**cosine, max_updates=9)


def test_subwords_are_kept_if_no_setting_of_subwords_changes(note, files, tmp_path):
    """Before the first checkpoint settings may change, and so may the text."""
    subwords, before = tmp_path / "run" / "subwords.model", {path: path.read_text() for path in files.values()}
    for changed, are_kept in (
        ({"batch_size": 9}, True),
        ({"vocabulary_size": 9}, False),
        ({"joint_vocabulary": False}, False),
        ({"data.train.source": "drei\nvier\n"}, False),
        ({"data.dev.source": "drei\nvier\n"}, True),
        ({"teacher": "elsewhere"}, False),
    ):
        for path, content in before.items():
            path.write_text(content)
        note(checkpoints=False)
        subwords.write_bytes(b"")
        for name in files.keys() & changed.keys():
            files[name].write_text(changed.pop(name))
        changed_run = ExperimentConfig.from_settings({**SETTINGS, "directory": tmp_path / "run", **files}, changed)
        assert has_other_subwords(changed_run) != are_kept
        note(checkpoints=False, **changed)
        assert subwords.exists() == are_kept
        shutil.rmtree(tmp_path / "run")
    # Given subwords of other content are copied again.
    given = tmp_path / "given"
    for content, is_there in ((b"old", True), (b"new", False)):
        given.write_bytes(b"old")
        note(checkpoints=False, models=given)
        subwords.write_bytes(b"old")
        given.write_bytes(content)
        note(checkpoints=False, models=given)
        assert subwords.exists() == is_there


def test_a_finished_run_of_another_teacher_is_refused(files, tmp_path, monkeypatch):
    teacher, folder = tmp_path / "teacher", tmp_path / "run"
    teacher.mkdir()
    (teacher / "model.weights.h5").write_bytes(b"old")
    config = ExperimentConfig.from_settings({**SETTINGS, "directory": folder, **files, "teacher": teacher})
    record(config)
    (folder / "model.weights.h5").write_bytes(b"")
    results = {"limits": config.limits, "updates": 1, "ended_by": "max_updates", "dev_greedy": {}}
    monkeypatch.setattr(module, "read_results", lambda folder: {**results, "data": digests_of(config.directions)})
    lines = []
    assert finished_results(config, lines.append) is not None
    assert lines[0].startswith("Finished before, at update 1")
    (teacher / "model.weights.h5").write_bytes(b"new")
    with pytest.raises(UserError, match=r"a finished run of other files.*Received: teacher \(was another file\)"):
        finished_results(config, lines.append)


def test_a_model_without_checkpoints_is_not_overwritten_by_training(note, files, tmp_path):
    note(checkpoints=False)
    (tmp_path / "run" / "settings.json").unlink()  # a start that was killed between data and settings begins again
    for path in files.values():
        path.write_text("drei\n")
    note(checkpoints=False)
    for name in ("model.weights.h5", "subwords.model"):
        (tmp_path / "run" / name).write_bytes(b"not to be lost")
    before = {path: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    for seed in (1, 2):
        with pytest.raises(UserError, match="without checkpoints.* set `init_from` to start.* Received: directory="):
            note(checkpoints=False, seed=seed)
    assert {path: path.read_bytes() for path in before} == before
