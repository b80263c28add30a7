#!/usr/bin/env bash
# Guess: `to_gettext` gives the plural rule of a language as gettext reads it.
# Behaviour: the rules of CLDR for Catalan, French, Galician, Italian, Portuguese, Spanish and three smaller languages also ask for the exponent of
# numbers such as 1.2c6. Babel copies this question as a variable e, which gettext does not have: the gettext of
# Python refuses the rule as invalid. The table in `babel.messages.plurals`, which the headers of new catalogues come from, has sound rules.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile babel==2.19.0
"$folder/venv/bin/python" - <<'PY'
import gettext
import sys
from importlib.metadata import version

from babel import Locale
from babel.localedata import locale_identifiers
from babel.messages.plurals import get_plural
from babel.plural import to_gettext

print("babel", version("babel"))

languages = sorted(name for name in locale_identifiers() if "_" not in name and name != "root")
refused = {}
for language in languages:
    rule = to_gettext(Locale.parse(language).plural_form)
    try:
        gettext.c2py(rule.split("plural=")[1].rstrip(";"))
    except ValueError as error:
        refused[language] = str(error)
print(f"refused: {len(refused)} of {len(languages)}:", refused)
print("French:", to_gettext(Locale("fr").plural_form))
print("in the table:", get_plural("fr").plural_forms)
for language in refused:
    gettext.c2py(get_plural(language).plural_expr)
if not {"ca", "es", "fr", "gl", "it", "pt"} <= set(refused) or any("invalid token in plural form: e" not in text for text in refused.values()):
    sys.exit("babel changed")
PY
