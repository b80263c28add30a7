"""Options that the benchmark scripts refuse, in one line, before they measure."""

from __future__ import annotations

import pytest
from scripts import RECIPES, load_script, run_main

from keras_nmt.errors import UserError

# By script: arguments, and a pattern of the message.
BAD = {
    "cost_curves": [
        (["--curves", "width"], "Known curves are length, .* Received: width"),
        (["--preset", "huge"], "Received: preset='huge'"),
        (["--rounds", "0"], "rounds=0"),
    ],
    "decoding": [
        (["--presets", "huge"], "Received: huge"),
        (["--batches", "1,x"], "Received: batches='1,x'"),
        (["--batches", "0"], "Give sizes of at least 1 with commas between them. Received: batches=.0."),
        (["--dtypes", "int4"], "Known dtypes are float32, bfloat16, int8. Received: int4"),
        (["--programs", "moses"], "Programs are plain, compiled, CTranslate2. Received: moses"),
    ],
    "gpu": [
        (["--parts", "layers,speed"], "Topics are layers, training, decoding, overhead. Received: speed"),
        (["--minutes", "0"], "Time and sizes must be positive. Received: minutes=0.0"),
    ],
    "memory": [
        (["--presets", "huge"], "Received: huge"),
        (["--batch-size", 8], "Received: batch_size=8"),
        (["--vocabulary-size", 3], "vocabulary_size=3"),
    ],
    "overhead": [
        (["--mechanisms", "fusion,none"], "Known mechanisms are plain, .* Received: none"),
        (["--preset", "huge"], "Received: preset='huge'"),
        (["--rounds", 0], "Sizes must be at least 1, .* rounds=0"),
        (["--together", 0], "Sizes must be at least 1, .* together=0"),
        (["--vocabulary-size", 4], "Received: vocabulary_size=4"),
    ],
    "training": [
        (["--preset", "huge"], "Received: preset='huge'"),
        (["--contenders", "keras_nmt,moses"], "Received: moses"),
        (["--dtypes", "float8"], "Received: float8"),
        (["--rounds", 0], "Sizes must be at least 1. Received: .* rounds=0"),
        (["--data-dir", "nowhere"], "nowhere"),
        (
            ["--data-dir", RECIPES, "--length", 5],
            "Name a text by --data-dir, or a --length of at least 2. Received: data_dir=.*, length=5",
        ),
    ],
    "translate": [
        (["--batches", "1,x"], "Received: batches='1,x'"),
        (["--rounds", "0"], "Sizes must be at least 1"),
        (["--only", "plane"], "Our programs are plain, compiled, export, export_xla. Received: plane"),
        (["--model", "m"], "--model and --lines go together. Received: model=m, lines=None"),
        (["--dtypes", ""], "Missing option --data-dir"),
    ],
}


@pytest.mark.parametrize(
    ("script", "arguments", "match"), [(script, *case) for script, cases in BAD.items() for case in cases]
)
def test_bad_options_are_an_error_of_one_line(script, arguments, match):
    with pytest.raises((UserError, FileNotFoundError), match=match):
        run_main(load_script(f"benchmarks/{script}.py"), *arguments)
