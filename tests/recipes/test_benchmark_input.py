"""The benchmark of the input of training: corpora of its own, separate processes."""

import shutil
import subprocess
import sys

import numpy as np
import pytest
from scripts import run_main

from keras_nmt.data import PreparedCorpus, train_subwords

pytestmark = pytest.mark.nightly
SCRIPT = "benchmarks/input.py"


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory):
    """A folder like that of Multi30k, and subwords."""
    folder, random = tmp_path_factory.mktemp("data"), np.random.default_rng(1)
    words = ["the", "cat", "sat", "on", "mat"]
    for side in ("de", "en"):
        lines = [" ".join(random.choice(words, size)) for size in random.integers(1, 9, 50)]
        (folder / f"train.{side}").write_text("".join(f"{line}\n" for line in lines))
    train_subwords([folder / "train.de", folder / "train.en"], folder / "m", vocabulary_size=30)
    return folder


def test_the_corpora_have_the_sizes_that_the_table_names(script, data_dir, tmp_path):
    script.make_corpus(tmp_path, 3000)
    corpus = PreparedCorpus(tmp_path / "source", tmp_path / "target")
    assert len(corpus) == 3000
    assert np.mean(corpus.num_tokens) / 3000 == pytest.approx(script.MEAN_LENGTH, rel=0.05)
    script.make_texts(data_dir, tmp_path, 160)
    pairs = set()
    for number in range(script.SCALING_FILES):
        texts = ((tmp_path / f"{number}.{x}").read_text().splitlines() for x in ("de", "en"))
        pairs |= set(zip(*texts, strict=True))
    assert len(pairs) == 160


def test_training_is_measured(script, tmp_path):
    options = ("--num-pairs", 500, "--batch-size", 2000, "--output", tmp_path / "table.md")
    run_main(script, "--millions", "0.002,0.004", *options)
    table = (tmp_path / "table.md").read_text()
    assert table.count("start to the first batch, seconds |") == 2
    assert "| 0.004 |" in table


WORKER = """
import sys
from pathlib import Path
from keras_nmt.data import PreparedCorpus, TrainingBatches
from keras_nmt.files.process_resources import peak_memory

corpus = PreparedCorpus(*(Path(sys.argv[1]) / side for side in ("source", "target")))
batches = TrainingBatches(corpus, batch_size=25_000).dataset(start=5, parts=4, shard_index=3, num_shards=4)
for batch in batches.take(400).as_numpy_iterator():  # of three portions
    pass
print(peak_memory() // 2**20)
"""


def test_the_memory_of_a_worker_does_not_depend_on_the_corpus(script, tmp_path):
    """The peak of a whole process that reads the slices of the last of four workers."""
    peaks = []
    for size in (600_000, 2_400_000):  # 80 and 320 MiB on disk, and twice as much as int32 in memory
        folder = tmp_path / str(size)
        folder.mkdir()
        script.make_corpus(folder, size)
        done = subprocess.run([sys.executable, "-c", WORKER, folder], stdout=subprocess.PIPE, text=True, check=True)
        peaks.append(int(done.stdout))
        shutil.rmtree(folder)
    assert peaks[1] - peaks[0] < 100, peaks
