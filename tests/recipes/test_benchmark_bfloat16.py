"""The benchmark of products in bfloat16: a share of the time of float32 for each number of rows, plain and compiled."""

import re

import pytest
from scripts import load_script, run_main


@pytest.mark.nightly
def test_each_number_of_rows_has_both_shares():
    output = run_main(load_script("benchmarks/bfloat16_products.py"), "--width", 8, "--columns", 8, "--rounds", 1)
    assert re.findall(r"^ *(\d+) +[\d.]+ +[\d.]+ *$", output, re.MULTILINE) == ["1", "64", "1024"]
