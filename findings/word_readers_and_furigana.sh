#!/usr/bin/env bash
# Guess: the text of a paragraph in a Word file has its words; the small letters above a word, which tell its reading in Japanese names and
# schoolbooks, are left out, or stand behind it.
# Behaviour: python-docx and mammoth leave out the word with its reading: "he lives in Tokyo" becomes "he lives in". docx2txt and docx2python
# write the reading and the word, as if they were one word.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile python-docx==1.2.0 mammoth==1.13.0 docx2txt==0.9 docx2python==3.7.1
cd "$folder"
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version
from zipfile import ZipFile

import docx
import docx2txt
import mammoth
from docx2python import docx2python

print(*(f"{name} {version(name)}" for name in ("python-docx", "mammoth", "docx2txt", "docx2python")))
docx.Document().save("empty.docx")
RUBY = (
    '<w:ruby><w:rubyPr><w:rubyAlign w:val="distributeSpace"/><w:hps w:val="10"/><w:hpsRaise w:val="18"/><w:hpsBaseText w:val="21"/>'
    '<w:lid w:val="ja-JP"/></w:rubyPr><w:rt><w:r><w:t>とうきょう</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>東京</w:t></w:r></w:rubyBase></w:ruby>'
)


def read(word):
    """Returns what each library reads of "he lives in Tokyo", with WORD as the element for Tokyo."""
    paragraph = f"<w:p><w:r><w:t>彼は</w:t></w:r><w:r>{word}</w:r><w:r><w:t>に住む。</w:t></w:r></w:p>"
    with ZipFile("empty.docx") as empty, ZipFile("text.docx", "w") as file:
        for name in empty.namelist():
            content = empty.read(name)
            if name == "word/document.xml":
                content = content.replace(b"<w:body>", b"<w:body>" + paragraph.encode())
            file.writestr(name, content)
    with open("text.docx", "rb") as file, docx2python("text.docx") as other:
        texts = {
            "python-docx": docx.Document("text.docx").paragraphs[0].text,
            "mammoth": mammoth.extract_raw_text(file).value,
            "docx2txt": docx2txt.process("text.docx"),
            "docx2python": other.text,
        }
    return {name: text.strip() for name, text in texts.items()}


plain, ruby = read("<w:t>東京</w:t>"), read(RUBY)
for name in plain:
    print(f"{name}: plain {plain[name]}, with the reading {ruby[name]}")
lost, doubled = "彼はに住む。", "彼はとうきょう東京に住む。"
if set(plain.values()) != {"彼は東京に住む。"} or list(ruby.values()) != [lost, lost, doubled, doubled]:
    sys.exit("a reader changed")
PY
