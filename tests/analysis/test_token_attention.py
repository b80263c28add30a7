"""The attention of a layer and a head, as matrices of subwords."""

import functools
import json

import numpy as np
import pytest
from small import slow

from keras_nmt.analysis import attention, hidden_states
from keras_nmt.errors import UserError
from keras_nmt.ids import BOS, EOS
from keras_nmt.inference import Translator
from keras_nmt.models import Transformer

pytestmark = pytest.mark.usefixtures("eager")

SOURCES, TARGETS = ["the small cat", "", "$a in $b sat"], ["cat the", "in", ""]
LANGUAGES = {"source_language": "en", "target_language": "de"}


@pytest.fixture(scope="module")
def of_one_head(mixed):
    """Returns a model with equal weights that aligns by one head of its second layer."""

    @functools.cache
    def make(head):
        config = {**mixed.model.get_config(), "alignment_layer": 2, "alignment_head": head}
        model = Transformer.from_config(config)
        model.set_weights(mixed.model.get_weights())
        return model

    return make


def test_weights_are_those_of_the_layer_and_the_head_with_their_subwords(mixed, of_one_head):
    tokenizer = mixed.tokenizers["source"]
    found = {head: attention(mixed, SOURCES, TARGETS, layer=2, head=head) for head in (1, 2)}
    default = attention(Translator(of_one_head(2), tokenizer), SOURCES, TARGETS)
    mean = attention(mixed, SOURCES, TARGETS, layer=2)
    for i, (source, target) in enumerate(zip(SOURCES, TARGETS, strict=True)):
        one, other = (tokenizer.tokenize([text]).to_list()[0] for text in (source, target))
        for head in (1, 2):
            model = of_one_head(head)
            memory = model.encoder(np.array([[*one, EOS]]))
            expected = model.attention(memory, np.array([[BOS, *other]]))[0]
            rows, columns, weights = found[head][i]
            pieces = tokenizer.pieces()
            assert (rows, columns) == tuple(tuple(pieces[x] for x in (*ids, EOS)) for ids in (other, one))
            np.testing.assert_allclose(weights, expected, atol=1e-5)
        np.testing.assert_array_equal(default[i].weights, found[2][i].weights)
        np.testing.assert_allclose(mean[i].weights, (found[1][i].weights + found[2][i].weights) / 2, atol=1e-6)


@pytest.mark.parametrize("kind", [slow("mixed"), slow("bridged"), slow("labelled")])
def test_models_with_attention_have_it_at_their_sites(kind, request):
    translator = request.getfixturevalue(kind)
    languages = {} if kind == "mixed" else LANGUAGES
    own = [x.text for x in translator.translate(SOURCES, *languages.values())]
    (batch,) = hidden_states(translator, SOURCES, own, tensors=["attention"], **languages)
    for site, side, name in (("encoder", 0, "self"), ("decoder", 1, "self"), ("cross", 1, "cross")):
        if name not in batch[side].attention:
            with pytest.raises(UserError, match="no (such )?attention"):
                attention(translator, SOURCES, site=site, **languages)
            continue
        found = attention(translator, SOURCES, site=site, layer=1, **languages)
        for row, weights in zip(batch[side].rows, batch[side].attention[name], strict=True):
            np.testing.assert_allclose(found[row].weights, weights[0].mean(0), atol=1e-5)
            assert found[row].weights.shape == tuple(map(len, found[row][:2]))
        if site == "decoder":
            assert found[0].rows[0] == found[0].columns[0] == "<s>"
        if site == "cross" and kind == "bridged":
            assert found[0].columns == tuple(map(str, range(1, 13)))


def test_what_there_is_not_is_refused(mixed, plain):
    for options, told in (
        ({"layer": 3}, "`layer` must be from 1 to 2 here. Received: layer=3"),
        ({"head": 3, "site": "encoder"}, "`head` must be from 1 to 2 here. Received: head=3"),
        ({"site": "self"}, "`site` must be one of cross, encoder, decoder. Received: site='self'"),
    ):
        with pytest.raises(UserError, match=told):
            attention(mixed, SOURCES, TARGETS, **options)


def test_the_command_writes_subwords_and_weights(directories, plain, texts, run_inspect, tmp_path, lines):
    arguments = ["attention", directories / "plain", "--source", texts / "source", "--target", texts / "target"]
    rows = [json.loads(line) for line in run_inspect(*arguments, "--head", 2).splitlines()]
    targets = (texts / "target").read_text().split("\n")[:-1]
    for row, x in zip(rows, attention(plain, lines, targets, head=2), strict=True):
        assert (tuple(row["rows"]), tuple(row["columns"])) == (x.rows, x.columns)
        np.testing.assert_allclose(row["weights"], x.weights, atol=1e-5)
    assert run_inspect(*arguments[:4], "--output", tmp_path / "attention") == ""
    assert len((tmp_path / "attention").read_text().splitlines()) == len(lines)
