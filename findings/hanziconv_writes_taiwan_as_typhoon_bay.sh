#!/usr/bin/env bash
# Guess: converters of simplified to traditional Chinese write common words as they are written in Taiwan or Hong Kong.
# Behaviour: hanziconv takes the first traditional character for each, whatever its neighbours are: 台湾 (Taiwan) has the sign of a typhoon, 表面
# (surface) is a clock and flour, 公里 (km) is inside, 皇后 (empress) has "behind", and back from traditional, the emperor 乾隆 is 干隆. zhconv
# knows words, but not that 公里 and 漏斗 (funnel) keep their characters. OpenCC writes all of these right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile hanziconv==0.3.2 zhconv==1.4.3 opencc-python-reimplemented==0.1.7
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import opencc
import zhconv
from hanziconv import HanziConv

print(*(f"{name} {version(name)}" for name in ("hanziconv", "zhconv", "opencc-python-reimplemented")))
words = {
    "头发": ("頭發", "頭髮", "頭髮"),
    "台湾": ("颱灣", "臺灣", "臺灣"),
    "表面": ("錶麵", "表面", "表面"),
    "系统": ("係統", "系統", "系統"),
    "皇后": ("皇後", "皇后", "皇后"),
    "公里": ("公裏", "公裡", "公里"),
    "漏斗": ("漏鬥", "漏鬥", "漏斗"),
    "征服": ("徵服", "徵服", "征服"),
}
converter = opencc.OpenCC("s2t")
for word, expected in words.items():
    seen = (HanziConv.toTraditional(word), zhconv.convert(word, "zh-tw"), converter.convert(word))
    print(f"{word}: hanziconv {seen[0]}, zhconv {seen[1]}, OpenCC {seen[2]}")
    if seen != expected:
        sys.exit("a converter changed")
for word, expected in (("乾隆", ("干隆", "乾隆")), ("著名", ("着名", "著名"))):
    seen = (HanziConv.toSimplified(word), zhconv.convert(word, "zh-cn"))
    print(f"back, {word}: hanziconv {seen[0]}, zhconv {seen[1]}")
    if seen != expected:
        sys.exit("a converter changed")
PY
