"""Several directions on prepared corpora of very different sizes, read in portions: weights, tags, temperature."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from configs import config

from keras_nmt.data import SubwordTokenizer, train_subwords
from keras_nmt.data.prepared_folder import write_manifest, write_shard
from keras_nmt.data.text_files import read_paired_blocks
from keras_nmt.experiments import run
from keras_nmt.experiments.run_experiment import build, make_tokenizers
from keras_nmt.files.atomic_files import atomic_folder
from keras_nmt.models import ModelDirectory
from keras_nmt.preparation import Preparation
from keras_nmt.preparation.segmenter import Segmenter

TAG = "<BT>"
# The pairs of each folder: corpora that people translated, and tagged ones that a model translated.
SIZES = {
    "people/digits-words": 400,
    "people/words-letters": 16,
    "back/digits-words": 900,
}
WEIGHTS = {"people": 2.0, "back": 0.5}


@pytest.fixture(scope="module", autouse=True)
def _small_portions():
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("WHOLE", 0), ("PORTION", 150), ("PORTION_UPDATES", 1)):
            patch.setattr(f"keras_nmt.data.training_batches.{name}", value)
        patch.setattr("keras_nmt.data.prepared_folder.BLOCK", 8)
        yield


@pytest.fixture(scope="module")
def prepared(corpus, tmp_path_factory) -> Path:
    """The corpora of `SIZES` as folders, made by the parts of the pipeline that need no Apache Beam."""
    folder = tmp_path_factory.mktemp("prepared")
    train_subwords(
        [corpus / f"train.{x}" for x in ("digits", "words", "letters")],
        folder / "m",
        vocabulary_size=60,
        user_symbols=[TAG],
    )
    for name, size in SIZES.items():
        sides = name.partition("/")[2].split("-")
        files = [corpus / f"train.{side}" for side in sides]
        options = Preparation(
            sides=(sides[0], sides[1]),
            sources=files[:1],
            targets=files[1:],
            subwords=(folder / "m", folder / "m"),
            source_tag=TAG if name.startswith("back") else None,
        )
        [(sources, targets)] = read_paired_blocks(*files)
        lines = np.arange(1, size + 1, dtype=np.int32)
        block, dropped = Segmenter(options).segment(lines, sources[:size], targets[:size])
        model = (folder / "m").read_bytes()
        with atomic_folder(folder / name) as temporary:
            shards = [
                write_shard(temporary, number, sides, block.select(block.lines % 3 == number)) for number in range(3)
            ]
            write_manifest(
                temporary,
                shards,
                sides=sides,
                subwords=[model, model],
                has_text=False,
                num_read=size,
                dropped=dropped,
                max_ratio=3.0,
            )
    return folder


@pytest.fixture
def settings(several, prepared):
    """Settings of an experiment that reads all corpora in portions."""
    used = {name: several[name] for name in ("languages", "dev", "model", "batch_unit", "length_buckets")}
    return {
        **used,
        "pairs": ["digits-words", "words-letters"],
        "train": [str(prepared / kind / "{pair}" / "{language}") for kind in WEIGHTS],
        "corpus_weights": list(WEIGHTS.values()),
        "task_schedule": "temperature",
        "temperature": 2.0,
        "batch_size": 16,
        "schedule": "constant",
        "learning_rate": 0.01,
        "max_updates": 20,
        "evaluation.every": 20,
        "logging.every": 1,
        "dev_sentences": 2,
        "final_weights": "last",
    }


def test_an_epoch_has_each_corpus_by_its_weight_and_tags_on_back_translations(settings, prepared, tmp_path):
    experiment = config(tmp_path, settings)
    tokenizers = make_tokenizers(experiment, ModelDirectory(tmp_path), str)
    _, batches = build(experiment, tokenizers, tf.distribute.get_strategy(), str)
    tag = SubwordTokenizer(prepared / "m").pieces(0, 60).index(TAG)
    for name, data in batches.items():
        counts: dict[str, Counter[int]] = {kind: Counter() for kind in WEIGHTS}
        for batch in data.dataset().take(2 * data.updates_per_epoch).as_numpy_iterator():
            for ids, line in zip(batch["source"].tolist(), batch["line_numbers"].tolist(), strict=True):
                if line > 0:
                    is_back = tag in ids
                    counts["back" if is_back else "people"][line - is_back * SIZES[f"people/{name}"]] += 1
        for kind, weight in WEIGHTS.items():  # two epochs, so weights of halves are whole numbers
            size = SIZES.get(f"{kind}/{name}", 0)
            assert counts[kind] == dict.fromkeys(range(1, size + 1), 2 * weight), (name, kind)


@pytest.mark.nightly
def test_directions_have_their_shares_and_a_run_that_stops_goes_on_to_the_bit(settings, tmp_path):
    for name, turns in (("whole", (20,)), ("stopped", (7, 20))):
        for updates in turns:
            run(config(tmp_path / name, {**settings, "max_updates": updates}), report=str)
    losses = []
    for name in ("whole", "stopped"):
        log = (tmp_path / name / "training_log.jsonl").read_text().splitlines()
        losses.append([line["task_loss"] for line in map(json.loads, log) if "loss" in line])
    assert losses[0] == losses[1]
    weights = [ModelDirectory(tmp_path / name).load_model().get_weights() for name in ("whole", "stopped")]
    assert all((a == b).all() for a, b in zip(*weights, strict=True))
    # 1,300 and 16 pairs, temperature 2: shares of 9 and 1.
    assert sum("words-letters" in one for one in losses[0]) == 2
