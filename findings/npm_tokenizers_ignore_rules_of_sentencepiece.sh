#!/usr/bin/env bash
# Guess: with the `tokenizer.json` of a SentencePiece model, Hugging Face's library for JavaScript, part of transformers.js, normalises text by the
# model's rules, which the file has, and decodes tokens to the text they stand for.
# Behaviour: it has rules of its own instead, close to `nmt_nfkc`. Of a model with `nmt_nfkc_cf`, capital letters stay and are unknown tokens.
# A zero-width joiner, which `nmt_nfkc` keeps, becomes a space: "ශ්‍රී" (Sri) in Sinhala is two words. Of a model with `nfkc`, the mark between a Persian
# stem and its ending does. Without `clean_up_tokenization_spaces` in the configuration, `decode` deletes spaces before punctuation:
# French "Ça va ?" comes back as "Ça va?". The library for Python, which wrote the file, does none of this.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @huggingface/tokenizers@0.2.0
python3 -m venv venv
venv/bin/pip install -q --no-compile tokenizers==0.23.3 sentencepiece==0.2.3 protobuf==7.36.2
cat >make.py <<'PY'
import io
import json
import sys
from importlib.metadata import version

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

print(*(f"{name} {version(name)}" for name in ("tokenizers", "sentencepiece")), file=sys.stderr)
TEXTS = ["The Shop is open", "ශ්‍රී ලංකා", "می‌خواهم", "Ça va ? Oui !", "Straße 10"]
cases = []
for rules in ("nmt_nfkc", "nmt_nfkc_cf", "nfkc"):
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS * 50),
        model_writer=file,
        vocab_size=100,
        hard_vocab_limit=False,
        normalization_rule_name=rules,
        minloglevel=2,
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())
    model = sentencepiece_model_pb2.ModelProto.FromString(file.getvalue())
    tokenizer = Tokenizer(models.Unigram([(piece.piece, piece.score) for piece in model.pieces], unk_id=0))
    tokenizer.normalizer = normalizers.Precompiled(model.normalizer_spec.precompiled_charsmap)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    for text in TEXTS:
        tokens, ids = tokenizer.encode(text).tokens, tokenizer.encode(text).ids
        if tokens != processor.encode(text, out_type=str) or tokenizer.decode(ids) != processor.decode(ids):
            sys.exit("not as expected")
        cases.append({"rules": rules, "file": json.loads(tokenizer.to_str()), "text": text, "tokens": tokens, "ids": ids, "decoded": tokenizer.decode(ids)})
print(json.dumps(cases))
PY
venv/bin/python make.py >cases.json
cat >run.mjs <<'JS'
import { readFileSync } from "node:fs";
import { Tokenizer } from "@huggingface/tokenizers";

const { version } = JSON.parse(readFileSync("node_modules/@huggingface/tokenizers/package.json"));
console.log(`@huggingface/tokenizers ${version}, node ${process.version}`);
const quoted = (text) => JSON.stringify(text).replace(/[\u200c\u200d]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16)}`);
const others = [];
for (const { rules, file, text, tokens, ids, decoded } of JSON.parse(readFileSync("cases.json"))) {
  const tokenizer = new Tokenizer(file, {});
  const seen = tokenizer.encode(text);
  if (String(seen.ids) !== String(ids)) {
    const unknown = seen.ids.filter((id) => id === 0).length;
    console.log(`${rules}: ${quoted(text)} is ${quoted(tokens.join(" "))}, here ${quoted(seen.tokens.join(" "))}, ${unknown} of them unknown`);
    others.push(`${rules}: ${text}`);
  }
  const back = tokenizer.decode(ids);
  if (back !== decoded) {
    console.log(`${rules}: ${quoted(decoded)} is decoded as ${quoted(back)}`);
    others.push(`${rules}: ${decoded}`);
  }
  if (tokenizer.decode(ids, { clean_up_tokenization_spaces: false }) !== decoded) {
    console.error("not as expected");
    process.exit(1);
  }
}
const expected = [
  "nmt_nfkc: ශ්‍රී ලංකා",
  "nmt_nfkc: Ça va ? Oui !",
  "nmt_nfkc_cf: The Shop is open",
  "nmt_nfkc_cf: ශ්‍රී ලංකා",
  "nmt_nfkc_cf: Ça va ? Oui !",
  "nmt_nfkc_cf: ça va ? oui !",
  "nmt_nfkc_cf: Straße 10",
  "nfkc: ශ්‍රී ලංකා",
  "nfkc: می‌خواهم",
  "nfkc: Ça va ? Oui !",
];
if (JSON.stringify(others) !== JSON.stringify(expected)) {
  console.error("@huggingface/tokenizers changed", JSON.stringify(others));
  process.exit(1);
}
JS
node run.mjs
