#!/usr/bin/env bash
# Guess: a YAML file of texts that goes through a PO file with the same translations holds the same texts.
# Behaviour: what was in quotes is written without them where YAML 1.2 allows it: "no", which is also the Spanish and Italian translation
# of "No", "yes", "on", and the time "12:30". PyYAML, as other readers of YAML 1.1, takes these for the values False
# and True and the number 750. "007" and "null" keep their quotes, as YAML 1.2 needs them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile translate-toolkit==3.20.4 ruamel.yaml==0.19.1 pyyaml==6.0.4
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version
from io import BytesIO

import yaml
from translate.convert import po2yaml, yaml2po
from translate.storage import po

print(*(f"{name} {version(name)}" for name in ("translate-toolkit", "ruamel.yaml", "PyYAML")))
TEXTS = b"""cancel: "no"
accept: "yes"
switch: "on"
opening: "12:30"
agent: "007"
nothing: "null"
title: "Shop: open"
"""
catalogue, written = BytesIO(), BytesIO()
yaml2po.run_converter(BytesIO(TEXTS), catalogue, None)
file = po.pofile.parsestring(catalogue.getvalue())
for unit in file.units:
    if not unit.isheader():
        unit.target = unit.source
po2yaml.run_converter(BytesIO(bytes(file)), written, BytesIO(TEXTS), includefuzzy=False)
print(written.getvalue().decode())
before, after = yaml.safe_load(TEXTS), yaml.safe_load(written.getvalue())
print("before:", before)
print("after: ", after)
if after != before | {"cancel": False, "accept": True, "switch": True, "opening": 750}:
    sys.exit("translate-toolkit changed")
PY
