#!/usr/bin/env bash
# Guess: a splitter of web pages cuts between blocks, and leaves the words of a sentence where they stand.
# Behaviour: `HTMLHeaderTextSplitter` writes the text that stands directly in a paragraph first, and what is in bold, in a link or in a <span>
# behind it; `HTMLSemanticPreservingSplitter` writes that before it. "Do <b>not</b> mix A with <b>B</b>" is "Do mix A with . not B", and of two
# prices, nobody can tell which is whose. Known for the latter: https://github.com/langchain-ai/langchain/issues/38404
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile langchain-text-splitters==1.1.3 beautifulsoup4==4.15.0
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

from langchain_text_splitters import HTMLHeaderTextSplitter, HTMLSemanticPreservingSplitter

print("langchain-text-splitters", version("langchain-text-splitters"))
paragraphs = [
    "Do not mix.",
    "Do <b>not</b> mix A with <b>B</b>.",
    "The red one costs <b>5</b> and the blue one <b>10</b> euros.",
    'He moved from <a href="b">Berlin</a> to <a href="p">Paris</a>.',
]
headers = [("h1", "title")]
seen = {}
for splitter in (HTMLHeaderTextSplitter(headers), HTMLSemanticPreservingSplitter(headers)):
    name = type(splitter).__name__
    print(name)
    for paragraph in paragraphs:
        page = f"<html><body><h1>Title</h1><p>{paragraph}</p></body></html>"
        text = " ".join(splitter.split_text(page)[-1].page_content.split())
        seen[name, paragraph] = text
        print("   ", repr(paragraph), "is", repr(text))
after = [seen["HTMLHeaderTextSplitter", paragraph] for paragraph in paragraphs]
before = [seen["HTMLSemanticPreservingSplitter", paragraph] for paragraph in paragraphs]
if after != ["Do not mix.", "Do mix A with . not B", "The red one costs and the blue one euros. 5 10", "He moved from to . Berlin Paris"]:
    sys.exit("HTMLHeaderTextSplitter changed")
if before[0] != "Do not mix." or before[1].split()[:2] == ["Do", "not"] or "costs 5" in before[2] or "from Berlin" in before[3]:
    sys.exit("HTMLSemanticPreservingSplitter changed")
PY
