#!/usr/bin/env bash
# Guess: a PO file whose header has the language German is filled from a translation memory with the German texts of the memory.
# Behaviour: of a memory in TMX with several languages, the text that comes first beside the source is taken, whatever its language: where French
# stands before German, "Close the door." is translated as "Fermez la porte.", and as the source is the same, it is no fuzzy translation, but a
# final one. So it is with pot2po and with pretranslate, both without a warning; there is no option for the language. Where German stands first,
# the German text is taken.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile translate-toolkit==3.20.4 polib==1.2.0 rapidfuzz==3.14.6
cd "$folder"
PATH=$folder/venv/bin:$PATH
python - <<'PY'
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import polib

print(*(f"{name} {version(name)}" for name in ("translate-toolkit", "polib", "rapidfuzz")))
units = [
    {"en": "Close the door.", "fr": "Fermez la porte.", "de": "Schließen Sie die Tür."},
    {"en": "The window is open.", "de": "Das Fenster ist offen.", "fr": "La fenêtre est ouverte."},
]
body = "".join("<tu>" + "".join(f'<tuv xml:lang="{name}"><seg>{text}</seg></tuv>' for name, text in unit.items()) + "</tu>" for unit in units)
Path("memory.tmx").write_text(
    '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4"><header creationtool="hand" creationtoolversion="1" segtype="sentence" o-tmf="none" '
    f'adminlang="en" srclang="en" datatype="plaintext"/><body>{body}</body></tmx>\n',
    encoding="utf-8",
)
for name, texts in (("old.po", {"Hello": "Hallo"}), ("new.pot", {unit["en"]: "" for unit in units})):
    file = polib.POFile()
    file.metadata = {"Language": "de", "Content-Type": "text/plain; charset=UTF-8", "Plural-Forms": "nplurals=2; plural=(n != 1);"}
    for source, target in texts.items():
        file.append(polib.POEntry(msgid=source, msgstr=target))
    file.save(name)
Path("new.po").write_text(Path("new.pot").read_text(encoding="utf-8"), encoding="utf-8")
found = {}
for program, source in (("pot2po", "new.pot"), ("pretranslate", "new.po")):
    options = ["--progress=none", "--tm=memory.tmx", "-t", "old.po", source, f"{program}.po"]
    done = subprocess.run([program, *options], check=True, capture_output=True, text=True)
    file = polib.pofile(f"{program}.po")
    found[program] = [(entry.msgid, entry.msgstr, entry.flags) for entry in file if not entry.obsolete]
    print(f"{program}, language {file.metadata['Language']}: {found[program]}; said: {(done.stdout + done.stderr).strip()!r}")
    if found[program][1] != ("The window is open.", "Das Fenster ist offen.", []):
        sys.exit("not as expected")
    if found[program][0] != ("Close the door.", "Fermez la porte.", []) or done.stdout + done.stderr:
        sys.exit(f"{program} changed")
PY
