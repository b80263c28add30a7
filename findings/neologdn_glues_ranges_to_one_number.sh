#!/usr/bin/env bash
# Guess: a normaliser of Japanese text unifies widths, dashes and spaces; numbers keep their values.
# Behaviour: the wave dash, which Japanese writes between the ends of a range, is deleted in all of its forms, also the ASCII tilde:
# "10〜20人" (10 to 20 people) becomes "1020人" (1,020 people), a child of 3 to 5 years one of 35. The English side keeps its range. With
# tilde="normalize" or tilde="ignore", the sign stays.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile neologdn==0.5.6
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import neologdn

print("neologdn", version("neologdn"))
texts = {
    "10〜20人が来た。": "1020人が来た。",  # U+301C
    "3～5歳の子供": "35歳の子供",  # U+FF5E
    "2024~2026年": "20242026年",
    "東京〜大阪": "東京大阪",
}
seen = {text: neologdn.normalize(text) for text in texts}
kept = {(text, tilde): neologdn.normalize(text, tilde=tilde) for text in texts for tilde in ("ignore", "normalize")}
for text, normalised in seen.items():
    print(f"{text} -> {normalised}; ignore: {kept[text, 'ignore']}, normalize: {kept[text, 'normalize']}")
if seen != texts or any(len(result) != len(text) for (text, _), result in kept.items()):
    sys.exit("neologdn changed")
PY
