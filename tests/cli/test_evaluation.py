"""`keras-nmt evaluate` on files: its options reach sacreBLEU."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from keras_nmt.cli.app import app
from keras_nmt.evaluation import corpus_scores

# Tokenised text, in which sacreBLEU's tokenizers find other tokens.
REFERENCES = ["a well @-@ known dog , in the snow .", "two cats &apos;s food"]
HYPOTHESES = ["a well @-@ known cat , in the snow .", "two cats &apos;s meal"]


@pytest.mark.parametrize("tokenize", [None, "none", "intl", "char"])
@pytest.mark.parametrize("has_baseline", [False, True])
def test_bleu_uses_the_chosen_tokenizer(tmp_path, tokenize, has_baseline):
    files = {name: tmp_path / name for name in ("references", "hypotheses", "baseline")}
    for name, lines in (("references", REFERENCES), ("hypotheses", HYPOTHESES), ("baseline", HYPOTHESES)):
        files[name].write_text("\n".join([*lines, ""]))
    arguments = ["--references", str(files["references"]), "--hypotheses", str(files["hypotheses"])]
    arguments += ["--baseline", str(files["baseline"])] if has_baseline else []
    arguments += [] if tokenize is None else ["--tokenize", tokenize]
    run = CliRunner().invoke(app, ["evaluate", *arguments], catch_exceptions=False)
    name = tokenize or "13a"
    expected = corpus_scores(HYPOTHESES, REFERENCES, metrics=("bleu",), tokenize=name)["bleu"]
    assert f"|tok:{name}|" in expected.signature
    assert f"|tok:{name}|" in run.stdout
    assert f"{expected.score:.2f}" in run.stdout
