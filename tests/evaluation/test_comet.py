"""COMET's scores: the arguments and the answer of its program, and a run of the program itself (nightly)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sentencepiece import SentencePieceTrainer
from typer.testing import CliRunner

from keras_nmt.cli.app import app
from keras_nmt.errors import UserError
from keras_nmt.evaluation import comet_scores

SOURCES = ["a dog runs", "two cats", "a man in an orange hat", "a boat"]
REFERENCES = ["ein Hund läuft", "zwei Katzen", "ein Mann mit orangefarbenem Hut", "ein Boot"]
HYPOTHESES = ["ein Hund läuft", "zwei Hunde", "ein Mann mit Hut", ""]
# Takes the place of comet-score, which cannot be installed beside TensorFlow. The score is the share of equal letters.
STAND_IN = """#!{python}
import argparse, json
parser = argparse.ArgumentParser()
for option in ("sources", "translations", "references", "model", "to_json"):
    parser.add_argument("--" + option, required=True)
parser.add_argument("--quiet", action="store_true")
given = parser.parse_args()
files = given.sources, given.translations, given.references
columns = [open(path, encoding="utf-8").read().split("\\n") for path in files]
assert all(column.pop() == "" for column in columns)
def share(mt, ref):
    return sum(a == b for a, b in zip(mt, ref)) / len(ref)
rows = [dict(src=src, mt=mt, ref=ref, COMET=share(mt, ref)) for src, mt, ref in zip(*columns, strict=True)]
json.dump({{given.translations: rows}}, open(given.to_json, "w"))
"""


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "wmt" / "checkpoints" / "model.ckpt"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"")
    return path


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "comet-score"
    path.write_text(STAND_IN.format(python=sys.executable))
    path.chmod(0o755)
    return path


def shares(hypotheses):
    pairs = zip(hypotheses, REFERENCES, strict=True)
    return [sum(a == b for a, b in zip(mt, ref, strict=False)) / len(ref) for mt, ref in pairs]


def test_each_line_reaches_the_program(model, program):
    found = comet_scores(SOURCES, HYPOTHESES, REFERENCES, model=model, program=program)
    assert found.sentences == shares(HYPOTHESES)
    assert found.score == pytest.approx(sum(shares(HYPOTHESES)) / 4)
    assert str(found) == f"COMET|model:wmt/checkpoints/model.ckpt = {found.score:.4f}"
    parted = ["ein\x85Hund läuft", *HYPOTHESES[1:]]  # a character at which some readers begin a new line
    assert len(comet_scores(SOURCES, parted, REFERENCES, model=model, program=program).sentences) == 4


@pytest.mark.parametrize(("copies", "p"), [(20, "p = 0.0010"), (2, "too few sentences for p")])
def test_the_command_compares_with_a_baseline_by_the_chosen_metrics(copies, p, model, program, tmp_path):
    columns = {"source": SOURCES * copies, "references": REFERENCES * copies, "hypotheses": HYPOTHESES * copies}
    columns["baseline"] = ["ein Hund läuft", "", "", ""] * copies
    arguments = []
    for name, lines in columns.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        arguments += [f"--{name}", str(tmp_path / name)]
    arguments += ["--metrics", "comet,chrf++", "--comet-model", str(model), "--comet-program", str(program)]
    run = CliRunner().invoke(app, ["evaluate", *arguments], catch_exceptions=False)
    comet, chrf = run.stdout.splitlines()
    ours, theirs = (sum(shares(columns[name][:4])) / 4 for name in ("hypotheses", "baseline"))
    expected = f" = {ours:.4f}, baseline {theirs:.4f}, difference {ours - theirs:+.4f} ({p})"
    assert comet == f"COMET|model:wmt/checkpoints/model.ckpt{expected}"
    assert chrf.startswith("chrF2++|")
    assert "nw:2" in chrf


def test_errors_are_one_line(model, program):
    def refused(message, *texts, **options):
        texts = texts or (SOURCES, HYPOTHESES, REFERENCES)
        with pytest.raises(UserError, match=message):
            comet_scores(*texts, **{"model": model, "program": program, **options})

    refused("must have the same number of lines", SOURCES[1:], HYPOTHESES, REFERENCES)
    refused("empty: give translations", SOURCES, HYPOTHESES, [""] * len(SOURCES))
    refused("must be a file that ends with .ckpt. Received: nowhere.ckpt", model="nowhere.ckpt")
    refused("Missing COMET's program.* Received: nowhere/comet-score", program="nowhere/comet-score")
    program.write_text("#!/bin/sh\necho 'no such model' >&2\nexit 3\n")
    refused("comet-score failed. Received: exit code 3, no such model")


MAKE_MODEL = """
import sys, pathlib, torch, yaml
from transformers import XLMRobertaConfig, XLMRobertaModel, XLMRobertaTokenizer
from comet.models import RegressionMetric
folder, subwords = pathlib.Path(sys.argv[1]), sys.argv[2]
tokenizer = XLMRobertaTokenizer(vocab_file=subwords)
tokenizer.save_pretrained(folder / "encoder")
sizes = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64)
XLMRobertaModel(XLMRobertaConfig(vocab_size=len(tokenizer) + 10, **sizes)).save_pretrained(folder / "encoder")
settings = dict(pretrained_model=str(folder / "encoder"), layer_norm=False, hidden_sizes=[32, 16], activations="Tanh",
                encoder_model="XLM-RoBERTa", pool="avg", layer="mix", train_data=[], validation_data=[])
weights = RegressionMetric(**settings).state_dict()
(folder / "hparams.yaml").write_text(yaml.safe_dump({"class_identifier": "regression_metric", **settings}))
(folder / "checkpoints").mkdir()
saved = {"state_dict": weights, "hyper_parameters": settings, "pytorch-lightning_version": "2.0.0"}
torch.save(saved, folder / "checkpoints" / "model.ckpt")
"""


@pytest.mark.nightly
@pytest.mark.skipif("COMET_PYTHON" not in os.environ, reason="COMET_PYTHON names no Python with unbabel-comet")
def test_the_program_itself_scores_by_a_model_with_random_weights(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    python = Path(os.environ["COMET_PYTHON"])
    lines = iter([*SOURCES, *REFERENCES])
    prefix = tmp_path / "subwords"
    SentencePieceTrainer.train(sentence_iterator=lines, model_prefix=prefix, vocab_size=60, hard_vocab_limit=False)
    subprocess.run([python, "-c", MAKE_MODEL, tmp_path, f"{prefix}.model"], check=True)
    model, program = tmp_path / "checkpoints" / "model.ckpt", python.with_name("comet-score")
    found = comet_scores(SOURCES, HYPOTHESES, REFERENCES, model=model, program=program)
    again = comet_scores(SOURCES[::-1], HYPOTHESES[::-1], REFERENCES[::-1], model=model, program=program)
    assert len(set(found.sentences)) == 4
    assert found.sentences == pytest.approx(again.sentences[::-1], abs=1e-3)
