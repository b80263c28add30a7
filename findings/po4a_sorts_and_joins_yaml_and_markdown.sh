#!/usr/bin/env bash
# Guess: a document of which nothing is translated yet comes out of po4a as it was, but for spaces and the width of lines.
# Behaviour: of a YAML file, the keys are in alphabetical order, empty lines within a text are gone, "caf\u00e9" is "caf\\u00e9", whose value has
# a backslash and no é, and quotation marks are gone where they are needed: "no" is False, "007" the number 7. Of a Markdown file, the rows of a
# table are one line where no cell is filled up with spaces, and so are a term and its definition, and lines that a backslash parts: they are a
# table, a list and a line break no more. Lines that two spaces part, numbers of lists, and texts without escapes are right.
# Needs Debian 12 on amd64, with its perl, python3 and libyaml.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q -o APT::Sandbox::User=root po4a=0.69-1 libsyntax-keyword-try-perl=0.28-1 libxs-parse-keyword-perl=0.33-1 \
    libyaml-tiny-perl=1.73-1 libsgmls-perl python3-yaml >apt.log
for file in *.deb; do dpkg-deb -x "$file" root; done
for file in po4a*.deb libyaml*.deb python3*.deb; do dpkg-deb -f "$file" Package Version | tr '\n' ' '; done
echo
export LC_ALL=C.UTF-8 PERL5LIB=$folder/root/usr/share/perl5:$folder/root/usr/lib/x86_64-linux-gnu/perl5/5.36
export PYTHONPATH=$folder/root/usr/lib/python3/dist-packages
cat >shop.yaml <<'YAML'
title: Shop
open: "no"
code: "007"
drink: "caf\u00e9"
days: 7
text: |
  First line

  Second line
YAML
cat >shop.md <<'MARKDOWN'
5. Fifth step
6. Sixth step

| size | price |
|---|---|
| 10 | 20 |

Term
: Definition

One\
two

Three  
four
MARKDOWN
printf 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n' >empty.po
for each in yaml "text -o markdown"; do
    case $each in yaml) name=shop.yaml ;; *) name=shop.md ;; esac
    perl root/usr/bin/po4a-translate -k 0 -f $each -M UTF-8 -L UTF-8 -m $name -p empty.po -l new_$name >>said.log 2>&1
done
grep -v deprecated said.log || true
/usr/bin/python3 - <<'PY'
import sys

import yaml

before, after = (yaml.safe_load(open(name, encoding="utf-8")) for name in ("shop.yaml", "new_shop.yaml"))
print("YAML before:", before)
print("YAML after: ", after)
text = open("new_shop.md", encoding="utf-8").read()
print("Markdown after:", text.split("\n"))
if before != {"title": "Shop", "open": "no", "code": "007", "drink": "café", "days": 7, "text": "First line\n\nSecond line\n"}:
    sys.exit("not as expected")
if any(each not in text for each in ("5. Fifth step\n6. Sixth step\n", "Three  \nfour\n")) or after["title"] != "Shop" or after["days"] != 7:
    sys.exit("not as expected")
changed = {"open": False, "code": 7, "drink": "caf\\u00e9", "text": "First line\nSecond line\n"}
if {key: after[key] for key in changed} != changed or list(after) != sorted(after):
    sys.exit("YAML through po4a changed")
lines = text.split("\n")
if any(each not in lines for each in ("| size | price | |---|---| | 10 | 20 |", "Term : Definition", "One\\ two")):
    sys.exit("Markdown through po4a changed")
PY
