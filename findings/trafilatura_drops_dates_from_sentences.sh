#!/usr/bin/env bash
# Guess: the main text of a page has its sentences as a reader sees them: markup inside a sentence goes, its text stays.
# Behaviour: the text of <time>, <math>, <output> and <label> goes, too, also with favor_recall: "opens on <time>5 May</time> in the town"
# becomes "opens on in the town", as if nothing had stood there. <q> cuts the sentence into two lines, without quotation marks;
# 10<sup>-3</sup> becomes 10-3. <abbr>, <data>, <mark> and <var> keep their text.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile trafilatura==2.3.1 lxml==6.1.3 lxml_html_clean==0.4.6
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import trafilatura

print(*(f"{name} {version(name)}" for name in ("trafilatura", "lxml")))
other = "This paragraph stands before and after the sentence, with enough words to be taken for the main text of the page."
start, end = "The shop opens on", "in the town, and closes in the autumn of the year."


def extracted(sentence, **options):
    page = f"<html><body><article><h1>The shop</h1><p>{other}</p><p>{other}</p><p>{sentence}</p><p>{other}</p></article></body></html>"
    lines = (trafilatura.extract(page, **options) or "").splitlines()
    return [line for line in lines if line not in (other, "The shop")]


seen = {"kept": [], "lost": []}
for tag in ("abbr", "data", "mark", "var", "span", "ins", "time", "math", "output", "label"):
    for options in ({}, {"favor_recall": True}):
        lines = [" ".join(line.split()) for line in extracted(f"{start} <{tag}>5 May</{tag}> {end}", **options)]
        kind = {f"{start} 5 May {end}": "kept", f"{start} {end}": "lost"}.get(lines[0] if len(lines) == 1 else None)
        if kind is None:
            sys.exit(f"{tag} gives {lines}")
        seen[kind].append(tag)
print("text that is kept:", *sorted(set(seen["kept"])), "- lost:", *sorted(set(seen["lost"])))
others = {
    "She said <q>yes, I will</q> and went away with him to the sea.": ["She said yes, I will", "and went away with him to the sea."],
    "The error of the method is about 10<sup>-3</sup> of the value.": ["The error of the method is about 10-3 of the value."],
}
for sentence, expected in others.items():
    print(f"{sentence} gives {extracted(sentence)}")
    if extracted(sentence) != expected:
        sys.exit("trafilatura changed")
if sorted(set(seen["lost"])) != ["label", "math", "output", "time"] or set(seen["lost"]) & set(seen["kept"]):
    sys.exit("trafilatura changed")
PY
