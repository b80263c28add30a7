#!/usr/bin/env bash
# Guess: `parse_time` reads what `format_time` writes in the same language.
# Behaviour: it knows AM and PM in these letters alone, and ignores the words of other languages. Where the clock has 12 hours, a time in
# the afternoon is read as one in the morning, and half past midnight as half past twelve: “오후 3:04” (Korean), “下午3:04” (Chinese of
# Taiwan), “3:04 م” (Arabic), “3:04 μ.μ.” (Greek) and “3:04 p.m.” (Spanish of Mexico) are 03:04. Nothing is raised.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile babel==2.19.0
"$folder/venv/bin/python" - <<'PY'
import datetime
import sys
from importlib.metadata import version

from babel.dates import format_time, parse_time
from babel.localedata import locale_identifiers

print("babel", version("babel"))
afternoon, night = datetime.time(15, 4), datetime.time(0, 30)


def read(time, locale):
    return parse_time(format_time(time, "short", locale=locale), locale=locale, format="short")


seen = []
for locale in ("en_US", "hi", "de", "ko", "zh_TW", "ar", "el", "es_MX", "sq"):
    seen.append([read(time, locale) for time in (afternoon, night)])
    print(f"{locale}:", ", ".join(f"{format_time(time, 'short', locale=locale)} is read as {read(time, locale)}" for time in (afternoon, night)))
locales = [locale for locale in locale_identifiers() if locale != "root"]
wrong = [locale for locale in locales if read(afternoon, locale) != afternoon]
print(f"15:04 is read as another time in {len(wrong)} of {len(locales)} locales")
if seen != [[afternoon, night]] * 3 + [[datetime.time(3, 4), datetime.time(12, 30)]] * 6 or len(wrong) < 150:
    sys.exit("babel changed")
PY
