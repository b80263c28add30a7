#!/usr/bin/env bash
# Guess: two numbers that differ by a thousand or more have two names, and half a month is not a month.
# Behaviour: in Danish, `intword` calls both 10^9 and 10^12 "billion", the name of 10^12; 10^9 is a "milliard" (CLDR). In Hungarian, 10^15 and
# 10^24 have one name, and so have 10^18 and 10^27; in Basque, 10^12 is "trilioi", the name of 10^18. In Chinese, "a month ago" is 1月之前, "before
# January"; in Danish, "a second ago" is "en anden siden", "another one ago". In all languages, 16 to 45 days are "a month", while 15 are "15
# days".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile humanize==4.17.0 babel==2.19.0
"$folder/venv/bin/python" - <<'PY'
import sys
from datetime import timedelta
from importlib.metadata import version

import humanize
from babel.dates import format_timedelta
from babel.numbers import format_compact_decimal

print(*(f"{name} {version(name)}" for name in ("humanize", "babel")))
changed = False
for locale, powers, count in (("da_DK", (9, 12), 1), ("hu_HU", (15, 24), 1), ("hu_HU", (18, 27), 1), ("eu", (12, 18), 2), ("de_DE", (9, 12), 2)):
    humanize.activate(locale)
    names = {power: humanize.intword(10**power) for power in powers}
    cldr = {power: format_compact_decimal(10**power, format_type="long", locale=locale) for power in powers if power < 15}
    print(f"{locale}: {names}; CLDR: {cldr}")
    changed |= len(set(names.values())) != count
    changed |= locale == "eu" and not (names[12].endswith("trilioi") and cldr[12].endswith("bilioi"))
for locale, day in (("zh_CN", 31), ("da_DK", 1 / 86400)):
    humanize.activate(locale)
    delta = timedelta(days=day)
    names = humanize.naturaltime(delta), format_timedelta(-delta, add_direction=True, locale=locale)
    print(f"{locale}: {delta} ago is {names[0]}, by CLDR {names[1]}")
    changed |= names[0] not in ("1月之前", "en anden siden")
humanize.deactivate()
days = {day: humanize.naturaldelta(timedelta(days=day)) for day in (15, 16, 30, 45, 46)}
print(days)
changed |= list(days.values()) != ["15 days", "a month", "a month", "a month", "2 months"]
if changed:
    sys.exit("humanize changed")
PY
