"""Rebuilds the ten probing tasks of Conneau et al. (2018) from treebanks, in SentEval's format.

    python recipes/analysis/make_probing.py --conllu all.conllu.gz --brackets all.ptb.gz --output data/probing

Sentences come from CoNLL-U (SentLen, WC, BShift, Tense, SubjNum, ObjNum, SOMO) and from Penn brackets (TreeDepth,
TopConst, CoordInv). Classes are balanced, and splits share no sentence. The tasks are smaller than the originals, so
their numbers compare models with each other, not with published numbers. See README.md beside this file.
"""

from __future__ import annotations

import bisect
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import conllu
import numpy as np
import typer
from nltk.tree import Tree

from keras_nmt.analysis.task_data import PROBING
from keras_nmt.cli.run_app import run_app
from keras_nmt.errors import UserError, errors_as
from keras_nmt.files.atomic_files import write_text
from keras_nmt.text.text_files import read_text

# A label and the words of a sentence.
Item = tuple[str, tuple[str, ...]]
SHORTEST, LONGEST = 5, 28  # words, as in the paper
LENGTHS = (8, 12, 16, 20, 25, 28)  # the largest length of each class of SentLen
DEPTHS = range(5, 13)  # as in the paper
CLAUSES = 19  # the most frequent sequences of top constituents, besides all others
TENSES = {"VBD": "PAST", "VBP": "PRES", "VBZ": "PRES"}
NUMBERS = {"NN": "NN", "NNS": "NNS"}
LEAST = 30  # items of a class; smaller classes are left out


def main(
    conllu_file: Annotated[Path, typer.Option("--conllu", help="CoNLL-U file with Penn tags, plain or gzip.")],
    brackets: Annotated[Path, typer.Option(help="File of Penn brackets, plain or gzip.")],
    output: Annotated[Path, typer.Option(help="Folder for the ten files.")],
    seed: Annotated[int, typer.Option(help="Seed of all choices.")] = 1,
    words: Annotated[int, typer.Option(min=2, help="Number of words of WC; 1,000 in the paper.")] = 30,
) -> None:
    """Writes the ten probing tasks."""
    sentences = [tokens for tokens in read_conllu(conllu_file) if SHORTEST <= len(tokens) <= LONGEST]
    trees = [tree for tree in read_brackets(brackets) if is_text(tree) and SHORTEST <= len(tree.leaves()) <= LONGEST]
    generator = np.random.default_rng(seed)
    made: dict[str, Callable[[], list[Item]]] = {
        "SentLen": lambda: sentence_length(sentences),
        "WC": lambda: word_content(sentences, words),
        "TreeDepth": lambda: tree_depth(trees),
        "TopConst": lambda: top_constituents(trees),
        "BShift": lambda: bigram_shift(sentences, generator),
        "Tense": lambda: tense(sentences),
        "SubjNum": lambda: argument_number(sentences, "nsubj"),
        "ObjNum": lambda: argument_number(sentences, "obj"),
        "SOMO": lambda: odd_man_out(sentences, generator),
        "CoordInv": lambda: coordination_inversion(trees, generator),
    }
    for task, make in made.items():
        rows = split(balanced(make(), generator), generator)
        text = "".join(f"{name}\t{label}\t{' '.join(tokens)}\n" for name, label, tokens in rows)
        write_text(output / f"{PROBING[task]}.txt", text)
        counts = Counter(label for _, label, _ in rows)
        print(f"{task}: {len(rows):,} sentences, {len(counts)} classes")


def read_conllu(path: Path) -> list[list[dict[str, Any]]]:
    """The sentences of a CoNLL-U file: their words, without multi-word tokens and empty nodes."""
    with errors_as(f"{path} must be CoNLL-U", conllu.exceptions.ParseException, ValueError):
        parsed = conllu.parse(f"{read_text(path)}\n")
    return [[token for token in tokens if isinstance(token["id"], int)] for tokens in parsed]


def read_brackets(path: Path) -> list[Tree]:
    """The trees of a file of Penn brackets, one or more lines each, under their ROOT."""
    text = read_text(path)
    trees, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == ")" and depth == 0:
            trees.append(Tree.fromstring(text[start : i + 1]))
            start = i + 1
        if depth < 0:
            break
    if depth or not trees:
        raise UserError(f"{path} must hold Penn brackets. Received: brackets that do not close, or none")
    return trees


