"""The benchmark of decoding: both contenders do the same work and take turns."""

from __future__ import annotations

import pytest
from scripts import load_script, run_main

from keras_nmt.errors import UserError

SIZES = {
    "num_encoder_layers": 1,
    "num_decoder_layers": 1,
    "hidden_dim": 16,
    "num_heads": 2,
    "intermediate_dim": 24,
    "dropout": 0.1,
}
STEPS = 5


@pytest.fixture(scope="module")
def decoding():
    return load_script("benchmarks/decoding.py")


@pytest.mark.nightly
@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_both_give_equal_translations_of_equal_length(decoding, tmp_path, dtype):
    pytest.importorskip("ctranslate2")
    model = decoding.make_model(source_vocabulary_size=60, **SIZES)
    tokenizer = decoding.make_tokenizer(60)
    ours = decoding.exported(model, tokenizer, tmp_path / "export", 2, STEPS, dtype)
    theirs = decoding.ctranslate2_(model, tokenizer, tmp_path / "ctranslate2", 2, STEPS, 1, dtype)
    (batch,) = decoding.make_batches(3, 3, 60)
    found = ours(batch)
    assert [len(text.split()) for text in found] == [STEPS] * 3
    assert len(set(found)) > 1
    others = theirs(batch)
    assert [len(text.split()) for text in others] == [STEPS] * 3
    assert found == others or dtype == "int8"  # int8 may choose differently between nearly equal tokens


def test_batches_are_as_long_as_the_corpus(decoding):
    batches = decoding.make_batches(16, 32, 100)
    assert [len(batch) for batch in batches] == [16, 16]
    assert [len(line.split()) for batch in batches for line in batch] == decoding.LENGTHS
    assert len(decoding.make_batches(1, 5, 100)) == 5


def test_contenders_take_turns_and_neighbours_are_compared(decoding):
    now, calls = [0.0], []

    def contender(name, seconds):
        def translate(lines):
            calls.append(name)
            now[0] += seconds * (1 + len(calls) // 4)  # a machine that slows down
            return [name if name == "theirs" and line == "b" else line for line in lines]

        return translate

    batches = [["a"], ["b"]]
    result = decoding.compare(contender("ours", 1.0), contender("theirs", 3.0), batches, 3, lambda: now[0])
    assert calls[4:] == ["ours"] * 2 + ["theirs"] * 4 + ["ours"] * 4 + ["theirs"] * 2
    assert 2 < result[2] < 4
    assert result[3] == 0.5


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (["--presets", "huge"], "Received: huge"),
        (["--batches", "1,x"], "Received: batches='1,x'"),
        (["--batches", "0"], "Give sizes of at least 1 with commas between them. Received: batches=.0."),
        (["--dtypes", "int4"], "Known dtypes are float32, int8. Received: int4"),
    ],
)
def test_bad_options_are_an_error_of_one_line(decoding, arguments, match):
    with pytest.raises(UserError, match=match):
        run_main(decoding, *arguments)
