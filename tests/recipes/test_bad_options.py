"""Options that the benchmark scripts refuse, in one line, before they measure."""

from __future__ import annotations

import pytest
from scripts import RECIPES, load_script, run_main

from keras_nmt.errors import UserError

LENGTH = "Name a text by --data-dir, or a --length of at least 2. Received: data_dir=.*, length=5"


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("script", "arguments", "match"),
    [
        ("cost_curves", ["--curves", "width"], "Known curves are length, .* Received: width"),
        ("decoding", ["--batches", "1,x"], "Received: batches='1,x'"),
        ("decoding", ["--dtypes", "int4"], "Known dtypes are float32, bfloat16, int8. Received: int4"),
        ("gpu", ["--parts", "layers,speed"], "Topics are layers, training, decoding, overhead. Received: speed"),
        ("gpu", ["--minutes", "0"], "Time and sizes must be positive. Received: minutes=0.0"),
        ("memory", ["--batch-size", 8], "Received: batch_size=8"),
        ("overhead", ["--mechanisms", "fusion,none"], "Known mechanisms are plain, .* Received: none"),
        ("training", ["--contenders", "keras_nmt,moses"], "Received: moses"),
        ("training", ["--data-dir", RECIPES, "--length", 5], LENGTH),
        ("translate", ["--only", "plane"], "Our programs are plain, compiled, .* Received: plane"),
        ("translate", ["--model", "m"], "--model and --lines go together. Received: model=m, lines=None"),
        ("translate", ["--dtypes", ""], "Missing option --data-dir"),
    ],
)
def test_bad_options_are_an_error_of_one_line(script, arguments, match):
    with pytest.raises(UserError, match=match):
        run_main(load_script(f"benchmarks/{script}.py"), *arguments)
