#!/usr/bin/env bash
# Guess: `SentencePieceNormalizer(rule_name="nmt_nfkc")` normalises a text and leaves its spaces; a new release returns what the one before returned, since no
# rule has changed.
# Behaviour: until 0.2.2, the three options of spaces are off unless they are set. From 0.2.3 on they are those of a model: the same call puts the mark U+2581 in
# front, instead of every space, and joins runs of spaces; a text that goes through it before another tokenizer has no spaces any more, so it is one word. With the three
# options set to False, the releases agree. Upstream wanted this for the rules of a model (its issue 1334 is named in the source); a name of rules has no model.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/normalize.py" <<'PY'
import json

import sentencepiece

TEXT = "The ﬁrst  № 5 of 2 "
OFF = dict.fromkeys(("add_dummy_prefix", "escape_whitespaces", "remove_extra_whitespaces"), False)
print(json.dumps({
    "version": sentencepiece.__version__,
    "name alone": sentencepiece.SentencePieceNormalizer(rule_name="nmt_nfkc").normalize(TEXT),
    "options off": sentencepiece.SentencePieceNormalizer(rule_name="nmt_nfkc", **OFF).normalize(TEXT),
}, ensure_ascii=False))
PY
for package in sentencepiece==0.2.1 sentencepiece==0.2.2 sentencepiece==0.2.3; do
    python3 -m venv "$folder/$package"
    "$folder/$package/bin/pip" install -q --no-compile "$package"
    "$folder/$package/bin/python" "$folder/normalize.py" | tee -a "$folder/seen"
done
python3 - "$folder/seen" <<'PY'
import json, sys

old, middle, new = map(json.loads, open(sys.argv[1], encoding="utf-8"))
kept = "The first  No 5 of 2 "
if not all(seen["options off"] == kept for seen in (old, middle, new)) or old["name alone"] != kept or middle["name alone"] != kept:
    sys.exit("not as expected")
if new["name alone"] != "▁The▁first▁No▁5▁of▁2":
    sys.exit("sentencepiece changed")
print(f"words of {new['name alone']!r}: {len(new['name alone'].split())}; of {old['name alone']!r}: {len(old['name alone'].split())}")
PY
