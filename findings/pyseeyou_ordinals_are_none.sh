#!/usr/bin/env bash
# Guess: a formatter of ICU messages gives what ICU gives, or an error.
# Behaviour: an ordinal, "{n, selectordinal, ...}", is the text "None". The offset of a plural is also subtracted where a number is named
# exactly, so that one guest is "nobody" and the second "you". Doubled and quoting apostrophes stay, and what they quote is replaced.
# The rules of plurals are old: 20 is "many" in Hebrew, which has this form no longer, and a million is not in French.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile pyseeyou==1.0.2 icu4py==1.2.0
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import pyseeyou
from icu4py.messageformat import MessageFormat

print(*(f"{name} {version(name)}" for name in ("pyseeyou", "icu4py")))
ORDINAL = "{n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}} floor"
GUESTS = "{n, plural, offset:1 =0 {nobody} =1 {you} one {you and # other} other {you and # others}}"
FORMS = "{n, plural, one {one} two {two} many {many} other {other}}"
cases = [
    (ORDINAL, "en", 22, "22nd floor", "None floor"),
    (GUESTS, "en", 1, "you", "nobody"),
    (GUESTS, "en", 2, "you and 1 other", "you"),
    (GUESTS, "en", 3, "you and 2 others", "you and 2 others"),
    ("It''s {n}", "en", 5, "It's 5", "It''s 5"),
    ("Write '{n}' for {n}", "en", 5, "Write {n} for 5", "Write '5' for 5"),
    (FORMS, "he", 20, "other", "many"),
    (FORMS, "fr", 1_000_000, "many", "other"),
    (FORMS, "en", 1, "one", "one"),
]
changed = False
for message, language, number, icu, expected in cases:
    seen = MessageFormat(message, language).format({"n": number}), pyseeyou.format(message, {"n": number}, language)
    print(f"{language}, {number} in {message!r}: ICU {seen[0]!r}, pyseeyou {seen[1]!r}")
    changed |= seen != (icu, expected)
if changed:
    sys.exit("pyseeyou or ICU changed")
PY
