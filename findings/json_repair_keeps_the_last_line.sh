#!/usr/bin/env bash
# Guess: of several JSON values in a model's answer, `json_repair.loads` returns a list, as it does for two different objects.
# Behaviour: an object with the keys and types of the one before replaces it, as an "update". So of JSON Lines, one object for each
# translated sentence, only the last is left, also in JSON Lines of arrays; one line with another key starts a new item. With a comma
# between the objects, all stay. `logging=True` does not mention the loss.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile json_repair==0.64.6
"$folder/venv/bin/python" - <<'PY'
import json
import sys
from importlib.metadata import version

import json_repair

print("json_repair", version("json_repair"))
objects = [{"id": i, "translation": text} for i, text in enumerate(("Guten Morgen", "Gute Nacht", "Auf Wiedersehen"))]
lines = "\n".join(json.dumps(item) for item in objects)
arrays = "\n".join(json.dumps(list(item.values())) for item in objects)
noted = lines.replace("Nacht\"", "Nacht\", \"note\": \"formal\"")
seen = {
    "JSON Lines": json_repair.loads(lines),
    "lines of arrays": json_repair.loads(arrays),
    "one line has a note": json_repair.loads(noted),
    "commas between": json_repair.loads(lines.replace("\n", ",\n")),
    "an answer with text around": json_repair.loads(f"Here you are:\n```json\n{lines}\n```"),
}
for name, value in seen.items():
    print(f"{name}: {value}")
log = json_repair.loads(lines, logging=True)[1]
print("log:", [entry["text"] for entry in log])
with_note = objects[1] | {"note": "formal"}
expected = [objects[2], [2, "Auf Wiedersehen"], [objects[0], with_note, objects[2]], objects, objects[2]]
if list(seen.values()) != expected:
    sys.exit("json_repair changed")
PY
