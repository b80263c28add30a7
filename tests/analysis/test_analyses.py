"""Analyses of states, gates, roles and scores: planted structure is found, and numbers equal other computations."""

from __future__ import annotations

import dataclasses
import gzip
import json
import sys
from collections import Counter

import keras
import numpy as np
import pytest
import tensorflow as tf
from own_mechanisms import Mixing
from sklearn.metrics import normalized_mutual_info_score

from keras_nmt.analysis import (
    ContrastItem,
    GoldAlignment,
    SenseItem,
    TaggedSentence,
    alignment_error_rate,
    by_frequency,
    by_tag,
    composition,
    contrast,
    contrast_of_texts,
    gates,
    hidden_states,
    lengths,
    lexical,
    look_inside,
    read_conllu,
    read_contrast,
    read_gold_alignments,
    roles,
    senses,
    sentence_vectors,
    similarity,
)
from keras_nmt.analysis.alignments import _errors
from keras_nmt.analysis.lexical_probes import _Probe
from keras_nmt.analysis.measurements import compare
from keras_nmt.analysis.token_roles import _information, _typical
from keras_nmt.data import SubwordTokenizer, train_subwords
from keras_nmt.errors import UserError
from keras_nmt.evaluation import corpus_scores
from keras_nmt.inference import Translator
from keras_nmt.layers import Composition, CompositionLayer, LayerSpec
from keras_nmt.models import AttentionBridgeModel, ModelDirectory, Transformer

CONLLU = """# text = Don't stop.
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\tdo\tAUX\t_\t_\t3\taux\t_\t_
2\tn't\tnot\tPART\t_\t_\t3\tadvmod\t_\t_
3\tstop\tstop\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\t_

1\tthe\tthe\tDET\t_\t_\t2\tdet\t_\t_
2\tcat\tcat\tNOUN\t_\t_\t0\troot\t_\t_
"""


def changed(translator, part, value):
    """A translator whose weights with a part of their path have another value."""
    model = type(translator.model).from_config(translator.model.get_config())
    model.set_weights(translator.model.get_weights())
    for weight in model.weights:
        if part in weight.path:
            weight.assign(np.full(weight.shape, value))
    return Translator(model, translator.tokenizers)


def test_similarity_is_a_mean_over_positions(mixed, plain, lines, translated):
    cosines = []
    for batch in hidden_states(mixed, lines, translated):
        first, _, last = batch.target.states
        norms = np.sqrt((first**2).sum(1) * (last**2).sum(1))
        cosines.extend((first * last).sum(1) / norms)
    found = similarity(mixed, lines, translated)
    assert list(found.values) == [(side, layer) for side in ("encoder", "decoder") for layer in "12"]
    assert found.values["decoder", "2"] == pytest.approx(np.mean(cosines), abs=1e-5)
    assert len(found.samples["decoder", "2"]) == len(lines)
    assert similarity(plain, lines).values["encoder", "1"] == pytest.approx(1)


def test_planted_gates_are_found(mixed, lines, translated):
    found = gates(changed(mixed, "gate_bias", 60.0), lines, translated, by_head=True)
    groups = {group for group, _ in found.values}
    assert {"encoder self keys", "decoder self values", "decoder cross keys"} <= groups
    assert ("decoder cross keys, layer 1, head", "2") in found.values
    assert list(found.values.values()) == pytest.approx([1] * len(found.values), abs=1e-3)
    histogram = found.details["histograms"]["encoder self keys 1"]
    assert histogram[-1] == sum(histogram) > 0
    axes = found.plot().axes  # small differences do not fill the height
    assert len(axes) > 3
    assert all((0, 1) in (of.get_xlim(), of.get_ylim()) for of in axes)


