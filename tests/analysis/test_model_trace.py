"""The insides of a model for one sentence, as data and as HTML."""

import base64
import re

import numpy as np
import pytest
from small import running_eagerly

from keras_nmt.analysis import ModelTrace, SubwordRole, WordAlignment, bridge_attention, hidden_states, look_inside
from keras_nmt.analysis.model_trace import TENSORS
from keras_nmt.errors import UserError
from keras_nmt.inference import Hypothesis, Translation

pytestmark = pytest.mark.usefixtures("eager")

TEXT = "the small cat sat in $a"


@pytest.fixture(scope="module")
def several(mixed):
    return mixed.with_options(num_hypotheses=3, length_buckets=[16], batch_buckets=[1], max_length=8)


@pytest.fixture(scope="module")
def mixed_insides(several):
    with running_eagerly():
        return look_inside(several, TEXT)


def test_translations_and_alignments_are_the_translators(several, mixed_insides):
    (expected,) = several.translate([TEXT])
    assert [x.text for x in mixed_insides.translation.hypotheses] == [x.text for x in expected.hypotheses]
    alignment = mixed_insides.alignment
    assert list(alignment.pairs) == several.align([TEXT], [expected.text])[0]
    assert (alignment.source, alignment.target) == (tuple(TEXT.split()), tuple(expected.text.split()))
    # Attention of the layer that aligns: the sums over subwords and words of a sentence agree.
    (batch,) = hidden_states(several, [TEXT], [expected.text], tensors=TENSORS)
    weights = batch.target.attention["cross"][0][0].mean(axis=0)  # [1 + n, m + 1] of the first of two layers
    numbers = np.bincount(batch.target.words[1:], minlength=len(alignment.target))
    np.testing.assert_allclose(numbers @ alignment.attention.sum(axis=1), weights[:-1, :-1].sum(), rtol=1e-4)
    for j in (j for j, number in enumerate(numbers) if number == 1):
        t = 1 + list(batch.target.words[1:]).index(j)
        of_first_word = weights[t - 1, :-1][batch.source.words[:-1] == 0].sum()
        assert alignment.attention[j, 0] == pytest.approx(of_first_word, abs=1e-5)


def test_mechanisms_are_means_of_the_hidden_states(several, mixed_insides):
    texts = [TEXT], [mixed_insides.translation.text]
    (batch,) = hidden_states(several, *texts, tensors=TENSORS)
    gates = mixed_insides.gates.values
    assert gates["encoder self keys", "2"] == pytest.approx(batch.source.gates["self"][1, :, 0].mean(), abs=1e-5)
    assert gates["decoder self values", "1"] == pytest.approx(batch.target.gates["self"][0, :, 1].mean(), abs=1e-5)
    assert gates["decoder cross keys", "1"] == pytest.approx(batch.target.gates["cross"][0, :, 0].mean(), abs=1e-5)
    for side in batch:
        for path, parts in side.composition.items():
            found = mixed_insides.composition.values[f"{path}, second order", "2"]
            assert found == pytest.approx(parts["second"][1].mean(), rel=1e-4)
    roles = mixed_insides.roles["source"]
    assert [x.role - 1 for x in roles] == batch.source.roles[:-1].argmax(axis=1).tolist()
    assert "".join(x.subword for x in roles).replace("▁", " ").split() == TEXT.split()
    assert sorted({x.word for x in roles}) == list(range(len(TEXT.split())))
    assert len(mixed_insides.roles["translation"]) == len(batch.target.ids) - 1  # no begin
    assert mixed_insides.bridge is None


@pytest.mark.slow
def test_the_bridge_is_that_of_the_direction(bridged):
    insides = look_inside(bridged, "the small cat", source_language="de", target_language="en")
    (expected,) = bridge_attention(bridged.model, bridged.tokenizers["de"], "de", ["the small cat"])
    assert insides.bridge.tokens == expected.tokens
    np.testing.assert_allclose(insides.bridge.attention, expected.attention, atol=1e-5)
    assert insides.alignment is None  # the decoder attends to the bridge
    assert headings(insides.to_html()) == ["Translations", "Attention bridge"]


def headings(html):
    return re.findall("<h3>(.*?)</h3>", html)


def test_html_has_sections_of_what_the_model_has(mixed_insides):
    html = mixed_insides.to_html()
    assert headings(html) == ["Translations", "Word alignment", "Gates of the shortcuts", "Roles", "Composition"]
    groups = {group for found in (mixed_insides.gates, mixed_insides.composition) for group, _ in found.values}
    assert html.count("<img") == 1 + len(groups)


@pytest.mark.slow
def test_html_draws_the_alignment_of_a_given_beginning(plain):
    insides = look_inside(plain, "cat", prefix="the cat sat")
    assert insides.translation.text.startswith("the cat sat")
    html = insides.to_html()
    assert headings(html) == ["Translations", "Word alignment"]
    ((text, data),) = re.findall('alt="(.*?)" src="data:image/svg.xml;base64,(.*?)"', html)
    targets = [insides.alignment.target[j] for _, j in insides.alignment.pairs]
    assert text == "Aligned words: " + ", ".join(f"cat – {target}" for target in targets)
    assert b"<svg" in base64.b64decode(data)
    assert f">{insides.alignment.target[-1]}<".encode() in base64.b64decode(data)  # text, not outlines
    with pytest.raises(UserError, match=r"There is no text to translate. Received: '  '"):
        look_inside(plain, "  ")


def test_html_shows_text_as_text():
    code = '<i title="x">&'
    alignment = WordAlignment((code,), (code,), np.ones([1, 1], "float32"), ((0, 0),))
    roles = {"source": (SubwordRole(f"▁{code}", 0, 3),)}
    html = ModelTrace(code, Translation((Hypothesis(code, -1.0),), True), alignment, roles, None, None, None).to_html()
    assert html.count("&lt;i title=&quot;x&quot;&gt;&amp;") == 4  # translation, alignment's two words, role
    assert "<i" not in html.replace("<img", "")
    assert "truncated" in html
