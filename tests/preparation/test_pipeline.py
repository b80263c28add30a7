"""The pipeline of Apache Beam: the same bytes however it runs, errors of one line, nothing half-written."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("apache_beam")  # the extra `prepare`, in an environment of its own

import zstandard
from full_disk import full_disk
from hypothesis import given, settings
from hypothesis import strategies as st

from keras_nmt.data import PreparedCorpus, SubwordTokenizer, read_lines, read_parallel, text_digest, train_subwords
from keras_nmt.errors import UserError
from keras_nmt.preparation import Preparation, prepare
from keras_nmt.preparation.options import DUPLICATES, ORDERS
from keras_nmt.preparation.pipeline import SegmentLines
from keras_nmt.preparation.worker_files import read_blocks

ONE_PROCESS = ["--direct_running_mode=in_memory"]
WORDS = np.array(["the", "cat", "sat", "on", "mat", "that", "is", "a", "rat", "bat", "hat", "chat"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three pairs of files, plain, gzip and Zstandard, with duplicates; and subwords."""
    folder, random = tmp_path_factory.mktemp("texts"), np.random.default_rng(1)
    for side in ("de", "en"):
        files = [[" ".join(random.choice(WORDS, size)) for size in random.integers(0, 4, 400)] for _ in range(3)]
        contents = ["".join(f"{line}\n" for line in lines).encode() for lines in files]
        (folder / f"0.{side}").write_bytes(contents[0])
        (folder / f"1.{side}").write_bytes(gzip.compress(contents[1]))
        (folder / f"2.{side}").write_bytes(zstandard.ZstdCompressor().compress(contents[2]))
        (folder / f"all.{side}").write_bytes(b"".join(contents))
    train_subwords([folder / "0.de", folder / "0.en"], folder / "m", vocabulary_size=40)
    return folder


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("keras_nmt.preparation.pipeline.SHARD_PAIRS", 500)
    monkeypatch.setattr("keras_nmt.data.text_files.BLOCK_PAIRS", 64)


def options_of(folder: Path, numbers: str = "012", **options: Any) -> Preparation:
    sources, targets = ([folder / f"{number}.{side}" for number in numbers] for side in ("de", "en"))
    return Preparation(
        sides=("de", "en"), sources=sources, targets=targets, subwords=(folder / "m", folder / "m"), **options
    )


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_in_the_order_of_lines_the_corpus_is_as_read(folder: Path, tmp_path: Path) -> None:
    prepare(
        options_of(folder, duplicates="keep", order="lines", keep_text=True, max_ratio=2),
        tmp_path / "out",
        workers=3,
        beam_options=ONE_PROCESS,
    )
    tokenizer = SubwordTokenizer(folder / "m")
    read = read_parallel(folder / "all.de", folder / "all.en", tokenizer, tokenizer, max_ratio=2, keep_text=True)
    corpus = PreparedCorpus(tmp_path / "out" / "de", tmp_path / "out" / "en", text=True)
    corpus.check(tokenizer, tokenizer, max_length=256, max_ratio=2)
    loaded = corpus.load()
    assert len(list((tmp_path / "out" / "pairs").glob("*.lines.npy"))) == 3
    assert {**loaded.dropped} == read.dropped
    assert loaded.line_numbers.tolist() == read.line_numbers.tolist()
    assert loaded.source.to_list() == read.source.to_list()
    assert loaded.target.to_list() == read.target.to_list()
    assert loaded.text is not None
    assert read.text is not None
    assert [side.tolist() for side in loaded.text] == [side.tolist() for side in read.text]


