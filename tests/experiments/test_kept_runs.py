"""Runs that are kept in two files: what is written, read, restored and refused."""

import json
import lzma
import os
import shutil
import tarfile

import pytest
from comparisons import write_speed

from keras_nmt.errors import UserError
from keras_nmt.experiments.kept_runs import archive_path, check_keeping, keep_runs, read_kept_runs, restore_runs
from keras_nmt.experiments.results import read_digests, read_results

HYPOTHESES = "test.source-target.hypotheses.txt"
LINES = ["ein Hund läuft", "", "zwei\u2028Hunde"]  # an empty line, and a separator that ends no line
DATA = {"train source-target": ["a", "b"], "test source-target": ["c", "d"]}
LOG = [
    {"update": 1, "loss": 5.0, "tokens_per_second": 10.0},
    {"update": 2, "val_bleu": 1.0},
    {"update": 2, "loss": 4.0, "tokens_per_second": 50.0, "learning_rate": 0.5},
    {"update": 3, "loss": 3.0, "tokens_per_second": 20.0, "learning_rate": 0.25},
    {"update": 3, "final": [3], "val_bleu": 2.0},
]


def write_run(folder, lines=LINES):
    folder.mkdir(parents=True)
    score = {"score": 1.5, "signature": "nrefs:1"}
    results = {
        **{"updates": 3, "parameters": 9, "ended_by": "max_updates", "dev_greedy": {"bleu": 2.0}, "data": DATA},
        **{"limits": {"max_updates": 3}, "test": {"source-target": {"trained": True, "bleu": score}}},
    }
    settings = {
        "directory": str(folder),
        "data": {"train": [f"{folder}/train.de", f"{folder}/more.de"], "dev": {"de": f"{folder}/dev.de"}},
        "subwords": {"models": {"source": f"{folder}/de.model"}},
        "training": {"update": {"seed": 1}, "start": {"init_from": None}},
    }
    for name, value in {"settings": settings, "results": results, "data": {**DATA, "init_from": ["e"]}}.items():
        (folder / f"{name}.json").write_text(json.dumps(value))
    (folder / HYPOTHESES).write_text("".join(f"{line}\n" for line in lines))
    (folder / "test.n_best.txt").write_text("ein\nHund\n")
    (folder / "training_log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in LOG))
    (folder / "notes.txt").write_text("mine")
    return folder


@pytest.fixture
def kept(tmp_path):
    folders = {("plain", 1): write_run(tmp_path / "a"), ("plain", 2): write_run(tmp_path / "b", ["eins", "zwei"])}
    keep_runs(tmp_path / "kept" / "table.jsonl", folders)
    return tmp_path / "kept" / "table.jsonl"


def test_a_line_has_settings_scores_and_a_summary_of_the_log(kept, tmp_path):
    runs = read_kept_runs(kept)
    run = runs["plain", 1]
    assert (run.table, run.name, run.translations("source-target")) == ("table", "plain-1", LINES)
    assert runs["plain", 2].translations("source-target") == ["eins", "zwei"]
    assert run.results == read_results(tmp_path / "a")
    assert run.log == [LOG[1], {**LOG[3], "tokens_per_second": 20.0}, LOG[4]]
    assert run.start == {"init_from": ["e"]}
    assert set(run.contents) == {HYPOTHESES, "test.n_best.txt"}
    assert run.settings == {
        "data": {"train": ["train.de", "more.de"], "dev": {"de": "dev.de"}},
        "subwords": {"models": {"source": "de.model"}},
        "training": {"update": {"seed": 1}, "start": {"init_from": None}},
    }
    assert str(tmp_path) not in kept.read_text()
    for line in kept.read_text().split("\n")[:-1]:  # whatever reads JSON lines
        assert {"table", "configuration", "seed", "settings", "results", "log", "files"} <= set(json.loads(line))


def test_names_of_any_kind_are_kept(tmp_path):
    folder, name = write_run(tmp_path / "a"), "arm+" * 50
    results = json.loads((folder / "results.json").read_text())
    results["test"] = {"en (US)-de": results["test"]["source-target"]}
    (folder / "results.json").write_text(json.dumps(results))
    with pytest.raises(UserError, match=r"with its translations only. Received: .*a, none of en \(US\)-de$"):
        keep_runs(tmp_path / "kept.jsonl", {(name, 1): folder})
    (folder / HYPOTHESES).rename(folder / "test.en (US)-de.hypotheses.txt")
    settings = json.loads((folder / "settings.json").read_text())
    settings["data"]["train"] = f"{folder}/data/{{language}}/train.txt"
    (folder / "settings.json").write_text(json.dumps(settings))
    keep_runs(tmp_path / "kept.jsonl", {(name, 1): folder})
    kept = read_kept_runs(tmp_path / "kept.jsonl")[name, 1]
    assert kept.translations("en (US)-de") == LINES
    assert kept.settings["data"]["train"] == "{language}/train.txt"


def test_a_speed_of_other_weights_is_not_kept(tmp_path):
    folder = write_run(tmp_path / "a")
    (folder / "model.weights.h5").write_bytes(b"one")
    (folder / "config.json").write_text("{}")
    write_speed(folder, "now", [1.0] * 3)
    keep_runs(tmp_path / "one.jsonl", {("plain", 1): folder})
    assert read_kept_runs(tmp_path / "one.jsonl")["plain", 1].speed["rates"] == [1.0] * 3
    (folder / "model.weights.h5").write_bytes(b"other")
    keep_runs(tmp_path / "other.jsonl", {("plain", 1): folder})
    assert read_kept_runs(tmp_path / "other.jsonl")["plain", 1].speed is None


def test_restored_runs_are_kept_as_the_same_bytes(kept, tmp_path):
    with tarfile.open(archive_path(kept)) as archive:
        members = {member.name: (member.mtime, member.uid, archive.extractfile(member).read()) for member in archive}
    assert list(members)[:2] == ["plain-1/test.n_best.txt", f"plain-1/{HYPOTHESES}"]
    assert members[f"plain-1/{HYPOTHESES}"] == (0, 0, "ein Hund läuft\n\nzwei\u2028Hunde\n".encode())
    before = kept.read_bytes(), archive_path(kept).read_bytes()
    restore_runs(kept, tmp_path / "runs")
    folders = {("plain", seed): tmp_path / "runs" / f"plain-{seed}" for seed in (1, 2)}
    assert read_results(folders["plain", 1]) == read_results(tmp_path / "a")
    assert read_digests(folders["plain", 1] / "data.json") == {**DATA, "init_from": ["e"]}
    for path in (kept, archive_path(kept)):
        path.unlink()
    keep_runs(kept, folders)
    assert (kept.read_bytes(), archive_path(kept).read_bytes()) == before


def test_folders_and_files_that_are_there_stay(kept, tmp_path):
    (tmp_path / "runs" / "plain-1").mkdir(parents=True)
    restore_runs(kept, tmp_path / "runs")
    assert [*(tmp_path / "runs" / "plain-1").iterdir()] == []
    os.utime(kept, (1, 1))
    keep_runs(kept, {("plain", 2): tmp_path / "runs" / "plain-2"})
    assert kept.stat().st_mtime == 1  # nothing is new
    shutil.rmtree(tmp_path / "b")
    keep_runs(kept, {("plain", 2): write_run(tmp_path / "b", ["drei"]), ("fusion", 1): tmp_path / "a"})
    runs = read_kept_runs(kept)
    assert list(runs) == [("plain", 1), ("plain", 2), ("fusion", 1)]
    assert [run.translations("source-target")[0] for run in runs.values()] == [LINES[0], "drei", LINES[0]]


def test_a_run_with_other_settings_or_text_does_not_replace_a_kept_one(kept, tmp_path):
    before, folder = kept.read_bytes(), tmp_path / "b"
    for name, change, message in (
        ("settings", lambda settings: settings["training"]["update"].update(seed=7), r"seed=7 \(was 1\)"),
        # The kept run is from before there was the setting.
        ("settings", lambda settings: settings["subwords"].update(source_cleaning=True), r"cleaning=True \(was Fa"),
        ("results", lambda results: results["data"].update({"test source-target": ["f"]}), "test .*was another text"),
    ):
        path = folder / f"{name}.json"
        original = path.read_text()
        value = json.loads(original)
        change(value)
        path.write_text(json.dumps(value))
        with pytest.raises(UserError, match=f"table.jsonl keeps plain-2 with other settings.*{message}"):
            keep_runs(kept, {("plain", 2): folder})
        path.write_text(original)
    assert kept.read_bytes() == before


def change_line(kept, change):
    line, *others = kept.read_text().splitlines()
    value = json.loads(line)
    change(value)
    kept.write_text("\n".join([json.dumps(value), *others]) + "\n")


def repack(kept, names=lambda name: name, content=lambda content: content):
    with tarfile.open(archive_path(kept)) as archive:
        members = [(member, archive.extractfile(member).read()) for member in archive]
    shutil.rmtree(kept.parent / "x", ignore_errors=True)
    with tarfile.open(archive_path(kept), "w:xz") as archive:
        for member, text in members:
            path = kept.parent / "x" / member.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content(text))
            archive.add(path, names(member.name))


