#!/usr/bin/env bash
# Guess: Soundex is one algorithm: names that sound alike in English, such as Smith and Schmidt, or Lloyd and Loyd, have one code.
# Behaviour: jellyfish gives the codes that the National Archives of the United States describe. pyphonetics codes a second letter that sounds like
# the first, which the rule leaves out: Schmidt is S253 instead of S530, Lloyd L430 instead of L300, Pfister P123 instead of P236. phonetics
# does so, too, gives each vowel a 0, and does not stop at four signs. Neither finds Schmidt by Smith, nor Lloyd by Loyd.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile jellyfish==1.3.0 pyphonetics==0.5.3 phonetics==1.0.5
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import jellyfish
import phonetics
from pyphonetics import Soundex

print(*(f"{name} {version(name)}" for name in ("jellyfish", "pyphonetics", "phonetics")))
names = {
    "smith": ("S530", "S530", "s5030"), "schmidt": ("S530", "S253", "s20503"), "loyd": ("L300", "L300", "l030"),
    "lloyd": ("L300", "L430", "l403"), "pfister": ("P236", "P123", "p102306"), "robert": ("R163", "R163", "r01063"),
    "rupert": ("R163", "R163", "r01063"), "jackson": ("J250", "J250", "j0205"),
}
for name, expected in names.items():
    seen = (jellyfish.soundex(name), Soundex().phonetics(name), phonetics.soundex(name))
    print(f"{name}: jellyfish {seen[0]}, pyphonetics {seen[1]}, phonetics {seen[2]}")
    if seen != expected:
        sys.exit("a library changed")
PY
