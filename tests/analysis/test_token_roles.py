"""Roles: planted ones, typical subwords, occurrences of a subword, and information about tags."""

from collections import Counter

import numpy as np
import pytest
from planted import changed
from sklearn.metrics import normalized_mutual_info_score

from keras_nmt.analysis import TaggedSentence, by_tag, roles
from keras_nmt.analysis.token_roles import _context, _information, _typical
from keras_nmt.errors import UserError

pytestmark = pytest.mark.usefixtures("eager")


def test_planted_roles_are_found(mixed, lines):
    planted = changed(mixed, "source_roles/assignment/projection/kernel", 0)
    for weight in planted.model.weights:
        if "source_roles/assignment/projection/bias" in weight.path:
            weight.assign([0, 0, 5, 0])
        if "source_roles/assignment/logits" in weight.path:
            weight.assign(np.eye(4))
    found = roles(planted, lines, token="cat", references=lines)
    assert [(role.number, role.count) for role in found.roles] == [(3, found.tokens)]
    assert found.num_roles == 4
    (one,) = roles(planted, ["themat catsatmatcat"]).roles
    assert sorted(one.examples) == ["[themat] catsatmatcat", "themat [catsatmatcat]"]
    count = sum(line.split().count("cat") for line in lines)
    assert len(found.occurrences) == count > 0
    assert all("[cat]" in occurrence.context for occurrence in found.occurrences)
    aligned = [
        " ".join(words[j] for i, j in links if i == place)
        for words, links in zip(map(str.split, lines), planted.align(lines, lines), strict=True)
        for place, word in enumerate(words)
        if word == "cat"
    ]
    assert [occurrence.translation for occurrence in found.occurrences] == aligned
    assert found.plot().axes[0].get_xlabel() == "role"
    subword, *_ = found.roles[0].subwords
    assert f"| 3 | 1.000 | {subword} (1.0) " in found.to_markdown()  # all of the text is in one role
    assert "tags" not in found.to_markdown()


def test_a_token_must_be_a_subword_and_may_be_missing_in_the_text(mixed, lines):
    with pytest.raises(UserError, match="one subword of .* Received: 'the cat', which is split as '▁the ▁cat'$"):
        roles(mixed, lines, token="the cat", references=["of other length"])
    with pytest.raises(UserError, match="'<unk>'"):
        roles(mixed, lines, token="<unk>")
    for token in ("cat", "▁cat"):
        missing = roles(mixed, ["the"], token=token)
        assert missing.to_markdown().endswith(f"The subword {token} does not occur in the text.")
        assert roles(mixed, ["the cat"], token=token).occurrences


def test_typical_subwords_are_frequent_and_of_the_role():
    # n(r, t) log p(t | r) / p(t), without the factor n the order would be another
    everywhere = Counter(often=9, once=1, all=40, other=50)
    lifts = _typical(Counter(often=8, once=1, all=4), everywhere)
    assert list(lifts)[:2] == ["often", "once"]
    assert lifts["often"] == pytest.approx((8 / 13) / (9 / 100))
    assert _context(["\t", "the cat"], (0, 0)) == "[]", "a text without words"
    assert _context(["\t", "the cat"], (1, 1)) == "the [cat]"


def test_information_of_roles_and_tags(mixed):
    sentences = [TaggedSentence("the cat", (0, 4), ("DET", "NOUN"))] * 5
    found = roles(mixed, [sentence.text for sentence in sentences], groups=by_tag(sentences))
    assert 0 <= found.information.normalized <= 1
    counted = sum(sum(role.tags.values()) for role in found.roles)
    assert counted == found.tokens
    assert "mutual information" in found.to_markdown()
    assert found.to_markdown().startswith("| role | share of subwords | tags | typical subwords (times as frequent ")


def test_information_stands_beside_that_of_a_random_partition():
    """Tags are of the subword alone: each type of subword has one tag, or, in the other half of the text, any tag."""
    rng = np.random.default_rng(0)
    subwords = rng.integers(400, size=20_000)
    tags = [str(x) for x in rng.integers(8, size=400)[subwords]]
    by_chance = rng.integers(1, 33, size=20_000)
    found = _information(by_chance.tolist(), tags, subwords.tolist())
    assert abs(found.adjusted) < 0.01
    parts = rng.permutation(np.arange(400) % 32)[subwords]
    expected = normalized_mutual_info_score(tags, parts)
    assert found.by_chance == pytest.approx(expected, rel=0.2)
    assert found.by_chance > 5 * found.normalized
    perfect = _information([int(x) + 1 for x in tags], tags, subwords.tolist())
    assert (perfect.normalized, perfect.adjusted) == (pytest.approx(1), pytest.approx(1))
