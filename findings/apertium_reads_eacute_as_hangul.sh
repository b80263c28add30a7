#!/usr/bin/env bash
# Guess: in an HTML page that is translated, "caf&eacute;" is the word "café", as &eacute; is é in HTML.
# Behaviour: the filter that takes the text out of a page writes the two bytes of é as two characters of their own, U+FFC3 and U+FFA9, half-width
# letters of Hangul: "cafￃﾩ", a word of no dictionary, and the filter that puts the text back leaves them in the page. So it is with &#233; and
# with the references of all letters of Latin-1 from À to ÿ, "f&uuml;r" and "&Agrave;". Those that are no letters, as &amp; and &euro;, stay as
# they are, and letters that are written as themselves are right. In RTF, \'e9 is the same two letters, and what follows a letter
# in the form \u239? is taken for format: of "naïve", "na" is left to translate.
# Needs Debian 12 on amd64, with libxml2 and libicu72.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q -o APT::Sandbox::User=root apertium=3.8.3-1+b2 libapertium3=3.8.3-1+b2 liblttoolbox3=3.7.1-1+b2 >apt.log
for file in *.deb; do dpkg-deb -x "$file" root; done
export LC_ALL=C.UTF-8 LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
PATH=$folder/root/usr/bin:$PATH
for file in *.deb; do dpkg-deb -f "$file" Package Version | tr '\n' ' '; done
python3 - <<'PY'
import html
import subprocess
import sys


def run(program: str, text: str) -> str:
    return subprocess.run([program], input=text, capture_output=True, text=True, check=True, encoding="utf-8").stdout


print()
pages = ("<p>café für À la carte</p>", "<p>caf&eacute; f&uuml;r &Agrave; la carte</p>", "<p>caf&#233;</p>", "<p>salt &amp; pepper, 5 &euro;</p>")
back = []
for page in pages:
    stream = run("apertium-deshtml", page)
    back.append(run("apertium-rehtml", stream))
    print(page, "is", stream.strip(), "and again", ascii(back[-1]))
letters = [chr(code) for code in range(0xC0, 0x100) if chr(code).isalpha()]
right = sum(html.unescape(run("apertium-rehtml", run("apertium-deshtml", f"<p>a&#{ord(letter)};b</p>"))) == f"<p>a{letter}b</p>" for letter in letters)
print(f"of {len(letters)} letters of Latin-1, right: {right}")
rtf = r"{\rtf1\ansi{\fonttbl{\f0 Times;}}caf\'e9 na\u239?ve {\b not} open}"
stream = run("apertium-desrtf", rtf)
print(rtf, "is", stream.strip(), "and again", ascii(run("apertium-rertf", stream)))
if "]not[" not in stream:
    sys.exit("not as expected: RTF")
if "]caf\uffc3\uffa9 na[" not in stream or "caf\uffc3\uffa9" not in run("apertium-rertf", stream):
    sys.exit("the filter of RTF changed")
if back[0] != pages[0] or back[3] != pages[3]:
    sys.exit("not as expected")
if back[1] != "<p>caf\uffc3\uffa9 f\uffc3\uffbcr \uffc3\uff80 la carte</p>" or back[2] != "<p>caf\uffc3\uffa9</p>" or right:
    sys.exit("the filter changed")
PY
