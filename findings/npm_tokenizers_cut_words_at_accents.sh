#!/usr/bin/env bash
# Guess: a `tokenizer.json` has the same tokens in Hugging Face's library for JavaScript, part of transformers.js, as in the one for Python that made it.
# Behaviour: the pre-tokenizer `Whitespace`, that of the quick tour of tokenizers, knows letters of ASCII alone: "für" is f, ü, r, and a word in
# Cyrillic is one with the comma behind it, which a vocabulary of words does not have. `Split` and `Punctuation` ignore `merged_with_previous` and
# `merged_with_next`: spaces and marks stand alone, and no merge that was learned with them applies. Nothing is thrown or printed.
# English words, `WhitespaceSplit`, `ByteLevel` and `Split` with `isolated` are the same in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @huggingface/tokenizers@0.2.0
python3 -m venv venv
venv/bin/pip install -q --no-compile tokenizers==0.23.3
cat >make.py <<'PY'
import json
import re
import sys
from importlib.metadata import version

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

print("tokenizers", version("tokenizers"), file=sys.stderr)
TEXTS = [
    "the shop, which was open, is closed today.",
    "müde für den Frühling",
    "l'été arrive à Paris",
    "Привет, мир! Как дела?",
    "wait... what?!",
]
SPLITS = {
    "Whitespace": pre_tokenizers.Whitespace(),
    "WhitespaceSplit": pre_tokenizers.WhitespaceSplit(),
    "ByteLevel": pre_tokenizers.ByteLevel(),
    "Split, isolated": pre_tokenizers.Split(" ", "isolated"),
    "Split, merged with previous": pre_tokenizers.Split(" ", "merged_with_previous"),
    "Split, merged with next": pre_tokenizers.Split(" ", "merged_with_next"),
    "Punctuation, merged with previous": pre_tokenizers.Punctuation("merged_with_previous"),
}
MODELS = {
    "BPE": (models.BPE, trainers.BpeTrainer),
    "words": (models.WordLevel, trainers.WordLevelTrainer),
}
cases = []
for split_name, split in SPLITS.items():
    for model_name, (model, trainer) in MODELS.items():
        tokenizer = Tokenizer(model(unk_token="[UNK]"))
        tokenizer.pre_tokenizer = split
        tokenizer.train_from_iterator(TEXTS * 20, trainer(vocab_size=400, special_tokens=["[UNK]"], show_progress=False))
        tokens = [tokenizer.encode(text).tokens for text in TEXTS]
        # each word and each run of marks is in the vocabulary
        if split_name == "Whitespace" and tokens != [re.findall(r"\w+|[^\w\s]+", text) for text in TEXTS]:
            sys.exit("not as expected")
        cases.append({"name": f"{split_name}, {model_name}", "file": json.loads(tokenizer.to_str()), "texts": TEXTS, "tokens": tokens})
print(json.dumps(cases))
PY
venv/bin/python make.py >cases.json
cat >run.mjs <<'JS'
import { readFileSync } from "node:fs";
import { Tokenizer } from "@huggingface/tokenizers";

const { version } = JSON.parse(readFileSync("node_modules/@huggingface/tokenizers/package.json"));
console.log(`@huggingface/tokenizers ${version}, node ${process.version}`);
const others = {};
for (const { name, file, texts, tokens } of JSON.parse(readFileSync("cases.json"))) {
  const tokenizer = new Tokenizer(file, {});
  others[name] = [];
  for (const [i, text] of texts.entries()) {
    const seen = tokenizer.encode(text).tokens;
    if (seen.join("|") === tokens[i].join("|")) continue;
    console.log(`${name}: "${tokens[i].join("|")}" in Python, "${seen.join("|")}" here`);
    others[name].push(i);
  }
}
const same = ["WhitespaceSplit", "ByteLevel", "Split, isolated"];
if (same.some((name) => others[`${name}, BPE`].length + others[`${name}, words`].length)) {
  console.error("not as expected");
  process.exit(1);
}
const seen = Object.entries(others).filter(([name]) => !same.some((split) => name.startsWith(split)));
const expected = {
  "Whitespace, BPE": "1,2",
  "Whitespace, words": "1,2,3",
  "Split, merged with previous, BPE": "0,1,2,3,4",
  "Split, merged with previous, words": "0,1,2,3,4",
  "Split, merged with next, BPE": "0,1,2,3,4",
  "Split, merged with next, words": "0,1,2,3,4",
  "Punctuation, merged with previous, BPE": "0,2,3,4",
  "Punctuation, merged with previous, words": "0,2,3,4",
};
if (seen.some(([name, texts]) => expected[name] !== texts.join())) {
  console.error("@huggingface/tokenizers changed");
  process.exit(1);
}
JS
node run.mjs
