"""One changed bit in a model directory or a prepared corpus: an error that names the file, or no effect."""

from __future__ import annotations

import random
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h5py
import pytest

from keras_nmt.cli import app as cli
from keras_nmt.data import PreparedCorpus, SubwordTokenizer, read_parallel, write_prepared
from keras_nmt.errors import UserError
from keras_nmt.experiments import ExperimentConfig, run
from keras_nmt.experiments.results import read_digests
from keras_nmt.files.weights_file import arrays
from keras_nmt.inference.load import load
from keras_nmt.training import average_checkpoints

TEXT = ["3 0 7", "nine one one two"]
Read = Callable[[Path], Any]
Command = Callable[..., tuple[str, str]]

pytestmark = pytest.mark.filterwarnings("ignore:Reading `.npy`:UserWarning")  # of headers that NumPy reads leniently


def loaded(directory: Path) -> list[Any]:
    """All that translating takes from a model directory."""
    model, tokenizers, search, _ = load(directory)
    ids = [tokenizer.tokenize(TEXT).to_list() for tokenizer in tokenizers.values()]
    return [ids, search, model.get_config(), [weight.tolist() for weight in model.get_weights()]]


def averaged(directory: Path) -> list[Any]:
    output = directory / "mean.weights.h5"
    average_checkpoints(directory, output=output)
    with h5py.File(output) as file:
        return sorted((name, array[()].tolist()) for name, array in arrays(file).items())


def corpus_read(folder: Path) -> list[Any]:
    sides = [folder / side for side in ("digits", "words")]
    tokenizers = [SubwordTokenizer(side / "subwords.model") for side in sides]
    corpus = PreparedCorpus(*sides, text=True)
    corpus.check(*tokenizers, max_length=256, max_ratio=3)
    found = corpus.load()
    text = [] if found.text is None else [side.tolist() for side in found.text]
    rows = [found.source.to_list(), found.target.to_list(), found.line_numbers.tolist()]
    ids = [tokenizer.tokenize(TEXT).to_list() for tokenizer in tokenizers]
    return [rows, text, ids, corpus.summary(), corpus.length_counts.tolist()]


