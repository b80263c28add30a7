#!/usr/bin/env bash
# Guess: the small letters of a word become small Cyrillic letters, and a text that a library writes in Latin letters is read by it again.
# Behaviour: each apostrophe becomes a capital soft sign, also between small letters: "zhizn'" (life) is жизнЬ, "mal'chik" мальчик with a capital in
# its midst, and also the hard sign and the apostrophe of Ukrainian become one: об'єкт in Latin letters and back has it. The sign of capitals is
# lost, too: ЩИ in Latin letters is "SchI". So no word with a soft sign is found in a Russian vocabulary.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile transliterate==1.10.2
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

from transliterate import translit

print("transliterate", version("transliterate"))
seen = {}
for language, text in (("ru", "жизнь"), ("ru", "мальчик"), ("ru", "объект"), ("ru", "ЩИ"), ("ru", "молоко"), ("uk", "сьогодні"), ("uk", "об'єкт")):
    latin = translit(text, language, reversed=True)
    seen[text] = latin, translit(latin, language)
    print(language, text, "=>", latin, "=>", seen[text][1])
if seen["молоко"] != ("moloko", "молоко"):
    sys.exit("not as expected")
if seen["жизнь"] != ("zhizn'", "жизнЬ") or seen["мальчик"][1] != "малЬчик" or seen["объект"][1] != "обЬект" or seen["ЩИ"][0] != "SchI":
    sys.exit("transliterate changed")
if seen["сьогодні"][1] != "сЬогодні":
    sys.exit("transliterate changed")
PY
