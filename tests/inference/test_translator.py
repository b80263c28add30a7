"""The translator of a model of one direction."""

from __future__ import annotations

import builtins
import copy
import functools
import gc
import inspect
import os
import pickle
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from small import ONE_SHAPE, nightly, save_model, searched

from keras_nmt.data import SubwordTokenizer, train_subwords
from keras_nmt.decoding import beam_search, greedy_search, sampling_search
from keras_nmt.errors import UserError
from keras_nmt.files import process_resources, weights_file
from keras_nmt.files.search_options import TABLE, WITHOUT_SEARCH, SearchOptions
from keras_nmt.ids import BOS, EOS
from keras_nmt.inference import Translation, Translator, _concurrency
from keras_nmt.inference.batching import Rows
from keras_nmt.layers import intervening
from keras_nmt.models import Transformer

DECODING_MODEL = Path(__file__).parents[2] / "docs" / "decoding_model"


def assert_same(found: list[Translation], expected: list[Translation]) -> None:
    assert [translation.truncated for translation in found] == [translation.truncated for translation in expected]
    for one, other in zip(found, expected, strict=True):
        texts, expected_texts = ([(x.text, x.cut_off) for x in each.hypotheses] for each in (one, other))
        assert texts == expected_texts
        scores, expected_scores = ([x.score for x in each.hypotheses] for each in (one, other))
        np.testing.assert_allclose(scores, expected_scores, atol=1e-4)


@pytest.mark.slow
def test_with_a_gpu_one_thread_at_a_time_calls_a_translator(monkeypatch, translator):
    # There, TensorFlow mixes up the eager tensors of several threads.
    monkeypatch.setattr(tf.config, "list_logical_devices", lambda kind: ["GPU:0"] if kind == "GPU" else ["CPU:0"])
    compute, inside, most = translator.graph.parts, [], []

    def slow(*arguments):
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.1)
        inside.pop()
        return compute(*arguments)

    monkeypatch.setattr(translator.graph, "parts", slow)
    with ThreadPoolExecutor(3) as threads:
        found = list(threads.map(translator.translate, [["a cat"]] * 3))
    assert found[0] == found[1] == found[2]
    assert most == [1, 1, 1]


def test_batching_and_order_are_invisible(translator, lines):
    alone = [translator.translate([line])[0] for line in lines]
    assert len({translation.text for translation in alone}) > 3  # the model tells sentences apart
    assert_same(translator.translate(lines), alone)
    assert_same(translator.translate(lines[::-1] * 3), alone[::-1] * 3)


