#!/usr/bin/env bash
# Guess: a number in an ICU message, as {n, number, ::percent}, is shown in the browser as ICU shows it in other programs.
# Behaviour: formatjs multiplies percentages by 100, which ICU does only by `scale/100`: 0.456 is "46%" instead of "0.456%", and with
# `percent scale/100`, the way to have 45.6% of ICU, "4,560%". It ignores `permille`, `precision-increment`, `numbering-system` and
# `unit-width-hidden` without a word: 5 per mille is "5". The older {n, number, percent}, without colons, is the same in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile icu4py==1.2.0
cd "$folder"
npm install --silent --no-audit --no-fund intl-messageformat@12.1.5
cat >run.mjs <<'JS'
import { readFileSync } from "node:fs";
import { IntlMessageFormat } from "intl-messageformat";

const { version } = JSON.parse(readFileSync("node_modules/intl-messageformat/package.json"));
console.error(`intl-messageformat ${version}, node ${process.version}`);
const cases = JSON.parse(process.argv[2]);
console.log(JSON.stringify(cases.map(([form, n]) => new IntlMessageFormat(`{n, number, ${form}}`, "en").format({ n }))));
JS
venv/bin/python - <<'PY'
import json
import subprocess
import sys
from importlib.metadata import version

import icu4py
from icu4py.messageformat import MessageFormat

print("icu4py", version("icu4py"), "with ICU", icu4py.icu_version)
cases = {
    ("percent", 0.456): ("46%", "46%"),
    ("::compact-short", 1234.5): ("1.2K", "1.2K"),
    ("::percent", 0.456): ("0.456%", "46%"),
    ("::percent scale/100", 0.456): ("45.6%", "4,560%"),
    ("::permille", 5): ("5‰", "5"),
    ("::precision-increment/0.05", 0.98): ("1.00", "0.98"),
    ("::numbering-system/deva", 12): ("१२", "12"),
    ("::currency/USD unit-width-hidden", 5): ("5.00", "$5.00"),
}
run = subprocess.run(["node", "run.mjs", json.dumps(list(cases))], check=True, stdout=subprocess.PIPE)
seen = {}
for (form, n), other in zip(cases, json.loads(run.stdout), strict=True):
    seen[form, n] = (MessageFormat(f"{{n, number, {form}}}", "en").format({"n": n}), other)
    print(f"{{n, number, {form}}} of {n}: ICU {seen[form, n][0]}, formatjs {other}")
if seen != cases:
    sys.exit("formatjs or ICU changed")
PY
