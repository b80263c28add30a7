"""Runs that adapt a trained model, and their commands: low-rank adapters, frozen weights, a larger vocabulary."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_text  # noqa: F401  registers the operators of the export
from configs import LORA, config, mixed, stored_weights
from small import save_model, write_lines

from keras_nmt.errors import UserError
from keras_nmt.experiments import run, run_experiment
from keras_nmt.inference import Translator
from keras_nmt.models import ModelDirectory
from keras_nmt.training import average_checkpoints


@pytest.fixture(scope="module")
def adapted(tmp_path_factory, trained, one):
    """An adapter that was trained without a break, and the lines of its log."""
    folder, lines = tmp_path_factory.mktemp("adapted") / "run", []
    run(config(folder, {**one, **LORA, **mixed(one), "init_from": trained}), report=lines.append)
    return folder, lines


@pytest.mark.slow
def test_an_adapter_is_a_small_file_beside_a_model_that_has_it(adapted, trained, one):
    folder, lines = adapted
    assert f"{sum(map(np.size, stored_weights(folder / 'adapter.weights.h5').values())):,} of them are trained" in lines
    results = json.loads((folder / "results.json").read_text())
    assert results["parameters"] == ModelDirectory(trained).load_model().count_params(), "without the factors"
    found = stored_weights(folder / "adapter.weights.h5")
    assert {name.rpartition("/")[2] for name in found} == {
        f"lora_{k}_{i}" for k in ("kernel", "embeddings") for i in "ab"
    }
    # Update 0 is the base; training has changed every factor B.
    assert [line for line in lines if line.startswith("Warm start: ")]
    assert all(np.abs(value).max() > 0 for name, value in found.items() if name.endswith("_b"))
    before, after = (ModelDirectory(path).load_model() for path in (trained, folder))
    changed = [w.path for w, v in zip(after.weights, before.weights, strict=True) if (w.numpy() != v.numpy()).any()]
    factors = {name.removesuffix("_b").replace("/lora_", "/") for name in found if name.endswith("_b")}
    assert set(changed) == factors
    sources = Path(one["data.test.source"]).read_text().splitlines()[:2]
    checkpoint = folder / "checkpoints" / "update-4.weights.h5"  # an adapter, too
    assert Translator.from_directory(trained, adapter=checkpoint).translate(sources)
    with pytest.raises(UserError, match="name another file"):
        average_checkpoints(folder)
    assert average_checkpoints(folder, number=2, output=folder / "adapter.average.weights.h5") == [4, 6]
    assert Translator.from_directory(trained, adapter=folder / "adapter.average.weights.h5").translate(sources)


@pytest.mark.slow
def test_an_adapter_is_chosen_when_translating_and_merged_at_export(adapted, trained, corpus, tmp_path, keras_nmt):
    folder, test = adapted[0], corpus / "test.digits"
    adapter = ["--adapter", folder / "adapter.weights.h5"]
    base, own, merged = (
        [line.split("\t") for line in keras_nmt("translate", *x, "--scores", "--input", test).output.splitlines()]
        for x in ([trained], [trained, *adapter], [folder])
    )
    assert own == merged != base
    served = keras_nmt("export", trained, tmp_path / "e", *adapter).output.strip()
    exported = tf.saved_model.load(served).signatures["serving_default"]
    answers = exported(text=tf.constant(test.read_text().splitlines()))
    assert [text.decode() for text in answers["translation"].numpy()] == [text for _, text in own]
    np.testing.assert_allclose(answers["score"], [float(score) for score, _ in own], atol=1e-3)
    pairs = ["--source", test, "--target", corpus / "test.words"]
    scores = [keras_nmt("score", trained, *pairs, *given).output for given in ([], adapter)]
    assert scores[0] != scores[1]
    pairs = ["--source", test, "--references", corpus / "test.words", "--metrics", "chrf"]
    base, own, merged = (keras_nmt("evaluate", *x, *pairs).output for x in ([trained], [trained, *adapter], [folder]))
    assert own == merged != base


def test_an_adapter_has_the_languages_of_its_start(make_multilingual, tmp_path):
    save_model(tmp_path, *make_multilingual("recurrent"))
    model, _ = make_multilingual("recurrent", ["de", "fr"])
    settings = {"architecture": "attention_bridge", "languages": ["de", "fr"], "init_from": tmp_path, "max_updates": 1}
    files = {name: str(tmp_path / "text.{language}") for name in ("train", "dev")}
    run = config(tmp_path / "run", {**settings, **files, "lora": LORA["lora"]})
    with pytest.raises(UserError, match="by `pairs`.* languages de, fr; of `init_from` de, fr, zh-Hans$"):
        run_experiment._load_base(run, model)


def test_an_adapter_learns_alignments_by_the_head_of_its_start(model, tokenizers, files, tmp_path):
    """The run has a head by default, which is no argument that its user could leave out."""
    (tmp_path / "start").mkdir()
    save_model(tmp_path / "start", model, tokenizers)
    one = {"languages": ["source", "target"], "pairs": ["source-target"], "max_updates": 1, "lora": LORA["lora"]}
    given = {"init_from": tmp_path / "start", "alignments": tmp_path / "links"}
    tuned = config(tmp_path / "run", {**files, **one, **given})
    with pytest.raises(UserError, match="`alignment_head` of its start, which has none.*init_from=.*start$"):
        run_experiment._load_base(tuned, model)


@pytest.mark.slow
def test_an_adapter_of_other_weights_is_an_error(adapted, trained, one, tmp_path):
    adapter = adapted[0] / "adapter.weights.h5"
    other = Path(shutil.copytree(trained, tmp_path / "other"))
    model = ModelDirectory(other).load_model()
    model.weights[0].assign(model.weights[0].numpy() + 1)
    ModelDirectory(other).save_weights(model)
    damaged = Path(shutil.copy(adapter, tmp_path / "damaged.weights.h5"))
    damaged.write_bytes(damaged.read_bytes()[:1000])
    for folder, file, message in (
        (other, adapter, "belongs to other weights"),
        (trained, trained / "model.weights.h5", "must hold an adapter"),
        (trained, tmp_path / "nowhere.weights.h5", "no such adapter"),
        (trained, adapted[0], "a regular file, the adapter.weights.h5 of a run"),
        (trained, damaged, "damaged.weights.h5"),
    ):
        with pytest.raises((UserError, OSError), match=message):
            Translator.from_directory(folder, adapter=file)
    folder = shutil.copytree(adapted[0], tmp_path / "run")
    longer = {**one, **LORA, **mixed(one), "max_updates": 8}
    with pytest.raises(UserError, match="adapter of other weights"):
        run(config(folder, {**longer, "init_from": other}), report=str)


def test_the_search_of_the_start_stays_with_limits_for_the_text(model, tokenizers, files, tmp_path):
    start, told = tmp_path / "start", list[str]()
    start.mkdir()
    search = {"beam_size": 6, "length_penalty": 1.0, "length_penalty_form": "power", "patience": 1.0}
    limits = {"max_length_factor": 5, "length_buckets": [16, 900]}
    save_model(start, model, tokenizers, **search, **limits, num_hypotheses=6)
    lengths = [(np.array([10, 1]), np.array([35, 1]))]
    settings = {**files, "languages": ["de", "en"], "max_updates": 1, "data.max_length": 300}
    for given in ({}, {"beam_size": 6, "length_penalty": 1.0}):
        tuned = config(tmp_path / "run", {**settings, "init_from": start, **given})
        own = dataclasses.asdict(tuned.search)
        assert run_experiment._search_of_model(tuned, lengths, told.append) == {**search, **own, **limits}
    (line,) = told
    assert line.endswith(
        "searches with beam_size 6, length_penalty 1.0, the model of this run with beam_size 4, length_penalty 0.6"
    )
    # With another offset, as of Marian's models, the same text needs another factor.
    save_model(start, model, tokenizers, **search, max_length_factor=3, max_length_offset=3)
    assert run_experiment._search_of_model(tuned, lengths, told.append)["max_length_factor"] == 4
    alone = config(tmp_path / "run", settings)
    of_text = {"max_length_factor": 3, "length_buckets": [16, 32, 64, 128, 256, 300]}
    own = dataclasses.asdict(alone.search)
    assert run_experiment._search_of_model(alone, lengths, told.append) == {**own, **of_text}


def test_a_run_says_how_many_lines_have_characters_without_a_subword(tokenizers, files, tmp_path):
    files["data.train.source"].write_text("the cat\nthe 犬\n" * 8)
    files["data.train.target"].write_text("die katze\n" * 16)
    made = config(tmp_path / "run", {**files, "languages": ["source", "target"], "max_updates": 1})
    direction, told = made.directions[0], list[str]()
    run_experiment._batches(made, direction, dict(zip(direction.sides, tokenizers.values(), strict=True)), told.append)
    assert "source-target: 50.00% of the sources and 0.00% of the targets have characters without a subword" in told[-1]


@pytest.mark.slow
def test_frozen_weights_stay_bit_for_bit(trained, one, tmp_path):
    frozen = {"frozen": ["*embedding*", "encoder/*/feed_forward/*"], "init_from": trained}
    lines: list[str] = []
    run(config(tmp_path / "run", {**one, **frozen}), report=lines.append)
    before, after = (ModelDirectory(path).load_model() for path in (trained, tmp_path / "run"))
    changed = 0
    for old, new in zip(before.weights, after.weights, strict=True):
        is_frozen = "embedding" in new.path or ("encoder/" in new.path and "/feed_forward/" in new.path)
        assert (old.numpy() == new.numpy()).all() == is_frozen, new.path
        changed += 0 if is_frozen else old.numpy().size
    assert f"{changed:,} of them are trained" in lines


@pytest.mark.slow
def test_extend_vocabulary_writes_a_model_that_translates_and_trains(trained, corpus, tmp_path, keras_nmt, error_line):
    words, larger = write_lines(tmp_path / "words", ["bicycle", "Fahrrad"]), tmp_path / "larger"
    done = keras_nmt("extend-vocabulary", trained, larger, "--pieces", words, "--tag", "<2fr>")
    sizes = [ModelDirectory(path).load_model().source_vocabulary_size for path in (trained, larger)]
    assert done.output == f"{larger}: {sizes[1] - sizes[0]} new subwords\n"
    test = corpus / "test.digits"
    before, after = (keras_nmt("translate", path, "--input", test).output for path in (trained, larger))
    assert before == after != ""
    assert "must be new or empty" in error_line("extend-vocabulary", trained, larger, "--pieces", words)
    other = ["extend-vocabulary", trained, tmp_path / "other"]
    assert "Missing option: --text" in error_line(*other)
    assert "--number goes with --text" in error_line(*other, "--number", 3, "--pieces", words)