def test_wrong_and_damaged_files_are_named(kept, tmp_path):
    with pytest.raises(UserError, match=r"must end with .jsonl. Received: .*table.json"):
        check_keeping(tmp_path / "table.json", {})
    written = {path: path.read_bytes() for path in (kept, archive_path(kept))}
    for damage, message in (
        (lambda: kept.write_text("{\n"), "^Damaged: line 1 of .*table.jsonl: Invalid JSON"),
        (lambda: change_line(kept, lambda line: line.pop("seed")), "^Damaged: seed in line 1 of .*: Field required"),
        (lambda: kept.write_text(kept.read_text() * 2), "must be kept once.*Received: plain-1 again in line "),
        (lambda: change_line(kept, lambda line: line["results"].pop("updates")), "updates in line 1 of .*required"),
        (lambda: change_line(kept, lambda line: line.update(configuration="../a")), "not have folders. .*'../a-1'"),
        (lambda: change_line(kept, lambda line: line["files"].update({"../test.txt": "0"})), "must not have folders"),
        (lambda: change_line(kept, lambda line: line["files"].update({"test.txt": "0"})), "test.txt is missing"),
        (lambda: repack(kept, content=lambda text: text + b"more"), "belong together.*is another text"),
        (lambda: repack(kept, names=lambda name: f"x/{name}"), "belong together.*is missing"),
        (lambda: archive_path(kept).write_bytes(archive_path(kept).read_bytes()[:150]), "must be a tar.xz"),
        (lambda: archive_path(kept).write_bytes(lzma.compress(b"x" * 2000)), "must be a tar.xz"),
    ):
        damage()
        with pytest.raises(UserError, match=message):
            restore_runs(kept, tmp_path / "runs")
        assert not (tmp_path / "runs").exists()
        for path, content in written.items():
            path.write_bytes(content)
