#!/usr/bin/env bash
# Guess: reading a subtitle file and writing it again in the same format keeps the text, and the text of a cue is plain text.
# Behaviour, each with another part of the same cues: pysubs2 reads SRT as if it were SSA, so words in braces are deleted and \h becomes a
# space; pysrt ends a cue at its first empty line and drops the rest; srt keeps both but sorts the cues by time and numbers them anew;
# the text of webvtt-py is without tags, but still with entities (&amp;).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile pysubs2==1.8.1 pysrt==1.1.2 srt==3.5.3 webvtt-py==0.6.0
cd "$folder"
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version
from pathlib import Path

import pysrt
import pysubs2
import srt
import webvtt

print(*(f"{name} {version(name)}" for name in ("pysubs2", "pysrt", "srt", "webvtt-py")))
text = (
    "1\n00:00:05,000 --> 00:00:06,000\nThe set {a, b} is in C:\\home\n\n"
    "2\n00:00:01,000 --> 00:00:02,000\n- Who is there?\n\n- Nobody.\n\n"
)
Path("cues.srt").write_text(text, encoding="utf-8")
pysubs2.load("cues.srt").save("pysubs2.srt")
pysrt.open("cues.srt").save("pysrt.srt")
Path("srt.srt").write_text(srt.compose(srt.parse(text)), encoding="utf-8")
written = {name: Path(f"{name}.srt").read_text(encoding="utf-8") for name in ("pysubs2", "pysrt", "srt")}
parts = ("{a, b}", "C:\\home", "Nobody.")
seen = {name: [part in written[name] for part in parts] for name in written}
seen["in order"] = [written[name].index("The set") < written[name].index("Who is") for name in written]
for name, kept in seen.items():
    print(f"{name}: {dict(zip(parts if name in written else written, kept))}")
Path("cues.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:02.000\n<i>Salt</i> &amp; pepper &lt;3\n", encoding="utf-8")
cue = webvtt.read("cues.vtt")[0].text
print("webvtt-py, text of a cue:", cue)
expected = {
    "pysubs2": [False, False, True],
    "pysrt": [True, True, False],
    "srt": [True, True, True],
    "in order": [True, True, False],
}
if seen != expected or cue != "Salt &amp; pepper &lt;3":
    sys.exit("what is kept changed")
PY