def test_a_shard_without_pairs_leaves_no_gap(folder: Path, tmp_path: Path) -> None:
    for side in ("de", "en"):
        (tmp_path / f"0.{side}").write_text("\n" * 1100)  # the first two of four shards
        (tmp_path / f"1.{side}").write_text("".join(f"cat {i}\n" for i in range(900)))
    options = {"order": "lines", "duplicates": "keep"}
    sources, targets = ([tmp_path / f"{number}.{side}" for number in (0, 1)] for side in ("de", "en"))
    subwords = (folder / "m", folder / "m")
    preparation = Preparation(sides=("de", "en"), sources=sources, targets=targets, subwords=subwords, **options)
    prepare(preparation, tmp_path / "out", workers=1, beam_options=ONE_PROCESS)
    corpus = PreparedCorpus(tmp_path / "out" / "de", tmp_path / "out" / "en")
    assert corpus.load().line_numbers.tolist() == list(range(1101, 2001))


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--runer=FlinkRunner", "Apache Beam has no such options. Received: --runer=FlinkRunner"),
        ("--direct_num_workers=two", "refuses its options. Received: argument --direct_num_workers: invalid int"),
        ("--runner=NoRunner", "refuses its options. Received: .*Unexpected pipeline runner: NoRunner"),
    ],
)
def test_wrong_options_of_beam_are_named(folder: Path, tmp_path: Path, option: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        prepare(options_of(folder), tmp_path / "out", beam_options=[option])
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("duplicates", ["pair", "either"])
def test_shuffled_without_duplicates(folder: Path, tmp_path: Path, duplicates: str) -> None:
    prepared = []
    for workers in (1, 4):
        output = tmp_path / str(workers)
        prepare(options_of(folder, duplicates=duplicates), output, workers=workers, beam_options=ONE_PROCESS)
        prepared.append(content(output))
    assert prepared[0] == prepared[1]  # the same bytes, however the work is divided
    tokenizer = SubwordTokenizer(folder / "m")
    read = read_parallel(folder / "all.de", folder / "all.en", tokenizer, tokenizer)
    first: dict[Any, int] = {}
    seen: tuple[dict[Any, int], ...] = ({}, {})
    texts = list(zip(read.source.to_list(), read.target.to_list(), read.line_numbers.tolist(), strict=True))
    for source, target, line in texts:
        first.setdefault((*source, 0, *target), line)
        seen[0].setdefault(tuple(source), line)
    kept = set(first.values())
    if duplicates == "either":
        for _, target, line in texts:
            if line in seen[0].values():
                seen[1].setdefault(tuple(target), line)
        kept = set(seen[1].values())
    corpus = PreparedCorpus(tmp_path / "1" / "de", tmp_path / "1" / "en")
    lines = corpus.load().line_numbers.tolist()
    assert sorted(lines) == sorted(kept)
    assert lines != sorted(lines)
    manifest = corpus.folder.manifest
    assert manifest["read"] == 1200 == len(corpus) + sum(manifest["dropped"].values())
    assert [source["lines"] for source in manifest["sources"]] == [400] * 3
    digests = [[text_digest(folder / f"{number}.{side}") for side in ("de", "en")] for number in range(3)]
    assert [source["sha256"] for source in manifest["sources"]] == digests
    assert manifest["subwords"] == dict.fromkeys(("de", "en"), tokenizer.digest)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("1.en", b"a\n" * 399, r"number of lines.*1\.de' with 400, .*1\.en' with 399$"),
        ("2.de", b"a\n" * 7 + b"x" * 10_000_000, r"Line 8 is longer than 1,048,576 bytes.*2\.de$"),
        ("0.de", b"a\n\xff\n", r"Line 2 is not UTF-8.*0\.de$"),
        ("2.de", b"\x28\xb5\x2f\xfd\x04", r"Damaged Zstandard data.*2\.de "),
        ("1.de", None, r"No such file or directory: '.*1\.de'$"),
    ],
)
def test_wrong_files_are_one_line(folder: Path, tmp_path: Path, name: str, change: bytes | None, message: str) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    for path in folder.iterdir():
        (texts / path.name).write_bytes(path.read_bytes())
    (texts / name).unlink() if change is None else (texts / name).write_bytes(change)
    with pytest.raises((UserError, FileNotFoundError), match=message) as error:
        prepare(options_of(texts), tmp_path / "out", workers=1, beam_options=ONE_PROCESS)
    assert "\n" not in str(error.value)
    assert [path.name for path in tmp_path.iterdir()] == ["texts"]


