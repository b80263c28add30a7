#!/usr/bin/env bash
# Guess: `unit.target = "Neu"` replaces the translation of an XLIFF or TMX unit, and `unit.target` is then "Neu".
# Behaviour: where the old translation has inline elements (<g>, <bpt>), only the text before the first of them is replaced. The rest of
# the old translation stays behind the new one, is saved, and the unit is marked as translated. Setting None first clears it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q translate-toolkit==3.20.4 lxml==6.1.3
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

from translate.storage import tmx, xliff

print({name: version(name) for name in ("translate-toolkit", "lxml")})
XLIFF = b"""<?xml version="1.0" encoding="utf-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file original="a" source-language="en" target-language="de" datatype="plaintext"><body>
<trans-unit id="1"><source>Press <g id="1">OK</g> now</source><target>Erst <g id="1">OK</g> klicken</target></trans-unit>
</body></file></xliff>"""
TMX = b"""<?xml version="1.0" encoding="utf-8"?>
<tmx version="1.4"><header srclang="en" adminlang="en" creationtool="x" creationtoolversion="1" segtype="sentence"
 datatype="plaintext" o-tmf="x"/><body><tu>
<tuv xml:lang="en"><seg>Press <bpt i="1">[</bpt>OK<ept i="1">]</ept> now</seg></tuv>
<tuv xml:lang="de"><seg>Erst <bpt i="1">[</bpt>OK<ept i="1">]</ept> klicken</seg></tuv></tu></body></tmx>"""
seen = {}
for kind, content in ((xliff.xlifffile, XLIFF), (tmx.tmxfile, TMX)):
    file = kind.parsestring(content)
    old = file.units[0].target
    file.units[0].target = "Neu"
    saved = kind.parsestring(bytes(file)).units[0]
    seen[kind.__name__.lower()] = saved.target
    print(f"{kind.__name__}: old {old!r}, set to 'Neu', saved and read again: {saved.target!r}, translated: {saved.istranslated()}")
file = xliff.xlifffile.parsestring(XLIFF)
file.units[0].target = None
file.units[0].target = "Neu"
print("set to None, then to 'Neu':", repr(file.units[0].target))
if seen != {"xliff1file": "NeuOK klicken", "tmxfile": "Neu[OK] klicken"} or file.units[0].target != "Neu":
    sys.exit(f"translate-toolkit changed: {seen}")
PY