def test_gates_by_tag(mixed):
    sentences = [TaggedSentence("the cat", (0, 4), ("DET", "NOUN")), TaggedSentence("old cat", (0, 4), ("ADJ", "NOUN"))]
    found = gates(mixed, [sentence.text for sentence in sentences], groups=by_tag(sentences))
    expected = {"NOUN": [], "DET": [], "ADJ": []}
    for batch in hidden_states(mixed, [sentence.text for sentence in sentences], tensors=["gates"]):
        side = batch.source
        for i, (text, word) in enumerate(zip(side.sentences, side.words, strict=True)):
            if word >= 0:
                expected[sentences[side.rows[text]].tags[word]].append(side.gates["self"][0, i, 0].mean())
    for tag, values in expected.items():
        assert found.values["encoder self keys, layer 1", tag] == pytest.approx(np.mean(values), abs=1e-5)


def test_gates_of_fewer_heads_of_keys_and_values(tokenizer, lines):
    sizes = {"num_encoder_layers": 1, "num_decoder_layers": 1, "num_heads": 4, "hidden_dim": 8}
    for heads in (1, 2):
        model = Transformer(60, num_key_value_heads=heads, shortcuts="fusion", **sizes)
        found = gates(Translator(model, tokenizer), lines, lines, by_head=True)
        for group in ("encoder self keys", "decoder self values"):
            assert [head for of, head in found.values if of == f"{group}, layer 1, head"] == ["1", "2"][:heads]
        (batch,) = hidden_states(Translator(model, tokenizer), lines, tensors=["gates"])
        expected = batch.source.gates["self"][0, :, 0, -2:].mean()  # a head has 8 / 4 features
        assert found.values["encoder self keys, layer 1, head", str(heads)] == pytest.approx(expected)


def test_gates_over_a_bridge_do_not_depend_on_the_batch(tokenizer):
    keras.utils.set_random_seed(7)
    model = AttentionBridgeModel(
        {"en": 60, "de": 60},
        encoder="transformer",
        decoder="transformer",
        num_encoder_layers=1,
        num_decoder_layers=1,
        hidden_dim=8,
        bridge_heads=3,
        bridge_hidden_dim=8,
        transformer={"num_heads": 2, "shortcuts": {"kind": "fusion", "sites": ["cross"]}},
    )
    model.set_weights([weight * 3 for weight in model.get_weights()])
    texts, languages = ["the", "the cat sat"], {"source_language": "en", "target_language": "de"}
    assert [len(x) + 1 for x in tokenizer.tokenize(texts).to_list()] == [
        2,
        4,
    ]  # as many tokens as vectors of the bridge
    together, apart = (gates(Translator(model, tokenizer), texts, texts, max_tokens=n, **languages) for n in (100, 1))
    assert together.values == pytest.approx(apart.values, abs=1e-6)
    first, second = (
        gates(Translator(model, tokenizer), [text], [text], **languages).values["decoder cross keys", "1"]
        for text in texts
    )
    assert together.values["decoder cross keys", "1"] == pytest.approx((2 * first + 4 * second) / 6)
    assert abs(first - second) > 1e-3
    histogram = np.zeros(20, int)
    for batch in hidden_states(Translator(model, tokenizer), texts, texts, tensors=["gates"], **languages):
        histogram += np.histogram(batch.target.gates["cross"][0, :, 0], 20, (0, 1))[0]
    assert histogram.sum() == 2 * 3 * 8  # vectors of two texts
    for found in (together, apart):
        assert found.details["histograms"]["decoder cross keys 1"] == histogram.tolist()


def test_groups_of_numbers_are_in_order_whatever_the_batch(mixed, lines):
    groups = by_frequency(mixed, lines)
    for max_tokens in (20, 4096):
        found = gates(mixed, lines, groups=groups, max_tokens=max_tokens)
        bins = [item for group, item in found.values if group == "encoder self keys, layer 1"]
        assert bins == [str(i) for i in range(1, 11)]


