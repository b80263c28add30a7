#!/usr/bin/env bash
# Guess: a list of stop words holds words, as they stand in a text.
# Behaviour: all 193 Hebrew entries stand in quotes, most with a comma ('"אבל",'), so that none is ever found: "but", "he" and "not" count as
# content. The Slovak "a" ("and") begins with a byte order mark, and is not found either; the Turkish list has "INSERmi" instead of "mi". In
# stopwordsiso, 67 Greek entries have the sign of a difference, U+2206, instead of a delta.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile stop-words==2025.11.4 stopwordsiso==0.7.1
"$folder/venv/bin/python" - <<'PY'
import importlib.metadata
import sys

import stop_words
import stopwordsiso

print({name: importlib.metadata.version(name) for name in ("stop-words", "stopwordsiso")})
hebrew = set(stop_words.get_stop_words("hebrew"))
quoted = [word for word in hebrew if word.startswith('"') and word.rstrip(",").endswith('"')]
sentence = "אבל הוא לא כאן"  # but he is not here
kept = [word for word in sentence.split() if word not in hebrew]
print(f"Hebrew: {len(quoted)} of {len(hebrew)} entries have quotes, such as {sorted(quoted)[0]}")
print(f"  content words of {sentence!r}: {len(kept)} of 4; without quotes and commas: ", end="")
cleaned = {word.strip('",') for word in hebrew}
left = [word for word in sentence.split() if word not in cleaned]
print(f"{len(left)} of 4")
broken = {language: set(stop_words.get_stop_words(language)) for language in ("slovak", "turkish")}
found = {"slovak": "\ufeffa" in broken["slovak"], "turkish": "INSERmi" in broken["turkish"]}
missing = {"slovak": "a" not in broken["slovak"], "turkish": "mi" not in broken["turkish"]}
print("a broken entry:", found, "its word is missing:", missing)
greek = stopwordsiso.stopwords("el")
signs = [word for word in greek if "\u2206" in word]
absent = [word for word in signs if word.replace("\u2206", "δ") not in greek]
print(f"Greek: {len(signs)} of {len(greek)} entries have U+2206 for a delta; the words of {len(absent)} are in no other entry")
if len(quoted) != len(hebrew) or len(kept) != 4 or left:
    sys.exit("the Hebrew list changed")
if not all(found.values()) or not all(missing.values()) or (len(signs), len(absent)) != (67, 63):
    sys.exit("the other lists changed")
PY
