#!/usr/bin/env bash
# Guess: a Markdown document that is translated by a PO file in which each text is its own translation is the same document.
# Behaviour: of mdpo, each ordered list starts at 1 again, so that steps 5 and 6 are steps 1 and 2; struck text is as any other, so that "The
# shop is ~~not~~ open" becomes "The shop is not open"; "1986\. A great year" loses its backslash and becomes an item of a list, "\__init__"
# its underscores. In mdpo and in the Translate Toolkit, a cell with \| becomes two cells, so that the last cell of the row is lost; in the
# Translate Toolkit, &lt;b&gt; becomes a tag. The documents are compared as markdown-it-py renders them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile mdpo==2.1.4 translate-toolkit==3.20.4 mistletoe==1.6.0 markdown-it-py==4.3.0
cd "$folder"
"$folder/venv/bin/python" - <<'PY'
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import polib
from markdown_it import MarkdownIt
from mdpo import markdown_to_pofile, pofile_to_markdown

print(*(f"{name} {version(name)}" for name in ("mdpo", "translate-toolkit", "mistletoe", "markdown-it-py")))
renderer = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def with_itself(catalogue):
    for entry in catalogue:
        entry.msgstr = entry.msgid
    catalogue.save("text.po")


def by_mdpo(text):
    with_itself(markdown_to_pofile("text.md"))
    return pofile_to_markdown("text.md", ["text.po"])


def by_translate_toolkit(text):
    quiet = {"check": True, "stdout": subprocess.DEVNULL}
    subprocess.run([sys.executable, "-m", "translate.convert.md2po", "--progress=none", "text.md", "made.po"], **quiet)
    with_itself(polib.pofile("made.po"))
    subprocess.run([sys.executable, "-m", "translate.convert.po2md", "--progress=none", "-t", "text.md", "text.po", "translated.md"], **quiet)
    return Path("translated.md").read_text()


documents = {
    "list": "5. Fifth step.\n6. Sixth step.\n",
    "struck": "The shop is ~~not~~ open.\n",
    "year": "1986\\. A great year.\n",
    "name": "Call \\__init__ first.\n",
    "cell": "| a | b |\n| --- | --- |\n| 2 \\| 3 | 1 |\n",
    "tag": "Write &lt;b&gt; here.\n",
    "bold": "The shop is **not** open.\n",
}
changed = {}
for tool in (by_mdpo, by_translate_toolkit):
    for name, text in documents.items():
        Path("text.md").write_text(text)
        translated = tool(text)
        same = renderer.render(text) == renderer.render(translated)
        print(f"{tool.__name__}: {text!r} becomes {translated!r}: {'same' if same else 'other'} document")
        if not same:
            changed.setdefault(tool, []).append(name)
if changed != {by_mdpo: ["list", "struck", "year", "name", "cell"], by_translate_toolkit: ["cell", "tag"]}:
    sys.exit("mdpo or translate-toolkit changed")
PY
