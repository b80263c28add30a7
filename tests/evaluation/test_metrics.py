"""Scores of translations."""

import subprocess
import sys

import pytest
import sacrebleu

from keras_nmt.errors import UserError
from keras_nmt.evaluation import corpus_scores
from keras_nmt.evaluation.metrics import METRICS, scores_of_sets

HYPOTHESES = ["A Dog runs through the snow.", "Two men play guitar", "The children are at the beach!"]
REFERENCES = ["A dog runs through the snow.", "Two men are playing the guitar.", "Children play at the beach."]
OTHERS = ["A dog is running through snow.", "Two men play guitar.", "The children are at a beach."]


def test_score_and_signature_equal_the_sacrebleu_commands(tmp_path):
    for name, lines in (("hypotheses", HYPOTHESES), ("references", REFERENCES)):
        (tmp_path / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    command = [sys.executable, "-m", "sacrebleu", "references", "-i", "hypotheses", "-m", "bleu", "chrf", "ter", "-w2"]
    output = subprocess.run([*command, "-f", "text"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    lines = [line.strip() for line in output.splitlines() if line]
    scores = corpus_scores(HYPOTHESES, REFERENCES)
    assert list(scores) == ["bleu", "chrf", "ter"]
    for score, line in zip(scores.values(), lines, strict=True):
        assert line.startswith(str(score))


def test_an_empty_translation_costs_in_every_metric():
    with_empty = corpus_scores(["", *HYPOTHESES[1:]], REFERENCES)
    without = corpus_scores(HYPOTHESES[1:], REFERENCES[1:])
    assert with_empty["bleu"].score < without["bleu"].score
    assert with_empty["chrf"].score < 0.9 * without["chrf"].score
    assert with_empty["ter"].score > without["ter"].score


def test_options_reach_sacrebleu_and_its_signatures():
    scores = corpus_scores(HYPOTHESES, REFERENCES, lowercase=True, tokenize="char", metrics=["chrf++", "chrf", "bleu"])
    assert list(scores) == ["chrf++", "chrf", "bleu"]
    assert "case:lc" in scores["bleu"].signature
    assert "tok:char" in scores["bleu"].signature
    assert "case:lc" in scores["chrf"].signature
    assert "nw:2" in scores["chrf++"].signature
    assert [scores[name].name for name in ("chrf", "chrf++")] == ["chrF2", "chrF2++"]
    for name, kind in METRICS.items():
        upper, folded = (
            corpus_scores(["A CAT SAT DOWN"], ["a cat sat down"], metrics=[name], lowercase=lowercase)[name].score
            for lowercase in (False, True)
        )
        assert (upper != folded) == kind.has_case
    mixed, lower = (corpus_scores(HYPOTHESES, REFERENCES, lowercase=lowercase) for lowercase in (False, True))
    assert lower["bleu"].score > mixed["bleu"].score
    assert lower["chrf"].score > mixed["chrf"].score


def test_several_references():
    scores = corpus_scores(HYPOTHESES, [REFERENCES, OTHERS])
    assert scores["bleu"].score == pytest.approx(sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCES, OTHERS]).score)
    assert all("nrefs:2" in score.signature for score in scores.values())
    assert corpus_scores(HYPOTHESES, [REFERENCES]) == corpus_scores(HYPOTHESES, REFERENCES)


def test_sets_of_lines_have_the_scores_of_their_lines():
    sets = {"all": slice(None), "one": slice(0, 1), "others": slice(1, None)}
    for name, scores in scores_of_sets(HYPOTHESES, [REFERENCES, OTHERS], sets).items():
        lines = sets[name]
        assert scores == corpus_scores(HYPOTHESES[lines], [REFERENCES[lines], OTHERS[lines]])


def test_wrong_arguments_are_named():
    def refused(message, hypotheses=HYPOTHESES, references=REFERENCES, **options):
        with pytest.raises(UserError, match=message):
            corpus_scores(hypotheses, references, **options)

    refused("`hypotheses` and `references` .* 2 and 3 lines", HYPOTHESES[:2])
    refused(r"`hypotheses` and `references\[1\]` .* 3 and 1 lines", references=[REFERENCES, OTHERS[:1]])
    refused("`hypotheses` must have at least one line", [])
    refused("`hypotheses` must be a list of strings, not one string.*'the cat'", "the cat", ["the cat"] * 7)
    refused(r"`references\[1\]` must be a list of strings", ["the cat"] * 7, [["the cat"] * 7, "the cat"])
    refused("`references` must have at least one line", references=[])
    refused(r"empty: give translations. Received: 'references\[1\]'", references=[REFERENCES, ["", " ", "\t"]])
    refused(r"bleu, chrf, ter.*Received: meteor", metrics=["bleu", "meteor"])
    refused(r"metrics=\[\]", metrics=[])
    refused("13a.*tokenize='moses'", tokenize="moses")


CHINESE, JAPANESE, THAI = "一只狗在雪地里奔跑。", "犬が雪の中を走っています。", "สุนัขวิ่งผ่านหิมะหนา"


def test_a_tokenizer_that_takes_a_text_for_one_word_is_warned_of(recwarn):
    for tokenize, line, fits in (
        ("13a", "Ein Hund rennt durch den tiefen Schnee.", True),
        ("13a", "Donaudampfschifffahrtsgesellschaften", False),  # as a whole text
        ("13a", "Собака бежит по глубокому снегу, и нормально.", True),
        ("13a", "눈 속을 개가 달린다.", True),
        *((tokenize, line, False) for tokenize in ("none", "13a", "intl") for line in (CHINESE, JAPANESE, THAI)),
        ("zh", CHINESE, True),
        ("zh", JAPANESE, False),
        ("zh", THAI, False),
        ("zh", "Ein Hund rennt durch den tiefen Schnee.", True),
        *(("char", line, True) for line in (CHINESE, JAPANESE, THAI)),
        ("13a", "Im Regal stehen Bücher von 老舍, alle auf Deutsch und gut erhalten.", True),
    ):
        recwarn.clear()
        corpus_scores([line], [line], metrics=["bleu"], tokenize=tokenize)
        found = [str(warning.message).split(" treats")[0] for warning in recwarn if warning.category is UserWarning]
        assert found == ([] if fits else [f"The BLEU tokenizer {tokenize}"]), (tokenize, line)
        recwarn.clear()
        corpus_scores([line], [line], metrics=["chrf"], tokenize=tokenize)  # has no words
        assert not recwarn
    for line, warned in ((CHINESE, True), (THAI, True), ("Ein Hund rennt durch den Schnee.", False)):
        recwarn.clear()
        corpus_scores([line], [line], metrics=["ter", "chrf++"], tokenize="zh")
        found = [str(warning.message).split(" are compared")[0] for warning in recwarn]
        assert found == ["ter, chrf++: words between spaces"] * warned, line


def test_a_tokenizer_that_cannot_be_loaded_is_one_line(monkeypatch):
    """A package that is not installed: an import of None fails."""
    monkeypatch.setitem(sys.modules, "MeCab", None)
    monkeypatch.delitem(sys.modules, "sacrebleu.tokenizers.tokenizer_ja_mecab", raising=False)
    with pytest.raises(
        UserError, match=r"install the package that it needs.*Received: tokenize='ja-mecab' \(Japanese.*\)$"
    ):
        corpus_scores(HYPOTHESES, REFERENCES, tokenize="ja-mecab")
    corpus_scores(HYPOTHESES, REFERENCES, metrics=["chrf"], tokenize="ja-mecab")
