#!/usr/bin/env bash
# Guess: Pinyin that the library writes in Zhuyin comes back from Zhuyin as it was.
# Behaviour: the syllable "er", that of 二 (two), 儿 (child), 耳 (ear) and 而 (but), comes back as "r" with the number of its tone: 二十 (twenty),
# "èr shí", is "r4 shí", and ㄦˋ sounds as [ɻ] in IPA, while "èr" is [ɑɻ]. With numbers for tones, it is "r4" instead of "er4". Of all syllables of the
# table of pypinyin, ten come back as others, nearly all of which are rare but "er".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile dragonmapper==0.3.0 pypinyin==0.55.0
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

from dragonmapper import hanzi, transcriptions
from pypinyin.pinyin_dict import pinyin_dict

print(*(f"{name} {version(name)}" for name in ("dragonmapper", "pypinyin")))
others = []
for syllable in sorted({each for line in pinyin_dict.values() for each in line.split(",")}):
    try:
        zhuyin = transcriptions.pinyin_to_zhuyin(syllable)
        back = transcriptions.zhuyin_to_pinyin(zhuyin)
    except ValueError:  # not a syllable to the library
        continue
    if back != syllable:
        others.append(syllable)
        print(f"{syllable}, in Zhuyin {zhuyin}, comes back as {back}")
for words in ("二十", "耳朵", "三十"):
    zhuyin = hanzi.to_zhuyin(words)
    print(f"{words}: {hanzi.to_pinyin(words)}, {zhuyin}, back {transcriptions.zhuyin_to_pinyin(zhuyin)}")
sounds = transcriptions.zhuyin_to_ipa("ㄦˋ"), transcriptions.pinyin_to_ipa("èr")
numbers = transcriptions.zhuyin_to_pinyin("ㄦˋ", accented=False), transcriptions.accented_to_numbered("èr")
print("ㄦˋ and èr in IPA:", *sounds, "with a number:", *numbers)
if transcriptions.zhuyin_to_pinyin("ㄙㄢ ㄕˊ") != "sān shí":
    sys.exit("not as expected")
if transcriptions.zhuyin_to_pinyin("ㄦˋ ㄕˊ") != "r4 shí" or sounds != ("ɻ˥˩", "ɑɻ˥˩") or numbers != ("r4", "er4") or not {"èr", "ér", "ěr"} <= set(others):
    sys.exit("dragonmapper changed")
PY
