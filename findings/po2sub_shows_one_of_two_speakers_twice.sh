#!/usr/bin/env bash
# Guess: each subtitle gets its own translation from the PO file, which has an entry for each.
# Behaviour: a subtitle is looked for by its times alone, so that of two that are shown at the same time, both get the translation of the first: in
# SRT and in SSA files, "Geht es dir gut?" stands twice, and "Ja." of the second speaker never; so it is with a line of dialogue and a sign in the
# picture. It is the case with a translation that equals the source, too. Subtitles with times of their own are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile translate-toolkit==3.20.4 polib==1.2.0 aeidon==2.0.1 srt==3.5.3
cd "$folder"
PATH=$folder/venv/bin:$PATH
python - <<'PY'
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import polib
import srt

print(*(f"{name} {version(name)}" for name in ("translate-toolkit", "polib", "aeidon", "srt")))
german = {"Are you all right?": "Geht es dir gut?", "Yes.": "Ja.", "Let us go.": "Gehen wir.", "Closed": "Geschlossen"}
times = (("1", "3"), ("1", "3"), ("4", "5"), ("4", "5.5"))
cues = [f"{n + 1}\n00:00:0{float(a):.3f} --> 00:00:0{float(b):.3f}\n{text}\n" for n, ((a, b), text) in enumerate(zip(times, german))]
Path("en.srt").write_text("\n".join(cues).replace(".000", ",000").replace(".500", ",500"), encoding="utf-8")
head = (
    "[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, "
    "Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding\n"
    "Style: Default,Arial,20,&H00FFFFFF,&H0000FFFF,&H00000000,&H00000000,0,0,0,0,100,100,0,0,1,1,0,2,10,10,10,1\n\n"
    "[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
)
lines = [f"Dialogue: 0,0:00:0{float(a):.2f},0:00:0{float(b):.2f},Default,,0,0,0,,{text}\n" for (a, b), text in zip(times, german)]
Path("en.ass").write_text(head + "".join(lines), encoding="utf-8")


def translate(name: str, texts: dict[str, str]) -> str:
    subprocess.run(["sub2po", "--progress=none", f"en.{name}", "en.po"], check=True)
    file = polib.pofile("en.po")
    print(f"{name}: entries {[entry.msgid for entry in file]}")
    for entry in file:
        entry.msgstr = texts[entry.msgid]
    file.save("de.po")
    subprocess.run(["po2sub", "--progress=none", "-t", f"en.{name}", "de.po", f"de.{name}"], check=True)
    return Path(f"de.{name}").read_text(encoding="utf-8")


same = [cue.content for cue in srt.parse(translate("srt", {text: text for text in german}))]
found = [cue.content for cue in srt.parse(translate("srt", german))]
styled = [line.split(",", 9)[9] for line in translate("ass", german).splitlines() if line.startswith("Dialogue")]
print("SRT:", found)
print("SSA:", styled)
print("SRT, each text as its translation:", same)
if found[2:] != ["Gehen wir.", "Geschlossen"] or styled[2:] != ["Gehen wir.", "Geschlossen"]:
    sys.exit("not as expected")
if found[:2] != ["Geht es dir gut?"] * 2 or styled[:2] != ["Geht es dir gut?"] * 2 or same[:2] != ["Are you all right?"] * 2:
    sys.exit("po2sub changed")
PY
