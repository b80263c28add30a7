"""Lines of text to blocks of ids."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_nmt.data import SubwordTokenizer, read_lines, read_parallel, train_subwords
from keras_nmt.data.sentence_pairs import PairBlock
from keras_nmt.errors import UserError
from keras_nmt.preparation import Preparation
from keras_nmt.preparation.language_file import language_labels
from keras_nmt.preparation.segmenter import Segmenter, bucket_of, text_filters, without_duplicates
from keras_nmt.text import clean_source

# A supervised model of fastText (dim=4, epoch=50) of "the cat sat on the mat" and "die Katze sitzt auf der Matte".
LANGUAGES = Path(__file__).parent / "languages.bin"


def filters_of(**options: Any) -> dict[str, Any]:
    preparation = Preparation(sides=("de", "en"), sources=["a"], targets=["b"], vocabulary_size=9, **options)
    return dict(text_filters(preparation))


class Long:
    """A filter with the methods of a DoFn."""

    def setup(self) -> None:
        self.limit = 3

    def process(self, lines: tuple[Sequence[str], Sequence[str]]) -> Iterator[np.ndarray]:
        yield np.array([len(line) > self.limit for line in lines[0]])


def test_filters_are_functions_classes_objects_and_names(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("import numpy as np\ndef same(a, b):\n    return np.array([x == y for x, y in zip(a, b)])\n")
    found = filters_of(filters={"class": Long, "object": Long(), "file": f"{file}:same", "module": "numpy:equal"})
    lines = np.array(["abc", "abcd", "x"]), np.array(["abc", "b", "x"])
    dropped = {name: wrong(*lines).tolist() for name, wrong in found.items()}
    long, same = [False, True, False], [True, False, True]
    assert dropped == {"class": long, "object": long, "file": same, "module": same}


def test_a_name_of_nothing_or_a_filter_that_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "broken_filter.py").write_text("nothing_of_this_name")
    for filter_, message in (
        ("nowhere:x", r"package\.module:name or file\.py:name\. Received: nowhere:x \(ModuleNotFoundError"),
        ("numpy:nowhere", r"Received: numpy:nowhere \(AttributeError"),
        ("numpy", r"Received: numpy \("),
        ("missing.py:x", r"Python file, NAME\.py: this does not exist\. Received: missing\.py$"),
        ("broken_filter:f", r"Received: broken_filter:f \(NameError"),
    ):
        with pytest.raises(UserError, match=message):
            filters_of(filters={"mine": filter_})
    for wrong, message in (
        (lambda a, b: np.zeros(3, bool), r"'mine' gives a boolean array [^\n]* 2 here\. Received: [^\n]*\(3,\)$"),
        (lambda a, b: [0, 1], r"'mine' gives a boolean array .*Received: an array of int64"),
        (lambda a, b: 1 / 0, r"'mine' raised an error\. Received: ZeroDivisionError"),
    ):
        with pytest.raises(UserError, match=message):
            filters_of(filters={"mine": wrong})["mine"](["a", "b"], ["a", "b"])


def test_lines_of_other_languages_are_dropped() -> None:
    pytest.importorskip("fasttext", reason="the extra `prepare`")
    options: dict[str, Any] = {"languages": {"de": "de", "en": "en"}, "language_model": LANGUAGES}
    sources = ["die Katze", "the cat sat", "die Matte", "", "auf der Matte"]
    targets = ["the cat", "the cat", "die Katze", "the mat", "on the mat"]
    found = filters_of(**options)
    assert found["language"](sources, targets).tolist() == [False, True, True, False, False]
    described = Preparation(sides=("de", "en"), sources=["a"], targets=["b"], vocabulary_size=9, **options).as_json()
    assert described["language_model"] == hashlib.sha256(LANGUAGES.read_bytes()).hexdigest()


def test_another_file_is_no_model_of_languages(tmp_path: Path) -> None:
    content = LANGUAGES.read_bytes()
    assert language_labels(LANGUAGES) == ["__label__en", "__label__de"]
    for size in range(len(content)):
        (tmp_path / "cut").write_bytes(content[:size])
        with pytest.raises(ValueError, match="truncated"):
            language_labels(tmp_path / "cut")
    (tmp_path / "vectors").write_bytes(content[:36] + b"\2" + content[37:])
    with pytest.raises(ValueError, match="vectors of words and no labels"):
        language_labels(tmp_path / "vectors")
    pytest.importorskip("fasttext", reason="the extra `prepare`")
    (tmp_path / "model").write_text("no model, but a text of as many bytes as the head of a model has, and some more")
    for name, told in (("model", "it is not a model of fastText"), ("cut", "it is truncated: download it again")):
        with pytest.raises(UserError, match=rf"such as lid\.176\.bin\. Received: .*/{name} \({told}\)$"):
            filters_of(languages={"de": "de"}, language_model=tmp_path / name)
    with pytest.raises(UserError, match=r"must be of the model .*, such as de, en\. Received: 'german' for de$"):
        filters_of(languages={"de": "german"}, language_model=LANGUAGES)
    with pytest.raises(FileNotFoundError):
        filters_of(languages={"de": "de"}, language_model=tmp_path / "none")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("subwords")
    (folder / "text").write_text("the cat sat on the mat\nthat is a rat\n" * 3)
    return train_subwords(folder / "text", folder / "m", vocabulary_size=30, user_symbols=["<BT>"])


def segment(model: Path, pairs: Sequence[tuple[str, str]], **options: Any) -> tuple[PairBlock, dict[str, int]]:
    preparation = Preparation(sides=("de", "en"), sources=["a"], targets=["b"], subwords=(model, model), **options)
    sources, targets = ([pair[i] for pair in pairs] for i in (0, 1))
    return Segmenter(preparation).segment(np.arange(1, len(pairs) + 1, dtype=np.int32), sources, targets)


def test_the_ids_are_those_of_read_parallel(multi30k: Path, tmp_path: Path) -> None:
    files = [multi30k / "val.de.gz", multi30k / "val.en.gz"]  # the first has no-break spaces
    tokenizer = SubwordTokenizer(train_subwords(files, tmp_path / "m", vocabulary_size=2000))
    corpus = read_parallel(*files, tokenizer, tokenizer, max_length=20, max_ratio=1.2, keep_text=True)
    pairs = list(zip(*map(read_lines, files), strict=True))
    block, dropped = segment(tmp_path / "m", pairs, max_length=20, max_ratio=1.2, keep_text=True)
    assert dropped == corpus.dropped
    assert min(dropped["too long"], dropped["badly matched"]) > 5
    assert block.lines.tolist() == corpus.line_numbers.tolist()
    for rows, side in zip(block.ids, (corpus.source, corpus.target), strict=True):
        assert rows.values.tolist() == side.values.numpy().tolist()
        assert rows.lengths.tolist() == side.row_lengths().numpy().tolist()
    for rows, texts, read in zip(block.text, corpus.text, (clean_source, str), strict=True):
        assert rows.to_bytes().tolist() == [read(text.decode()).encode() for text in texts.tolist()]


def test_white_space_at_the_ends_of_lines_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("the cat sat on the mat\n" * 3)
    options = {"normalization": "identity", "source_cleaning": False, "user_symbols": ["<BT>"]}
    model = train_subwords(tmp_path / "text", tmp_path / "m", vocabulary_size=25, **options)
    block, dropped = segment(model, [("\tthe cat", "the mat\v "), (" \t", "the")], keep_text=True, source_tag="<BT>")
    expected = SubwordTokenizer(model).tokenize(["<BT> the cat", "the mat\v "]).to_list()
    assert [side.values.tolist() for side in block.ids] == expected
    assert dropped["empty"] == 1


def has_cat(sources: Sequence[str], targets: Sequence[str]) -> np.ndarray:
    return np.array(["cat" in source for source in sources])


def test_filters_count_what_they_drop(model: Path) -> None:
    pairs = [
        ("the cat", "a rat"),  # 1: the user's filter
        ("the cat", "the cat"),  # 2: the user's filter comes first
        ("a rat", "a rat"),  # 3: identical
        ("Это крыса a", "a rat"),  # 4: not Latin
        ("12 3", "that is"),  # 5: kept, no letters
        ("", "a mat"),  # 6: empty
        ("a mat on a mat", "mat"),  # 7: kept
        ("the mat", "that is a mat"),  # 8: kept
        ("a cafe\u0301 ", "a  caf\u00e9"),  # 9: identical
    ]
    block, dropped = segment(
        model, pairs, filters={"cats": has_cat}, drop_identical=True, scripts={"de": "LATIN"}, max_ratio=None
    )
    assert dropped == {"cats": 2, "identical": 2, "script": 1, "empty": 1, "too long": 0, "badly matched": 0}
    assert block.lines.tolist() == [5, 7, 8]
    with pytest.raises(
        UserError, match="'sort' raised an error. Received: AttributeError"
    ):  # it cannot change the text
        segment(model, pairs, filters={"sort": lambda sources, targets: sources.sort()})


def test_the_tag_is_a_user_symbol(model: Path, tmp_path: Path) -> None:
    # Texts without subwords stay without.
    pairs = [("the cat", "a"), ("", "a"), ("\x07", "a")]
    block, dropped = segment(model, pairs, keep_text=True, source_tag="<BT>")
    assert dropped["empty"] == 2
    assert [side.to_bytes().tolist() for side in block.text] == [[b"<BT> the cat"], [b"a"]]
    pieces = SubwordTokenizer(model).pieces(0, 30)
    assert pieces.index("<BT>") in block.ids[0].values
    for other in ("<XX>", pieces[-1]):
        with pytest.raises(UserError, match=f"no such user symbol.*Received: source_tag='{other}'"):
            segment(model, [("a", "a")], source_tag=other)
    (tmp_path / "m").write_bytes(b"no model")
    with pytest.raises(UserError, match=r"Not a SentencePiece model.*Received: model=.*/m \("):
        segment(tmp_path / "m", [("a", "b")])


def test_a_tag_without_a_space_is_read_as_in_a_translation(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("the cat sat on the mat\n" * 3)
    tagged = train_subwords(tmp_path / "text", tmp_path / "m", vocabulary_size=25, user_symbols=[">>deu<<"])
    pairs = [(">>deu<<the cat", ">>deu<<the"), (">>deu<< the cat", ">>deu<< the")]
    block, _ = segment(tagged, pairs, keep_text=True)
    ids = SubwordTokenizer(tagged).tokenize([pairs[1][0], pairs[0][1], pairs[1][1]]).to_list()
    for row in (0, 1):
        assert [side.select(np.array([row])).values.tolist() for side in block.ids] == [ids[0], ids[1 + row]]
    assert len(without_duplicates(block, "source")) == 1


def test_filters_read_lines_without_tags(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("the cat sat on the mat\n" * 3)
    tagged, plain = (
        train_subwords(tmp_path / "text", tmp_path / name, vocabulary_size=25, user_symbols=symbols)
        for name, symbols in (("tagged", [">>deu<<"]), ("plain", []))
    )
    pairs = [(">>deu<< the cat", "the cat"), (">>deu<<a", ">>deu<<a"), (">>deu<< я", "a"), ("<2fra> a", "a")]
    options = {"drop_identical": True, "scripts": {"de": "LATIN"}, "max_ratio": None}
    for model, counts, lines in ((tagged, (2, 1), [4]), (plain, (1, 0), [1, 3, 4])):
        block, dropped = segment(model, [*pairs, ("the cat", "a")], **options)
        assert (dropped["identical"], dropped["script"]) == counts
        assert block.lines.tolist() == [*lines, 5]
    read = []
    own = {"own": lambda sources, targets: read.append(sources) or np.zeros(len(sources), bool)}
    segment(tagged, pairs, filters=own)
    assert read == [tuple(source for source, _ in pairs)]  # as they are


def test_texts_that_the_subwords_read_alike_are_duplicates(model: Path) -> None:
    pairs = [("a caf\u00e9", "a"), (" a\xa0 ca\xadfe\u0301 ", "a"), ("a CAFE", "a"), ("a CAFE", "a\xa0")]
    block, _ = segment(model, pairs, max_ratio=None)
    assert without_duplicates(block, "pair").lines.tolist() == [1, 3, 4]  # only sources are cleaned


@given(pairs=st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abcd")), min_size=1, max_size=20))
def test_duplicates_keep_the_first_line(model: Path, pairs: list[tuple[str, str]]) -> None:
    block, _ = segment(model, pairs, max_ratio=None)
    for key, same in (("source", lambda p: p[0]), ("target", lambda p: p[1]), ("pair", lambda p: p)):
        first = {same(pair): i for i, pair in reversed(list(enumerate(pairs, 1)))}
        shuffled = block.select(np.random.default_rng(1).permutation(len(block)))
        assert without_duplicates(shuffled, key).lines.tolist() == sorted(first.values())
        buckets = bucket_of(block, key, 3)
        assert len({(same(pair), bucket) for pair, bucket in zip(pairs, buckets.tolist(), strict=True)}) == len(first)


def test_wrong_options(model: Path) -> None:
    files = {"sides": ("de", "en"), "sources": ["a"], "targets": ["b"]}
    size, subwords = {"vocabulary_size": 40}, {"subwords": (model, model)}
    wrong: list[dict[str, Any]] = [{**size, **subwords}, {"vocabulary_size": 260, "byte_fallback": True}]
    wrong += [{"vocabulary_size": 4}, {**subwords, "sources": [], "targets": []}]
    for base, name, *values in (
        (size, "languages", {"de": "de"}),
        (size, "language_model", LANGUAGES),
        ({**size, "language_model": LANGUAGES}, "languages", {"fr": "fr"}),
        (size, "filters", {"empty": Long}),
        (size, "subword_sample", 0),
        (size, "seed", -1, 2**32),
        (size, "normalization", "NFD"),
        (size, "character_coverage", 0.5),
        (subwords, "scripts", {"de": "Latin"}, {"de": "HAN"}, {"fr": "LATIN"}),
        (subwords, "max_length", 1),
        (subwords, "max_ratio", 0.5, float("nan")),
        (subwords, "duplicates", "some"),
        (subwords, "order", "sorted"),
        (subwords, "sides", *((side, "en") for side in ("en", "de/x", "pairs", "..", "", "manifest.json", "a side"))),
        (subwords, "source_tag", "<B T>", ""),
        (subwords, "sources", ["a\udcff"]),
        (subwords, "targets", ["b", "c"]),
    ):
        wrong += [{**base, name: value} for value in values]
    for options in wrong:
        with pytest.raises(UserError, match="Received: "):
            text_filters(Preparation(**{**files, **options}))
