"""`keras-nmt info`."""

import re
import shutil
import subprocess
import sys

import pytest
from small import LEARNT

from keras_nmt.files.weights_file import OTHER_WEIGHTS
from keras_nmt.models import ModelDirectory

# Fails if a command imports a module that takes seconds.
PROGRAM = """
import sys
sys.modules |= dict.fromkeys(("tensorflow", "keras"))  # an import would fail
from keras_nmt.cli.app import main
main()
"""


@pytest.fixture
def folder(trained, tmp_path):
    return shutil.copytree(trained, tmp_path / "model", ignore=shutil.ignore_patterns("checkpoints"))


def test_info_shows_model_training_scores_and_files(trained, keras_nmt):
    output = keras_nmt("info", trained).output
    rows = dict(line.strip().split(maxsplit=1) for line in output.splitlines() if len(line.split()) > 1)
    assert rows["all"] == f"{ModelDirectory(trained).load_model().count_params():,}"
    assert rows["target_vocabulary_size"] == "joint"
    assert rows["source_cleaning"] == "true"
    assert rows["updates"] == str(LEARNT["max_updates"])
    assert "train.digits" in rows["train"]
    assert rows["directions"] == "source-target"
    assert "BLEU" in output.upper()
    assert rows["model.weights.h5"].endswith(" bytes")
    assert "last save" not in output


def test_a_run_that_has_not_ended_names_its_last_save(folder, keras_nmt):
    (folder / "checkpoints").mkdir()
    for name in ("state-9.h5", "state-20.h5", "state-21.h5.part", "update-30.weights.h5"):
        (folder / "checkpoints" / name).touch()
    for is_first_run in (False, True):
        if is_first_run:
            (folder / "results.json").unlink()
        assert f"  {'last save':23} update 20; the run has not ended\n" in keras_nmt("info", folder).output
    (folder / "checkpoints" / "state-40.h5").mkdir()
    output = keras_nmt("info", folder).output
    assert re.search("last save +damaged. This must be a regular file. Received: .*state-40.h5, a folder", output)
    assert "\nfiles\n" in output
    (folder / "checkpoints" / "state-40.h5").rmdir()
    (folder / "results.json").write_text('{"updates": 5')
    output = keras_nmt("info", folder).output
    assert re.search(r"\n  results +damaged. .*/results.json must contain .*\n  last save +update 20\n", output)
    assert "\n  directions" in output


@pytest.mark.slow
def test_info_needs_no_tensorflow(trained, keras_nmt):
    done = subprocess.run([sys.executable, "-c", PROGRAM, "info", trained], capture_output=True, text=True, check=True)
    assert done.stdout == keras_nmt("info", trained).output


def test_scores_of_earlier_weights_are_not_shown(folder, keras_nmt):
    before = keras_nmt("info", folder).output
    assert ("  test source-target" in before, "earlier weights" in before) == (True, False)
    model = ModelDirectory(folder).load_model()
    model.trainable_weights[0].assign_add(model.trainable_weights[0])
    ModelDirectory(folder).save_weights(model)
    lines = keras_nmt("info", folder).output.splitlines()
    assert [line for line in lines if line.startswith("  scores")] == [f"  {'scores':23} {OTHER_WEIGHTS}"]
    assert not [line for line in lines if line.startswith(("  test source-target", "  dev greedy"))]
    keras_nmt("report", folder)
    page = (folder / "report.html").read_text()
    assert "earlier weights" in page
    assert not [text for text in ("dev greedy bleu", "test source-target", "Examples") if text in page]
