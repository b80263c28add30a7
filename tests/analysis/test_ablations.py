"""Cuts of trained models against models without the parts, and against numbers that other analyses read."""

import json

import keras
import numpy as np
import pytest
from small import noisy

from keras_nmt.analysis import Cut, ablate, hidden_states
from keras_nmt.analysis.cuts import TextValues
from keras_nmt.analysis.token_states import id_batches
from keras_nmt.data import SubwordTokenizer, train_subwords
from keras_nmt.errors import UserError
from keras_nmt.evaluation import corpus_scores
from keras_nmt.inference import Translator
from keras_nmt.layers import LowRankBilinearPooling, intervening, recording
from keras_nmt.models import LanguageLabelModel, Transformer

GATES, PROBABILITY = Cut("*:gates", "constant:0"), "log-probability a token"


@pytest.fixture(scope="module")
def pairs(tokenizer):
    """Translators of a model with shortcuts, and of one without, which has its weights otherwise."""
    sizes = {"num_encoder_layers": 1, "num_decoder_layers": 1, "hidden_dim": 8, "num_heads": 2, "intermediate_dim": 8}
    keras.utils.set_random_seed(7)
    model = noisy(Transformer(60, **sizes, shortcuts="plain", roles="softmax"), 7)
    without = Transformer(60, **sizes, roles="softmax")
    weights = {weight.path: weight for weight in model.weights}
    for weight in without.weights:
        weight.assign(
            weights[weight.path.replace("self_attention/key_value/kernel", "self_attention/key_value/hidden_kernel")]
            if "self_attention/key_value" in weight.path
            else weights[weight.path]
        )
    return Translator(model, tokenizer), Translator(without, tokenizer)


def _per_token(translator, source, target):
    tokens = sum(len(ids) + 1 for ids in translator.tokenizers["target"].tokenize(target).to_list())
    return sum(translator.score(source, target)) / tokens


@pytest.mark.slow
def test_cut_gates_score_and_translate_as_a_model_without_shortcuts(pairs, lines, translated):
    whole, without = pairs
    found = ablate(whole, lines, translated, ["*:gates=constant:0"])
    change = found.changes[GATES]
    for translator, more in ((whole, 0), (without, 1)):
        expected = _per_token(translator, lines, translated)
        np.testing.assert_allclose(
            found.whole[PROBABILITY] + more * change[PROBABILITY].difference, expected, atol=1e-5
        )
        texts = [x.text for x in translator.translate(lines)]
        bleu = corpus_scores(texts, translated, metrics=["bleu"])["bleu"].score
        np.testing.assert_allclose(found.whole["BLEU"] + more * change["BLEU"].difference, bleu, atol=1e-6)
    assert abs(change[PROBABILITY].difference) > 1e-3
    assert change[PROBABILITY].p_holm == change[PROBABILITY].p
    # The translator that was given is as it was.
    np.testing.assert_allclose(_per_token(whole, lines, translated), found.whole[PROBABILITY], atol=1e-5)


@pytest.mark.slow
def test_means_and_other_sentences_are_those_of_the_text(pairs, lines, translated):
    whole, _ = pairs
    source, target = lines[2:14], translated[2:14]
    batches = list(id_batches([whole.tokenizers["source"]] * 2, source, target, 64))
    place = "target_roles/assignment:roles"
    text = TextValues(whole.model, [place], batches)
    roles = np.concatenate([b.target.roles for b in hidden_states(whole, source, target, tensors=["roles"])])
    np.testing.assert_allclose(text.tokens([place])[place].mean(axis=0), roles.mean(axis=0), atol=1e-6)
    own = text.of_others([place], batches[0], batches[0].rows)[place]
    for i, row in enumerate(batches[0].rows):
        length = batches[0].lengths[1][i]
        np.testing.assert_array_equal(own[i, :length], text.of_sentences[place][row])
        np.testing.assert_array_equal(own[i, length:], np.repeat(own[i, length - 1 : length], own.shape[1] - length, 0))


