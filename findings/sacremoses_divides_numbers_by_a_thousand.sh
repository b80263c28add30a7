#!/usr/bin/env bash
# Guess: normalising punctuation, the usual first step of preparing parallel text, leaves numbers what they are.
# Behaviour: the no-break space that groups thousands (10 000, as French, German, Czech, Russian and the SI write it) becomes the language's
# own decimal mark: 10.000 in English, which is ten, and 10,000 in German, French, Czech and Spanish, which is ten there. "Room 4 12"
# becomes "Room 4.12". The narrow no-break space of French typography stays. norm_numbers=False avoids it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile sacremoses==0.2.0
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

from sacremoses import MosesPunctNormalizer

print("sacremoses", version("sacremoses"))
sides = {
    "en": ("It costs 10\u00a0000 euros, room 4\u00a012.", "It costs 10.000 euros, room 4.12."),
    "de": ("Es kostet 10\u00a0000 Euro.", "Es kostet 10,000 Euro."),
    "fr": ("Il coûte 10\u00a0000 euros.", "Il coûte 10,000 euros."),
    "cs": ("Stojí 10\u00a0000 eur.", "Stojí 10,000 eur."),
    "es": ("Cuesta 10\u00a0000 euros.", "Cuesta 10,000 euros."),
    "ru": ("Он стоит 10\u00a0000 евро.", "Он стоит 10.000 евро."),
}
seen = {}
for language, (text, _) in sides.items():
    seen[language] = MosesPunctNormalizer(lang=language).normalize(text)
    print(f"{language}: {text!r} -> {seen[language]!r}")
narrow = MosesPunctNormalizer(lang="fr").normalize("10\u202f000")
without = MosesPunctNormalizer(lang="en", norm_numbers=False).normalize("10\u00a0000")
print(f"narrow no-break space: {narrow!r}; norm_numbers=False: {without!r}")
if seen != {language: expected for language, (_, expected) in sides.items()} or (narrow, without) != ("10\u202f000", "10\u00a0000"):
    sys.exit("the normalised text changed")
PY
