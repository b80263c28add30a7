"""One changed bit in a model directory: an error that names the file, or no effect."""

import random
import shutil

import pytest

from keras_nmt.data import SubwordTokenizer
from keras_nmt.errors import UserError
from keras_nmt.experiments import ExperimentConfig, run
from keras_nmt.inference.load import load

TEXT = ["3 0 7", "ke ke la"]


def loaded(directory):
    """All that translating takes from a model directory."""
    model, tokenizers, search, *_ = load(directory)
    ids = [tokenizer.tokenize(TEXT).to_list() for tokenizer in tokenizers.values()]
    return [ids, search, model.get_config(), [weight.tolist() for weight in model.get_weights()]]


def bits(path, number):
    """Flips one random bit of a file after the other; the file is whole again at the end."""
    whole = path.read_bytes()
    for bit in random.Random(f"{path.name} 0").sample(range(8 * len(whole)), min(number, 8 * len(whole))):
        content = bytearray(whole)
        content[bit // 8] ^= 1 << bit % 8
        path.write_bytes(content)
        yield bit
    path.write_bytes(whole)


def check_model(directory, number):
    """Damages each file: a model directory gives the same as before, or an error of one line that names the file."""
    right = loaded(directory)
    for path in (directory / "config.json", next(directory.glob("*.model")), directory / "model.weights.h5"):
        errors = 0
        for bit in bits(path, number):
            found, message = right, None
            try:
                found = loaded(directory)
            except UserError as error:
                message = str(error)
                errors += 1
            assert found == right, f"bit {bit} of {path}"
            assert message is None or (path.name in message and "\n" not in message), f"bit {bit} of {path}"
        if path.suffix == ".model":
            assert errors == number
        if path.suffix == ".json":
            assert errors > number / 2  # the others are white space
    assert loaded(directory) == right


@pytest.fixture
def directory(trained, tmp_path):
    return shutil.copytree(trained, tmp_path / "model")


@pytest.mark.slow
def test_a_bit_of_a_model_is_found(untrained, tmp_path):
    check_model(shutil.copytree(untrained, tmp_path / "model"), 2)


@pytest.mark.nightly
def test_a_bit_of_subwords_is_found_by_every_reader(directory, corpus, tmp_path, error_line):
    data = {"languages": ["digits", "words"], "pairs": ["digits-words"]}
    data |= dict.fromkeys(("train", "dev"), str(corpus / "dev.{language}"))
    new = {"directory": tmp_path / "new", "max_updates": 1, "data": data}
    settings = ExperimentConfig.read_settings(directory / "settings.json")
    longer = {"directory": str(directory), "max_updates": settings["training"]["stop"]["max_updates"] + 1}
    shutil.copytree(directory, tmp_path / "whole")
    runs = {
        "subwords": (new, {"subwords.models": directory / "subwords.model"}),
        "init_from": (new, {"init_from": directory}),
        "resume": (settings, longer),
    }
    for _ in bits(directory / "subwords.model", 1):
        with pytest.raises(UserError, match=r"subword model is damaged.*model/subwords\.model"):
            load(tmp_path / "whole", ensemble=[directory])
        for name, given in runs.items():
            with pytest.raises(UserError, match=r"subword model is damaged.*model/subwords\.model"):
                run(ExperimentConfig.from_settings(*given), report=str)
            assert not (tmp_path / "new" / "subwords.model").exists(), name
        assert "subword model is damaged" in error_line("info", directory)


def test_a_subword_file_has_a_bound_and_is_a_file(tmp_path):
    with open(tmp_path / "large", "wb") as file:
        file.truncate(2**28 + 1)
    with pytest.raises(UserError, match=r"at most 256 MiB\. Received: .*large with 268,435,457 bytes"):
        SubwordTokenizer(tmp_path / "large")
    with pytest.raises(UserError, match="must be a regular file. Received: .*"):
        SubwordTokenizer(tmp_path)


@pytest.mark.nightly
def test_hundreds_of_bits_of_a_trained_model(directory):
    check_model(directory, 100)
