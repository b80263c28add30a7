#!/usr/bin/env bash
# Guess: emphasis becomes asterisks, and the letters and spaces of a sentence stay.
# Behaviour: a space inside of an emphasised part, where editors often put it, vanishes: "der<b> rote </b>Ball" is "der**rote** Ball", shown as
# "derrote Ball", and 10<b> 20</b> is 1020. Behind an emphasised part of a word, there is a new space: "un_glaub_lich" is three words, H2O two,
# 100 with a bold zero is "10 0". `ignore_emphasis` keeps both right. <code> and links are right. The new space is known:
# https://github.com/Alir3z4/html2text/issues/413
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile html2text==2025.4.15 markdown-it-py==4.3.0
"$folder/venv/bin/python" - <<'PY'
import re
import sys
from importlib.metadata import version

import html2text
from markdown_it import MarkdownIt

print("html2text", version("html2text"))
shown = MarkdownIt("commonmark")
expected = {
    "Der <b>rote</b> Ball": "Der rote Ball",
    "Der<b> rote </b>Ball": "Derrote Ball",
    "10<b> 20</b>": "1020",
    "un<i>glaub</i>lich": "un glaub lich",
    "H<b>2</b>O": "H2 O",
    "1<b>0</b>0": "10 0",
    "x<code>y</code>z": "xyz",
}
plain = html2text.HTML2Text()
plain.ignore_emphasis = True
for html, text in expected.items():
    markdown = html2text.html2text(f"<p>{html}</p>").strip()
    seen = re.sub("<[^>]*>", "", shown.render(markdown)).strip()
    print(f"{html!r} is {markdown!r}, shown as {seen!r}")
    if seen != text:
        sys.exit("html2text changed")
    if "code" not in html and plain.handle(f"<p>{html}</p>").strip() != re.sub("<[^>]*>", "", html):
        sys.exit("html2text changed")
PY