@pytest.mark.slow
def test_values_of_the_same_sentence_change_nothing_and_others_do(pairs, mixed, lines, translated):
    alike = [lines[5]] * 2, [translated[5]] * 2
    for translator, *cuts in (
        (pairs[0], "*:roles=sentence", "encoder/*:heads:2=sentence"),
        (mixed, "decoder/layer_composition:representations:1=sentence"),
    ):
        same = ablate(translator, *alike, cuts, search=False)
        other = ablate(translator, [*alike[0], lines[8]], [*alike[1], translated[8]], cuts, search=False, patch=3)
        for cut in other.changes:
            assert same.changes[cut][PROBABILITY].difference == pytest.approx(0, abs=1e-6)
            assert abs(other.changes[cut][PROBABILITY].difference) > 1e-6, cut


def test_labels_keep_their_values(labelled, lines, translated, eager):
    sizes = {"num_encoder_layers": 1, "num_decoder_layers": 1, "hidden_dim": 8, "dropout": 0.0}
    kinds = {"encoder": "transformer", "decoder": "transformer", "transformer": {"num_heads": 2, "intermediate_dim": 8}}
    keras.utils.set_random_seed(8)
    model = noisy(LanguageLabelModel(["en", "de"], vocabulary_size=60, **sizes, **kinds, label_sides="both"), 8)
    translator = Translator(model, labelled.tokenizers)
    languages = {"source_language": "en", "target_language": "de"}
    alike = ablate(translator, [lines[5]] * 2, [translated[5]] * 2, ["*:state_0=sentence"], search=False, **languages)
    (change,) = alike.changes.values()
    assert change[PROBABILITY].difference == pytest.approx(0, abs=1e-6)

    pair, place = model.pair("en", "de"), "encoder:state_0"
    batches = list(id_batches([translator.tokenizers["en"]] * 2, lines[2:4], translated[2:4], 64))
    text = TextValues(pair, [place], batches)
    values = text.tokens([place])
    assert len(values[place]) == sum(batch.lengths[0].sum() for batch in batches)
    for kind in ("mean", "shuffle"):
        with intervening(Cut(place, kind).replacements(values, text.labels)), recording() as records:
            pair.encoder(batches[0].ids[0])
        new = next(np.asarray(record.value) for record in records if record.place == place)
        for row, of_row in zip(batches[0].rows, new, strict=True):
            np.testing.assert_allclose(of_row[0], text.of_sentences[place][row][0], atol=1e-6)
            assert np.abs(of_row[1] - text.of_sentences[place][row][1]).max() > 1e-3


def test_tags_keep_their_values(lines, translated, tmp_path, eager):
    (tmp_path / "text").write_text("\n".join([*lines, *translated]))
    symbols = ["\u2581>>deu<<", "<2fra>"]
    path = train_subwords(tmp_path / "text", tmp_path / "model", vocabulary_size=60, user_symbols=symbols)
    tokenizer = SubwordTokenizer(path)
    sizes = {"num_encoder_layers": 1, "num_decoder_layers": 1, "hidden_dim": 8, "num_heads": 2, "intermediate_dim": 8}
    keras.utils.set_random_seed(8)
    model, place = noisy(Transformer(tokenizer.vocabulary_size, **sizes), 8), "encoder:state_0"
    tags = tokenizer.tokenize([symbol.strip("\u2581") for symbol in symbols]).to_list()
    for tag, language in zip(tags, ("deu", "fra"), strict=True):
        batches = list(id_batches([tokenizer] * 2, lines[2:4], translated[2:4], 64, language=language))
        text = TextValues(model, [place], batches, tags)
        assert text.labels == {place: len(tag)}
        values = text.tokens([place])
        assert len(values[place]) == sum((batch.lengths[0] - len(tag)).sum() for batch in batches)
        with intervening(Cut(place, "mean").replacements(values, text.labels)), recording() as records:
            model.encoder(batches[0].ids[0])
        new = next(np.asarray(record.value) for record in records if record.place == place)
        for row, of_row in zip(batches[0].rows, new, strict=True):
            np.testing.assert_allclose(of_row[: len(tag)], text.of_sentences[place][row][: len(tag)], atol=1e-6)
            np.testing.assert_allclose(of_row[len(tag)], values[place].mean(axis=0), atol=1e-5)
    with pytest.warns(UserWarning, match="do not begin with a tag"):
        mixed = list(id_batches([tokenizer] * 2, [f">>deu<< {lines[2]}", lines[3]], translated[2:4], 64))
    assert TextValues(model, [place], mixed, tags).labels == {place: 0}


