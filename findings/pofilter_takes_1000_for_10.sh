#!/usr/bin/env bash
# Guess: of translations, the check of numbers reports one whose numbers are not those of the source, also in another order, as its documentation
# says, and the check of placeholders one that shows another value.
# Behaviour: each number of the source is counted as a piece of text in the translation: "10 people" may be "1000 Leute", "5 minutes" 25, and 2026
# 20265. Numbers that are only in the translation, a lost minus sign and the order are not looked at: "from 5 to 10" may be "von 10 bis 5". And of
# "%s costs %s", "%1$s kostet %1$s" passes, which shows the first value twice and the second never. A lost number and a lost placeholder are found.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile translate-toolkit==3.20.4 polib==1.2.0
cd "$folder"
PATH=$folder/venv/bin:$PATH
python - <<'PY'
import re
import subprocess
import sys
from collections import Counter
from importlib.metadata import version

import polib

print(*(f"{name} {version(name)}" for name in ("translate-toolkit", "polib")))
wrong = {
    "There are 10 people.": "Es sind 1000 Leute.",
    "Wait for 5 minutes.": "Warten Sie 25 Minuten.",
    "It opens in 2026.": "Es öffnet 20265.",
    "It takes from 5 to 10 days.": "Es dauert von 10 bis 5 Tage.",
    "It is -5 degrees.": "Es sind 5 Grad.",
    "Some people came.": "Es kamen 10 Leute.",
    "The %s costs %s.": "Das %1$s kostet %1$s.",
}
found = {
    "There are 12 people.": "Es sind 13 Leute.",
    "There are people, 11 of them.": "Es sind Leute da, einige.",
    "The %s has %s pages.": "Das %s hat Seiten.",
}
right = {"There are 14 people.": "Es sind 14 Leute.", "The %s has %d pages.": "Das %1$s hat %2$d Seiten."}
file = polib.POFile()
file.metadata = {"Language": "de", "Content-Type": "text/plain; charset=UTF-8", "Plural-Forms": "nplurals=2; plural=(n != 1);"}
for source, target in (wrong | found | right).items():
    flags = ["c-format"] if "%" in source else []
    file.append(polib.POEntry(msgid=source, msgstr=target, flags=flags))
file.save("de.po")


subprocess.run(["pofilter", "--progress=none", "-t", "numbers", "-t", "printf", "de.po", "out.po"], check=True)
reported = [entry.msgid for entry in polib.pofile("out.po")]


def numbers(text: str) -> Counter[str]:
    return Counter(re.findall(r"-?\d+", re.sub(r"%\d\$", "%", text)))


for source, target in (wrong | found | right).items():
    print(f"{source!r}, {target!r}: other numbers {numbers(source) != numbers(target)}, reported {source in reported}")
if set(found) - set(reported) or set(right) & set(reported):
    sys.exit("not as expected")
if set(wrong) & set(reported):
    sys.exit("the checks changed")
PY
