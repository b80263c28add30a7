#!/usr/bin/env bash
# Guess: polib reads from a text what it wrote as a text: polib.pofile(str(catalogue)) equals the catalogue, as it does through a file.
# Behaviour: a text is cut at every line boundary of Unicode (U+2028, U+0085), a file only at line feeds. A translation with such characters,
# which polib itself put at the ends of its lines, comes back without the last character of each part: "first second third" as "firssecon third".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q polib==1.2.0
cd "$folder"
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version

import polib

print("polib", version("polib"))
seen = {}
for name, character in (("U+2028", "\u2028"), ("U+0085", "\x85"), ("U+00A0", "\xa0")):
    translation = f"first{character}second{character}third"
    catalogue = polib.POFile()
    catalogue.metadata = {"Content-Type": "text/plain; charset=UTF-8"}
    catalogue.append(polib.POEntry(msgid="id", msgstr=translation))
    catalogue.save("catalogue.po")
    from_file = polib.pofile("catalogue.po")[0].msgstr
    from_text = polib.pofile(str(catalogue))[0].msgstr
    seen[name] = (from_file == translation, from_text)
    print(f"{name}: written {ascii(translation)}, read from the file {ascii(from_file)}, from the text {ascii(from_text)}")
if not all(same for same, _ in seen.values()) or seen["U+00A0"][1] != "first\xa0second\xa0third":
    sys.exit("files or no-break spaces changed")
if seen["U+2028"][1] != "firsseconthird" or seen["U+0085"][1] != "firsseconthird":
    sys.exit(f"polib changed: {seen}")
PY