def test_a_full_disk_is_one_line_and_leaves_nothing(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^File too large\. Received: .*/\.writing-out/[^ ]+$"), full_disk():
        prepare(options_of(folder), tmp_path / "out", workers=1, beam_options=ONE_PROCESS)
    assert list(tmp_path.iterdir()) == []


def prepared_with_trained_subwords(folder: Path, output: Path, **options: Any) -> bytes:
    """The model that `prepare` trains."""
    sources, targets = ([folder / f"{number}.{side}" for number in range(3)] for side in ("de", "en"))
    preparation = Preparation(sides=("de", "en"), sources=sources, targets=targets, vocabulary_size=40, **options)
    prepare(preparation, output, workers=options.get("seed", 0) + 1, beam_options=ONE_PROCESS)
    return (output / "de" / "subwords.model").read_bytes()


def test_subwords_of_the_whole_corpus_are_those_of_its_text(folder: Path, tmp_path: Path) -> None:
    """With a sample as large as the corpus, whose lines are in another order."""
    model = prepared_with_trained_subwords(folder, tmp_path / "out", subword_sample=1200)
    files = [folder / f"{number}.{side}" for number in range(3) for side in ("de", "en")]
    assert model == train_subwords(files, tmp_path / "m", vocabulary_size=40).read_bytes()
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["de", "en", "manifest.json", "pairs"]
    PreparedCorpus(tmp_path / "out" / "de", tmp_path / "out" / "en")


def test_subwords_are_of_a_uniform_sample_of_pairs(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples: list[list[list[str]]] = []

    def train(files: list[Path], path: Path, **options: Any) -> Path:
        samples.append([file.read_text().splitlines() for file in files])
        return train_subwords(folder / "all.de", path, vocabulary_size=40)

    monkeypatch.setattr("keras_nmt.preparation.pipeline.train_subwords", train)
    for number, seed in enumerate((0, 0, 1)):
        prepared_with_trained_subwords(folder, tmp_path / str(number), subword_sample=600, seed=seed)
    assert samples[0] == samples[1] != samples[2]
    pairs = [(lines[::2], lines[1::2]) for lines in samples[0]]
    assert sum(len(sources) for sources, _ in pairs) == 600
    assert all(abs(len(sources) - 200) < 40 for sources, _ in pairs)  # a standard deviation is 8
    whole = list(zip(read_lines(folder / "all.de"), read_lines(folder / "all.en"), strict=True))
    for number, (sources, targets) in enumerate(pairs):
        rest = iter(enumerate(whole[400 * number : 400 * (number + 1)]))
        places = [next(i for i, found in rest if found == pair) for pair in zip(sources, targets, strict=True)]
        assert 150 < np.mean(places) < 250  # of all of the file, not of its beginning
    manifest = json.loads((tmp_path / "2" / "manifest.json").read_text())
    expected = {"vocabulary_size": 40, "subword_sample": 600, "seed": 1, "normalization": "nfc"}
    assert {name: manifest["options"][name] for name in expected} == expected


def test_the_filters_of_the_documentation(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[2] / "docs" / "corpora.md").read_text()
    (tmp_path / "my_filters.py").write_text(page.split("```py\n")[1].split("```")[0])
    (tmp_path / "words.txt").write_text("rat\nbat\n")
    names = ("without_letters", "Listed")
    monkeypatch.setenv("WORDS", str(tmp_path / "words.txt"))
    prepare(
        options_of(folder, filters={name: f"{tmp_path / 'my_filters.py'}:{name}" for name in names}, order="lines"),
        tmp_path / "out",
        workers=1,
        beam_options=ONE_PROCESS,
    )
    sources, targets = read_lines(folder / "all.de"), read_lines(folder / "all.en")
    listed = [
        bool({"rat", "bat"} & {*source.split(), *target.split()})
        for source, target in zip(sources, targets, strict=True)
    ]
    empty = [not source for source in sources]
    dropped = json.loads((tmp_path / "out" / "manifest.json").read_text())["dropped"]
    assert dropped["without_letters"] == sum(empty) > 0
    assert dropped["Listed"] == sum(a and not b for a, b in zip(listed, empty, strict=True)) > 0


@pytest.mark.parametrize("address", ["memory://corpora/out", "gs://bucket/out", "file:///tmp/out"])
def test_an_address_is_no_output(folder: Path, address: str) -> None:
    with pytest.raises(UserError, match=f"copy the files to a local path. Received: {address}$"):
        prepare(options_of(folder), address)


def test_a_runner_that_does_not_exist_is_one_line(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^Apache Beam refuses its options\. Received: .*NoRunner") as error:
        prepare(options_of(folder), tmp_path / "out", beam_options=["--runner=NoRunner"])
    assert "\n" not in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_an_output_whose_name_is_not_utf_8(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"not UTF-8\. Received: '.*out\\udcff'$"):
        prepare(options_of(folder), tmp_path / "out\udcff")


def test_inputs_are_addresses(folder: Path, tmp_path: Path) -> None:
    import fsspec

    for side in ("de", "en"):
        with fsspec.open(f"memory://texts/1.{side}", "wb") as file:
            file.write((folder / f"1.{side}").read_bytes())
    sides = [[f"memory://texts/1.{side}"] for side in ("de", "en")]
    contents = []
    for name, (sources, targets) in {"out": sides, "local": [[folder / "1.de"], [folder / "1.en"]]}.items():
        preparation = Preparation(
            sides=("de", "en"), sources=sources, targets=targets, subwords=(folder / "m", folder / "m")
        )
        prepare(preparation, tmp_path / name, workers=1, beam_options=ONE_PROCESS)
        contents.append(content(tmp_path / name))
    assert contents[0] == contents[1]


def test_one_of_a_hundred_files_with_other_lines_is_named(folder: Path, tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / f"{number}.de").write_text("a\n" * 5)
        (tmp_path / f"{number}.en").write_text("a\n" * (4 if number == 61 else 5))
    sources, targets = ([tmp_path / f"{number}.{side}" for number in range(100)] for side in ("de", "en"))
    preparation = Preparation(
        sides=("de", "en"), sources=sources, targets=targets, subwords=(folder / "m", folder / "m")
    )
    with pytest.raises(UserError, match=r"/61\.de' with 5, '.*/61\.en' with 4$"):
        prepare(preparation, tmp_path / "out", workers=1, beam_options=ONE_PROCESS)
    assert len(list(tmp_path.iterdir())) == 200


def test_no_pair_left(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No pair is left of 400"):
        prepare(options_of(folder, "0", scripts={"de": "GREEK"}), tmp_path / "out", workers=1, beam_options=ONE_PROCESS)
    assert list(tmp_path.iterdir()) == []


def test_between_two_stages_a_runner_has_places_and_no_pairs(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the local runner would hold the corpus in memory."""
    monkeypatch.setattr("keras_nmt.preparation.pipeline.STORED_PAIRS", 256)
    stage = SegmentLines(options_of(folder), tmp_path / "blocks", lambda block: block.lines % 2, None)
    stage.setup()
    *places, counts = stage.process((str(folder / "all.de"), str(folder / "all.en"), 0, 0, 1))
    assert [bucket for bucket, _ in places] == [0, 1] * 3
    assert max(len(pickle.dumps(place)) for place in places) < 100 + len(str(tmp_path))
    assert sum(len(read_blocks([place])) for _, place in places) + sum(counts["dropped"].values()) == 1200


@pytest.mark.nightly
@settings(max_examples=6, deadline=None)
@given(
    pairs=st.lists(
        st.tuples(*[st.sampled_from(["", "cat", "rat", "a cat", "a rat sat"])] * 2), min_size=3, max_size=60
    ),
    cuts=st.sets(st.integers(1, 59), max_size=3),
    duplicates=st.sampled_from(sorted(DUPLICATES)),
    order=st.sampled_from(ORDERS),
    sizes=st.tuples(st.integers(3, 40), st.integers(1, 20), st.integers(1, 20)),
    workers=st.integers(1, 5),
)
def test_any_text_in_any_files_by_any_workers(
    folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
    pairs: list[tuple[str, str]],
    cuts: set[int],
    duplicates: str,
    order: str,
    sizes: tuple[int, int, int],
    workers: int,
) -> None:
    """Each pair that is kept is in one shard, once, with its text and line; the bytes are those of one process."""
    tmp_path = tmp_path_factory.mktemp("any")
    bounds = [0, *sorted(cut for cut in cuts if cut < len(pairs)), len(pairs)]
    files: list[list[Path]] = [[], []]
    for number, (begin, end) in enumerate(itertools.pairwise(bounds)):
        for side in (0, 1):
            files[side].append(tmp_path / f"{number}.{side}")
            files[side][-1].write_text("".join(f"{pair[side]}\n" for pair in pairs[begin:end]))
    expected = {line: pair for line, pair in enumerate(pairs, 1) if all(pair)}
    for key in DUPLICATES[duplicates]:
        first: dict[Any, int] = {}
        for line, pair in expected.items():
            first.setdefault({"source": pair[0], "target": pair[1], "pair": pair}[key], line)
        expected = {line: expected[line] for line in sorted(first.values())}
    options = Preparation(
        sides=("de", "en"),
        sources=files[0],
        targets=files[1],
        subwords=(folder / "m", folder / "m"),
        duplicates=duplicates,
        order=order,
        max_ratio=None,
        keep_text=True,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("keras_nmt.preparation.pipeline.SHARD_PAIRS", sizes[0])
        patch.setattr("keras_nmt.preparation.pipeline.STORED_PAIRS", sizes[1])
        patch.setattr("keras_nmt.data.text_files.BLOCK_PAIRS", sizes[2])
        if not expected:
            with pytest.raises(UserError, match=r"Received: "):
                prepare(options, tmp_path / "out", workers=workers, beam_options=ONE_PROCESS)
            return
        prepare(options, tmp_path / "out", workers=workers, beam_options=ONE_PROCESS)
        prepare(options, tmp_path / "alone", workers=1, beam_options=ONE_PROCESS)
    assert content(tmp_path / "out") == content(tmp_path / "alone")
    corpus = PreparedCorpus(tmp_path / "out" / "de", tmp_path / "out" / "en", text=True).load()
    assert corpus.text is not None
    texts = zip(*([text.decode() for text in side] for side in corpus.text), strict=True)
    found = dict(zip(corpus.line_numbers.tolist(), texts, strict=True))
    assert len(found) == len(corpus)
    assert found == expected
    assert (list(found) == sorted(found)) or order == "shuffled"


def test_copies_of_a_pair_are_not_side_by_side(folder: Path, tmp_path: Path) -> None:
    preparation = options_of(folder, duplicates="keep", keep_text=True)
    prepare(preparation, tmp_path / "out", workers=1, beam_options=ONE_PROCESS)
    corpus = PreparedCorpus(tmp_path / "out" / "de", tmp_path / "out" / "en", text=True).load()
    assert corpus.text is not None
    pairs = list(zip(*corpus.text, strict=True))
    copies = len(pairs) - len(set(pairs))
    neighbours = sum(one == other for one, other in itertools.pairwise(pairs))
    assert copies > 15
    assert neighbours <= 2


@pytest.mark.nightly
def test_several_processes_and_kills(folder: Path, tmp_path: Path) -> None:
    """The command line with two processes writes the same bytes after kills as without."""
    files = [
        x
        for side, flag in (("de", "--source"), ("en", "--target"))
        for i in range(3)
        for x in (flag, folder / f"{i}.{side}")
    ]
    command = [sys.executable, "-c", "from keras_nmt.cli.app import main; main()", "prepare", "--workers", "2"]
    command += [*map(str, files), "--sides", "de", "en", "--subwords", str(folder / "m")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for reached in (".writing-out", ".writing-out/blocks", ".writing-out/pairs"):  # begun; segmented; shards written
        killed = subprocess.Popen(
            [*command, "--output", str(tmp_path / "out")], env=environment, start_new_session=True
        )
        while not (tmp_path / reached).exists():
            assert killed.poll() is None
            time.sleep(0.02)
        os.killpg(killed.pid, signal.SIGKILL)
        killed.wait()
        assert not (tmp_path / "out").exists()
    for output in ("out", "again"):
        done = subprocess.run([*command, "--output", str(tmp_path / output)], env=environment, capture_output=True)
        assert (done.returncode, done.stderr) == (0, b"")
    assert content(tmp_path / "out") == content(tmp_path / "again")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "out"]
