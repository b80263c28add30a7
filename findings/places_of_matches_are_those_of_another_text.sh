#!/usr/bin/env bash
# Guess: the places that a search returns with its matches are those of the text that it was given, so that text[start:end] is the match.
# Behaviour: they are those of the text after the library changed it. FlashText lowers it first, which makes two characters of the Turkish İ: each İ
# before a keyword moves its span by one. With a `processor`, `partial_ratio_alignment` counts in the processed text, which has lost its first
# signs and spaces. The ranges of `Snippet.highlighted` count bytes of UTF-8, so that each letter beyond ASCII moves them. Texts of ASCII letters are
# right in all three, and the docstrings say nothing of it. Terms that are marked or replaced by such places are parts of other words.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile flashtext==2.7 rapidfuzz==3.14.6 tantivy==0.27.0
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import tantivy
from flashtext import KeywordProcessor
from rapidfuzz.fuzz import partial_ratio_alignment
from rapidfuzz.utils import default_process

print(*(f"{name} {version(name)}" for name in ("flashtext", "rapidfuzz", "tantivy")))


def of_flashtext(text, word):
    keywords = KeywordProcessor()
    keywords.add_keyword(word)
    return keywords.extract_keywords(text, span_info=True)[0][1:]


def of_rapidfuzz(text, word):
    found = partial_ratio_alignment(text, word, processor=default_process)
    return found.src_start, found.src_end


def of_tantivy(text, word):
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", stored=True)
    schema = builder.build()
    index = tantivy.Index(schema)
    writer = index.writer()
    writer.add_document(tantivy.Document(text=text))
    writer.commit()
    index.reload()
    searcher, query = index.searcher(), index.parse_query(word, ["text"])
    snippet = tantivy.SnippetGenerator.create(searcher, query, schema, "text").snippet_from_doc(
        searcher.doc(searcher.search(query).hits[0][1])
    )
    if snippet.fragment() not in text or not text.startswith(snippet.fragment()):
        sys.exit("not as expected")
    return snippet.highlighted()[0].start, snippet.highlighted()[0].end


cases = {
    of_flashtext: [("In Izmir, the metro is new", "metro", "metro"), ("İzmir ve İstanbul'da metro var mı", "metro", "tro v")],
    of_rapidfuzz: [("The bank is closed", "bank", "bank"), ("«¡El banco está cerrado!»", "banco", "l ban")],
    of_tantivy: [("The house has a window there", "window", "window"), ("Über der Tür ist groß das Fenster im Haus", "fenster", "ster im")],
}
for function, texts in cases.items():
    for text, word, expected in texts:
        start, end = function(text, word)
        print(f"{function.__name__}: {word!r} in {text!r} is at {start} to {end}, {text[start:end]!r}")
        if text[start:end] != expected:
            sys.exit("changed")
PY
