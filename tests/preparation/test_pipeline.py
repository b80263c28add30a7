"""The pipeline of Apache Beam: the same bytes however it runs, errors of one line, nothing half-written."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
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
from keras_nmt.preparation import Preparation
from keras_nmt.preparation.options import DUPLICATES, ORDERS
from keras_nmt.preparation.pipeline import SegmentLines, prepare
from keras_nmt.preparation.worker_files import read_blocks

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
    monkeypatch.setattr("keras_nmt.text.text_files.BLOCK_PAIRS", 64)


def options_of(folder: Path, numbers: Sequence[str] = "012", **options: Any) -> Preparation:
    sources, targets = ([folder / f"{number}.{side}" for number in numbers] for side in ("de", "en"))
    given = {"subwords": (folder / "m", folder / "m"), "sources": sources, "targets": targets, **options}
    return Preparation(sides=("de", "en"), **given)


def run(preparation: Preparation, output: Path, workers: int = 1) -> None:
    prepare(preparation, output, workers=workers, beam_options=["--direct_running_mode=in_memory"])


def corpus_of(folder: Path, **options: Any) -> PreparedCorpus:
    return PreparedCorpus(folder / "de", folder / "en", **options)


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_in_the_order_of_lines_the_corpus_is_as_read(folder: Path, tmp_path: Path) -> None:
    options = options_of(folder, duplicates="keep", order="lines", keep_text=True, max_ratio=2)
    run(options, tmp_path / "out", workers=3)
    tokenizer = SubwordTokenizer(folder / "m")
    read = read_parallel(folder / "all.de", folder / "all.en", tokenizer, tokenizer, max_ratio=2, keep_text=True)
    corpus = corpus_of(tmp_path / "out", text=True)
    corpus.check(tokenizer, tokenizer, max_length=256, max_ratio=2)
    loaded = corpus.load()
    assert len(list((tmp_path / "out" / "pairs").glob("*.lines.npy"))) == 3
    assert {**loaded.dropped} == read.dropped
    assert loaded.line_numbers.tolist() == read.line_numbers.tolist()
    assert loaded.source.to_list() == read.source.to_list()
    assert loaded.target.to_list() == read.target.to_list()
    assert [side.tolist() for side in loaded.text] == [side.tolist() for side in read.text]
    manifest = corpus.folder.manifest
    assert manifest["read"] == 1200 == len(corpus) + sum(manifest["dropped"].values())
    assert [source["lines"] for source in manifest["sources"]] == [400] * 3
    digests = [[text_digest(folder / f"{number}.{side}") for side in ("de", "en")] for number in range(3)]
    assert [source["sha256"] for source in manifest["sources"]] == digests
    assert manifest["subwords"] == dict.fromkeys(("de", "en"), tokenizer.digest)


def test_wrong_options_and_outputs_are_named(folder: Path, tmp_path: Path) -> None:
    for option, message in (
        ("--runer=FlinkRunner", "Apache Beam has no such options. Received: --runer=FlinkRunner"),
        ("--direct_num_workers=two", "refuses its options. Received: argument --direct_num_workers: invalid int"),
        ("--runner=NoRunner", "refuses its options. Received: .*Unexpected pipeline runner: NoRunner"),
    ):
        with pytest.raises(UserError, match=rf"^[^\n]*{message}[^\n]*$"):
            prepare(options_of(folder), tmp_path / "out", beam_options=[option])
    for output, message in (
        ("gs://bucket/out", "copy the files to a local path. Received: gs://bucket/out$"),
        (tmp_path / "out\udcff", r"not UTF-8\. Received: '.*out\\udcff'$"),
    ):
        with pytest.raises(UserError, match=message):
            prepare(options_of(folder), output)
    with pytest.raises(UserError, match="No pair is left of 400"):
        run(options_of(folder, "0", scripts={"de": "GREEK"}), tmp_path / "out")
    with pytest.raises(UserError, match=r"^File too large\. Received: .*/\.writing-out/[^ ]+$"), full_disk():
        run(options_of(folder), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_wrong_files_are_one_line(folder: Path, tmp_path: Path) -> None:
    for number, (name, change, message) in enumerate(
        (
            ("1.en", b"a\n" * 399, r"number of lines.*1\.de' with 400, .*1\.en' with 399"),
            ("2.de", b"a\n" * 7 + b"x" * 10_000_000, r"Line 8 is longer than 1,048,576 bytes.*2\.de"),
            ("2.de", b"\x28\xb5\x2f\xfd\x04", r"Damaged Zstandard data.*2\.de "),
            ("1.de", None, r"No such file or directory: '.*1\.de'"),
        )
    ):
        texts = shutil.copytree(folder, tmp_path / str(number) / "texts")
        (texts / name).unlink() if change is None else (texts / name).write_bytes(change)
        with pytest.raises((UserError, FileNotFoundError), match=rf"^[^\n]*{message}[^\n]*$"):
            run(options_of(texts), texts.parent / "out")
        assert [path.name for path in texts.parent.iterdir()] == ["texts"]


@pytest.mark.slow
def test_subwords_of_the_whole_corpus_are_those_of_its_text(folder: Path, tmp_path: Path) -> None:
    """With a sample as large as the corpus, whose lines are in another order, and whose sources are cleaned."""
    sources = [tmp_path / f"{number}.de" for number in range(3)]
    for path in sources:
        path.write_text("".join(f"{line}\n" for line in read_lines(folder / path.name)).replace(" ", "\xa0"))
    run(options_of(folder, sources=sources, subwords=None, vocabulary_size=40, subword_sample=1200), tmp_path / "out")
    files = [folder / f"{number}.{side}" for number in range(3) for side in ("de", "en")]
    expected = train_subwords(files, tmp_path / "m", vocabulary_size=40).read_bytes()
    assert (tmp_path / "out" / "de" / "subwords.model").read_bytes() == expected
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["de", "en", "manifest.json", "pairs"]
    corpus_of(tmp_path / "out")


@pytest.mark.slow
def test_subwords_are_of_a_uniform_sample_of_pairs(folder, tmp_path, monkeypatch):
    samples: list[list[list[str]]] = []

    def train(files: list[Path], path: Path, **options: Any) -> Path:
        samples.append([file.read_text().splitlines() for file in files])
        return train_subwords(folder / "all.de", path, vocabulary_size=40)

    monkeypatch.setattr("keras_nmt.preparation.pipeline.train_subwords", train)
    for number, seed in enumerate((0, 0, 1)):
        options = options_of(folder, subwords=None, vocabulary_size=40, subword_sample=600, seed=seed)
        run(options, tmp_path / str(number), workers=seed + 1)
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


@pytest.mark.slow
def test_the_filters_of_the_documentation(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[2] / "docs" / "corpora.md").read_text()
    (tmp_path / "my_filters.py").write_text(page.split("```py\n")[1].split("```")[0])
    (tmp_path / "words.txt").write_text("rat\nbat\n")
    monkeypatch.setenv("WORDS", str(tmp_path / "words.txt"))
    filters = {name: f"{tmp_path / 'my_filters.py'}:{name}" for name in ("without_letters", "Listed")}
    run(options_of(folder, filters=filters, order="lines"), tmp_path / "out")
    pairs = list(zip(*(read_lines(folder / f"all.{side}") for side in ("de", "en")), strict=True))
    empty = [not source for source, _ in pairs]
    listed = [bool({"rat", "bat"} & {*source.split(), *target.split()}) for source, target in pairs]
    dropped = json.loads((tmp_path / "out" / "manifest.json").read_text())["dropped"]
    assert dropped["without_letters"] == sum(empty) > 0
    assert dropped["Listed"] == sum(a and not b for a, b in zip(listed, empty, strict=True)) > 0


@pytest.mark.slow
def test_inputs_are_addresses(folder: Path, tmp_path: Path) -> None:
    import fsspec

    for side in ("de", "en"):
        with fsspec.open(f"memory://texts/1.{side}", "wb") as file:
            file.write((folder / f"1.{side}").read_bytes())
    addresses = {f"{name}s": [f"memory://texts/1.{side}"] for name, side in (("source", "de"), ("target", "en"))}
    run(options_of(folder, **addresses), tmp_path / "out")
    run(options_of(folder, "1"), tmp_path / "local")
    assert content(tmp_path / "out") == content(tmp_path / "local")


def test_between_two_stages_a_runner_has_places_and_no_pairs(folder, tmp_path, monkeypatch):
    """Else the local runner would hold the corpus in memory."""
    monkeypatch.setattr("keras_nmt.preparation.pipeline.STORED_PAIRS", 256)
    stage = SegmentLines(options_of(folder), tmp_path / "blocks", lambda block: block.lines % 2, None)
    stage.setup()
    *places, counts = stage.process((str(folder / "all.de"), str(folder / "all.en"), 0, 0, 1))
    assert [bucket for bucket, _ in places] == [0, 1] * 3
    assert max(len(pickle.dumps(place)) for place in places) < 100 + len(str(tmp_path))
    assert sum(len(read_blocks([place])) for _, place in places) + sum(counts["dropped"].values()) == 1200


@pytest.mark.nightly
@settings(max_examples=6)
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
def test_any_text_in_any_files_by_any_workers(folder, tmp_path_factory, pairs, cuts, duplicates, order, sizes, workers):
    """Each pair that is kept is in one shard, once, with its text and line; the bytes are those of one process."""
    tmp_path = tmp_path_factory.mktemp("any")
    bounds = [0, *sorted(cut for cut in cuts if cut < len(pairs)), len(pairs)]
    for number, (begin, end) in enumerate(itertools.pairwise(bounds)):
        for i, side in enumerate(("de", "en")):
            (tmp_path / f"{number}.{side}").write_text("".join(f"{pair[i]}\n" for pair in pairs[begin:end]))
    expected = {line: pair for line, pair in enumerate(pairs, 1) if all(pair)}
    for key in DUPLICATES[duplicates]:
        first: dict[Any, int] = {}
        for line, pair in expected.items():
            first.setdefault({"source": pair[0], "target": pair[1], "pair": pair}[key], line)
        expected = {line: expected[line] for line in sorted(first.values())}
    given = {"duplicates": duplicates, "order": order, "max_ratio": None, "keep_text": True}
    numbers = "".join(map(str, range(len(bounds) - 1)))
    options = options_of(tmp_path, numbers, subwords=(folder / "m", folder / "m"), **given)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("keras_nmt.preparation.pipeline.SHARD_PAIRS", sizes[0])
        patch.setattr("keras_nmt.preparation.pipeline.STORED_PAIRS", sizes[1])
        patch.setattr("keras_nmt.text.text_files.BLOCK_PAIRS", sizes[2])
        if not expected:
            with pytest.raises(UserError, match=r"Received: "):
                run(options, tmp_path / "out", workers)
            return
        run(options, tmp_path / "out", workers)
        run(options, tmp_path / "alone")
    assert content(tmp_path / "out") == content(tmp_path / "alone")
    corpus = corpus_of(tmp_path / "out", text=True).load()
    texts = zip(*([text.decode() for text in side] for side in corpus.text), strict=True)
    found = dict(zip(corpus.line_numbers.tolist(), texts, strict=True))
    assert len(found) == len(corpus)
    assert found == expected
    assert (list(found) == sorted(found)) or order == "shuffled"


@pytest.mark.slow
def test_shuffled_copies_of_a_pair_are_not_side_by_side(folder: Path, tmp_path: Path) -> None:
    for workers in (1, 4):
        run(options_of(folder, duplicates="keep", keep_text=True), tmp_path / str(workers), workers)
    assert content(tmp_path / "1") == content(tmp_path / "4")  # the same bytes, however the work is divided
    pairs = list(zip(*corpus_of(tmp_path / "1", text=True).load().text, strict=True))
    assert len(pairs) - len(set(pairs)) > 15
    assert sum(one == other for one, other in itertools.pairwise(pairs)) <= 2


@pytest.mark.nightly
def test_several_processes_and_kills(folder: Path, tmp_path: Path) -> None:
    """The command line with two processes writes the same bytes after kills as without."""
    command = [sys.executable, "-c", "from keras_nmt.cli.app import main; main()", "prepare", "--workers", "2"]
    for side, flag in (("de", "--source"), ("en", "--target")):
        command += [x for i in range(3) for x in (flag, str(folder / f"{i}.{side}"))]
    command += ["--sides", "de", "en", "--subwords", str(folder / "m"), "--output"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for reached in (".writing-out", ".writing-out/blocks", ".writing-out/pairs"):  # begun; segmented; shards written
        killed = subprocess.Popen([*command, str(tmp_path / "out")], env=environment, start_new_session=True)
        while not (tmp_path / reached).exists():
            assert killed.poll() is None
            time.sleep(0.02)
        os.killpg(killed.pid, signal.SIGKILL)
        killed.wait()
        assert not (tmp_path / "out").exists()
    for output in ("out", "again"):
        done = subprocess.run([*command, str(tmp_path / output)], env=environment, capture_output=True)
        assert (done.returncode, done.stderr) == (0, b"")
    assert content(tmp_path / "out") == content(tmp_path / "again")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "out"]


@pytest.fixture(scope="module")
def dask() -> Iterator[list[str]]:
    """Dask's scheduler and two worker processes."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        runner = "--runner=apache_beam.runners.dask.dask_runner.DaskRunner"
        yield [runner, f"--dask_client_address={cluster.scheduler_address}", "--dask_npartitions=6"]
        for client in list(distributed.Client._instances):  # the runner's, which would look for the cluster
            client.close()


