#!/usr/bin/env bash
# Guess: `pybabel extract` finds every _("...") of a JavaScript file; it reads JSX, which is on by default.
# Behaviour: the text between JSX tags is read as code. An apostrophe in it, as in <p>Don't panic</p>, begins a string that ends at the next
# apostrophe, lines later: the messages between are missing in the template, and so in all translations, without a warning and with exit code
# 0. GNU's xgettext loses only messages of the same line, and warns.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile babel==2.19.0
cd "$folder"
cat >app.jsx <<'JSX'
export function App() {
  return (
    <main>
      <h1>{_("Title")}</h1>
      <p>Don't panic</p>
      <p>{_("First message")}</p>
      <button onClick={run}>{_("Second message")}</button>
      <p>It's over</p>
      <p>{_("Third message")}</p>
    </main>
  );
}
JSX
sed "s/Don't/Do not/; s/It's/It is/" app.jsx >without.jsx
echo '[javascript: *.jsx]' >babel.cfg
venv/bin/python - <<'PY'
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

print("babel", version("babel"))
found = {}
for name in ("without.jsx", "app.jsx"):
    command = ["venv/bin/pybabel", "extract", "--mapping-file=babel.cfg", f"--output-file={name}.pot", name]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    found[name] = re.findall('^msgid "(.+)"$', Path(f"{name}.pot").read_text(), re.MULTILINE)
    print(f"{name}: {found[name]}, exit code {run.returncode}, told: {run.stderr.splitlines()}")
    if "warn" in run.stderr.lower() or "error" in run.stderr.lower():
        sys.exit("babel changed")
if list(found.values()) != [["Title", "First message", "Second message", "Third message"], ["Title", "Third message"]]:
    sys.exit("babel changed")
PY