@pytest.mark.slow
def test_parts_and_places_one_by_one_and_drawn_values(mixed, lines, translated, tmp_path):
    cuts = ["encoder/*/self_attention:heads:*=shuffle", "encoder:*_1=mean", "*/layer_composition:composed=without:2"]
    found, again = (ablate(mixed, lines[2:6], translated[2:6], x, each=True, search=False) for x in (cuts, cuts[:1]))
    assert [f"{cut.pattern}={cut.kind}" for cut in found.changes] == [
        *(f"encoder/layer_{n}/self_attention:heads:{head}=shuffle" for n in (1, 2) for head in (1, 2)),
        "encoder:state_1=mean",
        "*/layer_composition:composed=without:2",
        "encoder/layer_composition:composed=without:2",
        "decoder/layer_composition:composed=without:2",
    ]
    assert [*found.changes.items()][:4] == [*again.changes.items()]
    assert all(change[PROBABILITY].difference and change[PROBABILITY].p is None for change in found.changes.values())
    found.write(tmp_path)
    assert json.loads((tmp_path / "results.json").read_text()) == found.numbers()
    axes = found.plot().axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "2", "all"]
    assert [label.get_text() for label in axes.get_yticklabels()][:2] == [
        f"encoder/layer_{n}/self_attention:heads:* = shuffle" for n in (1, 2)
    ]


def test_without_either_order_a_composition_is_the_sum_of_the_other_and_its_constant():
    layer = LowRankBilinearPooling(4, rank=3)
    heads = keras.random.normal((2, 3, 2, 4), seed=1)
    whole, constant = layer(heads), layer.compose(0 * heads)
    parts = {}
    for order in (1, 2):
        with intervening(Cut("*:composed", f"without:{order}").replacements({})):
            parts[order] = layer(heads)
        assert np.abs(parts[order] - whole).max() > 1e-3
    np.testing.assert_allclose(parts[1] + parts[2], whole + constant, atol=1e-5)
    factors = keras.ops.matmul(keras.ops.reshape(heads, (2, 3, 8)), layer.factors)
    ones = layer.ones_row.value if hasattr(layer.ones_row, "value") else layer.ones_row
    left, right = np.split(np.asarray(factors), 2, -1)
    second = (left * right + np.prod(np.split(np.asarray(ones), 2), axis=0)) @ np.asarray(layer.projection)
    np.testing.assert_allclose(parts[1], second, atol=1e-5)


def test_a_head_of_a_bridge_and_the_command(run_inspect, directories, texts, tmp_path, eager):
    printed = run_inspect(
        *("ablate", directories / "bridged", "--source", texts / "source", "--target", texts / "target"),
        *("--source-language", "de", "--target-language", "en", "--cut", "*:bridge:2=mean", "--no-search"),
        *("--output", tmp_path),
    )
    assert printed.startswith("| cut | replaced by | log-probability a token | p | p (Holm) |")
    assert "| `*:bridge:2` | mean |" in printed
    assert (tmp_path / "ablate.png").stat().st_size > 1000


def test_wrong_cuts(mixed, lines, translated, eager):
    def message(*cuts, count=3, **options):
        with pytest.raises(UserError) as error:
            ablate(mixed, lines[:count], translated[:count], cuts, search=False, **options)
        return str(error.value)

    for cut in ("*:gates", "*:gates=zero", "*:gates=constant:x", "*:gates=without:3", "=mean", "*:gates=constant:nan"):
        assert message(cut).endswith(f"Received: {cut}")
    assert "has the places source_roles/assignment:roles" in message("*/layer_9*:gates=mean")
    assert "has the parts 1 to 2. Received: *:heads:3" in message("*:heads:3=mean")
    assert "has no parts" in message("*:gates:1=mean")
    assert "need --each" in message("*:heads:*=mean")
    assert "Attention is as long as its sentence" in message("*:attention=mean")
    assert "Only `composed` has orders" in message("*:heads=without:1")
    assert "from 1 to 3. Received: 4" in message("*:gates=sentence", patch=4)
    assert "goes with the kind `sentence`" in message("*:gates=mean", patch=1)
    assert "needs another sentence" in message("*:gates=sentence", count=1)
    assert "Name what to cut" in message()
    with pytest.raises(UserError, match="empty: give translations. Received: 'target'"):
        ablate(mixed, lines[:2], ["", " "], ["*:gates=mean"])