def test_compositions_have_a_group_for_each_order(mixed, lines):
    found = composition(mixed, lines)
    layers = [group for group, _ in found.values if "layer_composition" in group]
    assert len(layers) == 4  # two layers, two orders
    assert all(value > 0 for key, value in found.values.items() if "layer_composition, first" in key[0])
    heads = [value for key, value in found.values.items() if "head_composition, first" in key[0]]
    assert heads == pytest.approx([0] * len(heads), abs=1e-4)  # low rank has no first order


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
    lifts = _typical(Counter(often=8, once=1, all=4), everywhere, 100)
    assert list(lifts)[:2] == ["often", "once"]
    assert lifts["often"] == pytest.approx((8 / 13) / (9 / 100))


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


def test_the_decoders_probe_by_tag(plain, lines):
    text = [line for line in lines[2:] if line]
    tagged = [
        TaggedSentence(
            line,
            tuple(i for i in range(len(line)) if i == 0 or line[i - 1] == " "),
            tuple("NOUN" if word in ("cat", "houses") else "X" for word in line.split()),
        )
        for line in text
    ]
    options = {"test_source": text, "test_target": text, "epochs": 1, "hidden_dim": 8}
    found = lexical(plain, text, text, groups=by_tag(target=tagged), **options)
    items = {item for group, item in found.values if group == "decoder, layer 1"}
    assert items == {"NOUN", "X"}
    assert not [group for group, _ in found.values if group.startswith("encoder, layer")]
    nouns = sum(of.split().count(word) for of in text for word in ("cat", "houses"))
    pieces = [plain.tokenizers["target"].tokenize([word])[0] for word in ("cat", "houses")]
    assert found.samples["decoder, layer 1", "NOUN"][:, 1].sum() >= nouns > 0
    assert all(len(x) for x in pieces)


def test_a_probe_reads_embeddings_and_no_noise(plain, lines):
    text = lines[2:] * 4
    options = {"epochs": 40, "hidden_dim": 64, "dropout": 0.0, "learning_rate": 0.01}
    found = lexical(plain, text, test_source=lines[2:], **options)
    assert found.values["encoder", "0"] > 0.99
    assert found.values["encoder", "1"] > 0.99
    noise = changed(plain, "embedding/", 0.0)
    found = lexical(noise, text, test_source=lines[2:], **options)
    assert found.values["encoder", "1"] < found.references["encoder", "1"] + 0.25


def test_a_probe_is_trained_with_dropout_and_asked_without():
    probe = _Probe(4, 64, 0.5)
    probe.build((None, 8))
    states = tf.random.normal([6, 8])
    classes, others = tf.range(6, dtype=tf.int64) % 4, tf.range(4, dtype=tf.int64)
    assert len({float(probe.loss(states, classes, others)) for _ in range(3)}) == 3
    assert len({tuple(probe(states).numpy()) for _ in range(3)}) == 1


def test_a_probe_that_tells_few_classes_apart_in_an_update_finds_the_one_of_all(plain, lines, monkeypatch):
    monkeypatch.setattr(sys.modules[lexical.__module__], "OTHERS", 5)
    options = {"epochs": 60, "hidden_dim": 64, "dropout": 0.0, "learning_rate": 0.01}
    found = lexical(plain, lines[2:] * 4, test_source=lines[2:], **options)
    assert found.values["encoder", "0"] > 0.99


def test_the_probe_withholds_every_tenth_sentence(plain, lines):
    groups = by_frequency(plain, lines, lines)
    found = lexical(plain, lines, lines, epochs=1, groups=groups)
    assert set(found.values) >= {("encoder", "0"), ("decoder", "1")}
    assert all(group.startswith(("encoder", "decoder")) and "frequent" not in group for group, _ in found.values)
    bins = {item for group, item in found.values if group == "decoder, layer 1"}
    assert bins <= {str(i) for i in range(1, 11)}
    assert len(bins) > 3
    held = found.samples["encoder", "0"][:, 1].sum()
    assert held == sum(len(plain.tokenizers["source"].tokenize([line])[0]) for line in lines[9::10])
    with pytest.raises(UserError, match="ten sentences"):
        lexical(plain, lines[:5])


