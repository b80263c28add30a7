#!/usr/bin/env bash
# Guess: a library that chooses Korean particles by the final sound of a word does so for numbers, too, or says that it cannot.
# Behaviour: everything that does not end in a Hangul or a Latin letter counts as ending in a vowel. After 0, 1, 3, 6, 7 and 8, which end in a
# consonant when they are read, the particle is wrong: “3는” for “3은”, “0로” for “0으로”. So it is after a quotation mark or a bracket: “'책'는”
# for “'책'은”. Latin letters go by their spelling: “Google는”, read 구글, should be “Google은”.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile hgtk==0.2.1 six==1.17.0
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import hgtk

print("hgtk", version("hgtk"))
TOPIC, READ = hgtk.josa.EUN_NEUN, dict(zip("0123456789", "영일이삼사오육칠팔구"))
wrong = []
for digit, word in READ.items():
    written, spoken = (hgtk.josa.attach(text, TOPIC)[-1] for text in (digit, word))
    print(f"{digit}{written}, read {word}{spoken}", "" if written == spoken else "(wrong)")
    wrong += [digit] * (written != spoken)
others = [hgtk.josa.attach(*case) for case in (("책", TOPIC), ("'책'", TOPIC), ("Google", TOPIC), ("구글", TOPIC), ("0", hgtk.josa.EURO_RO))]
print(*others)
if "".join(wrong) != "013678" or others != ["책은", "'책'는", "Google는", "구글은", "0로"]:
    sys.exit("hgtk changed")
PY
