#!/usr/bin/env bash
# Guess: `humanize` tells how long something lasts in the words of a language, and `dehumanize` reads that back, or refuses.
# Behaviour: in Amharic, "in 5 hours" says 5 seconds (ሰከንድ), with the right word (ሰዓታት) for the past alone; read back, it is 5 hours and 5
# seconds. And months are counted with 30.5 days, years with 365: from the first of June to the first of July, it is "in 0 months", from the first
# of January to the first of December "in 10 months", in each language.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile arrow==1.4.0
"$folder/venv/bin/python" - <<'PY'
import sys
from datetime import timedelta
from importlib.metadata import version

import arrow

print("arrow", version("arrow"))
june = arrow.get(2026, 6, 1)
later = june.shift(hours=5).humanize(june, locale="am")
earlier = june.shift(hours=-5).humanize(june, locale="am")
seconds = june.shift(seconds=50).humanize(june, locale="am")
back = june.dehumanize(later, locale="am") - june
print("in five hours:", later, "| five hours ago:", earlier, "| in fifty seconds:", seconds, "| read back:", back)
months = [june.shift(months=1).humanize(june, granularity="month"), arrow.get(2026, 12, 1).humanize(arrow.get(2026, 1, 1), granularity="month")]
print("one month and eleven months:", months)
if "ሰከንድ" not in later or "ሰዓታት" in later or "ሰዓታት" not in earlier or back != timedelta(hours=5, seconds=5):
    sys.exit("arrow changed")
if months != ["in 0 months", "in 10 months"]:
    sys.exit("arrow changed")
PY
