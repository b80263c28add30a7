#!/usr/bin/env bash
# Guess: a splitter of Markdown at its headings leaves the text between them as it is, or strips spaces at the ends of lines.
# Behaviour: `MarkdownHeaderTextSplitter` deletes what Python does not count as printable, which are all spaces but the plain one, tabs, and the
# joiners inside words: "Herr Müller" with a no-break space is "HerrMüller", cells between tabs are one number, two names between full-width
# spaces one, Persian words lose the break in them. Nested lists and code lose their indentation. `ExperimentalMarkdownSyntaxTextSplitter` keeps
# all. In part known: https://github.com/langchain-ai/langchain/issues/40071
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile langchain-text-splitters==1.1.3
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

from langchain_text_splitters import ExperimentalMarkdownSyntaxTextSplitter, MarkdownHeaderTextSplitter

print("langchain-text-splitters", version("langchain-text-splitters"))
lines = {
    "Herr\u00a0Müller, 5\u00a0% von 10\u202f000\u00a0€": "HerrMüller, 5% von 10000€",
    "12\t7\t30": "12730",
    "東京\u3000大阪": "東京大阪",
    "می\u200cخواهم": "میخواهم",
    "plain words": "plain words",
}
headers = [("#", "title")]
good = ExperimentalMarkdownSyntaxTextSplitter(headers)
for line, joined in lines.items():
    text = MarkdownHeaderTextSplitter(headers).split_text(f"# Title\n\n{line}\n")[-1].page_content
    other = good.split_text(f"# Title\n\n{line}\n")[-1].page_content.strip()
    print(ascii(line), "is", ascii(text), "by the one,", ascii(other), "by the other")
    if text != joined:
        sys.exit("MarkdownHeaderTextSplitter changed")
    if other != line:
        sys.exit("ExperimentalMarkdownSyntaxTextSplitter changed")
nested = MarkdownHeaderTextSplitter(headers).split_text("# Title\n\n- fruit\n    - apple\n")[-1].page_content
print("nested list:", repr(nested))
if nested != "- fruit\n- apple":
    sys.exit("MarkdownHeaderTextSplitter changed")
PY
