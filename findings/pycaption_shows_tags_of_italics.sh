#!/usr/bin/env bash
# Guess: a subtitle file in another format, or read and written in its own, has the same words at the same times.
# Behaviour: of SRT files, tags are taken for text: in WebVTT, TTML and SAMI, a subtitle in italics shows "<i>Not now</i>" with its angle brackets.
# Of WebVTT files, the name of a speaker becomes a word, "Ann: Hello", also where they are written as WebVTT again, and the reading of a kanji is
# a word beside it. Hours begin anew after a day: 24:00:07 is 00:00:07, and 100 hours of WebVTT are 4. Italics of WebVTT are right in TTML, and
# times below 24 hours are kept.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile pycaption==2.3.14 beautifulsoup4==4.15.0 lxml==6.1.3
"$folder/venv/bin/python" - <<'PY'
import html
import re
import sys
import warnings
from importlib.metadata import version

from pycaption import DFXPWriter, SAMIWriter, SRTReader, SRTWriter, WebVTTReader, WebVTTWriter

warnings.simplefilter("ignore")
print(*(f"{name} {version(name)}" for name in ("pycaption", "beautifulsoup4", "lxml")))
srt = "1\n00:00:01,000 --> 00:00:02,000\n<i>Not now</i>\n\n2\n23:59:58,000 --> 23:59:59,000\nOne\n\n3\n24:00:07,000 --> 24:00:08,000\nTwo\n"
vtt = (
    "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann>Hello\n\n00:03.000 --> 00:04.000\n<i>Not now</i>\n\n"
    "00:05.000 --> 00:06.000\n<ruby>漢<rt>かん</rt></ruby>字\n\n100:00:07.000 --> 100:00:08.000\nLate\n"
)


def shown(text: str) -> str:
    """The text that a file shows: without its own tags, with its references resolved."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", text)).split())


captions = SRTReader().read(srt)
written = {writer.__name__: writer().write(captions) for writer in (WebVTTWriter, DFXPWriter, SAMIWriter, SRTWriter)}
tags = {name: next(line.strip() for line in text.split("\n") if "Not now" in line) for name, text in written.items()}
texts = {name: shown(line) for name, line in tags.items()}
print("SRT with italics, written as:", tags)
print("shown:", texts)
again = WebVTTWriter().write(WebVTTReader().read(vtt))
ttml = DFXPWriter().write(WebVTTReader().read(vtt))
times = re.findall(r"(\S+) --> ", written["SRTWriter"]) + re.findall(r"(\S+) --> ", again)
print("WebVTT again:", again.split("\n"))
print("TTML of WebVTT:", [line.strip() for line in ttml.split("\n") if "Ann" in line or "Not" in line or "漢" in line])
print("times:", times)
if texts["SRTWriter"] != "Not now" or 'fontStyle="italic">Not now<' not in ttml or times[:2] != ["00:00:01,000", "23:59:58,000"]:
    sys.exit("not as expected")
if any(texts[name] != "<i>Not now</i>" for name in ("WebVTTWriter", "DFXPWriter", "SAMIWriter")):
    sys.exit("italics of SRT changed")
if "Ann: Hello" not in again or "漢かん" not in ttml or times[2] != "00:00:07,000" or times[-1] != "04:00:07.000":
    sys.exit("WebVTT or times changed")
PY