def test_the_probe_sees_texts_of_all_lengths_until_the_end(plain, lines, monkeypatch):
    module, sizes = sys.modules[lexical.__module__], []

    def recorded(*arguments, **options):
        for batch in hidden_states(*arguments, **options):
            sizes.append(int(batch.source.lengths.max()))
            yield batch

    monkeypatch.setattr(module, "hidden_states", recorded)
    monkeypatch.setattr(module, "TOKENS_AT_ONCE", 20)

    def trained():
        sizes.clear()
        values = lexical(plain, lines, test_source=lines, epochs=2, seeds=(3,)).values
        return values, sizes[:-1]  # without the batch of the test

    values, order = trained()
    first, second = order[: len(order) // 2], order[len(order) // 2 :]
    assert len(first) > 4
    for of_epoch in (first, second):
        assert of_epoch != sorted(of_epoch, reverse=True)
    assert first != second
    assert trained() == (values, order), "the seed decides"


def test_contrast_is_the_order_of_scores(plain, lines):
    source, texts = lines[4], [lines[5], lines[6], lines[7]]
    scores = plain.score([source] * 3, texts)
    best, _, worst = (texts[i] for i in np.argsort(scores)[::-1])
    middle = next(text for text in texts if text not in (best, worst))
    found = contrast(
        plain,
        [
            ContrastItem(source, best, (middle, worst), ("a", "b")),
            ContrastItem(source, middle, (best, worst), ("a", "b")),
        ],
    )
    assert found.values == {("contrast", "all"): 0.5, ("contrast", "a"): 0.5, ("contrast", "b"): 1.0}
    assert found.samples["contrast", "all"].tolist() == [True, False]
    assert found.references["contrast", "all"] == pytest.approx(1 / 3)
    # A wrong translation without a category of its own: "all" has each wrong translation once.
    found = contrast(plain, [ContrastItem(source, middle, (best, worst), ("all", "b"))])
    assert found.values == {("contrast", "all"): 0.0, ("contrast", "b"): 1.0}
    assert found.references["contrast", "all"] == pytest.approx(1 / 3)


def test_wrong_translations_with_the_subwords_of_the_right_one_count_as_chance(plain, lines):
    source, texts = lines[4], [lines[5], lines[6]]
    better, worse = sorted(texts, key=lambda text: -plain.score([source], [text])[0])
    other = f" {better}  "  # normalised to the same
    items = [
        ContrastItem(source, better, (other,), ("a",)),
        ContrastItem(source, better, (other, f"{better} ", worse), ("a", "a", "b")),
        ContrastItem(source, worse, (f"{worse} ", better), ("a", "b")),
        *[ContrastItem(source, better, (worse,), ("b",))] * 10,
    ]
    found = contrast(plain, items)
    assert found.samples["contrast", "all"].tolist() == [[x, 1] for x in (1 / 2, 1 / 3, 0, *[1] * 10)]
    assert found.samples["contrast", "b"].tolist() == [True, False, *[True] * 10]
    assert found.values["contrast", "a"] == pytest.approx((1 / 2 + 1 / 3 + 1 / 2) / 3)
    assert found.details["indistinguishable"] == 4
    assert found.to_markdown().endswith("which count as by chance: 4.")
    whole = contrast(plain, [items[-1]] * len(items))
    assert "chance" not in whole.to_markdown()
    assert 0 < compare({"a": found, "b": whole}).p_values["b"]["contrast", "all"] <= 1
    cut = Translator(plain.model, plain.tokenizers, length_buckets=[4])
    with pytest.warns(UserWarning, match="truncated"):
        found = contrast(cut, [ContrastItem(source, f"{better} cat", (f"{better} houses",), ("a",))])
    assert found.values["contrast", "all"] == 1 / 2, "they differ where they are not scored"


def test_formats_of_contrastive_items(tmp_path):
    for name, text in (("src.en", "a\nb\n"), ("tgt.correct.de", "c\nd\n"), ("tgt.incorrect.de", "e\nf\n")):
        (tmp_path / "set" / "clause.mt").mkdir(parents=True, exist_ok=True)
        (tmp_path / "set" / "clause.mt" / name).write_text(text)
    of_folder = read_contrast(tmp_path / "set")
    assert of_folder[1] == ContrastItem("b", "d", ("f",), ("clause.mt",))
    folder = tmp_path / "set" / "clause.mt"
    of_texts = contrast_of_texts(folder / "src.en", folder / "tgt.correct.de", folder / "tgt.incorrect.de")
    assert [dataclasses.replace(item, categories=("clause.mt",)) for item in of_texts] == of_folder
    errors = [{"contrastive": "x", "type": "sense"}, {"contrastive": "y"}]
    (tmp_path / "items.json").write_text(json.dumps([{"source": "s", "reference": "r", "errors": errors}]))
    assert read_contrast(tmp_path / "items.json") == [ContrastItem("s", "r", ("x", "y"), ("sense", "all"))]
    (tmp_path / "bad.json").write_text("[1]")
    (tmp_path / "set" / "clause.mt" / "src.en").unlink()
    for path in (tmp_path / "bad.json", tmp_path / "set"):
        with pytest.raises(UserError, match=r"must (be|have)"):
            read_contrast(path)


def test_files_that_cannot_be_read_say_why_and_json_may_be_one_line(tmp_path):
    item = {"source": "s", "reference": "r" * 2**21, "errors": [{"contrastive": "x", "type": "y"}]}
    (tmp_path / "items.json").write_bytes(gzip.compress(json.dumps([item]).encode()))
    assert read_contrast(tmp_path / "items.json") == [ContrastItem("s", "r" * 2**21, ("x",), ("y",))]
    (tmp_path / "other").write_bytes(b"[]\ncaf\xe9")
    for read in (read_contrast, read_conllu):
        with pytest.raises(UserError, match="^Line 2 is not UTF-8"):
            read(tmp_path / "other")


def test_each_file_of_wrong_translations_is_a_category_and_none_is_all(tmp_path):
    paths = [tmp_path / name for name in ("a/wrong.de", "b/wrong.de", "c/all")]
    for path in paths:
        path.parent.mkdir()
        path.write_text("x\n")
    (item,) = contrast_of_texts(paths[0], paths[0], *paths[:2])
    assert item.categories == (str(paths[0]), str(paths[1]))
    (item,) = contrast_of_texts(paths[0], paths[0], paths[0])
    assert item.categories == ("wrong.de",)
    errors = [{"contrastive": "x", "type": "all"}]
    (tmp_path / "items.json").write_text(json.dumps([{"source": "s", "reference": "r", "errors": errors}]))
    for read in (
        lambda: contrast_of_texts(*paths),
        lambda: contrast_of_texts(*paths, category="all"),
        lambda: read_contrast(tmp_path / "items.json"),
    ):
        with pytest.raises(UserError, match="may be named all, as all items together are"):
            read()


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
    with pytest.raises(UserError, match="a reference for each source"):
        lengths(hypotheses, references, references[1:])
    with pytest.raises(UserError, match=r"a translation of each source. Received: 1 and 2 lines"):
        lengths(["a"], ["x", "y"], ["x", "y"])


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


def test_bleu_by_length_of_lower_cased_models(plain, directories, tmp_path, error_line):
    references = ["The Cat sat", "In Three Old houses", "the small cat sat in three"]
    assert not lengths(plain, references, references).details["lowercase"]
    (tmp_path / "text").write_text("the small cat sat in three old houses THE\n" * 9)
    lower = SubwordTokenizer(
        train_subwords([tmp_path / "text"], tmp_path / "m.model", vocabulary_size=29, lowercase=True)
    )
    small = Transformer(lower.vocabulary_size, num_encoder_layers=1, num_decoder_layers=1, hidden_dim=8, num_heads=2)
    translator = Translator(small, lower)
    assert lengths(translator, references, references).details["lowercase"]
    assert not lengths(translator, references, references, lowercase=False).details["lowercase"]
    directory = ModelDirectory(tmp_path)
    directory.save_config(small, subwords={"source": "m.model", "target": "m.model"})
    directory.save_weights(small)
    (tmp_path / "references").write_text("".join(f"{line}\n" for line in references))
    files = "--source", tmp_path / "references", "--references", tmp_path / "references"
    assert "ignore case for some models" in error_line("inspect", "lengths", tmp_path, directories / "plain", *files)
    lowered = [line.lower() for line in references]
    found = [lengths(lowered, references, references, lowercase=x) for x in (None, True)]
    assert found[0].values["BLEU by source length", "all"] < 70
    assert found[1].values["BLEU by source length", "all"] == pytest.approx(100)
    assert "BLEU ignores case." in found[1].to_markdown()
    assert compare(dict(zip("ab", found, strict=True))).p_values["b"] == {}


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
    with pytest.raises(UserError, match="Received: 0, 0 and 0 lines"):
        alignment_error_rate(plain, [], [], [])


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
    found = look_inside(translator, lines[5], prefix=translated[5]).alignment
    best = {(int(row.argmax()), word) for word, row in enumerate(found.attention)}
    assert len(best & set(found.pairs)) >= 0.7 * len(best)  # words of several subwords may differ


def test_conllu_gives_text_and_tags(tmp_path):
    (tmp_path / "text.conllu").write_text(CONLLU)
    first, second = read_conllu(tmp_path / "text.conllu")
    assert first == TaggedSentence("Don't stop.", (0, 6, 10), ("AUX", "VERB", "PUNCT"))
    assert second.text == "the cat"
    word = next(line for line in CONLLU.splitlines() if line.startswith("1\t"))
    seven_columns, range_alone = word.rsplit("\t", 3)[0], word.replace("1\t", "1-2\t", 1)
    for content in ("no table", "", seven_columns, range_alone):
        (tmp_path / "other").write_text(content + "\n")
        reasons = r"(and has no sentences|of ten columns\. Received: [^\n]+$)"
        with pytest.raises(UserError, match=rf"^[^\n]*other must be CoNLL-U, {reasons}"):
            read_conllu(tmp_path / "other")


def test_bins_of_frequency_have_equally_many_types(plain, lines):
    groups = by_frequency(plain, lines)
    counts = np.zeros(60, int)
    for line in lines:
        np.add.at(counts, plain.tokenizers["source"].tokenize([line])[0].numpy(), 1)
    largest, types = {}, {}
    for batch in hidden_states(plain, lines):
        for i, label in zip(batch.source.ids, groups(batch.source), strict=True):
            if i <= 3:
                assert label == ""
                continue
            largest.setdefault(int(label), set()).add(int(counts[i]))
            types.setdefault(int(label), set()).add(int(i))
    assert max(map(len, types.values())) - min(map(len, types.values())) <= 1
    for low, high in zip(sorted(largest), sorted(largest)[1:], strict=False):
        assert max(largest[low]) <= min(largest[high])


def test_the_counts_of_bins_stand_in_a_note(mixed):
    text = ["the the the cat"] * 9 + ["old cat"]
    counts = Counter(i for ids in mixed.tokenizers["source"].tokenize(text).to_list() for i in ids)
    types = sorted(counts.values())
    found = gates(mixed, text, groups=by_frequency(mixed, text)).notes
    bins = [1 + i * 10 // len(types) for i in range(len(types))]
    ranges = {i: [n for n, of in zip(types, bins, strict=True) if of == i] for i in bins}
    shown = ", ".join(f"{min(of)} to {max(of)} ({i})" for i, of in ranges.items())
    assert found == (f"Counts of the subwords of the source by bin: {shown}.",)
    options = {"test_source": text, "test_target": text, "epochs": 1, "hidden_dim": 4}
    both = lexical(mixed, text, text, groups=by_frequency(mixed, text, text), **options).notes
    assert both == (*found, found[0].replace("source", "target"))


@keras.saving.register_keras_serializable(package="of_tests")
class Halves(CompositionLayer):
    """0.5 r_1 + 0.5 r_2 + ..., a composition that the package does not have."""

    def build_composition(self, number, width):
        pass

    def compose(self, representations):
        return 0.5 * sum(self.separate(representations))


def test_parts_of_a_composition_of_ones_own(tokenizer, lines):
    sizes = {"num_encoder_layers": 2, "num_decoder_layers": 2, "hidden_dim": 8, "num_heads": 2, "norm": "post"}
    model = Translator(Transformer(60, layer_composition=LayerSpec(Halves), **sizes), tokenizer)
    found = composition(model, lines).values
    (batch,) = hidden_states(model, lines)
    for number in (1, 2):
        norms = np.linalg.norm(0.5 * batch.source.states[number], axis=-1)
        (value,) = (x for (group, item), x in found.items() if "first order" in group and item == str(number))
        assert value == pytest.approx(norms.mean(), rel=1e-3)
    assert max(x for (group, _), x in found.items() if "second order" in group) < 1e-4
    other = Transformer(60, layer_composition=LayerSpec(Mixing), **sizes)
    with pytest.raises(UserError, match="derives from `keras_nmt.layers.CompositionLayer`"):
        composition(Translator(other, tokenizer), lines)


def test_the_residual_path_of_a_composition_is_of_first_order(tokenizer, lines):
    """At the identity start of a composition without first order, all of the output is the residual path's."""
    options = {"layer_composition": Composition("low_rank", residual=True, start="identity")}
    sizes = {"num_encoder_layers": 2, "num_decoder_layers": 2, "hidden_dim": 8, "num_heads": 2, "norm": "post"}
    model = Translator(Transformer(60, **options, **sizes), tokenizer)
    found = composition(model, lines).values
    (batch,) = hidden_states(model, lines)
    of_order = {(group.split(", ")[1], item): x for (group, item), x in found.items() if "encoder" in group}
    norms = np.linalg.norm(batch.source.states[2], axis=-1)
    assert of_order["first order", "2"] == pytest.approx(norms.mean(), rel=1e-3)
    assert of_order["first order", "1"] == pytest.approx(0, abs=1e-5)
    assert of_order["second order", "2"] == pytest.approx(0, abs=1e-5)


def test_one_string_is_no_list_of_lines(plain, lines):
    text, texts = "the old cat", ["the old cat"] * 11
    no_links = [GoldAlignment(frozenset(), frozenset())] * 11
    for analyse in (
        lambda: hidden_states(plain, text),
        lambda: hidden_states(plain, texts, text),
        lambda: sentence_vectors(plain, text),
        lambda: lexical(plain, text),
        lambda: lexical(plain, texts, test_source=text),
        lambda: by_frequency(plain, text),
        lambda: by_frequency(plain, texts, text),
        lambda: roles(plain, texts, references=text),
        lambda: lengths(texts, text, texts),
        lambda: lengths(texts, texts, text),
        lambda: alignment_error_rate(plain, texts, text, no_links),
    ):
        with pytest.raises(UserError, match="must be a list of strings, not one string. Received: .*='the old cat'"):
            analyse()


def test_models_without_the_mechanism_say_so(plain, bridged, lines):
    for analyse, message in ((gates, "no shortcuts with gates"), (composition, "no composition"), (roles, "no roles")):
        with pytest.raises(UserError, match=message):
            analyse(plain, lines)
    with pytest.raises(UserError, match="attend"):
        alignment_error_rate(
            bridged, ["a"], ["a"], [GoldAlignment(frozenset(), frozenset())], source_language="en", target_language="de"
        )
