#!/usr/bin/env bash
# Guess: a catalogue whose source becomes French (poswap) has for each message its own German translation; and translations that are merged into a
# catalogue (pomerge) are added to those that are there.
# Behaviour: poswap looks for a message without its context: of "Open" as a verb and as a state, both have the German verb, "Ouvert" is "Öffnen"
# instead of "Offen", as a final translation. By default, pomerge merges what is not translated, too: a file with one new translation and an empty
# one deletes the translation that was there, and one that is fuzzy replaces a final one. Messages without a context, and new translations, are
# right.
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


def write(path: str, *entries: tuple[str | None, str, str, list[str]]) -> None:
    file = polib.POFile()
    file.metadata = {"Language": path[:2], "Content-Type": "text/plain; charset=UTF-8", "Plural-Forms": "nplurals=2; plural=(n != 1);"}
    for context, source, target, flags in entries:
        file.append(polib.POEntry(msgctxt=context, msgid=source, msgstr=target, flags=flags))
    file.save(path)


def read(path: str) -> list[tuple[str, str, list[str]]]:
    return [(entry.msgid, entry.msgstr, entry.flags) for entry in polib.pofile(path)]


write("de.po", ("verb", "Open", "Öffnen", []), ("state", "Open", "Offen", []), (None, "Save", "Speichern", []), (None, "Close", "Schließen", []))
write("fr.po", ("verb", "Open", "Ouvrir", []), ("state", "Open", "Ouvert", []), (None, "Save", "Enregistrer", []))
subprocess.run(["poswap", "--progress=none", "-t", "de.po", "fr.po", "swapped.po"], check=True)
write("de_new.po", ("verb", "Open", "Aufmachen", []), (None, "Save", "", []), (None, "Close", "Zu", ["fuzzy"]))
subprocess.run(["pomerge", "--progress=none", "-t", "de.po", "de_new.po", "merged.po"], check=True)
swapped, merged = read("swapped.po"), read("merged.po")
print("poswap:", swapped)
print("pomerge:", merged)
if swapped[0][:2] != ("Ouvrir", "Öffnen") or swapped[2][:2] != ("Enregistrer", "Speichern") or merged[0][:2] != ("Open", "Aufmachen"):
    sys.exit("not as expected")
if swapped[1] != ("Ouvert", "Öffnen", []):
    sys.exit("poswap changed")
if merged[1:] != [("Open", "Offen", []), ("Save", "", []), ("Close", "Zu", ["fuzzy"])]:
    sys.exit("pomerge changed")
PY
