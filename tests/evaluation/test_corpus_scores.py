"""Corpus scores by sacreBLEU."""

from __future__ import annotations

import subprocess
import sys

import pytest
import sacrebleu

from keras_nmt.errors import UserError
from keras_nmt.evaluation import corpus_scores

HYPOTHESES = ["A Dog runs through the snow.", "Two men play guitar", "The children are at the beach!"]
REFERENCES = ["A dog runs through the snow.", "Two men are playing the guitar.", "Children play at the beach."]
OTHERS = ["A dog is running through snow.", "Two men play guitar.", "The children are at a beach."]


def test_scores_equal_sacrebleus_scores():
    scores = corpus_scores(HYPOTHESES, REFERENCES)
    assert list(scores) == ["bleu", "chrf", "ter"]
    assert [score.name for score in scores.values()] == ["BLEU", "chrF2", "TER"]
    assert scores["bleu"].score == pytest.approx(sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCES]).score)
    assert scores["chrf"].score == pytest.approx(sacrebleu.corpus_chrf(HYPOTHESES, [REFERENCES]).score)
    assert scores["ter"].score == pytest.approx(sacrebleu.corpus_ter(HYPOTHESES, [REFERENCES]).score)


def test_score_and_signature_equal_the_sacrebleu_commands(tmp_path):
    for name, lines in (("hypotheses", HYPOTHESES), ("references", REFERENCES)):
        (tmp_path / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    command = [sys.executable, "-m", "sacrebleu", "references", "-i", "hypotheses", "-m", "bleu", "chrf", "ter", "-w2"]
    output = subprocess.run([*command, "-f", "text"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    lines = [line.strip() for line in output.splitlines() if line]
    assert len(lines) == 3
    for score, line in zip(corpus_scores(HYPOTHESES, REFERENCES).values(), lines, strict=True):
        assert line.startswith(str(score))


def test_options_reach_sacrebleu_and_its_signatures():
    scores = corpus_scores(HYPOTHESES, REFERENCES, lowercase=True, tokenize="char", chrf_word_order=2)
    assert "case:lc" in scores["bleu"].signature
    assert "tok:char" in scores["bleu"].signature
    assert "case:lc" in scores["chrf"].signature
    assert "nw:2" in scores["chrf"].signature
    assert scores["chrf"].name == "chrF2++"
    mixed, lower = (corpus_scores(HYPOTHESES, REFERENCES, lowercase=lowercase) for lowercase in (False, True))
    assert lower["bleu"].score > mixed["bleu"].score
    assert lower["chrf"].score > mixed["chrf"].score


def test_several_references():
    scores = corpus_scores(HYPOTHESES, [REFERENCES, OTHERS])
    assert scores["bleu"].score == pytest.approx(sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCES, OTHERS]).score)
    assert all("nrefs:2" in score.signature for score in scores.values())
    assert corpus_scores(HYPOTHESES, [REFERENCES]) == corpus_scores(HYPOTHESES, REFERENCES)


def test_only_the_requested_metrics_in_their_order():
    assert list(corpus_scores(HYPOTHESES, REFERENCES, metrics=["ter", "bleu"])) == ["ter", "bleu"]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((HYPOTHESES[:2], REFERENCES), {}, "`hypotheses` and `references` .* 2 and 3 lines"),
        ((HYPOTHESES, [REFERENCES, OTHERS[:1]]), {}, r"`hypotheses` and `references\[1\]` .* 3 and 1 lines"),
        (([], REFERENCES), {}, "`hypotheses` is empty"),
        ((HYPOTHESES, []), {}, "`references` is empty"),
        ((HYPOTHESES, REFERENCES), {"metrics": ["bleu", "meteor"]}, r"bleu, chrf, ter.*'meteor'"),
        ((HYPOTHESES, REFERENCES), {"metrics": []}, r"metrics=\(\)"),
        ((HYPOTHESES, REFERENCES), {"tokenize": "moses"}, "13a.*tokenize='moses'"),
    ],
)
def test_wrong_arguments_are_named(arguments, options, message):
    with pytest.raises(UserError, match=message):
        corpus_scores(*arguments, **options)
