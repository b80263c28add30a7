#!/usr/bin/env bash
# Guess: the reading of a Japanese text has the text's numbers, and what has no reading stays or is left out.
# Behaviour: a unit that is one character (㎞, ㎏, ㎜, ㎡) repeats what precedes it: 5㎞ (5 km) is 55, 20㎜の雨 (20 mm of rain) 2020noame.
# So does a kanji beyond U+FFFF or one that the dictionary lacks: 子供を𠮟る (to scold a child) is kodomowoworu; the name 髙橋 vanishes with the
# next character. A minus behind kana is taken for a long vowel: 気温は−5℃ (it is -5 °C) is kionhaa5℃.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile pykakasi==2.3.0
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import pykakasi

print("pykakasi", version("pykakasi"))
readings = {
    "5㎞走る": "55hashiru",
    "体重は10㎏です": "taijuuha1010desu",
    "20㎜の雨": "2020noame",
    "面積は10㎡": "mensekiha1010",
    "10km走る": "10kmhashiru",
    "20℃": "20℃",
    "子供を𠮟る": "kodomowoworu",
    "山﨑さん": "yamayamasan",
    "私は髙橋です。": "watashihadesu.",
    "私は高橋です。": "watashihatakahashidesu.",
    "気温は−5℃": "kionhaa5℃",
}
converter = pykakasi.kakasi()
changed = False
for text, expected in readings.items():
    items = converter.convert(text)
    reading = "".join(item["hepburn"] for item in items)
    print(f"{text}: {reading}, of the parts {[item['orig'] for item in items]}")
    changed |= reading != expected
if changed:
    sys.exit("pykakasi changed")
PY