def is_text(tree: Tree) -> bool:
    """Whether a tree has words: treebanks mask words that they may not publish by underscores."""
    return any(leaf.strip("_") for leaf in tree.leaves())


def words_of(tokens: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """The words of a sentence."""
    return tuple(token["form"] for token in tokens)


def sentence_length(sentences: Iterable[Sequence[dict[str, Any]]]) -> list[Item]:
    """SentLen: the class of the number of words, 0 for 5 to 8, 1 for 9 to 12 and so on."""
    return [(str(bisect.bisect_left(LENGTHS, len(tokens))), words_of(tokens)) for tokens in sentences]


def word_content(sentences: Sequence[Sequence[dict[str, Any]]], number: int) -> list[Item]:
    """WC: the one word among words of middle frequency that the sentence has.

    The words are those of at least three letters that occur in the most sentences, without the 200 most frequent, or
    the tenth of the vocabulary where that is less.
    """
    counts: Counter[str] = Counter(word for tokens in sentences for word in {w.lower() for w in words_of(tokens)})
    ranked = [word for word, _ in counts.most_common() if word.isalpha() and len(word) > 2]
    skipped = min(200, len(ranked) // 10)
    chosen = set(ranked[skipped : skipped + number])
    items = []
    for tokens in sentences:
        found = [word.lower() for word in words_of(tokens) if word.lower() in chosen]
        if len(found) == 1:
            items.append((found[0], words_of(tokens)))
    return items


def tree_depth(trees: Iterable[Tree]) -> list[Item]:
    """TreeDepth: the number of constituents on the longest path from the sentence to a word, from 5 to 12."""
    return [(str(tree.height() - 2), tuple(tree.leaves())) for tree in trees if tree.height() - 2 in DEPTHS]


def top_constituents(trees: Iterable[Tree]) -> list[Item]:
    """TopConst: the labels of the constituents below the sentence, the 19 most frequent sequences, or OTHER."""
    found = [("_".join(_label(child) for child in _sentence(tree)), tuple(tree.leaves())) for tree in trees]
    frequent = {label for label, _ in Counter(label for label, _ in found).most_common(CLAUSES)}
    return [(label if label in frequent else "OTHER", tokens) for label, tokens in found]


def bigram_shift(sentences: Iterable[Sequence[dict[str, Any]]], generator: np.random.Generator) -> list[Item]:
    """BShift: whether two adjacent words, which differ and are no punctuation, were exchanged (I) or not (O)."""
    items = []
    for tokens in sentences:
        words = list(words_of(tokens))
        places = [
            i
            for i, (left, right) in enumerate(itertools.pairwise(tokens))
            if "PUNCT" not in (left["upos"], right["upos"]) and words[i].lower() != words[i + 1].lower()
        ]
        if not places:
            continue
        if generator.random() < 0.5:
            items.append(("O", tuple(words)))
        else:
            i = int(generator.choice(places))
            words[i], words[i + 1] = words[i + 1], words[i]
            items.append(("I", tuple(words)))
    return items


def tense(sentences: Iterable[Sequence[dict[str, Any]]]) -> list[Item]:
    """Tense: whether the verb of the main clause is in the past or in the present."""
    return [
        (TENSES[token["xpos"]], words_of(tokens))
        for tokens in sentences
        for token in tokens
        if token["head"] == 0 and token["xpos"] in TENSES
    ]


def argument_number(sentences: Iterable[Sequence[dict[str, Any]]], relation: str) -> list[Item]:
    """SubjNum ("nsubj") and ObjNum ("obj"): whether that noun of the main clause is singular or plural."""
    items = []
    for tokens in sentences:
        roots = {token["id"] for token in tokens if token["head"] == 0}
        nouns = [token for token in tokens if token["head"] in roots and token["deprel"] == relation]
        if len(nouns) == 1 and nouns[0]["xpos"] in NUMBERS:
            items.append((NUMBERS[nouns[0]["xpos"]], words_of(tokens)))
    return items


def odd_man_out(sentences: Sequence[Sequence[dict[str, Any]]], generator: np.random.Generator) -> list[Item]:
    """SOMO: whether a noun or verb was replaced by another (C) or not (O).

    The new word has the tag of the old one, and occurs in the treebank after the same word or before the same word, so
    that bigrams do not give it away. The paper requires both bigrams, of a corpus far larger than a treebank.
    """
    after: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    before: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for tokens in sentences:
        for left, right in itertools.pairwise(tokens):
            after[left["form"], right["xpos"]].add(right["form"])
            before[right["form"], left["xpos"]].add(left["form"])
    items = []
    for tokens in sentences:
        words = list(words_of(tokens))
        changes = []
        for i in range(1, len(tokens) - 1):
            tag = tokens[i]["xpos"]
            if tokens[i]["upos"] not in ("NOUN", "VERB"):
                continue
            fitting = after[words[i - 1], tag] | before[words[i + 1], tag]
            changes += [(i, word) for word in sorted(fitting) if word.lower() != words[i].lower()]
        if not changes:
            continue
        if generator.random() < 0.5:
            items.append(("O", tuple(words)))
        else:
            i, word = changes[int(generator.integers(len(changes)))]
            items.append(("C", (*words[:i], word, *words[i + 1 :])))
    return items


def coordination_inversion(trees: Iterable[Tree], generator: np.random.Generator) -> list[Item]:
    """CoordInv: whether the two coordinate clauses of a sentence were exchanged (I) or not (O)."""
    items = []
    for tree in trees:
        children = list(_sentence(tree))
        clauses = [i for i, child in enumerate(children) if _label(child) == "S"]
        links = [i for i, child in enumerate(children) if _label(child) == "CC"]
        if len(clauses) != 2 or len(links) != 1 or not clauses[0] < links[0] < clauses[1]:
            continue
        inverted = generator.random() >= 0.5
        if inverted:
            first, second = clauses
            children[first], children[second] = children[second], children[first]
        words = tuple(leaf for child in children for leaf in (child.leaves() if isinstance(child, Tree) else [child]))
        items.append(("I" if inverted else "O", words))
    return items


def balanced(items: Sequence[Item], generator: np.random.Generator) -> list[Item]:
    """Equally many items of each class, each sentence once; classes of fewer than 30 are left out.

    Raises:
        UserError: Fewer than two classes are left.
    """
    by_words = {tokens: label for label, tokens in items}
    by_class: dict[str, list[tuple[str, ...]]] = {}
    for tokens, label in by_words.items():
        by_class.setdefault(label, []).append(tokens)
    kept = {label: found for label, found in sorted(by_class.items()) if len(found) >= LEAST}
    if len(kept) < 2:
        sizes = ", ".join(f"{label}: {len(found)}" for label, found in sorted(by_class.items())[:10])
        raise UserError(f"Two classes need {LEAST} sentences each: give a larger treebank. Received: {sizes or 'none'}")
    size = min(map(len, kept.values()))
    return [
        (label, found[i]) for label, found in kept.items() for i in sorted(generator.permutation(len(found))[:size])
    ]


def split(items: Sequence[Item], generator: np.random.Generator) -> list[tuple[str, str, tuple[str, ...]]]:
    """80% of each class to train on (tr), 10% of validation (va) and 10% to test (te), in random order.

    Splits share no sentence, also where a changed sentence equals another one.
    """
    by_class: dict[str, list[Item]] = {}
    for item in items:
        by_class.setdefault(item[0], []).append(item)
    rows = []
    for of_class in by_class.values():
        order = generator.permutation(len(of_class))
        for place, i in enumerate(order):
            share = place / len(of_class)
            rows.append(("tr" if share < 0.8 else "va" if share < 0.9 else "te", *of_class[i]))
    return [rows[i] for i in generator.permutation(len(rows))]


def _sentence(tree: Tree) -> Tree:
    """The tree below ROOT."""
    while len(tree) == 1 and isinstance(tree[0], Tree) and tree.label() in ("ROOT", "TOP", ""):
        tree = tree[0]
    return tree


def _label(child: Any) -> str:
    """The label of a constituent without its function, such as NP of NP-SBJ."""
    return child.label().split("-")[0] or child.label() if isinstance(child, Tree) else str(child)


if __name__ == "__main__":
    run_app(main)
