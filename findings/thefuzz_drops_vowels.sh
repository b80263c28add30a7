#!/usr/bin/env bash
# Guess: fuzzy matching ignores case and punctuation at most, and 100 means that two texts have the same letters.
# Behaviour: the default scorers of `process` first delete the characters from U+0080 to U+00FF, which are the accented letters of Western
# Europe and no others ("force_ascii" deletes no Cyrillic and no Polish letter), then all marks, which are the vowels of Hindi, Bengali, Khmer
# and others. "gefällt" (pleases) and "gefüllt" (filled), "दिन" (day) and "दान" (gift) match by 100, and the first of both is the best match
# of a text that stands behind it in the same list. Of RapidFuzz, `utils.default_process` deletes the marks, not the letters.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile thefuzz==0.22.1 rapidfuzz==3.14.6
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import rapidfuzz
from thefuzz import fuzz, process

print(*(f"{name} {version(name)}" for name in ("thefuzz", "rapidfuzz")))
pairs = {
    "German": ("Das gefüllt mir", "Das gefällt mir"),
    "French": ("il aime pêcher", "il aime pécher"),
    "Spanish": ("cinco anos", "cinco años"),
    "Hindi": ("मुझे दान चाहिए", "मुझे दिन चाहिए"),
    "Bengali": ("দান", "দিন"),
    "Khmer": ("កា", "កី"),
    "Polish": ("laska", "łaska"),
    "Russian": ("кот", "кит"),
}
seen = {}
for language, (one, other) in pairs.items():
    best = process.extractOne(other, [one, other])
    default = rapidfuzz.fuzz.ratio(one, other, processor=rapidfuzz.utils.default_process)
    seen[language] = (best, default == 100)
    print(f"{language}: best match of {other!r} in {[one, other]}: {best};", end=" ")
    print(f"fuzz.WRatio {fuzz.WRatio(one, other)}, fuzz.ratio {fuzz.ratio(one, other)}; RapidFuzz with default_process {default:.0f}")
for language, (best, _) in seen.items():
    if (best[0] == pairs[language][0] and best[1] == 100) != (language in ("German", "French", "Hindi", "Bengali", "Khmer")):
        sys.exit(f"thefuzz changed in {language}")
if [language for language in seen if seen[language][1]] != ["Hindi", "Bengali", "Khmer"]:
    sys.exit("rapidfuzz changed")
PY
