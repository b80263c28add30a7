#!/usr/bin/env bash
# Guess: `moz-l10n fix`, which mends the form of localisation files, leaves their text as it is.
# Behaviour: in the sources of XLIFF, a space between two inline elements vanishes, so that 10 and 20 in two <g> become 1020 and "can not" in
# two <mrk> "cannot", also with xml:space="preserve"; in the targets it stays. In Android's strings, <br/> becomes <br> without an end, so that
# no reader of XML takes the file any more.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile moz.l10n==0.15.0 lxml==6.1.3
cd "$folder"
cat > unit.xlf <<'XML'
<?xml version="1.0" encoding="utf-8"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2">
  <file original="a" source-language="en" target-language="de" datatype="plaintext">
    <body>
      <trans-unit id="range">
        <source>From <g id="1">10</g> <g id="2">20</g> km</source>
        <target>Von <g id="1">10</g> <g id="2">20</g> km</target>
      </trans-unit>
      <trans-unit id="words" xml:space="preserve">
        <source>We <mrk mtype="term">can</mrk> <mrk mtype="term">not</mrk> go</source>
        <target>Wir <mrk mtype="term">können</mrk> <mrk mtype="term">nicht</mrk> gehen</target>
      </trans-unit>
    </body>
  </file>
</xliff>
XML
cat > strings.xml <<'XML'
<?xml version="1.0" encoding="utf-8"?>
<resources>
  <string name="a">First line<br/>second line</string>
</resources>
XML
cp unit.xlf before.xlf
venv/bin/moz-l10n fix unit.xlf strings.xml
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version

from lxml import etree

print(*(f"{name} {version(name)}" for name in ("moz.l10n", "lxml")))


def texts(path, side):
    units = etree.parse(path).iterfind(".//{*}" + side)
    return ["".join(unit.itertext()) for unit in units]


for side in ("source", "target"):
    print(f"{side}: {texts('before.xlf', side)} became {texts('unit.xlf', side)}")
if texts("unit.xlf", "source") != ["From 1020 km", "We cannot go"] or texts("unit.xlf", "target") != texts("before.xlf", "target"):
    sys.exit("moz.l10n changed in XLIFF")
print(open("strings.xml").read())
try:
    etree.parse("strings.xml")
except etree.XMLSyntaxError as error:
    print(error)
else:
    sys.exit("moz.l10n changed in Android's strings")
PY
