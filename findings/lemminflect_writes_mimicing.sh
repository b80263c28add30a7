#!/usr/bin/env bash
# Guess: the first form that a library of English inflection gives is the usual one, and the lemma of a name is the name.
# Behaviour: the participle of mimic is "mimicing", that of lie "lied" without "lain", the past of overwrite first "over-wrote", of broadcast
# "broadcasted", the comparative of free "freeer", the plural of aircraft first "aircrafts": all of them are in the table of words. By the rules for
# other words, the plural of CPU or URL has a capital S, that of PhD is "Phds", and proper nouns with an s lose it: the lemma of Mars is "Mar", of
# Windows "Window", of AWS "AW", of iOS "io".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile lemminflect==0.2.3 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

from lemminflect import getInflection, getLemma

print("lemminflect", version("lemminflect"))
if getInflection("picnic", "VBG") != ("picnicking",) or getInflection("see", "VBD") != ("saw",) or getLemma("Athens", "PROPN") != ("Athens",):
    sys.exit("not as expected")
table = (
    ("mimic", "VBG", ("mimicing",), "mimicking"),
    ("lie", "VBN", ("lied",), "lain, lied"),
    ("overwrite", "VBD", ("over-wrote", "overwrote"), "overwrote"),
    ("broadcast", "VBD", ("broadcasted",), "broadcast"),
    ("free", "JJR", ("freeer",), "freer"),
    ("aircraft", "NNS", ("aircrafts", "aircraft"), "aircraft"),
)
rules = (("CPU", "NNS", ("CPUS",), "CPUs"), ("URL", "NNS", ("URLS",), "URLs"), ("PhD", "NNS", ("Phds",), "PhDs"))
for words, in_table in ((table, True), (rules, False)):
    for word, tag, expected, right in words:
        seen = getInflection(word, tag)
        print(f"{word}, {tag}: {', '.join(seen)} (right: {right})")
        if bool(getInflection(word, tag, inflect_oov=False)) != in_table or seen != expected:
            sys.exit("lemminflect changed")
for name, expected in {"Mars": "Mar", "Windows": "Window", "AWS": "AW", "iOS": "io", "Keras": "Kera"}.items():
    seen = getLemma(name, "PROPN")
    print(f"lemma of {name}: {', '.join(seen)}")
    if seen != (expected,):
        sys.exit("lemminflect changed")
PY
