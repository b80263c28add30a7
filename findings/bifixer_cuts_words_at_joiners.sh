#!/usr/bin/env bash
# Guess: normalising spaces and punctuation of a parallel corpus leaves words whole, in every language that the corpus has.
# Behaviour: the zero-width joiner and non-joiner, which are letters of the orthography in Persian, Sinhala, Malayalam and others, become
# spaces: Persian "I want" becomes two words, the letters of "Sri" in Sri Lanka are torn apart. The sign that Persian and Arabic write for
# Allah is deleted, as all characters from U+E000 to U+FFFF that compatibility does not replace. With --ignore_normalization, words stay.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile bifixer==0.8.12 nltk==3.10.4 ftfy==6.3.1
cd "$folder"
"$folder/venv/bin/python" - <<'PY'
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

print(*(f"{name} {version(name)}" for name in ("bifixer", "ftfy")))
texts = {  # English, the other language, what bifixer makes of it
    "fa": ("I want to go.", "می\u200cخواهم بروم.", "می خواهم بروم."),
    "si": ("Sri Lanka", "ශ්\u200dරී ලංකාව", "ශ් රී ලංකාව"),
    "ml": ("He came.", "അവന്\u200d വന്നു.", "അവന് വന്നു."),
    "ar": ("Praise be to Allah.", "الحمد \ufdf2.", "الحمد."),
}
seen = {}
for language, (english, text, _) in texts.items():
    Path("pairs.tsv").write_text(f"a\tb\t{english}\t{text}\n", encoding="utf-8")
    for option in ("--quiet", "--ignore_normalization"):
        command = [Path(sys.executable).with_name("bifixer"), "pairs.tsv", "fixed.tsv", "en", language, option]
        subprocess.run([*command, "--ignore_segmentation", "--ignore_duplicates"], check=True, stderr=subprocess.DEVNULL)
        seen[language, option] = Path("fixed.tsv").read_text(encoding="utf-8").rstrip("\n").split("\t")[3]
    fixed, kept = seen[language, "--quiet"], seen[language, "--ignore_normalization"]
    print(f"{language}: {ascii(text)}, {len(text.split())} words -> {ascii(fixed)}, {len(fixed.split())} words; without {ascii(kept)}")
if any(seen[language, "--quiet"] != fixed for language, (_, _, fixed) in texts.items()):
    sys.exit("bifixer changed")
if any(seen[language, "--ignore_normalization"] != texts[language][1] for language in ("fa", "si", "ml", "ar")):
    sys.exit("--ignore_normalization changes the text")
PY
