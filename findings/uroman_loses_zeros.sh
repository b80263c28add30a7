#!/usr/bin/env bash
# Guess: romanised text has the same numbers as the text that it stands for, and different numbers stay different.
# Behaviour: between the digits of a number in Chinese characters, zeros vanish, and the rest is separated by dots: 二〇二六年 (the year 2026)
# becomes 2·2·6nian, 二〇〇八 (2008) becomes 2·8, and both 三点零五 (3.05) and 三点五 (3.5) are 3dian5. 一百零五 (105) is right.
# The Arabic decimal mark and the Arabic mark of thousands are both commas: ١٫٢٣٤ (1.234) and ١٬٢٣٤ (1,234) are 1,234.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile uroman==1.3.1.1
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import uroman

print("uroman", version("uroman"))
numbers = [
    ("zho", "二〇二六年", "the year 2026", "2·2·6nian"),
    ("zho", "二〇〇八", "2008", "2·8"),
    ("zho", "三〇〇〇", "3000", "3·0"),
    ("zho", "一〇五", "1, 0, 5", "1·5"),
    ("zho", "一五", "1, 5", "1·5"),
    ("zho", "三点零五", "3.05", "3dian5"),
    ("zho", "三点五", "3.5", "3dian5"),
    ("jpn", "二〇二六年", "the year 2026", "2·2·6nian"),
    ("zho", "一百零五", "105", "105"),
    ("ara", "١٫٢٣٤", "1.234", "1,234"),
    ("ara", "١٬٢٣٤", "1,234", "1,234"),
    ("fas", "۱٫۲۳۴", "1.234", "1,234"),
]
romanizer = uroman.Uroman()
changed = False
for language, text, meaning, expected in numbers:
    romanized = romanizer.romanize_string(text, lcode=language)
    print(f"{language}: {text} ({meaning}) becomes {romanized}")
    changed |= romanized != expected
if changed:
    sys.exit("uroman changed")
PY
