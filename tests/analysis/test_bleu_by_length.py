"""BLEU by length, with counts of incomplete translations, and of lower-cased models."""

import pytest
from small import save_model

from keras_nmt.analysis import SenseItem, lengths, senses
from keras_nmt.analysis.measurements import compare
from keras_nmt.data import SubwordTokenizer, train_subwords
from keras_nmt.errors import UserError
from keras_nmt.evaluation import corpus_scores
from keras_nmt.inference import Translator
from keras_nmt.models import Transformer

pytestmark = pytest.mark.usefixtures("eager")


def test_bleu_by_length():
    references = [" ".join(f"w{i}" for i in range(n)) for n in (3, 9, 10, 11, 20, 21)]
    hypotheses = [line.replace("w2", "x") for line in references]
    found = lengths(hypotheses, references, references)
    assert [item for _, item in found.values] == ["all", "1-10", "11-20", "21-30"]
    of_group = corpus_scores(hypotheses[3:5], references[3:5], metrics=["bleu"])["bleu"].score
    assert found.values["BLEU by source length", "11-20"] == pytest.approx(of_group)
    assert found.details["sentences"] == {"all": 6, "1-10": 3, "11-20": 2, "21-30": 1}
    assert found.to_markdown().endswith("\n\nNumbers of sentences: 6 (all), 3 (1-10), 2 (11-20), 1 (21-30).")
    found = lengths(hypotheses, references, references, quantiles=3)
    assert found.details["sentences"] == {"all": 6, "3-9": 2, "10-11": 2, "20-21": 2}
    for tag in (">>deu<<", "<2fra> "):  # is no word
        tagged = [f"{tag}{line}" for line in references]
        assert lengths(hypotheses, tagged, references, quantiles=3).details["sentences"] == found.details["sentences"]
    with pytest.raises(UserError, match="`source` and `references` must have the same number"):
        lengths(hypotheses, references, references[1:])
    with pytest.raises(
        UserError, match=r"`source` and `translations` must have the same number of lines. Received: 2 and 1"
    ):
        lengths(["a"], ["x", "y"], ["x", "y"])
    with pytest.raises(UserError, match="empty: give translations. Received: 'references'"):
        lengths(["a"], ["x"], [" "])
    assert lengths(["a", "b"], ["x", "y z " * 9], [" ", "b"]).values["BLEU by source length", "1-10"] == 0


def test_truncated_empty_and_cut_off_translations_are_counted(plain, lines):
    short = Translator(plain.model, plain.tokenizers, length_buckets=[4], beam_size=1, max_length=2)
    found = [lengths(short, lines, lines), senses(short, [SenseItem(line, ("cat",)) for line in lines])]
    truncated = sum(len(x) > 3 for x in plain.tokenizers["source"].tokenize(lines).to_list())
    for measured in found:
        outputs = measured.details["outputs"]
        assert (outputs["lines"], outputs["truncated"]) == (len(lines), truncated)
        assert outputs["cut_off"] > 0 < truncated
        note = f"{outputs['cut_off']} are cut off by the length limit, {truncated} are of truncated sources."
        assert measured.to_markdown().endswith(note)
    assert len(lengths(lines, lines, lines).notes) == 1, "a list has no such translations"


@pytest.mark.slow
def test_bleu_by_length_of_lower_cased_models(plain, directories, tmp_path, error_line):
    references = ["The Cat sat", "in Three Old houses", "the small cat sat in three"]
    assert not lengths(plain, references, references).details["lowercase"]
    (tmp_path / "text").write_text("the small cat sat in three old houses THE\n" * 9)
    path = train_subwords([tmp_path / "text"], tmp_path / "m.model", vocabulary_size=29, lowercase=True)
    small = Transformer(29, num_encoder_layers=1, num_decoder_layers=1, hidden_dim=8, num_heads=2)
    translator = Translator(small, SubwordTokenizer(path))
    assert lengths(translator, references, references).details["lowercase"]
    assert not lengths(translator, references, references, lowercase=False).details["lowercase"]
    save_model(tmp_path / "lower", small, translator.tokenizers["source"])
    (tmp_path / "references").write_text("".join(f"{line}\n" for line in references))
    files = "--source", tmp_path / "references", "--references", tmp_path / "references"
    models = tmp_path / "lower", directories / "plain"
    assert "ignore case for some models" in error_line("inspect", "lengths", *models, *files)


def test_bleu_may_ignore_case():
    references = ["The Cat sat", "in Three Old houses", "the small cat sat in three"]
    lowered = [line.lower() for line in references]
    found = [lengths(lowered, references, references, lowercase=x) for x in (None, True)]
    assert found[0].values["BLEU by source length", "all"] < 70
    assert found[1].values["BLEU by source length", "all"] == pytest.approx(100)
    assert "BLEU ignores case." in found[1].to_markdown()
    assert compare(dict(zip("ab", found, strict=True))).p_values["b"] == {}