def outcome(read: Read, folder: Path) -> tuple[Any, str]:
    """Returns what a reader returns, or the line of its error."""
    try:
        return read(folder), ""
    except UserError as error:
        return None, str(error)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command in this process: its output, and the line of its error."""

    def run(*arguments: object) -> tuple[str, str]:
        monkeypatch.setattr(sys, "argv", ["keras-nmt", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        captured = capsys.readouterr()
        assert ended.value.code in (0, None, 2), captured.err
        return captured.out, captured.err if ended.value.code else ""

    return run


def bits(path: Path, number: int, seed: int = 0) -> Iterator[int]:
    """Flips one random bit of a file after the other; the file is whole again at the end."""
    whole = path.read_bytes()
    for bit in random.Random(f"{path.name} {seed}").sample(range(8 * len(whole)), min(number, 8 * len(whole))):
        content = bytearray(whole)
        content[bit // 8] ^= 1 << bit % 8
        path.write_bytes(content)
        yield bit
    path.write_bytes(whole)


def check(path: Path, folder: Path, read: Read, number: int, named: str | None = None) -> int:
    """Damages a file in a folder: a reader gives the same as before, or an error of one line that names the file.

    Returns the number of errors.
    """
    right, errors = read(folder), 0
    for bit in bits(path, number):
        found, error = outcome(read, folder)
        if error:
            errors += 1
            assert (named or path.name) in error, f"bit {bit} of {path}"
            assert "\n" not in error
        else:
            assert found == right, f"bit {bit} of {path}"
    assert read(folder) == right
    return errors


@pytest.fixture
def directory(trained: Path, tmp_path: Path) -> Path:
    return shutil.copytree(trained, tmp_path / "model")


@pytest.fixture
def prepared(trained: Path, corpus: Path, tmp_path: Path) -> Path:
    tokenizer = SubwordTokenizer(trained / "subwords.model")
    files = [corpus / f"dev.{side}" for side in ("digits", "words")]
    read = read_parallel(*files, tokenizer, tokenizer, max_ratio=3, keep_text=True)
    write_prepared(read, tmp_path / "corpus", tokenizer, tokenizer, sides=("digits", "words"), max_ratio=3)
    return tmp_path / "corpus"


def check_model(directory: Path, number: int) -> None:
    errors = {
        name: check(directory / name, directory, loaded, number)
        for name in ("config.json", "subwords.model", "model.weights.h5")
    }
    assert errors["subwords.model"] == number
    assert errors["config.json"] > number / 2  # the others are white space


def check_corpus(folder: Path, number: int) -> None:
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        stem = path.name.split(".")[0] if path.suffix == ".npy" else path.name
        check(path, folder, corpus_read, number, named=stem)


def test_a_bit_of_a_model_is_found(directory: Path) -> None:
    check_model(directory, 4)


def test_a_bit_of_a_prepared_corpus_is_found(prepared: Path) -> None:
    check_corpus(prepared, 2)


def test_a_bit_of_subwords_is_found_by_every_reader(directory: Path, corpus: Path, command: Command) -> None:
    data = {"languages": ["digits", "words"], "pairs": ["digits-words"]}
    data |= dict.fromkeys(("train", "dev"), str(corpus / "dev.{language}"))
    new = {"directory": directory.parent / "new", "max_updates": 1, "data": data}
    settings = ExperimentConfig.read_settings(directory / "settings.json")
    longer = {"directory": str(directory), "max_updates": settings["training"]["stop"]["max_updates"] + 1}
    readers: dict[str, Read] = {
        "ensemble": lambda folder: load(directory.parent / "whole", ensemble=[folder]),
        "subwords": lambda folder: run(
            ExperimentConfig.from_settings(new, {"subwords.models": folder / "subwords.model"}), report=str
        ),
        "init_from": lambda folder: run(ExperimentConfig.from_settings(new, {"init_from": folder}), report=str),
        "resume": lambda folder: run(ExperimentConfig.from_settings(settings, longer), report=str),
    }
    shutil.copytree(directory, directory.parent / "whole")
    for _ in bits(directory / "subwords.model", 1):
        for name, read in readers.items():
            with pytest.raises(UserError, match=r"subword model is damaged.*model/subwords\.model"):
                read(directory)
            assert not (directory.parent / "new" / "subwords.model").exists(), name
        assert "subword model is damaged" in command("info", directory)[1]


def test_a_subword_file_has_a_bound_and_is_a_file(tmp_path: Path) -> None:
    with open(tmp_path / "large", "wb") as file:
        file.truncate(2**28 + 1)
    with pytest.raises(UserError, match=r"at most 256 MiB\. Received: .*large with 268,435,457 bytes"):
        SubwordTokenizer(tmp_path / "large")
    (tmp_path / "folder").mkdir()
    with pytest.raises(UserError, match="must be a regular file. Received: .*folder"):
        SubwordTokenizer(tmp_path / "folder")


@pytest.mark.nightly
def test_300_bits_of_a_model_and_a_corpus(directory: Path, prepared: Path, command: Command) -> None:
    """And of what a run keeps beside its model, whose settings and log are shown as they are written."""
    check_model(directory, 40)
    check_corpus(prepared, 8)
    for path in sorted((directory / "checkpoints").glob("*.weights.h5")):
        check(path, directory, averaged, 8, named=path.stem.split(".")[0])
    page = directory.parent / "report.html"

    def shown() -> tuple[str, str, str]:
        """What `info` prints, the page of `report`, and the lines of their errors."""
        (info, one), (_, other) = command("info", directory), command("report", directory, "--output", page)
        return info, page.read_text(), one + other

    right = shown()
    for name in ("results.json", "settings.json", "training_log.jsonl", "test.digits-words.hypotheses.txt"):
        for bit in bits(directory / name, 20):
            *found, errors = shown()
            assert all(name in error for error in errors.splitlines())
            assert errors or found == list(right[:2]) or name != "results.json", f"bit {bit} of {name}"
    check(directory / "data.json", directory, lambda folder: read_digests(folder / "data.json"), 20)
