#!/usr/bin/env bash
# Guess: functions of `numpy.strings` and `numpy.char` do with each text of an array what the method of `str` does with it.
# Behaviour: upper, lower, title, capitalize, swapcase and translate give all texts the length of the longest one before. What became longer
# is cut, without a word: "Straße" in upper case is "STRASS", "Müller" with ü written as ue is "Muelle". Beside a longer text in the same
# array, the same words are whole. replace makes room, but cuts a new text that is longer than all of the array. Arrays of StringDType are
# right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys

import numpy as np

print("numpy", np.__version__)
umlauts = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
cases = {
    "upper": ("Straße", ()),
    "title": ("ﬁn", ()),
    "capitalize": ("ŉabc", ()),
    "swapcase": ("Maß", ()),
    "lower": ("İ", ()),
    "translate": ("Müller", (umlauts,)),
}
cut = {}
for module in (np.strings, np.char):
    for name, (text, arguments) in cases.items():
        function = getattr(module, name, None) or getattr(np.char, name)
        expected = getattr(text, name)(*arguments)
        alone = str(function(np.array([text]), *arguments)[0])
        beside = str(function(np.array([text, 3 * text]), *arguments)[0])
        typed = str(function(np.array([text], np.dtypes.StringDType()), *arguments)[0])
        print(f"{module.__name__}.{name} of {text!r}: {alone!r}; beside a longer text {beside!r}; StringDType {typed!r}; str {expected!r}")
        cut[module.__name__, name] = alone == expected[: len(text)] != expected and beside == typed == expected
replaced = [str(np.strings.replace(np.array([text]), old, new)[0]) for text, old, new in (("Müller", "ü", "ue"), ("&", "&", "and"))]
print("replace, 'ü' of 'Müller' by 'ue', '&' by 'and':", replaced)
if not all(cut.values()) or replaced != ["Mueller", "a"]:
    sys.exit(f"numpy changed: {[case for case, is_cut in cut.items() if not is_cut]}")
PY
