#!/usr/bin/env bash
# Guess: where a column of JSON Lines has text and, somewhere, a number, the text stays text: load_dataset keeps both, or raises an error.
# Behaviour: one number makes the whole column a column of JSON, and each text that happens to be JSON becomes what it says: "007" is 7,
# "true" is True, "null" and "NaN" are None, "1.10" is 1.1, and a sentence in quotes loses them. Other texts stay, so that nothing is
# noticed. Dataset.map and Dataset.from_generator do the same by default; from_list does so with on_mixed_types="use_json".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile datasets==5.2.0 pyarrow==26.0.1 pandas==3.1.1 numpy==2.4.6
HF_HUB_OFFLINE=1 HF_HOME="$folder/home" "$folder/venv/bin/python" - "$folder" <<'PY'
import json
import sys
from pathlib import Path

import datasets

print("datasets", datasets.__version__)
datasets.disable_progress_bars()
texts = ["The door is open.", '"The door is open."', "007", "1.10", "null", "NaN", "true", "no"]


def load(rows, name):
    path = Path(sys.argv[1]) / f"{name}.jsonl"
    path.write_text("".join(json.dumps({"text": row}) + "\n" for row in rows))
    return datasets.load_dataset("json", data_files=str(path), split="train")["text"][:]


def generate():
    for row in [*texts, 12]:
        yield {"text": row}


numbered = datasets.Dataset.from_dict({"line": range(len(texts) + 1)})
rows = [{"text": row} for row in [*texts, 12]]
results = {
    "load_dataset, text alone": load(texts, "texts"),
    "load_dataset, text and a number": load([*texts, 12], "mixed"),
    "map": numbered.map(lambda row: {"text": [*texts, 12][row["line"]]})["text"][:],
    "from_generator": datasets.Dataset.from_generator(generate)["text"][:],
    "from_list with use_json": datasets.Dataset.from_list(rows, on_mixed_types="use_json")["text"][:],
}
for name, result in results.items():
    print(f"{name}: {result}")
changed = ["The door is open.", "The door is open.", 7, 1.1, None, None, True, "no", 12]
if results.pop("load_dataset, text alone") != texts or any(result != changed for result in results.values()):
    sys.exit("datasets changed")
PY
