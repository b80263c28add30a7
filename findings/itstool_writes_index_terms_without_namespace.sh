#!/usr/bin/env bash
# Guess: a DocBook or XHTML file that is translated by its own texts is the same document, and all of its texts can be translated.
# Behaviour: in DocBook 5, each index term becomes <default:indexterm> with a prefix that nothing defines, so that a parser that knows namespaces
# refuses the translated document; footnotes and lists are right, as are index terms in DocBook 4. The words of a remark are not in
# the template, and are deleted. In XHTML, titles of elements and the placeholders of fields are not in the template: they stay in the source
# language. itstool reports nothing of it.
# Needs Debian 12 on amd64, with its python3 and libxml2.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q -o APT::Sandbox::User=root itstool=2.0.6-2 python3-libxml2 >apt.log
for file in *.deb; do dpkg-deb -x "$file" root; done
for file in *.deb; do dpkg-deb -f "$file" Package Version | tr '\n' ' '; done
echo
export LC_ALL=C.UTF-8 PYTHONPATH=$folder/root/usr/lib/python3/dist-packages
sed "s#^DATADIR=.*#DATADIR='$folder/root/usr/share'#" root/usr/bin/itstool >itstool.py
/usr/bin/python3 - <<'PY'
import ast
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as tree

HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'
BODY = """<title>Doors</title>
<para><indexterm><primary>door</primary></indexterm>Do <emphasis>not</emphasis> open it<footnote><para>A note</para></footnote>.</para>
<para>In short: <itemizedlist><listitem><para>closed</para></listitem></itemizedlist></para>
<para>Never <remark>really?</remark> at night</para>
</article>"""
FILES = {
    "five.xml": f'{HEAD}<article xmlns="http://docbook.org/ns/docbook" version="5.0">{BODY}',
    "four.xml": f"{HEAD}<article>{BODY}",
    "page.html": f'{HEAD}<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Door</title></head><body><p title="Since 5 May">Do <b>not</b> open</p>'
    '<p>Name: <input placeholder="First name"/></p></body></html>',
}


def run(*options: str) -> str:
    done = subprocess.run([sys.executable, "itstool.py", *options], check=True, capture_output=True, text=True)
    return done.stderr


def catalogue(path: str, texts: list[str]) -> None:
    """Writes a file of gettext in which each text is its own translation."""
    pairs = [("", "Content-Type: text/plain; charset=UTF-8\nLanguage: de\n")] + [(text, text) for text in sorted(texts)]
    data, tables = b"", ([], [])
    start = 28 + 16 * len(pairs)
    for place in (0, 1):
        for pair in pairs:
            text = pair[place].encode()
            tables[place].append(struct.pack("<II", len(text), start + len(data)))
            data += text + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, 28 + 16 * len(pairs))
    with open(path, "wb") as file:
        file.write(head + b"".join(tables[0] + tables[1]) + data)


found, out = {}, {}
for name, text in FILES.items():
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    said = run("-o", "out.pot", name)
    with open("out.pot", encoding="utf-8") as file:
        messages = re.findall(r'^msgid ((?:".*"\s*)+)$', file.read(), re.MULTILINE)
    found[name] = ["".join(ast.literal_eval(line) for line in each.strip().split("\n")) for each in messages][1:]
    catalogue("de.mo", found[name])
    said += run("-l", "de", "-m", "de.mo", "-o", f"new_{name}", name)
    with open(f"new_{name}", encoding="utf-8") as file:
        out[name] = file.read()
    try:
        tree.fromstring(out[name].encode())
        parsed = "parsed"
    except tree.ParseError as error:
        parsed = str(error)
    print(f"{name}: {parsed}; itstool said: {said!r}")
    print(f"  texts: {found[name]}")
    print(f"  index terms: {re.findall('<[^/>]*indexterm[^>]*>', out[name])}; remarks: {out[name].count('<remark>')} of {text.count('<remark>')}")
    found[name + " parsed"], found[name + " said"] = parsed, said
kept = "<footnote><para>A note</para></footnote>", "<listitem><para>closed</para></listitem>"
if (found["four.xml parsed"], found["page.html parsed"]) != ("parsed", "parsed") or any(each not in out["five.xml"] for each in kept):
    sys.exit("not as expected")
if "unbound prefix" not in found["five.xml parsed"] or "<default:indexterm" not in out["five.xml"] or found["five.xml said"]:
    sys.exit("index terms changed")
if "really?" in out["five.xml"] or found["page.html"] != ["Door", "Do <b>not</b> open", "Name: <_:input-1/>"]:
    sys.exit("remarks or attributes changed")
PY
