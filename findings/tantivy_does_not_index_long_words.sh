#!/usr/bin/env bash
# Guess: a full-text index with the default tokeniser finds each word of a text again; that it drops tokens of 40 bytes and more concerns links.
# Behaviour: 40 bytes are 20 Russian or Greek letters and 14 Georgian ones, so usual words such as достопримечательность (a sight) or
# უსაფრთხოებისათვის (for safety) are not indexed, and neither is a Thai or Japanese clause, which has no spaces. A query for one finds nothing and
# says nothing. German compounds of 40 letters are lost, too, and the English analyser `en_stem` does the same.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile tantivy==0.27.0
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

import tantivy

print("tantivy", version("tantivy"))
words = {
    "sightseeing": True, "Geschwindigkeitsbegrenzung": True, "Rindfleischetikettierungsüberwachungsaufgabe": False,
    "прекрасная": True, "достопримечательность": False, "αναποτελεσματικότητα": False,
    "მშვიდობა": True, "უსაფრთხოებისათვის": False, "東京は日本の首都であり大きな都市です": False,
}
for analyser in ("default", "en_stem"):
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", stored=True, tokenizer_name=analyser)
    index = tantivy.Index(builder.build())
    writer = index.writer()
    for word in words:
        writer.add_document(tantivy.Document(text=word))
    writer.commit()
    index.reload()
    for word, found in words.items():
        count = index.searcher().search(index.parse_query(f'"{word}"', ["text"])).count
        print(f"{analyser}: {word} ({len(word)} letters, {len(word.encode())} bytes) is found {count} times")
        if (count > 0) != found:
            sys.exit("tantivy changed")
PY
