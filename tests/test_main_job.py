"""The main job: train, stop and resume, translate, score, export, and run the export without the package."""

import json

import numpy as np
from small import LEARNT

from keras_nmt.models import ModelDirectory

# Runs an export; importing keras_nmt would fail.
PROGRAM = """
import sys
sys.modules["keras_nmt"] = None
import tensorflow as tf, tensorflow_text
translate = tf.saved_model.load(sys.argv[1]).signatures["serving_default"]
lines = sys.stdin.read().splitlines()
for text in translate(text=tf.constant(lines))["translation"].numpy():
    print(text.decode())
"""


def test_a_model_is_trained_stopped_resumed_scored_and_exported(trained, corpus, tmp_path, keras_nmt, run_python):
    run, source, references = tmp_path / "run", corpus / "test.digits", corpus / "test.words"
    command = ["train", "--settings", trained / "settings.json", "--directory", run, "--max-updates"]
    keras_nmt(*command, LEARNT["max_updates"] // 2)
    assert json.loads((run / "results.json").read_text())["updates"] == LEARNT["max_updates"] // 2
    keras_nmt(*command, LEARNT["max_updates"])
    # As a run that was not stopped.
    once, resumed = (ModelDirectory(folder).load_model().get_weights() for folder in (trained, run))
    for one, other in zip(once, resumed, strict=True):
        np.testing.assert_array_equal(one, other)

    translations = keras_nmt("translate", run, "--input", source).output
    lines = list(zip(translations.splitlines(), references.read_text().splitlines(), strict=True))
    assert sum(one == other for one, other in lines) > 0.9 * len(lines)
    test = json.loads((run / "results.json").read_text())["test"]["source-target"]["bleu"]
    assert test["score"] > 90
    reported = keras_nmt("evaluate", run, "--source", source, "--references", references, "--metrics", "bleu").output
    assert reported.startswith(f"BLEU|{test['signature']} = {test['score']:.2f}")

    folder = keras_nmt("export", run, tmp_path / "served").output.strip()
    assert folder == str(tmp_path / "served" / "1")
    served = run_python("-c", PROGRAM, folder, stdin=source.read_bytes())
    assert served.stdout.decode() == translations, served.stderr.decode()
