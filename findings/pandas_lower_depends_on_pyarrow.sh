#!/usr/bin/env bash
# Guess: `Series.str.lower()` of text gives what `str.lower` of Python gives; whether pyarrow is installed is a matter of speed.
# Behaviour: with pyarrow installed, pandas 3 keeps text in it, and lower-cases character by character: a Greek word ends in σ instead of
# ς, ß becomes ẞ instead of SS. A list of words that was lower-cased without pyarrow, or by Python, no longer meets the column.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q pandas==3.1.1 numpy==2.4.6
cat > "$folder/program.py" <<'PY'
import json

import pandas as pd

column = pd.Series(["ΟΔΟΣ ΤΟΥ ΗΛΙΟΥ ΚΑΙ ΤΟΥ ΑΝΕΜΟΣ", "Straße"])
print(json.dumps([column.str.lower()[0], column.str.upper()[1], str(column.dtype.storage)]))
PY
before=$("$folder/venv/bin/python" "$folder/program.py")
"$folder/venv/bin/pip" install -q pyarrow==26.0.1
after=$("$folder/venv/bin/python" "$folder/program.py")
"$folder/venv/bin/python" - "$before" "$after" <<'PY'
import json
import sys
from importlib.metadata import version

print({name: version(name) for name in ("pandas", "pyarrow")})
before, after = map(json.loads, sys.argv[1:])
print("Python:         ", ["ΟΔΟΣ ΤΟΥ ΗΛΙΟΥ ΚΑΙ ΤΟΥ ΑΝΕΜΟΣ".lower(), "Straße".upper()])
print("without pyarrow:", before)
print("with pyarrow:   ", after)
if before != ["οδος του ηλιου και του ανεμος", "STRASSE", "python"]:
    sys.exit("pandas without pyarrow changed")
if after != ["οδοσ του ηλιου και του ανεμοσ", "STRAẞE", "pyarrow"]:
    sys.exit("pandas with pyarrow changed")
PY
