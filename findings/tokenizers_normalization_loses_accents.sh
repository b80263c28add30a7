#!/usr/bin/env bash
# Guess: Hugging Face tokenizers normalise text as the SentencePiece model does whose rules they carry (`Precompiled`, which transformers
# makes of such a model).
# Behaviour: composed text is the same. Of a letter with two combining accents, as decomposed Vietnamese has, the rule of the first accent
# replaces both: tones are lost, "tiếng" becomes "tiêng". Decomposed Korean stays in single letters, half-width kana keep their voicing
# marks apart, an Arabic ligature loses its vowel sign. NFC before the tokenizer helps the first two.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile tokenizers==0.23.3 sentencepiece==0.2.3 protobuf==7.36.2
"$folder/venv/bin/python" - <<'PY'
import io
import sys
import unicodedata
from importlib.metadata import version

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import normalizers

print(*(f"{name} {version(name)}" for name in ("tokenizers", "sentencepiece")))
file = io.BytesIO()
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=iter(["a small corpus of words"] * 50),
    model_writer=file,
    vocab_size=30,
    hard_vocab_limit=False,
    normalization_rule_name="nmt_nfkc",
    add_dummy_prefix=False,
    minloglevel=2,
)
model = sentencepiece_model_pb2.ModelProto.FromString(file.getvalue())
processor = sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())
rules = normalizers.Precompiled(model.normalizer_spec.precompiled_charsmap)
texts = {
    "composed": "tiếng Việt, trường, 한국어, ガ",
    "Vietnamese": unicodedata.normalize("NFD", "tiếng Việt, trường"),
    "Korean": unicodedata.normalize("NFD", "한국어"),
    "kana": "\uff76\uff9e",
    "Arabic": "\ufefb\u064b",
}
seen = {}
for name, text in texts.items():
    expected = processor.normalize(text).replace("▁", " ")
    seen[name] = rules.normalize_str(text)
    same = "same" if seen[name] == expected else "different"
    print(f"{name}: SentencePiece {expected} ({len(expected)} characters), tokenizers {seen[name]} ({len(seen[name])}): {same}")
    print(f"    after NFC: {rules.normalize_str(unicodedata.normalize('NFC', text)) == expected}")
if seen != {
    "composed": texts["composed"],
    "Vietnamese": "tiêng Viẹt, trương",
    "Korean": texts["Korean"],
    "kana": "\u30ab\u3099",
    "Arabic": "\u0644\u0627",
}:
    sys.exit("tokenizers changed")
PY
