#!/usr/bin/env bash
# Guess: an HTML page that goes through a PO file and comes back with every text as it was is the same page.
# Behaviour: quotes in an attribute come back unescaped: title="say &quot;hi&quot;" becomes title="say "hi"", of which a parser keeps "say ",
# and alt="5&quot; screen" is "5". Amid the texts to translate are also the values of a form, `<option value="1">`, which are sent to
# the server, and what is marked with translate="no".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile translate-toolkit==3.20.4
"$folder/venv/bin/python" - <<'PY'
import sys
from html.parser import HTMLParser
from importlib.metadata import version
from io import BytesIO

from translate.convert.html2po import converthtml as to_po
from translate.convert.po2html import converthtml as to_html
from translate.storage import po

print("translate-toolkit", version("translate-toolkit"))
PAGE = b"""<html><body><p title="say &quot;hi&quot;">Text</p><img src="a.png" alt="5&quot; screen">
<select><option value="1">One</option></select><p translate="no">Brand</p></body></html>"""


class Attributes(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.found = {}
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.found |= {f"{tag} {name}": value for name, value in attributes if name in ("title", "alt")}


catalogue = BytesIO()
to_po(BytesIO(PAGE), catalogue, None)
file = po.pofile.parsestring(catalogue.getvalue())
texts = [str(unit.source) for unit in file.units if not unit.isheader()]
print("texts:", texts)
for unit in file.units:
    if not unit.isheader():
        unit.target = unit.source
page = BytesIO()
to_html(BytesIO(bytes(file)), page, BytesIO(PAGE))
before, after = Attributes(PAGE.decode()).found, Attributes(page.getvalue().decode()).found
print(page.getvalue().decode())
print("attributes before:", before)
print("attributes after: ", after)
if before != {"p title": 'say "hi"', "img alt": '5" screen'}:
    sys.exit("not as expected")
if after != {"p title": "say ", "img alt": "5"} or not {"1", "Brand"} <= set(texts):
    sys.exit("translate-toolkit changed")
PY
