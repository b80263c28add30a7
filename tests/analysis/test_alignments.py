"""Alignment error rates of the attention of each layer, and of a trained head."""

import pytest

from keras_nmt.analysis import GoldAlignment, alignment_error_rate, look_inside, read_gold_alignments
from keras_nmt.analysis.alignments import _errors
from keras_nmt.errors import UserError
from keras_nmt.inference import Translator
from keras_nmt.models import Ensemble

pytestmark = pytest.mark.usefixtures("eager")


def test_alignment_error_rate(plain, lines, translated, tmp_path):
    gold = GoldAlignment(frozenset({(0, 0), (1, 1)}), frozenset({(0, 0), (1, 1), (2, 1)}))
    for links, expected in (
        ({(0, 0), (1, 1)}, 0),
        ({(0, 0), (1, 1), (2, 1)}, 0),  # possible links cost nothing
        ({(0, 0)}, 1 - 2 / 3),
        ({(5, 5)}, 1),
        (set(), 1),
    ):
        wrong, size = _errors(links, gold)
        assert wrong / size == pytest.approx(expected)
    own = [GoldAlignment(frozenset(x), frozenset(x)) for x in plain.align(lines[2:], translated[2:], layer=1)]
    assert alignment_error_rate(plain, lines[2:], translated[2:], own).values == {("alignment error rate", "1"): 0}
    # Half of the sentences have no gold links: all their links are wrong.
    half = [GoldAlignment(frozenset(), frozenset()) if i % 2 else links for i, links in enumerate(own)]
    sizes = [len(links.sure) for links in own]
    wrong = sum(sizes[1::2]) / (sum(sizes) + sum(sizes[::2]))
    found = alignment_error_rate(plain, lines[2:], translated[2:], half)
    assert found.values["alignment error rate", "1"] == pytest.approx(wrong)
    (tmp_path / "gold").write_text("1-2 3p1\n\n")
    first, second = read_gold_alignments(tmp_path / "gold", swap=True)
    assert first == GoldAlignment(frozenset({(1, 0)}), frozenset({(1, 0), (0, 2)}))
    assert not second.possible
    (tmp_path / "gold").write_text("0-1\n")
    with pytest.raises(UserError, match="line 1: 0-1"):
        read_gold_alignments(tmp_path / "gold")


def test_gold_links_are_of_words_of_the_sentences(plain):
    texts = ["the cat", "the small cat"], ["cat", "the cat"]
    for pair, received in (((1, 1), "1-1"), ((2, 0), "2-0")):
        gold = [GoldAlignment(frozenset({(0, 0)}), frozenset({pair}))] * 2
        with pytest.raises(UserError, match=rf"^Line 1 of .*--first and --swap.* of 2 and 1 words.*: {received}$"):
            alignment_error_rate(plain, *texts, gold)
    with pytest.raises(UserError, match=r"must have links. Received: 2 line\(s\) without any$"):
        alignment_error_rate(plain, *texts, [GoldAlignment(frozenset(), frozenset())] * 2)


@pytest.mark.nightly
def test_a_head_that_was_trained_to_align_has_a_rate_of_its_own(mixed, tokenizer, lines, translated):
    model = type(mixed.model).from_config({**mixed.model.get_config(), "alignment_head": 2})
    model.set_weights(mixed.model.get_weights())
    translator = Translator(model, tokenizer)
    texts = lines[2:12], translated[2:12]
    gold = [GoldAlignment(frozenset(x), frozenset(x)) for x in translator.align(*texts)]
    values = alignment_error_rate(translator, *texts, gold).values
    assert [layer for _, layer in values] == ["head", "1", "2"]
    assert values["alignment error rate", "head"] == 0 < values["alignment error rate", "1"]
    both = Translator(Ensemble([model, model]), tokenizer)
    assert alignment_error_rate(both, *texts, gold).values == values
    found = look_inside(translator, lines[5], prefix=translated[5]).alignment
    best = {(int(row.argmax()), word) for word, row in enumerate(found.attention)}
    assert len(best & set(found.pairs)) >= 0.7 * len(best)  # words of several subwords may differ