@pytest.mark.filterwarnings("ignore:.*were truncated")
def test_xla_changes_nothing(translator, compiled_translator, lines):
    assert_same(compiled_translator.translate(lines), translator.translate(lines))
    pairs = lines, lines[::-1]
    np.testing.assert_allclose(compiled_translator.score(*pairs), translator.score(*pairs), rtol=1e-4, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("jit_compile", [False, nightly(True)])
def test_few_lines_are_one_function_from_the_second_call_on(translator, lines, monkeypatch, jit_compile):
    """With the same answers, bit for bit, and the same errors."""
    several = translator.with_options(num_hypotheses=2, jit_compile=jit_compile)
    calls = {
        "search": lambda: several.translate(lines),
        "scores of words": lambda: several.translate(lines, word_scores=True),
        "prefixes": lambda: several.translate(lines[:2], prefixes=["vier", ""]),
        "score": lambda: several.score(lines, lines[::-1]),
    }
    part_by_part = {name: call() for name, call in calls.items()}
    assert {name: call() for name, call in calls.items()} == part_by_part
    monkeypatch.delattr(Rows, "compute")  # a call part by part, or another trace, would be an error
    assert {name: call() for name, call in calls.items()} == part_by_part
    with pytest.raises(UserError, match="prefix='東'"):
        several.translate(lines[:2], prefixes=["東", ""])


def test_empty_texts_are_empty_and_cost_nothing(translator):
    assert translator.translate([]) == []
    assert translator.score([], []) == []
    start = time.process_time()
    spaces = ["", " ", "\t", "\x0b\x1c\x85", "\xa0", "\u3000", "\u2028", "\u200b\ufeff\u2060", " \xa0\t" * 9]
    found = translator.translate([*["", " "] * 5_000, *spaces, "\xa0cat\u200b", "a mouse"])
    assert time.process_time() - start < 5  # the search of so many texts takes longer
    assert {(x.text, x.score, x.truncated) for x in found[:-2]} == {("", 0.0, False)}
    assert found[-2].score < 0
    assert_same(found[-1:], translator.translate(["a mouse"]))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*were truncated")
def test_a_text_is_cut_before_it_is_segmented(translator):
    """SentencePiece needs 300 bytes of memory for each byte of a text."""
    limit = 1024 * translator.length_buckets[-1]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    text = "katze" * 400_000  # 2 MB
    pair = [text, "a mouse"], ["a mouse", text]
    found = translator.translate([text]), translator.score(*pair), translator.align(*pair)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 200 * 2**10  # KiB
    cut = text[:limit]
    pair = [cut, "a mouse"], ["a mouse", cut]
    assert found == (translator.translate([cut]), translator.score(*pair), translator.align(*pair))
    # Also where the rest would not have been too long in subwords.
    spaces = " " * limit
    for text, truncated in ((f"a{spaces[1:]}", False), (f"a{spaces}", True)):
        assert translator.translate([text])[0] == translator.translate(["a"])[0]._replace(truncated=truncated)


def test_long_text_is_truncated_at_the_largest_bucket_with_a_warning(translator, source_tokenizer, lines, eager):
    translator = translator.with_options(max_length=3)
    lines = [*lines, *(" ".join(["a"] * count) for count in range(14))]
    longest = translator.length_buckets[-1] - 1  # and EOS
    lengths = source_tokenizer.tokenize(lines).row_lengths().numpy()
    assert {longest, longest + 1} <= set(lengths.tolist())
    assert [translation.truncated for translation in translator.translate(lines)] == (lengths > longest).tolist()
    pairs = {"source": tf.constant(lines), "target": tf.constant([""] * len(lines))}
    assert translator.graph.score(pairs, False)["truncated"].numpy().tolist() == (lengths > longest).tolist()

    whole = max(lines, key=len)
    cut = source_tokenizer.detokenize(source_tokenizer.tokenize([whole])[:, :longest]).numpy()[0].decode()
    kept = translator.translate([cut])[0]
    assert not kept.truncated
    assert translator.translate([whole])[0].hypotheses == kept.hypotheses


def test_translations_are_no_longer_than_their_source_allows(model, tokenizers, source_tokenizer, options, eager):
    translator = Translator(model, tokenizers, **options, max_length_factor=1, max_length_offset=2, max_length=6)
    texts = ["the", "a mouse sat", "seven cats sleep in the garden"]
    source_lengths = source_tokenizer.tokenize(texts).row_lengths().numpy()
    ids, _, cut_off = searched(translator, texts)
    lengths = np.sum(ids[:, 0] != 0, 1)
    assert (lengths <= np.minimum(source_lengths + 2, 6)).all()
    assert ids.shape[2] <= 6
    assert cut_off.tolist() == (~(ids == EOS).any(2)).tolist()
    assert [x.cut_off for x in translator.translate(texts)] == cut_off[:, 0].tolist()
    assert cut_off.any()


@pytest.fixture(scope="module")
def ending_model(make_model):
    """A model to which the end is the likeliest token at once, and some letters the next."""
    model = make_model(target_vocabulary_size=100)
    (beta,) = (weight for weight in model.weights if weight.path == "decoder/final_norm/beta")
    (table,) = (weight for weight in model.weights if weight.shape == (100, 16))
    beta.assign_add(30 * table[EOS])
    table.assign(tf.tensor_scatter_nd_update(table, [[20]], [0.9 * table[EOS]]))
    return model


COMPILED = {"beam_size": 3, "jit_compile": True}


@pytest.mark.parametrize("search", [{"beam_size": 1}, {"beam_size": 3}, {"sample": True}, nightly(COMPILED)], ids=str)
def test_no_translation_of_text_is_empty_or_shorter_than_the_minimum(ending_model, tokenizers, lines, search, eager):
    shapes = {name: ONE_SHAPE[name] for name in ("length_buckets", "batch_buckets")}
    translator = Translator(ending_model, tokenizers, **shapes, **search)
    found = translator.translate(lines)
    assert [bool(x.text) for x in found] == [bool(line.strip()) for line in lines]
    assert not any(x.is_empty for x in found)
    empty = translator.with_options(min_length=0).translate(lines)
    assert [x.text for x in empty] == [""] * len(lines)
    assert [x.is_empty for x in empty] == [bool(line.strip()) for line in lines]
    if not translator.options.sample:
        ids, _, _ = searched(
            translator.with_options(min_length=4, max_length_factor=0, max_length_offset=1, max_length=9), ["a", "b"]
        )
        assert (ids == EOS).argmax(2).tolist() == [[4]] * 2  # the limit has room for the end


def test_hypotheses_of_one_text_are_merged_to_the_best(make_model, label_tokenizer, eager):
    model = make_model()
    (table,) = (weight for weight in model.weights if weight.shape == (120, 16))
    # Labels, which have no letters, are as likely as tokens that the model likes.
    table.assign(tf.concat([table[:4], tf.gather(table, [119, 86, 67]), table[7:]], 0))
    texts, options = ["the small cat", "a mouse", "seven cats sleep"], {"beam_size": 24, "max_length": 4}
    ids, scores, cut_off = searched(Translator(model, label_tokenizer, **options, num_hypotheses=24), texts)
    merged = 0
    for n in (2, 24):
        translator = Translator(model, label_tokenizer, **options, num_hypotheses=n)
        for row, translation in enumerate(translator.translate(texts)):
            expected: dict[str, tuple[float, bool]] = {}
            for text, *told in zip(
                label_tokenizer.detokenize(ids[row]).numpy(), scores[row], cut_off[row], strict=True
            ):
                expected.setdefault(text.decode(), tuple(told))
            merged += 24 - len(expected)
            assert [x.text for x in translation.hypotheses] == list(expected)[:n]
            found = [(x.score, x.cut_off) for x in translation.hypotheses]
            np.testing.assert_allclose(found, list(expected.values())[:n], atol=1e-4)
            assert [(x.cut_off, -x.score) for x in translation.hypotheses] == sorted(
                (x.cut_off, -x.score) for x in translation.hypotheses
            )
    assert merged > 4


def test_a_prefix_with_unknown_characters_is_named_or_spelled_in_bytes(
    translator, make_model, source_tokenizer, tmp_path, eager
):
    with pytest.raises(UserError, match="^A prefix has characters that .* Received: prefix='die 🐶 katze'$"):
        translator.translate(["a mouse", "cats"], prefixes=["die", "die 🐶 katze"])
    inputs = {"text": tf.constant(["a mouse"]), "prefix": tf.constant(["die 🐶 katze"])}
    with pytest.raises(tf.errors.InvalidArgumentError, match="A prefix has characters that the subwords of the target"):
        translator.graph.traced(translator.graph.translate, inputs, False)
    (tmp_path / "text").write_text("die kleine katze\n" * 9)
    path = train_subwords(tmp_path / "text", tmp_path / "m", vocabulary_size=290, byte_fallback=True)
    tokenizers = {"source": source_tokenizer, "target": SubwordTokenizer(path)}
    some = Translator(make_model(target_vocabulary_size=290), tokenizers, beam_size=1, max_length=2)
    (found,) = some.translate(["a mouse"], prefixes=["die 🐶 katze"])
    assert found.text.startswith("die 🐶 katze")
    pieces = list(some.stream_line("a mouse", prefix="die 🐶 katze"))
    assert "".join(pieces) == found.text
    assert "🐶" in pieces, "not byte by byte"


def test_texts_with_characters_without_a_subword_are_told(translator, make_model, tmp_path, eager):
    texts = ["the cat", "the 犬 cat", "", "犬"]
    assert [x.has_unknown for x in translator.translate(texts)] == [False, True, False, True]
    of_tags = ['<b title="犬">the cat</b>', "the <b>犬</b> cat", "<code>犬</code> the cat"]
    assert [x.has_unknown for x in translator.translate(of_tags, markup="html")] == [False, True, False]
    (tmp_path / "text").write_text("the small cat\n" * 9)
    path = train_subwords(tmp_path / "text", tmp_path / "m", vocabulary_size=290, byte_fallback=True)
    model = make_model(source_vocabulary_size=290, target_vocabulary_size=290)
    some = Translator(model, SubwordTokenizer(path), beam_size=1, max_length=2)
    assert not any(x.has_unknown for x in some.translate(texts))


def test_a_limit_does_not_count_a_prefix_nor_cut_it(translator, tokenizers, eager):
    prefix = "drei rote hunde"
    limited = translator.with_options(max_length=2)
    (found,) = limited.translate(["the cat"], prefixes=[prefix], word_scores=True)
    assert found.text.startswith(prefix)
    count = len(tokenizers["target"].tokenize([prefix]).to_list()[0])
    assert 2 < count < len(found.hypotheses[0].pieces) <= count + 2


def test_each_line_may_have_a_limit_of_its_own(translator, lines, eager):
    several = translator.with_options(num_hypotheses=2)
    limits = [3, None, 5, 1, None, 9, 2]
    found = several.translate(lines, max_lengths=limits)
    for line, limit, of_line in zip(lines, limits, found, strict=True):
        (expected,) = several.with_options(max_length=limit).translate([line])
        assert [(x.text, x.cut_off) for x in of_line.hypotheses] == [(x.text, x.cut_off) for x in expected.hypotheses]
    texts = ["<b>A mouse</b> sat.", "The cat sat. A mouse."]
    for options in ({"markup": "html"}, {"split_sentences": "en"}):
        expected = translator.with_options(max_length=3).translate(texts, **options)
        assert translator.translate(texts, max_lengths=[3, 3], **options) == expected
    for wrong, told in (
        ([3], r"2 line\(s\), 1 limit\(s\)"),
        ([3, 0], "line 2, 0"),
        ([3, True], "line 2, True"),
    ):
        with pytest.raises(UserError, match=f"`max_lengths` must .*{told}"):
            translator.translate(texts, max_lengths=wrong)
    with pytest.raises(UserError, match="must be above `min_length`. Received: max_lengths=4, min_length=4"):
        translator.with_options(min_length=4).translate(texts, max_lengths=[5, 4])


def test_several_hypotheses_are_ordered_best_first(translator, lines, eager):
    for alpha in (TABLE["length_penalty"].least, TABLE["length_penalty"].most):
        one = translator.with_options(length_penalty=alpha, max_length=5)
        several = one.with_options(num_hypotheses=2)
        for line, found, best in zip(lines, several.translate(lines), one.translate(lines), strict=True):
            scores = [x.score for x in found.hypotheses]
            if line.strip():
                assert 0 > scores[0] >= scores[1] > -1e8
            else:
                assert scores == [0]  # one empty translation
            assert found.text == best.text
            assert found.score == pytest.approx(best.score, abs=1e-4)
    (found,) = several.translate(["<p>a mouse</p><p>\u200b</p>"], markup="html")
    assert len({x.text for x in found.hypotheses}) == 2


def test_scores_equal_teacher_forcing(translator, model, tokenizers, eager):
    pairs = ["the small cat sat", "seven cats", ""], ["die kleine katze", "sieben vögel schlafen", ""]
    expected = []
    for texts in zip(*pairs, strict=True):
        sides = zip(tokenizers.values(), texts, strict=True)
        source, target = ([*tokenizer.tokenize([text]).to_list()[0], EOS] for tokenizer, text in sides)
        logits = model([np.array([source]), np.array([[BOS, *target[:-1]]])], training=False)
        log_probabilities = tf.nn.log_softmax(logits)[0].numpy()
        expected.append(log_probabilities[np.arange(len(target)), target].sum())
    np.testing.assert_allclose(translator.score(*pairs), expected, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("jit_compile", [False, nightly(True)])
def test_new_weights_are_used_without_another_trace(make_model, source_tokenizer, lines, jit_compile):
    model = make_model()
    translator = Translator(model, source_tokenizer, **ONE_SHAPE, jit_compile=jit_compile)
    before = translator.translate(lines)
    weights = model.get_weights()
    model.set_weights([-weight for weight in weights])
    after = translator.translate(lines[:3])
    assert [translation.text for translation in after] != [translation.text for translation in before[:3]]
    model.set_weights(weights)
    assert translator.translate(lines) == before
    (search,) = translator.graph._searches
    (encoder,) = translator.graph._encoders
    assert list(search._searches) == [(jit_compile,)]
    for called in (search._searches[(jit_compile,)], encoder._encode[jit_compile]):
        assert called.traced.experimental_get_tracing_count() == 1


@pytest.mark.slow
@pytest.mark.parametrize("jit_compile", [False, nightly(True)])
def test_translates_with_the_mirrored_weights_of_two_replicas(make_model, source_tokenizer, options, jit_compile):
    lines = ["the small cat", "a mouse"]
    expected = Translator(make_model(), source_tokenizer, **options).translate(lines)
    with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        model = make_model()
    assert_same(Translator(model, source_tokenizer, **options, jit_compile=jit_compile).translate(lines), expected)


def test_other_options_have_the_length_limit_of_the_constructor(translator):
    for changed in ({"max_length_factor": 4}, {"length_buckets": (16, 1024)}, {"max_length": 7}, {"beam_size": 2}):
        once = SearchOptions(length_buckets=(8, 16)).replace(**changed).max_length
        assert once == SearchOptions(**{"length_buckets": (8, 16), **changed}).max_length
    assert translator.with_options(max_length=7).with_options(max_length_factor=4).options.max_length == 7


@pytest.mark.nightly
def test_alternatives_have_the_least_length():
    trained = Translator.from_directory(DECODING_MODEL)
    most = trained.tokenizers["target"].vocabulary_size - 3
    for least, begun, is_there in ((0, "", True), (1, "", False), (1, "Nina", True), (2, "Nina", False)):
        some = trained.with_options(min_length=least)
        found, _ = some.alternatives(["Nina buys an old car."] * 2, [begun, "Nina kauft ein altes"], count=most)
        assert ("</s>" in [x.piece for x in found if x.probability > 0]) == is_there


@pytest.mark.slow
@pytest.mark.filterwarnings("error:The model reads no-break spaces")
def test_the_end_of_a_line_changes_nothing():
    """The subwords of this model do not clean."""
    trained = Translator.from_directory(DECODING_MODEL, max_length=12)
    line, target = "Nina buys an old house near the river.", "Nina kauft ein altes Haus."
    ends = ["", "\n", "\r\n", " \t\n"]
    lines, targets = ([text + end for end in ends] for text in (line, target))
    for translations in (
        trained.translate(lines),
        trained.translate([line] * 4, prefixes=[f"Nina kauft{end}" for end in ends]),
    ):
        assert_same(translations, translations[:1] * 4)
    np.testing.assert_allclose(trained.score(lines, targets), trained.score([line], [target]) * 4, rtol=1e-5)
    assert trained.align(lines, targets) == trained.align([line], [target]) * 4


@pytest.mark.slow
def test_alignments_and_alternatives_warn_of_truncated_pairs(translator, eager):
    long = " ".join(["cat"] * 2 * translator.length_buckets[-1])
    with pytest.warns(UserWarning, match=r"^1 text\(s\) or prefix\(es\) of \d+ subwords or more were truncated"):
        translator.alternatives(["a", "cat"], ["", long])
    for pair in ((long, "katze"), ("cat", long)):
        with pytest.warns(UserWarning, match=r"^1 pair\(s\) of \d+ subwords or more were truncated"):
            translator.align(["a", pair[0]], ["a", pair[1]])


def test_options_out_of_range_are_refused():
    for name, values in {
        "length_buckets": [(8, 4), [16, 10**8]],
        "batch_buckets": [[2.5], (), (0, 4), (4, 4), "48", 8],
        "max_length_factor": [-1, np.int64(10**8)],
        "min_length": [10**6, 2 * 256 + 10],  # `max_length`, which counts the end
        "temperature": [float("nan"), 0.0],
        "top_p": ["most"],
        "length_penalty": [-1000.0],
        "length_penalty_form": ["wu"],
        "patience": [0.0, float("inf"), 1.0],  # when sampling
        "coverage_penalty": [-1.0, 0.2],  # when sampling
        "repetition_penalty": [1e-38],
        "sample": ["no"],
        "suppress_sequences": [None],
        "unknown": ["keep"],
        "shortlist_size": [3, 50],  # without a shortlist
        "beam_size": [10**8],
    }.items():
        for value in values:
            with pytest.raises(UserError, match=f"`{name}`.* Received: "):
                SearchOptions(**{"sample": True, name: value})
    with pytest.raises(UserError, match=r"Received: num_hypotheses=3, beam_size=2"):
        SearchOptions(beam_size=2, num_hypotheses=3)
    with pytest.raises(UserError, match=r"Received: top_p=1\.5$"):  # without NumPy's type
        SearchOptions(sample=True, top_p=np.float32(1.5))
    with pytest.raises(UserError, match="need `sample=True`"):
        SearchOptions(top_k=3)
    sampling = SearchOptions(patience=2.0, coverage_penalty=0.2).replace(sample=True)  # as of a model's own settings
    assert (sampling.patience, sampling.coverage_penalty) == (SearchOptions.patience, SearchOptions.coverage_penalty)
    with pytest.raises(UserError, match="`patience` needs a search"):
        SearchOptions().replace(sample=True, patience=2.0)


def test_an_option_of_a_search_has_its_default_and_needs_a_search_without_which_it_has_no_effect():
    of_searches = [inspect.signature(search).parameters for search in (beam_search, greedy_search, sampling_search)]
    for arguments in of_searches:
        for name in set(arguments) & set(TABLE) - {"max_length", "num_hypotheses"}:  # which the translator computes
            assert arguments[name].default in (inspect.Parameter.empty, getattr(SearchOptions, name)), name
    of_beam, _, of_samples = of_searches
    assert {*of_beam} & {*TABLE} - {*of_samples, "beam_size", "num_hypotheses"} <= set(WITHOUT_SEARCH)


def test_objects_among_the_options_are_checked(translator):
    for name, value in {"shortlist": "table", "processors": [5], "suppress_sequences": ["\udcff"]}.items():
        with pytest.raises(UserError, match=f"`{name}`.* Received: "):
            translator.with_options(**{name: value})


def test_arguments_that_do_not_fit_are_refused(model, tokenizers, translator):
    def refused(told, function, *arguments, **options):
        with pytest.raises(UserError, match=told):
            function(*arguments, **options)

    refused("target subword model.*of 100 subwords.*Received: 120", Translator, model, tokenizers["source"])
    for made, *arguments in (
        (Translator, model, tokenizers),
        (Translator.from_directory, "nowhere"),
        (translator.with_options,),
    ):
        refused(
            "no such options of a translator; the nearest is `beam_size`. Received: beamsize$",
            made,
            *arguments,
            beamsize=4,
        )
    refused("`ensemble` must be a list of strings", Translator.from_directory, DECODING_MODEL, ensemble="d")
    refused(r"Received: 1 source\(s\), 2 target\(s\)", translator.score, ["a"], ["b", "c"])
    refused("not one string", translator.score, "ab", "cd")
    for layer in (2, 0, True):
        refused(rf"layers 1 to 1\. Received: layer={layer}", translator.align, ["a"], ["b"], layer=layer)
    refused(r"Received: 1 source\(s\), 2 target\(s\)", translator.align, ["a"], ["b", "c"])
    refused("must be one of source, target. Received: language='de'", translator.lengths, ["a"], "de")
    for lines, told in (
        (["ab", b"cd"], "Lines must be strings. Received: b'cd' as line 2"),
        (["ab", "A \udcff man"], "Line 2 cannot be encoded as UTF-8: surrogates not allowed, character 3. "),
    ):
        refused(told, translator.translate, lines)
    refused("`seeds` need a translator with.* Received: seeds=4", translator.translate, ["ab"], seeds=4)
    inputs = {"source": tf.constant(["a", "b", "c"]), "target": tf.constant(["a"])}
    graph = translator.graph
    for method in (graph.score, functools.partial(graph.traced, graph.score)):  # eagerly, and as a graph
        with pytest.raises(tf.errors.InvalidArgumentError, match="Inputs differ in number"):
            method(inputs, False)


def test_operations_have_few_threads_unless_the_program_wants_others_or_has_computed(monkeypatch, recwarn):
    def found(environment=(), configured=0, processors=8, modules=(), has_computed=False):
        given = []

        def give(number):
            if has_computed:
                raise RuntimeError("after initialization")
            given.append(number)

        with monkeypatch.context() as patch:
            patch.delenv("TF_NUM_INTRAOP_THREADS", raising=False)
            for name in environment:
                patch.setenv(name, "8")
            patch.delitem(sys.modules, "keras_nmt.training", raising=False)
            for name in modules:
                patch.setitem(sys.modules, name, None)
            patch.setattr(process_resources, "num_processors", lambda: processors)
            patch.setattr(_concurrency, "num_processors", lambda: processors)
            patch.setattr(tf.config.threading, "get_intra_op_parallelism_threads", lambda: configured)
            patch.setattr(tf.config.threading, "set_intra_op_parallelism_threads", give)
            _concurrency.set_up_tensorflow.__wrapped__()
        return given

    assert [found(), found(processors=2), found(processors=1)] == [[2], [1], []]
    assert found(environment=["TF_NUM_INTRAOP_THREADS"]) == found(configured=8) == []
    assert found(modules=["keras_nmt.training"]) == []
    assert not recwarn.list
    assert found(has_computed=True) == []
    assert "set TF_NUM_INTRAOP_THREADS=2" in str(recwarn.pop(UserWarning).message)


@pytest.mark.slow
def test_a_process_that_only_translates_has_few_threads_and_keeps_memory(untrained):
    code = f"""
import resource
import tensorflow as tf  # as a program may do before
from keras_nmt.inference import Translator
from keras_nmt.files.process_resources import translation_threads
Translator.from_directory({str(untrained)!r})
assert tf.config.threading.get_intra_op_parallelism_threads() in (0, translation_threads())  # 0 on one processor
faults = []
for _ in range(9):
    tf.ones([1000, 8000])
    faults.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt)
assert faults[-1] - faults[1] < 1000, faults  # of 4 KiB each; memory that the system gives anew has 8,000 each time
"""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}
    command = [sys.executable, "-W", "error:Translation is slower:UserWarning", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


def test_a_translator_is_not_pickled_for_another_process(translator):
    for use in (pickle.dumps, copy.deepcopy):
        with pytest.raises(UserError, match="load the model in the process that translates"):
            use(translator)


@pytest.mark.slow
def test_a_process_that_was_forked_after_loading_says_so(translator):
    """Without TensorFlow's threads, its computations would never end."""
    uses = (lambda: translator.translate(["a mouse"]), lambda: Translator.from_directory("nowhere"))
    pid = os.fork()
    if pid == 0:
        signal.alarm(120)
        told = []
        for use in uses:
            try:
                use()
            except UserError as error:
                told.append("must be loaded after a fork" in str(error))
        os._exit(0 if told == [True, True] else 1)
    assert os.waitpid(pid, 0)[1] == 0
    assert translator.translate(["a mouse"])


@pytest.mark.parametrize("width", [pytest.param(16, marks=pytest.mark.slow), 256])
def test_a_model_computes_in_bfloat16_where_it_is_wanted_and_gains(
    width, make_model, source_tokenizer, tmp_path, monkeypatch, eager
):
    folder = save_model(tmp_path / "model", make_model(hidden_dim=width, shortcuts=None), source_tokenizer)

    def computed_in(dtype, has_bfloat16=True, **options):
        for module in ("inference.load", "files.process_resources"):
            monkeypatch.setattr(f"keras_nmt.{module}.has_bfloat16", lambda: has_bfloat16)
        translator = Translator.from_directory(folder, dtype=dtype, **options)
        assert isinstance(translator.score(["a mouse"], ["a cat"])[0], float)
        return translator.model.weights[0].dtype

    assert [computed_in(x) for x in ("float32", "bfloat16")] == ["float32", "bfloat16"]
    found = [computed_in("auto"), computed_in("auto", has_bfloat16=False), computed_in("auto", jit_compile=True)]
    assert found == ["bfloat16" if width == 256 else "float32", "float32", "float32"]
    with pytest.warns(UserWarning, match="^bfloat16 is hardly faster on this processor"):
        assert computed_in("bfloat16", has_bfloat16=False) == "bfloat16"
    with pytest.raises(UserError, match="float32, bfloat16, auto"):
        computed_in("half")


def test_other_weights_are_loaded(untrained, model, tmp_path):
    other = Transformer.from_config({**model.get_config(), "dtype": "float32"})
    other.set_weights([-weight for weight in model.get_weights()])
    other.save_weights(tmp_path / "other.weights.h5")
    found = Translator.from_directory(untrained, weights=tmp_path / "other.weights.h5").model
    assert all(map(np.array_equal, found.get_weights(), other.get_weights()))


def test_a_directory_is_read_once_and_its_model_is_made_and_its_weights_are_hashed_once(untrained, monkeypatch):
    counts = Counter()
    for owner, name in ((builtins, "open"), (weights_file, "_digest"), (Transformer, "from_config")):
        real = getattr(owner, name)

        def counted(*args, real=real, name=name, **kwargs):
            counts[name] += name != "open" or Path(args[0]).name == "config.json"
            return real(*args, **kwargs)

        monkeypatch.setattr(owner, name, counted)
    Translator.from_directory(untrained)
    assert counts == {"open": 1, "_digest": 1, "from_config": 1}


@pytest.mark.slow
def test_each_block_of_interventions_has_graphs_of_its_own(model, tokenizers):
    """Whatever a translator has traced before, in a block or outside."""
    translator, line = Translator(model, tokenizers, beam_size=1, max_length=6), "a mouse"

    def answers() -> tuple[list[float], str, str]:
        scores = translator.score([line], ["eine Maus"])
        return scores, translator.translate([line])[0].text, "".join(translator.stream_line(line))

    def with_heads(value: float) -> tuple[list[float], str, str]:
        with intervening({"decoder/*:heads": lambda record: value + 0 * record.value}):
            return answers()

    closed, whole, loud = with_heads(0.0), answers(), with_heads(50.0)
    assert closed[0] != whole[0] != loud[0] != closed[0]
    assert all(x[1] == x[2] for x in (closed, whole, loud))
    assert whole == answers()
    fresh = Translator(model, tokenizers, beam_size=1, max_length=6)
    assert whole[0] == fresh.score([line], ["eine Maus"])
    gc.collect()
    assert not translator._graphs_of_blocks, "they go with the block"
