#!/usr/bin/env bash
# Guess: Korean words in Chinese characters get their Korean readings.
# Behaviour: 率, "rate", is always read 솔 (to lead) instead of 률 or 율: 百分率 (percentage) is 백분솔, 失敗率 (rate of failures) 실패솔. The
# rule for r at the beginning of words is there (理論 is 이론), but not its exception for 率, and the rule of 不 before d and j is
# missing: 不動産 (real estate) is 불동산, 不正 (injustice) 불정. June and October (六月, 十月) are 육월 and 십월, which are no words.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile hanja==0.15.1
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import hanja

print("hanja", version("hanja"))
right = {"理論": "이론", "大韓民國": "대한민국", "百分率": "백분율", "失敗率": "실패율", "確率": "확률", "不動産": "부동산", "不正": "부정", "六月": "유월", "十月": "시월"}
seen = {word: hanja.translate(word, "substitution") for word in right}
for word, reading in seen.items():
    print(word, reading, "right" if reading == right[word] else f"instead of {right[word]}")
if seen["理論"] != "이론" or seen["大韓民國"] != "대한민국":
    sys.exit("not as expected")
if list(seen.values())[2:] != ["백분솔", "실패솔", "확솔", "불동산", "불정", "육월", "십월"]:
    sys.exit("hanja changed")
PY
