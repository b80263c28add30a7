#!/usr/bin/env bash
# Guess: the escapes that gettext itself writes into PO files (\a, \b, \f, \v, \101, \x41) mean the same to every reader of PO files.
# Behaviour: polib keeps "\a" as two characters, Babel reads it, translate-toolkit drops the backslash and keeps the letter ("\v" becomes
# "v"); the octal and hexadecimal escapes are read by none of them. Where msgfmt is installed, its reading is shown beside them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q polib==1.2.0 babel==2.19.0 translate-toolkit==3.20.4
cd "$folder"
cat > catalogue.po <<'PO'
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\n"

msgid "id"
msgstr "\a \b \f \v \101 \x41 \t \" \\n"
PO
venv/bin/python - <<'PY'
import gettext
import shutil
import subprocess
import sys
from importlib.metadata import version

import polib
from babel.messages.pofile import read_po
from translate.storage import pypo

print({name: version(name) for name in ("polib", "babel", "translate-toolkit")})
if shutil.which("msgfmt"):
    subprocess.run(["msgfmt", "-o", "catalogue.mo", "catalogue.po"], check=True)
    with open("catalogue.mo", "rb") as file:
        print("msgfmt           ", ascii(gettext.GNUTranslations(file).gettext("id")))
with open("catalogue.po", "rb") as file:
    babel_reads = next(message.string for message in read_po(file) if message.id)
seen = {
    "polib": polib.pofile("catalogue.po")[0].msgstr,
    "babel": babel_reads,
    "translate-toolkit": str(pypo.pofile.parsefile("catalogue.po").units[1].target),
}
for name, text in seen.items():
    print(f"{name:17}", ascii(text))
end = ' \t " \\n'
expected = {
    "polib": "\\a \b \f \v \\101 \\x41" + end,
    "babel": "\a \b \f \v \\101 \\x41" + end,
    "translate-toolkit": "a b f v 101 x41" + end,
}
if seen != expected:
    sys.exit("a reader changed")
PY
