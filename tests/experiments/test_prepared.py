"""Experiments on prepared corpora: the runs of the same text, and one line for a corpus that does not fit."""

from __future__ import annotations

import json
import shutil

import pytest
from configs import NOISE, config

from keras_nmt.data import SubwordTokenizer, read_parallel, train_subwords, write_prepared
from keras_nmt.errors import UserError
from keras_nmt.experiments import run
from keras_nmt.experiments.data_config import check_files, digests_of
from keras_nmt.models import ModelDirectory

SIDES = ("digits", "words")


@pytest.fixture(scope="module")
def prepared(corpus, trained, tmp_path_factory):
    """The training data of `trained`, prepared with the subwords of this run."""
    tokenizer = SubwordTokenizer(trained / "subwords.model")
    read = read_parallel(*(corpus / f"train.{side}" for side in SIDES), tokenizer, tokenizer, keep_text=True)
    folder = tmp_path_factory.mktemp("prepared") / "train"
    write_prepared(read, folder, tokenizer, tokenizer, sides=SIDES, max_ratio=3, shard_pairs=500)
    return folder


def settings_of(one, prepared):
    return {**one, "data.train.source": str(prepared / "digits"), "data.train.target": str(prepared / "words")}


@pytest.mark.slow
def test_a_run_on_prepared_text_is_the_run_on_the_text(one, trained, prepared, tmp_path):
    run(config(tmp_path / "prepared", settings_of(one, prepared), NOISE), report=str)
    given = {"subwords.models": str(trained / "subwords.model"), "subwords.vocabulary_size": 99}
    reported: list[str] = []
    run(config(tmp_path / "text", one, NOISE, given), report=reported.append)
    assert "has 47 subwords: vocabulary_size=99 has no effect" in "\n".join(reported)
    runs = [tmp_path / "text", tmp_path / "prepared"]
    logs = [map(json.loads, (run / "training_log.jsonl").read_text().splitlines()) for run in runs]
    losses = [[(x["update"], x["loss"], x["gradient_norm"]) for x in log if "loss" in x] for log in logs]
    assert losses[0] == losses[1]
    weights = [ModelDirectory(run).load_model().get_weights() for run in runs]
    assert all((a == b).all() for a, b in zip(*weights, strict=True))
    assert len({(run / "subwords.model").read_bytes() for run in runs}) == 1  # taken from the prepared corpus


def test_sides_are_found_by_patterns_in_both_directions(prepared, corpus):
    settings = {"languages": list(SIDES), "pairs": ["digits-words", "words-digits", "words-words"], "max_updates": 1}
    settings |= {"train": str(prepared / "{language}"), "dev": str(corpus / "dev.{language}")}
    experiment = config("x", settings)
    found = {direction.name: direction.corpora for direction in experiment.directions}
    words, digits = prepared / "words", prepared / "digits"
    assert found == {
        "digits-words": ((digits, words),),
        "words-digits": ((words, digits),),
        "words-words": ((words, words),),
    }
    check_files(experiment.directions)
    digests = digests_of(experiment.directions)
    assert digests["train digits-words"] == digests["train words-digits"][::-1]
    assert len(set(digests["train digits-words"])) == 2


def test_a_corpus_that_does_not_fit_is_one_line(one, prepared, corpus, tmp_path):
    train_subwords(corpus / "train.words", tmp_path / "other.model", vocabulary_size=20)
    shutil.copytree(prepared, tmp_path / "again")
    tokenizer, dev = SubwordTokenizer(prepared / "words" / "subwords.model"), [corpus / f"dev.{side}" for side in SIDES]
    write_prepared(read_parallel(*dev, tokenizer, tokenizer), tmp_path / "no text", *(tokenizer,) * 2, sides=SIDES)
    (tmp_path / "links").write_text("0-0\n" * 1740)
    words = str(prepared / "words")
    for changes, message in (
        ({"models": str(tmp_path / "other.model")}, "than the run's: set `subwords.models` to .*Received: "),
        ({"max_length": 3}, "a larger `max_length`: set it to .*Received: "),
        ({"max_ratio": 2.0}, "`max_ratio`: set it to 3.*Received: "),
        (
            {**settings_of(one, tmp_path / "no text"), **NOISE},
            "noise need text: prepare the corpus with --keep-text",
        ),
        ({"alignments": tmp_path / "links"}, "Alignments must belong to text files, not prepared corpora"),
        ({"data.train.target": one["data.train.target"]}, "The sides of a corpus must be .*Received: "),
        ({"data.train.target": str(tmp_path / "again" / "words")}, "The sides of a corpus must be .*Received: "),
        (
            {"data.train.source": str(prepared)},
            "Give the two sides of a prepared corpus, .*digits and .*words. Received: ",
        ),
        ({"data.dev.source": words, "data.dev.target": words}, "test data must be text files. Received: "),
    ):
        experiment = config(tmp_path / "run", {**settings_of(one, prepared), **changes})
        with pytest.raises(UserError, match=message) as error:
            run(experiment, report=str)
        assert "\n" not in str(error.value)
        shutil.rmtree(tmp_path / "run", ignore_errors=True)
