#!/usr/bin/env bash
# Guess: subtitles that are converted, or read and written in the same format, keep their words and their number.
# Behaviour: two subtitles that overlap by a second become three, and the words of both stand twice. In WebVTT, & and < are written as they are,
# though the format has &amp; and &lt; for them, so that of "5 < 6 and 7 > 3", "5 3" is left for a reader that follows the specification, as its
# own does. And words with a reading above them vanish from WebVTT and TTML, here the kanji of "Tokyo", in SRT as well as in WebVTT; the mark
# &lrm; is read as "&lrm". SRT keeps the less-than sign, and subtitles that do not overlap keep their times.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile ttconv==1.2.3
"$folder/venv/bin/python" - <<'PY'
import io
import logging
import sys
import xml.etree.ElementTree
from importlib.metadata import version

import ttconv.imsc.reader
import ttconv.srt.reader
import ttconv.srt.writer
import ttconv.vtt.reader
import ttconv.vtt.writer

logging.disable(logging.CRITICAL)
print("ttconv", version("ttconv"))


def cues(text: str) -> list[tuple[str, str]]:
    blocks = [block.split("\n") for block in text.strip().split("\n\n")]
    return [(lines[1], "\n".join(lines[2:])) for lines in blocks if len(lines) > 2 and "-->" in lines[1]]


def subtitles(*texts: str, start: float = 1, step: float = 2, length: float = 1) -> str:
    lines = []
    for number, text in enumerate(texts):
        begin, end = start + number * step, start + number * step + length
        lines.append(f"{number + 1}\n00:00:{begin:06.3f} --> 00:00:{end:06.3f}\n{text}\n".replace(".", ","))
    return "\n".join(lines)


def from_srt(text: str) -> object:
    return ttconv.srt.reader.to_model(io.StringIO(text))


def from_vtt(text: str) -> object:
    return ttconv.vtt.reader.to_model(io.StringIO(text))


plain = subtitles("One", "Two")
overlap = subtitles("Are you there", "No answer", length=3)
signs = from_srt(subtitles("5 < 6 and 7 > 3"))
vtt = ttconv.vtt.writer.from_model(signs)
ruby_vtt = "WEBVTT\n\n00:01.000 --> 00:02.000\n<ruby>東京<rt>とうきょう</rt></ruby>へ行く\n\n00:03.000 --> 00:04.000\n5&lrm;\n"
ruby_ttml = (
    '<tt xmlns="http://www.w3.org/ns/ttml" xmlns:tts="http://www.w3.org/ns/ttml#styling" xml:lang="ja"><body><div>'
    '<p begin="1s" end="2s"><span tts:ruby="container"><span tts:ruby="base">東京</span><span tts:ruby="text">とうきょう</span></span>'
    "<span>へ行く</span></p></div></body></tt>"
)
ttml = ttconv.imsc.reader.to_model(xml.etree.ElementTree.ElementTree(xml.etree.ElementTree.fromstring(ruby_ttml)))
seen = {
    "apart": cues(ttconv.srt.writer.from_model(from_srt(plain))),
    "overlap": cues(ttconv.srt.writer.from_model(from_srt(overlap))),
    "sign in SRT": cues(ttconv.srt.writer.from_model(signs))[0][1],
    "sign in WebVTT": cues(vtt)[0][1],
    "read from there": cues(ttconv.srt.writer.from_model(from_vtt(vtt)))[0][1],
    "WebVTT to SRT": [text for _, text in cues(ttconv.srt.writer.from_model(from_vtt(ruby_vtt)))],
    "WebVTT to WebVTT": cues(ttconv.vtt.writer.from_model(from_vtt(ruby_vtt)))[0][1],
    "TTML to SRT": cues(ttconv.srt.writer.from_model(ttml))[0][1],
}
for name, value in seen.items():
    print(f"{name}: {value!r}")
if seen["apart"] != cues(plain) or seen["sign in SRT"] != "5 < 6 and 7 > 3":
    sys.exit("not as expected")
if (
    [text for _, text in seen["overlap"]] != ["Are you there", "Are you there\nNo answer", "No answer"]
    or seen["sign in WebVTT"] != "5 < 6 and 7 > 3"
    or " ".join(seen["read from there"].split()) != "5 3"
    or [text.strip() for text in seen["WebVTT to SRT"]] != ["へ行く", "5&lrm"]
    or "東京" in seen["WebVTT to WebVTT"]
    or seen["TTML to SRT"].strip() != "へ行く"
):
    sys.exit("ttconv changed")
PY
