#!/usr/bin/env bash
# Guess: a key that not all lines of JSON have is a column with gaps, or an error.
# Behaviour: Polars looks at 100 lines, DuckDB at 20,480. A key that occurs only later is ignored with all its values, and nothing is said.
# Another type in line 101 is an error in Polars; only the loss of whole columns is silent. `infer_schema_length=None` and
# `sample_size=-1` look at all lines.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile polars==2.1.0 duckdb==2.0.1
"$folder/venv/bin/python" - <<'PY'
import json
import os
import sys
import tempfile
from importlib.metadata import version

import duckdb
import polars as pl

print(*(f"{name} {version(name)}" for name in ("polars", "duckdb")))


def write(path, first, lines):
    with open(path, "w") as file:
        for i in range(lines):
            file.write(json.dumps({"source": f"text {i}"} | ({"correction": "better"} if i >= first else {})) + "\n")


def columns_of_duckdb(path, **options):
    table = duckdb.read_json(path, **options)
    return table.columns, len(table.fetchall())


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "corpus.jsonl")
    write(path, 100, 1000)
    table, whole = pl.read_ndjson(path), pl.read_ndjson(path, infer_schema_length=None)
    print("900 of 1,000 lines have the key: Polars reads", table.height, "lines with", table.columns, "or, looking at all,", whole.columns)
    lazy = pl.scan_ndjson(path).collect().columns
    write(path, 20_480, 30_000)
    duck, whole_duck = columns_of_duckdb(path), columns_of_duckdb(path, sample_size=-1)
    print("9,520 of 30,000 lines have the key: DuckDB reads", duck, "or, looking at all,", whole_duck)
    with open(path, "w") as file:
        file.writelines(json.dumps({"score": 1 if i < 100 else 0.5}) + "\n" for i in range(1000))
    try:
        error = pl.read_ndjson(path)
    except pl.exceptions.ComputeError as caught:
        error = caught
    print("another type in line 101:", repr(error))
both = ["source", "correction"]
if (table.columns, lazy, whole.columns) != (["source"], ["source"], both) or not isinstance(error, Exception):
    sys.exit("polars changed")
if (duck, whole_duck) != ((["source"], 30_000), (both, 30_000)):
    sys.exit("duckdb changed")
PY
