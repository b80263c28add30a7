#!/usr/bin/env bash
# Guess: what `to_latin` writes, `to_cyrillic` reads: both have one table for a language.
# Behaviour: of Ukrainian, "lj" and "nj" before a vowel stay Latin, as in людина (person), which comes back as "ljудина", and words with an
# apostrophe come back with a soft sign. Of Russian, й and ж, сх and ш share letters: район (district) is "rajon" and comes back as ражон, сходить
# (to go) as шодить. Of Serbian in capitals, ЉУБАВ (love) is "LjUBAV", and LJUBAV, as everyone writes it, is ЛЈУБАВ, with two letters for one.
# None of the results is a word. Serbian in small letters is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile cyrtranslit==1.2.0
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

from cyrtranslit import to_cyrillic, to_latin

print("cyrtranslit", version("cyrtranslit"))
words = {
    "ua": {"людина": "ljудина", "знання": "знанnjа", "м'яч": "мьяч", "об'єкт": "обьєкт", "осінь": "осінь"},
    "ru": {"район": "ражон", "йод": "жод", "схема": "шема", "сходить": "шодить", "жизнь": "жизнь"},
    "rs": {"љубав": "љубав", "Његош": "Његош"},
}
for language, table in words.items():
    for word, expected in table.items():
        latin = to_latin(word, language)
        back = to_cyrillic(latin, language)
        print(f"{language}: {word}, {latin}, {back}", "" if back == word else "(wrong)")
        if back != expected:
            sys.exit("cyrtranslit changed")
capitals = [to_latin("ЉУБАВ", "rs"), *(to_cyrillic(word, "rs") for word in ("LJUBAV", "NJEGOŠ", "DŽEP"))]
print("capitals:", *capitals)
if capitals != ["LjUBAV", "ЛЈУБАВ", "НЈЕГОШ", "ДЖЕП"]:
    sys.exit("cyrtranslit changed")
PY