@pytest.fixture(scope="module")
def portable() -> Iterator[list[str]]:
    """A job service in another process, which gets the job as those of Flink and Spark get it."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    module = "apache_beam.runners.portability.local_job_service_main"
    server = subprocess.Popen([sys.executable, "-m", module, f"--port={port}"], stderr=subprocess.DEVNULL)
    yield ["--runner=PortableRunner", f"--job_endpoint=localhost:{port}", "--environment_type=LOOPBACK"]
    server.terminate()
    server.wait()


@pytest.mark.nightly
@pytest.mark.parametrize("runner", ["dask", "portable"])
def test_every_runner_gives_the_same_bytes_and_errors(folder, runner, request, tmp_path) -> None:
    beam_options = request.getfixturevalue(runner)
    given = {"subwords": None, "vocabulary_size": 40, "subword_sample": 300, "duplicates": "either"}
    run(options_of(folder, **given), tmp_path / "local")
    prepare(options_of(folder, **given), tmp_path / "other", workers=2, beam_options=beam_options)
    assert content(tmp_path / "other") == content(tmp_path / "local")
    assert len(content(tmp_path / "other")) > 20
    wrong = tmp_path / "wrong"
    wrong.write_bytes(b"a\n\xff\n")
    options = options_of(folder, **given, sources=[folder / "0.de", folder / "1.de", wrong])
    with pytest.raises(UserError, match=r"^Line 2 is not UTF-8.*Received: .*/wrong$"):
        prepare(options, tmp_path / "none", workers=2, beam_options=beam_options)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["local", "other", "wrong"]


@pytest.mark.nightly
def test_a_runner_that_is_not_there_is_one_line(folder: Path, tmp_path: Path) -> None:
    dask = pytest.importorskip("dask")
    message = r"^Apache Beam's runner is lost, or not at its address. Received: [^\n]*$"
    for runner in (
        ["--runner=PortableRunner", "--job_endpoint=localhost:1", "--job_server_timeout=1"],
        ["--runner=apache_beam.runners.dask.dask_runner.DaskRunner", "--dask_client_address=tcp://localhost:1"],
    ):
        with dask.config.set({"distributed.comm.timeouts.connect": "1s"}), pytest.raises(UserError, match=message):
            prepare(options_of(folder), tmp_path / "out", beam_options=runner)
        assert list(tmp_path.iterdir()) == []
