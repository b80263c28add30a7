#!/usr/bin/env bash
# Guess: with a template, po2ts writes the translations of the PO file into the template, as the other converters of the toolkit do.
# Behaviour: it adds a second message for each one of the PO file, behind those of the template. Of two translations of one message, the tools of
# Qt take the first and drop the second as a duplicate: "Offen" that was corrected to "Öffnen" is "Offen" as before. What had no translation gets
# its one, and without the template, all translations of the PO file are there.
# Needs Debian 12 on amd64 for the tools of Qt, with libglib2.0-0 and libicu72.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile translate-toolkit==3.20.4 polib==1.2.0
cd "$folder"
apt-get download -q -o APT::Sandbox::User=root qt6-l10n-tools=6.4.2~rc1-2 libqt6core6=6.4.2+dfsg-10 libb2-1 libdouble-conversion3 libpcre2-16-0 >apt.log
for file in *.deb; do dpkg-deb -x "$file" root; done
for file in qt6*.deb libqt6*.deb; do dpkg-deb -f "$file" Package Version | tr '\n' ' '; done
PATH=$folder/venv/bin:$folder/root/usr/lib/qt6/bin:$PATH
python - <<'PY'
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import polib

print(*(f"{name} {version(name)}" for name in ("translate-toolkit", "polib")))
message = "<message><source>{}</source><translation{}>{}</translation></message>"
messages = [("Open", "", "Offen"), ("Save", "", "Speichern"), ("Close", ' type="unfinished"', "")]
body = "\n".join(message.format(*each) for each in messages)
Path("de.ts").write_text(
    f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n<TS version="2.1" language="de">\n<context>\n<name>Menu</name>\n{body}\n</context>\n</TS>\n',
    encoding="utf-8",
)
subprocess.run(["ts2po", "--progress=none", "de.ts", "de.po"], check=True)
file = polib.pofile("de.po")
wanted = {"Open": "Öffnen", "Save": "Speichern", "Close": "Schließen"}
for entry in file:
    entry.msgstr, entry.flags = wanted[entry.msgid], []
file.save("de.po")


def by_qt(path: str) -> dict[str, str]:
    library = str(Path("root/usr/lib/x86_64-linux-gnu").absolute())
    environment = os.environ | {"LD_LIBRARY_PATH": library, "LC_ALL": "C.UTF-8"}
    done = subprocess.run(["lconvert", "-i", path, "-o", "qt.po", "-of", "po"], check=True, env=environment, capture_output=True, text=True)
    print(f"{path}: {done.stderr.strip()}")
    return {entry.msgid: entry.msgstr for entry in polib.pofile("qt.po")}


subprocess.run(["po2ts", "--progress=none", "de.po", "without.ts"], check=True)
subprocess.run(["po2ts", "--progress=none", "-t", "de.ts", "de.po", "with.ts"], check=True)
counts = {name: Path(name).read_text(encoding="utf-8").count("<message>") for name in ("de.ts", "without.ts", "with.ts")}
print("messages:", counts)
before, without, template = by_qt("de.ts"), by_qt("without.ts"), by_qt("with.ts")
print("before:", before)
print("without a template:", without)
print("with the template:", template)
if without != wanted or counts["without.ts"] != 3:
    sys.exit("not as expected")
if template != wanted | {"Open": "Offen"} or counts["with.ts"] != 6:
    sys.exit("po2ts changed")
PY
