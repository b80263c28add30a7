#!/usr/bin/env bash
# Guess: of an entry of a TBX termbase with several terms, a reader returns all of them, or the one that is marked as preferred.
# Behaviour: the target is the first term, here the one that is marked as deprecated. The preferred term is in no unit and no note, and the
# status is not seen: the unit counts as translated and not as obsolete. tbx2po writes the deprecated term as the only translation.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile translate-toolkit==3.20.4 lxml==6.1.3
cd "$folder"
cat > terms.tbx <<'TBX'
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
<martif type="TBX" xml:lang="en"><martifHeader><fileDesc><sourceDesc><p>Terms of vehicles</p></sourceDesc></fileDesc></martifHeader>
<text><body><termEntry id="1">
<langSet xml:lang="en"><tig><term>car</term></tig></langSet>
<langSet xml:lang="de">
<tig><term>Kraftwagen</term><termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></tig>
<tig><term>Auto</term><termNote type="administrativeStatus">preferredTerm-admn-sts</termNote></tig>
</langSet></termEntry></body></text></martif>
TBX
"$folder/venv/bin/python" - <<'PY'
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from translate.storage import tbx

print("translate-toolkit", version("translate-toolkit"))
(unit,) = tbx.tbxfile.parsefile("terms.tbx").units
seen = [unit.source, str(unit.target), unit.getnotes(), unit.istranslated(), unit.isobsolete()]
print(f"source {seen[0]!r}, target {seen[1]!r}, notes {seen[2]!r}, translated {seen[3]}, obsolete {seen[4]}")
tbx2po = Path(sys.executable).with_name("tbx2po")
subprocess.run([tbx2po, "--progress=none", "-l", "de", "terms.tbx", "terms.po"], check=True)
lines = Path("terms.po").read_text(encoding="utf-8").splitlines()
written = [line for line in lines if "Auto" in line or "Kraftwagen" in line or "deprecated" in line]
print("tbx2po writes", written)
if seen != ["car", "Kraftwagen", "", True, False] or written != ['msgstr "Kraftwagen"']:
    sys.exit("translate-toolkit changed")
PY
