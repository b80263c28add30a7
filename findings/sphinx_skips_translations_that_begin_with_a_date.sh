#!/usr/bin/env bash
# Guess: a message of a PO file that is translated, and not fuzzy, is in the translated pages; what Sphinx cannot use, it warns of.
# Behaviour: the translation is read as reStructuredText. Where it looks like a list, as "3. Oktober: geschlossen", "H. Müller" (an initial)
# or "- Hallo" (direct speech) do, it is left out, and the page has the English paragraph, without a warning, also with -W and -n.
# A backslash before the dot or the dash mends it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile sphinx==9.0.4 docutils==0.22.4
cd "$folder"
venv/bin/python - <<'PY'
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

print(*(f"{name} {version(name)}" for name in ("sphinx", "docutils")))
PAIRS = {
    "Title": "Titel",
    "The shop opens at eight.": "Der Laden öffnet um acht.",
    "On October 3 the shop is closed.": "3. Oktober: Der Laden ist geschlossen.",
    "Mr. Miller is the owner.": "H. Müller ist der Eigentümer.",
    "“Hello,” he said.": "- Hallo, sagte er.",
    "On October 4 the shop is open.": r"4\\. Oktober: Der Laden ist offen.",
}
messages = Path("pages/locale/de/LC_MESSAGES")
messages.mkdir(parents=True)
Path("pages/conf.py").write_text('language = "de"\nlocale_dirs = ["locale"]\n')
title, *paragraphs = PAIRS
Path("pages/index.rst").write_text("\n\n".join([f"{title}\n=====", *paragraphs]) + "\n")
header = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n'
entries = (f'msgid "{source}"\nmsgstr "{target}"\n' for source, target in PAIRS.items())
(messages / "index.po").write_text("\n".join([header, *entries]))
run = subprocess.run(
    ["venv/bin/sphinx-build", "-q", "-W", "-n", "-b", "text", "pages", "out"], capture_output=True, text=True, check=False
)
print("exit code", run.returncode, "and warnings", repr(run.stderr))
_, _, *page = [line for line in Path("out/index.txt").read_text().splitlines() if line]
for target, line in zip(list(PAIRS.values())[1:], page, strict=True):
    print(f"translation {target!r}, page {line!r}")
expected = [PAIRS[paragraphs[0]], *paragraphs[1:4], "4. Oktober: Der Laden ist offen."]
if run.returncode or run.stderr or page != expected:
    sys.exit("sphinx changed")
PY
