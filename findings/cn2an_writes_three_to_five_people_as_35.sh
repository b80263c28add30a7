#!/usr/bin/env bash
# Guess: `cn2an.transform` writes the numbers of a Chinese sentence in other digits, and the sentence says what it said before.
# Behaviour: 三五个人 (three to five people) becomes 35个人, and 十点零五分 (five past ten) 10.05分, which is 10.05 minutes. The measure 两 is read
# as two: 八两 (400 g) is 82, 三两 32. Words lose their first syllable: 一起 (together) is "1起". The other way, 1,000元 is 一,零元 (one, zero
# yuan), and 2026-05-10 is 2026 minus 5 minus 10.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile cn2an==0.5.24
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import cn2an

print("cn2an", version("cn2an"))
expected = {
    "cn2an": {
        "一百零五个人": "105个人", "三五个人": "35个人", "十点零五分": "10.05分", "八两": "82", "三两": "32", "一起去": "1起去", "三点五公里": "3.5公里",
    },
    "an2cn": {"-5度": "负五度", "1,000元": "一,零元", "2026-05-10": "二千零二十六负五负十", "3.05公里": "三点零五公里"},
}
for method, texts in expected.items():
    for text, result in texts.items():
        seen = cn2an.transform(text, method)
        print(f"{method}: {text} → {seen}")
        if seen != result:
            sys.exit("cn2an changed")
PY
