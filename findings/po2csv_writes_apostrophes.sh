#!/usr/bin/env bash
# Guess: a PO file that becomes a CSV file and a PO file again has the same translations, in the same state.
# Behaviour: a text that begins with -, +, = or @ gets an apostrophe, "-5 °C" is "'-5 °C", and a backslash is doubled, "C:\temp" is "C:\\temp", in
# sources as well as in translations; with a template for the way back, the sources are right, the translations are not. A translation that was
# fuzzy is final, also with the template. Without it, an obsolete one is back among the others, and of two messages "Open" with contexts, as a verb
# and as a state, one is left, with a warning; so it is through an XLIFF file, which keeps texts and fuzzy ones. Quotation marks and tabs are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile translate-toolkit==3.20.4 polib==1.2.0
cd "$folder"
PATH=$folder/venv/bin:$PATH
python - <<'PY'
import subprocess
import sys
from importlib.metadata import version

import polib

print(*(f"{name} {version(name)}" for name in ("translate-toolkit", "polib")))
texts = {
    "-5 °C": "−5 °C or colder",
    "below zero": "-5 °C",
    "- Yes.": "- Ja.",
    "+49 30 123": "Telefon +49 30 123",
    "Folder C:\\temp": "Ordner C:\\temp",
    'He said "yes, no".': "Er sagte „ja, nein“.",
    "one\ttwo": "eins\tzwei",
}
file = polib.POFile()
file.metadata = {"Language": "de", "Content-Type": "text/plain; charset=UTF-8", "Plural-Forms": "nplurals=2; plural=(n != 1);"}
for source, target in texts.items():
    file.append(polib.POEntry(msgid=source, msgstr=target))
file.append(polib.POEntry(msgid="Open", msgctxt="verb", msgstr="Öffnen"))
file.append(polib.POEntry(msgid="Open", msgctxt="state", msgstr="Offen"))
file.append(polib.POEntry(msgid="Not open", msgstr="Geöffnet", flags=["fuzzy"]))
file.append(polib.POEntry(msgid="Old", msgstr="Alt", obsolete=True))
file.save("de.po")
for entry in list(file):
    entry.msgstr, entry.flags = "", []
    if entry.obsolete:
        file.remove(entry)
file.save("template.pot")


def through(suffix: str, *options: str) -> dict[str, polib.POEntry]:
    name = {"csv": "csv", "xlf": "xliff"}[suffix]
    subprocess.run([f"po2{name}", "--progress=none", "de.po", f"de.{suffix}"], check=True)
    subprocess.run([f"{name}2po", "--progress=none", *options, f"de.{suffix}", "back.po"], check=True)
    return {entry.msgid: entry for entry in polib.pofile("back.po")}


def state(entries: dict[str, polib.POEntry]) -> list[object]:
    return [entries["Open"].msgctxt, entries["Open"].msgstr, entries["Not open"].flags, bool(entries["Old"].obsolete)]


csv, template, xliff = through("csv"), through("csv", "-t", "template.pot"), through("xlf")
for name, entries in (("CSV", csv), ("XLIFF", xliff)):
    print(f"{name}: {[(entry.msgid, entry.msgstr) for entry in entries.values() if texts.get(entry.msgid) != entry.msgstr]}")
    print(f"{name}: context and translation of Open, flags of a fuzzy one, whether the obsolete one still is: {state(entries)}")
final = [template["Not open"].msgstr, template["Not open"].flags]
print(f"CSV with the template: {[(entry.msgid, entry.msgstr) for entry in template.values() if texts.get(entry.msgid) != entry.msgstr]}")
print("CSV with the template, the fuzzy one:", final)
kept = ('He said "yes, no".', "one\ttwo")
if any(csv[source].msgstr != texts[source] for source in kept) or any(xliff[source].msgstr != texts[source] for source in texts):
    sys.exit("not as expected")
changed = ("'-5 °C", "'- Yes.", "'+49 30 123", "Folder C:\\\\temp")
if any(source not in csv for source in changed) or csv["below zero"].msgstr != "'-5 °C" or csv["Folder C:\\\\temp"].msgstr != "Ordner C:\\\\temp":
    sys.exit("texts through CSV changed")
if template["below zero"].msgstr != "'-5 °C" or template["Folder C:\\temp"].msgstr != "Ordner C:\\\\temp":
    sys.exit("texts through CSV with a template changed")
if state(csv) != ["", "Öffnen", [], False] or state(xliff) != ["", "Öffnen", ["fuzzy"], False] or final != ["Geöffnet", []]:
    sys.exit("states through CSV or XLIFF changed")
PY
