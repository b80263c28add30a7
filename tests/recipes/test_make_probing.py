"""The rebuilt probing tasks: each definition on hand-made trees, balance, and splits that share no sentence."""

from collections import Counter

import numpy as np
import pytest
from nltk.tree import Tree

from keras_nmt.analysis.task_data import PROBING, read_senteval
from keras_nmt.errors import UserError

pytestmark = pytest.mark.nightly
SCRIPT = "analysis/make_probing.py"
RNG = np.random.default_rng(0)


def sentence(*rows):
    """Tokens of "form upos xpos head relation"."""
    tokens = []
    for number, row in enumerate(rows, 1):
        form, upos, xpos, head, relation = row.split()
        tokens.append({"id": number, "form": form, "upos": upos, "xpos": xpos, "head": int(head), "deprel": relation})
    return tokens


CATS = sentence(
    "old ADJ JJ 2 amod", "cats NOUN NNS 3 nsubj", "saw VERB VBD 0 root", "a DET DT 5 det", "dog NOUN NN 3 obj"
)
DOG = sentence(
    "a DET DT 2 det", "dog NOUN NN 3 nsubj", "likes VERB VBZ 0 root", "old ADJ JJ 5 amod", "birds NOUN NNS 3 obj"
)
TREE = Tree.fromstring("(ROOT (S (NP-SBJ (NNS cats)) (VP (VBD saw) (NP (DT a) (NN dog))) (. .)))")
PAIR = Tree.fromstring(
    "(ROOT (S (S (NP (PRP we)) (VP (VBD came))) (CC and) (S (NP (PRP they)) (VP (VBD went))) (. .)))"
)


def test_definitions_on_dependency_trees(script):
    cats, dog = ("old", "cats", "saw", "a", "dog"), ("a", "dog", "likes", "old", "birds")
    assert script.tense([CATS, DOG]) == [("PAST", cats), ("PRES", dog)]
    assert script.argument_number([CATS, DOG], "nsubj") == [("NNS", cats), ("NN", dog)]
    assert script.argument_number([CATS, DOG], "obj") == [("NN", cats), ("NNS", dog)]
    assert [label for label, _ in script.sentence_length([CATS, CATS + DOG[:4], CATS * 5])] == ["0", "1", "4"]
    assert script.word_content([CATS, DOG], 2) == []  # both words of middle frequency are in both sentences
    assert [label for label, _ in script.word_content([CATS, CATS, DOG], 1)] in ([], ["old"] * 3, ["dog"] * 3)


def test_definitions_on_constituency_trees(script):
    deeper = Tree("ROOT", [Tree("S", [*TREE[0][:1], Tree("VP", [TREE[0][1]])])])
    assert script.tree_depth([TREE, deeper]) == [("5", ("cats", "saw", "a", "dog"))]  # 4 is below the range
    assert script.is_text(TREE)
    assert not script.is_text(Tree.fromstring("(ROOT (NP (NN ____) (NN __)))"))
    assert script.top_constituents([TREE])[0][0] == "NP_VP_."
    found = Counter(script.coordination_inversion([PAIR] * 50 + [TREE], RNG))
    assert set(found) == {
        ("O", ("we", "came", "and", "they", "went", ".")),
        ("I", ("they", "went", "and", "we", "came", ".")),
    }
    assert min(found.values()) > 10


def test_changed_words(script):
    for label, words in script.bigram_shift([CATS] * 50, RNG):
        original = script.words_of(CATS)
        moved = [i for i, (a, b) in enumerate(zip(words, original, strict=True)) if a != b]
        assert len(moved) == (0 if label == "O" else 2)
        assert label == "O" or (moved[1] == moved[0] + 1 and sorted(words) == sorted(original))
    other = sentence(
        "old ADJ JJ 2 amod", "men NOUN NNS 3 nsubj", "saw VERB VBD 0 root", "a DET DT 5 det", "ball NOUN NN 3 obj"
    )
    found = set(script.odd_man_out([CATS, other] * 30, RNG))
    assert found == {
        ("O", script.words_of(CATS)),
        ("C", ("old", "men", "saw", "a", "dog")),
        ("O", script.words_of(other)),
        ("C", ("old", "cats", "saw", "a", "ball")),
    }


def test_classes_are_balanced_and_splits_share_no_sentence(script):
    items = [("a", (str(i),)) for i in range(100)] + [("b", (str(-i),)) for i in range(1, 61)] + [("c", ("x",))] * 90
    kept = script.balanced(items, RNG)
    assert Counter(label for label, _ in kept) == {"a": 60, "b": 60}  # "c" is one sentence
    rows = script.split(kept, RNG)
    assert Counter(name for name, _, _ in rows) == {"tr": 96, "va": 12, "te": 12}
    assert len({tokens for _, _, tokens in rows}) == len(rows)
    with pytest.raises(UserError, match="larger treebank"):
        script.balanced(items[:40], RNG)


def test_ten_files_in_the_format_of_senteval(script, tmp_path):
    nouns, verbs = ["dog", "cats", "bird", "men", "tree", "houses"], {"saw": "VBD", "likes": "VBZ"}
    blocks, trees = [], []
    for i in range(400):
        first, second, verb = nouns[i % 6], nouns[i // 6 % 6], [*verbs][i % 2]
        extra = [f"word{chr(97 + (i * 7 + j) % 25)}" for j in range(1 + i % 4 * 4)]
        tags = ["NNS" if word in ("cats", "men", "houses") else "NN" for word in (first, second)]
        rows = [
            ("the", "DET", "DT", 2, "det"),
            (first, "NOUN", tags[0], 3, "nsubj"),
            (verb, "VERB", verbs[verb], 0, "root"),
            (second, "NOUN", tags[1], 3, "obj"),
            *((word, "X", "XX", 3, "dep") for word in extra),
        ]
        lines = [f"{n}\t{w}\t_\t{u}\t{x}\t_\t{h}\t{d}\t_\t_" for n, (w, u, x, h, d) in enumerate(rows, 1)]
        blocks.append("\n".join(lines) + "\n\n")
        clause = f"(S (NP (DT the) (NN {first})) (VP (VP (VBD {verb}) (NP (NN {second}) (X w{i})))))"
        both = f"(S {clause} (CC and) {clause.replace('the', 'a')} (. .))"
        trees.append(f"(ROOT {both if i % 2 else clause})\n")
    (tmp_path / "text.conllu").write_text("".join(blocks))
    (tmp_path / "text.ptb").write_text("".join(trees))
    script.main(tmp_path / "text.conllu", tmp_path / "text.ptb", tmp_path / "probing", seed=3, words=3)
    written = {path.name: path.read_bytes() for path in (tmp_path / "probing").iterdir()}
    assert set(written) == {f"{name}.txt" for name in PROBING.values()}
    for task in PROBING:
        found = read_senteval(tmp_path, task)
        assert len(set(np.bincount(found.labels))) == 1
        assert set(found.splits) == {0, 1, 2}
    script.main(tmp_path / "text.conllu", tmp_path / "text.ptb", tmp_path / "again", seed=3, words=3)
    assert {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()} == written
