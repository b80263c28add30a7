#!/usr/bin/env bash
# Guess: a book that is read and written without a change is the same book, and its documents come in the order in which it is read.
# Behaviour: documents come in the order of the manifest, a list of files, here chapter 10 before chapter 1; the order of the book is in the spine.
# In the pages of an Arabic book that is read and written, text that stands in the body before its first element is lost, here "Chapter 1"; their
# language is English, the last of those that the book names, instead of Arabic, their direction from right to left is gone, so are their titles
# and their links to a style sheet, and the viewBox of a drawing is viewbox, which is none. Text behind elements, and elements, are kept.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile ebooklib==0.20 lxml==6.1.3
cd "$folder"
"$folder/venv/bin/python" - <<'PY'
import sys
import warnings
import zipfile
from importlib.metadata import version

import ebooklib
from ebooklib import epub
from lxml import etree

warnings.simplefilter("ignore")
print(*(f"{name} {version(name)}" for name in ("ebooklib", "lxml")))
page = """<?xml version="1.0" encoding="utf-8"?>
<html xmlns="http://www.w3.org/1999/xhtml" lang="ar" xml:lang="ar" dir="rtl"><head><title>Title %s</title>
<link rel="stylesheet" type="text/css" href="style.css"/></head><body dir="rtl">Chapter %s<p>Salt &amp; <b>pepper</b></p> behind it<svg
xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0L9 9"/></svg></body></html>"""
package = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">book</dc:identifier><dc:title>Book</dc:title><dc:language>ar</dc:language><dc:language>en</dc:language>
<meta property="dcterms:modified">2026-01-01T00:00:00Z</meta></metadata><manifest>
<item id="ten" href="chapter10.xhtml" media-type="application/xhtml+xml" properties="svg"/>
<item id="one" href="chapter1.xhtml" media-type="application/xhtml+xml" properties="svg"/>
<item id="css" href="style.css" media-type="text/css"/><item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest>
<spine toc="ncx" page-progression-direction="rtl"><itemref idref="one"/><itemref idref="ten"/></spine></package>"""
points = "".join(
    f'<navPoint id="point{n}" playOrder="{n}"><navLabel><text>{n}</text></navLabel><content src="chapter{n}.xhtml"/></navPoint>' for n in (1, 10)
)
ncx = f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1"><head/><docTitle><text>Book</text></docTitle><navMap>{points}</navMap></ncx>'
container = (
    '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
with zipfile.ZipFile("book.epub", "w") as file:
    for name, text in {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": container,
        "package.opf": package,
        "toc.ncx": ncx,
        "style.css": "p { margin: 0 }",
        "chapter1.xhtml": page % (1, 1),
        "chapter10.xhtml": page % (10, 10),
    }.items():
        file.writestr(name, text)
book = epub.read_epub("book.epub")
order = [item.get_name() for item in book.get_items_of_type(ebooklib.ITEM_DOCUMENT)]
spine = [book.get_item_with_id(name).get_name() for name, _ in book.spine]
epub.write_epub("again.epub", book)
html = "{http://www.w3.org/1999/xhtml}"


def look(path: str) -> dict[str, object]:
    with zipfile.ZipFile(path) as file:
        name = next(each for each in file.namelist() if each.endswith("chapter1.xhtml"))
        root = etree.fromstring(file.read(name))
    body = root.find(f"{html}body")
    return {
        "text": " ".join("".join(body.itertext()).split()),
        "lang": root.get("lang"),
        "dir": [root.get("dir"), body.get("dir")],
        "title": root.findtext(f"{html}head/{html}title"),
        "links": len(root.findall(f"{html}head/{html}link")),
        "drawing": [key for key in body.find("{http://www.w3.org/2000/svg}svg").attrib],
    }


print("documents:", order, "; spine:", spine)
before, after = look("book.epub"), look("again.epub")
print("before:", before)
print("after: ", after)
if spine != ["chapter1.xhtml", "chapter10.xhtml"] or before["text"] != "Chapter 1Salt & pepper behind it":
    sys.exit("not as expected")
if order != ["chapter10.xhtml", "chapter1.xhtml"] or after != {
    "text": "Salt & pepper behind it",
    "lang": "en",
    "dir": [None, None],
    "title": None,
    "links": 0,
    "drawing": ["viewbox"],
}:
    sys.exit("EbookLib changed")
PY
