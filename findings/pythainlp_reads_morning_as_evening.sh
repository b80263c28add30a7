#!/usr/bin/env bash
# Guess: a time that the library writes in words is the time that it reads from these words.
# Behaviour: hours of the morning are read as hours of the evening. สิบเอ็ดโมง, eleven in the morning, which is what `time_to_thaiword` writes
# for 11:00 (`fmt="m6h"`), is read as 22:00, as is ten in the morning; แปดโมงครึ่ง, half past eight in the morning, is read as 20:30. The hours
# of the evening have another word (ทุ่ม). The formats of 24 and of 6 hours are read as they were written.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile pythainlp==5.4.0
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

from pythainlp.util import thaiword_to_time, time_to_thaiword

print("pythainlp", version("pythainlp"))
other = {}
for form in ("24h", "6h", "m6h"):
    for hour in range(24):
        for minute in ("00", "30"):
            time = f"{hour:02}:{minute}"
            words = time_to_thaiword(time, fmt=form)
            if thaiword_to_time(words) != time:
                other[form, time] = thaiword_to_time(words)
                print(f"{form}: {time} is written {words} and read {other[form, time]}")
expected = {("m6h", f"{hour:02}:{minute}"): f"{min(hour + 12, 22)}:{minute}" for hour in range(6, 12) for minute in ("00", "30")}
if other != expected:
    sys.exit("pythainlp changed")
PY
