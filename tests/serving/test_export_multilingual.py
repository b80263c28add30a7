"""Exports of models of several directions."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from echo_models import meta_graph_of
from small import MANY

from keras_nmt.errors import UserError
from keras_nmt.inference import Translator
from keras_nmt.serving import export

LINES = ["the small cat sat", "", "a mouse", "three red dogs and four blue birds ran from the old house"]
SOURCES, TARGETS = ["de", "fr", "fr", "de"], ["fr", "de", "fr", "fr"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*were truncated")
def test_a_session_without_keras_nmt_gives_the_translators_answers(
    exported_multilingual, make_multilingual, ask_session
):
    translator = Translator(*make_multilingual("recurrent"), **MANY)
    mixed = {"text": LINES, "source_language": SOURCES, "target_language": TARGETS}
    scored = {"source": LINES, "target": LINES[::-1], "source_language": SOURCES, "target_language": TARGETS}
    nothing = {"text": [], "source_language": [], "target_language": []}
    answers = ask_session(
        exported_multilingual,
        [
            ("serving_default", mixed),
            ("translate_xla", mixed),
            ("translate_zh-Hans_de", {"text": LINES}),
            ("score", scored),
            ("score_xla", {key: values[:1] for key, values in scored.items()}),
            ("embed", {"text": LINES, "language": SOURCES}),
            ("embed_xla", {"text": LINES, "language": SOURCES}),
            ("translate", nothing),
            ("translate", {**mixed, "target_language": ["de", "cs", "de", "de"]}),
            ("embed", {"text": LINES[:1], "language": ["cs"]}),
            ("translate", {**mixed, "source_language": ["de"]}),
        ],
    )
    expected = translator.translate(LINES, SOURCES, TARGETS)
    of_pair = translator.translate(LINES, "zh-Hans", "de")
    for answer, translations in zip(answers[:3], (expected, expected, of_pair), strict=True):
        assert answer["translation"] == [x.text for x in translations]
        assert answer["truncated"] == [x.truncated for x in translations]
        assert answer["cut_off"] == [x.cut_off for x in translations]
        np.testing.assert_allclose(answer["score"], [x.score for x in translations], rtol=1e-4, atol=1e-4)
    log_probabilities = translator.score(LINES, LINES[::-1], SOURCES, TARGETS)
    for answer, count in ((answers[3], 4), (answers[4], 1)):
        np.testing.assert_allclose(answer["log_probability"], log_probabilities[:count], rtol=1e-4, atol=1e-4)
        assert answer["truncated"][0]  # its target
    mean, sentence = translator.embed(LINES, SOURCES)
    for answer in answers[5:7]:
        np.testing.assert_allclose(answer["mean"], mean, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(answer["sentence"], sentence, rtol=1e-4, atol=1e-4)
    assert answers[7] == {"translation": [], "score": [], "cut_off": [], "truncated": [], "has_unknown": []}
    for answer in answers[8:10]:
        assert "Unknown language. The model has de, fr, zh-Hans. Received:] [cs]" in answer
    assert "Inputs differ in number" in answers[10]


def _searches(graph):
    """Counts the loops whose body takes the best of all tokens. Sorting by length is an argsort."""
    loops = {
        node.attr["body"].func.name
        for function in graph.library.function
        for node in function.node_def
        if node.op in ("While", "StatelessWhile")
    }
    bodies = [function for function in graph.library.function if function.signature.name in loops]
    return sum(any(node.op == "TopKV2" and "argsort" not in node.name for node in x.node_def) for x in bodies)


def _graph_and_signatures(exported):
    """Returns the graph and the names of plain signatures. There is one by XLA for each."""
    meta_graph = meta_graph_of(exported)
    names = {name for name in meta_graph.signature_def if not name.startswith("__")}
    plain = {name for name in names if not name.endswith("_xla")}
    assert names == plain | {f"{name}_xla" for name in plain}
    return meta_graph.graph_def, plain


@pytest.mark.slow
def test_signatures_have_the_documented_inputs_and_outputs(exported_multilingual, reached):
    graph, names = _graph_and_signatures(exported_multilingual)
    assert names == {"serving_default", "translate", "translate_de_fr", "translate_zh-Hans_de", "score", "embed"}
    for name in names:
        operators, marked = reached(exported_multilingual, name)
        assert "SentencepieceTokenizeOp" in operators  # the walk reaches what is inside
        assert not marked
        assert reached(exported_multilingual, f"{name}_xla")[1]
        if name == "serving_default":  # the operators of routing, which exports of one direction do not have
            for kinds in ({"Case", "StatelessCase"}, {"If", "StatelessIf"}, {"InvertPermutation"}):
                assert operators & kinds
    operators = {node.op for nodes in (graph.node, *(x.node_def for x in graph.library.function)) for node in nodes}
    assert "TensorListReserve" in operators  # that is, LSTMs
    assert not [operator for operator in operators if "cudnn" in operator.lower()]
    # No graph is there once a pair: one search is there for each of three target languages, plain and compiled.
    assert _searches(graph) == 2 * 3


@pytest.mark.nightly
def test_a_label_model_has_no_embeddings_and_one_search(exported_label):
    graph, names = _graph_and_signatures(exported_label)
    assert names == {"serving_default", "translate", "score", "search", "align"}
    # Plain and compiled, for three languages: without options, with prefixes and beam sizes, and with phrases as well.
    assert _searches(graph) == 2 * 3


def test_an_export_computes_in_float32_without_cudnn_kernels(make_multilingual, written, tmp_path):
    trained = make_multilingual("recurrent", use_cudnn="auto", dtype="mixed_bfloat16")
    export(tmp_path, *trained)
    export(tmp_path, trained[0].pair("de", "fr"), {"source": trained[1]["de"], "target": trained[1]["fr"]})
    (translator, *_), (of_pair, *_) = written
    for model in (translator.model, of_pair.model):
        recurrent = [layer for layer in model._flatten_layers() if hasattr(layer, "use_cudnn")]
        assert recurrent
        assert not any(layer.use_cudnn for layer in recurrent)
        assert {layer.compute_dtype for layer in model._flatten_layers() if layer.weights} == {"float32"}
    assert any(layer.use_cudnn for layer in trained[0]._flatten_layers() if hasattr(layer, "use_cudnn"))


def test_versions_and_pairs_are_checked(make_multilingual, written, tmp_path):
    model, tokenizers = make_multilingual("label")
    assert export(tmp_path, model, tokenizers).name == "1"
    assert export(tmp_path, model, tokenizers, directions=[["de", "de"]]).name == "2"
    assert [directions for *_, directions in written][1:] == [[("de", "de")]]
    with pytest.raises(UserError, match=r"two of the languages de, fr, zh-Hans\. Received: \('de', 'cs'\)"):
        export(tmp_path, model, tokenizers, directions=[("de", "cs")])


def test_directions_whose_signatures_would_have_one_name_are_refused(tmp_path):
    languages = ["a", "a_b", "b_c", "c"]
    model = SimpleNamespace(languages=languages, directions=list(itertools.permutations(languages, 2)))
    with pytest.raises(UserError, match=r"signatures of different names\. Received: directions=\[\('a_b', 'c'\)"):
        export(tmp_path, model, {}, directions=[("a_b", "c"), ("a", "b_c")])
