#!/usr/bin/env bash
# Guess: a text that is streamed token by token as server-sent events arrives as it was sent, whatever its tokens are.
# Behaviour: in sseclient and aiosseclient, line breaks at the beginning of an event's data vanish, and an event of line breaks alone is empty,
# so that a token "\n" or "\n\n" is lost and two paragraphs become one. Of an event with a line separator (U+2028), a next line (U+0085), a
# vertical tab or a file separator in it, the text behind that character is lost: the format ends lines only at CR and LF. Each library loses
# this from what it writes itself (`Event.dump`, `Event.parse`). sseclient-py reads all of it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile sseclient==0.0.27 aiosseclient==0.1.8
"$folder/venv/bin/pip" install -q --no-compile --no-deps --target "$folder/other" sseclient-py==1.9.0
cat > "$folder/client.py" <<'PY'
import json
import logging
import sys

logging.disable(logging.WARNING)  # "Invalid SSE line"
tokens = json.loads(sys.argv[2])
if sys.argv[1] == "sseclient-py":
    import sseclient

    def stream():  # of bytes, as a response yields them
        yield "".join("".join(f"data: {line}\n" for line in token.split("\n")) + "\n" for token in tokens).encode()

    received = [event.data for event in sseclient.SSEClient(stream()).events()]
elif sys.argv[1] == "sseclient":
    import sseclient

    received = [sseclient.Event.parse(sseclient.Event(token).dump()).data for token in tokens]
else:
    import aiosseclient

    received = [aiosseclient.Event.parse(aiosseclient.Event(token).dump()).data for token in tokens]
print(json.dumps(received))
PY
PYTHON="$folder/venv/bin/python" OTHER="$folder/other" CLIENT="$folder/client.py" python3 - <<'PY'
import json
import os
import subprocess
import sys

tokens = ["It is open.", "\n\n", "Come in", ",\nplease", ".", "\nNot", " today", "price\N{LINE SEPARATOR}10", "a\u0085b", "a\vb", "a\x1cb", "a\n"]
lossy = ["It is open.", "", "Come in", ",\nplease", ".", "Not", " today", "price", "a", "a", "a", "a\n"]
for name, version in (("sseclient", "0.0.27"), ("aiosseclient", "0.1.8"), ("sseclient-py", "1.9.0")):
    path = {"PYTHONPATH": os.environ["OTHER"]} if name == "sseclient-py" else {}
    command = [os.environ["PYTHON"], os.environ["CLIENT"], name, json.dumps(tokens)]
    received = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, env={**os.environ, **path}).stdout)
    print(f"{name} {version}:", *(f"{sent!r}: {got!r}" for sent, got in zip(tokens, received) if got != sent))
    if received != (tokens if name == "sseclient-py" else lossy):
        sys.exit(f"{name} changed: {received}")
PY
