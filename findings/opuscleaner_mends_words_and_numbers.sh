#!/usr/bin/env bash
# Guess: a filter that corrects the punctuation at the ends of sentence pairs changes punctuation only, and one for quotation marks removes
# them in pairs.
# Behaviour: where the last two characters of one side are those of the other in reverse, `fix_sent_final_punct` gives the target those of
# the source, letters and digits too: of two headings, "septembre" becomes "september" beside "September", page 21 becomes page 12, "müde"
# becomes "müed" beside "tired". A German closing quotation mark becomes an English one. Its description names Latin scripts as those for
# which it works. `fix_quotes` removes the mark that opens a quotation, and leaves the closing one where the sentence goes on.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile --no-deps opuscleaner==0.7.1
"$folder/venv/bin/python" - <<'PY'
import subprocess
import sys
from importlib.metadata import distribution

opuscleaner = distribution("opuscleaner")
print("opuscleaner", opuscleaner.version)


def cleaned(name, pairs):
    script = opuscleaner.locate_file(f"opuscleaner/filters/{name}.py")
    lines = "".join(f"{source}\t{target}\n" for source, target in pairs)
    result = subprocess.run([sys.executable, "-X", "utf8", script], input=lines, capture_output=True, check=True, encoding="utf-8")
    outputs = [tuple(line.split("\t")) for line in result.stdout.splitlines()]
    print(f"{name}:")
    for before, after in zip(pairs, outputs):
        print(f"    {before} -> {after}")
    return outputs


ends = cleaned(
    "fix_sent_final_punct",
    [
        ("Opening hours in September", "Horaires d'ouverture en septembre"),
        ("See page 12", "Siehe Seite 21"),
        ("She is tired", "Sie ist müde"),
        ('He said: "Yes."', "Er sagte: „Ja.“"),
    ],
)
quotes = cleaned("fix_quotes", [("“Yes,” he said.", "„Ja“, sagte er.")])
if [target for _, target in ends] != [
    "Horaires d'ouverture en september",
    "Siehe Seite 12",
    "Sie ist müed",
    'Er sagte: „Ja."',
] or quotes != [("Yes,” he said.", "Ja“, sagte er.")]:
    sys.exit("opuscleaner changed")
PY
