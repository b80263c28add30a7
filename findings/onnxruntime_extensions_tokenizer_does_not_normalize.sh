#!/usr/bin/env bash
# Guess: a tokenizer that ONNX Runtime Extensions reads from tokenizer.json gives the tokens of that file.
# Behaviour: with a byte-level BPE, the normalizer is passed over, whichever it is: `Lowercase` leaves capitals, which the vocabulary has as single bytes,
# so that "The House" is six tokens instead of two; `NFC` leaves a letter and its accent apart, `Strip` leaves the spaces, `Replace` the quotation
# marks, and `NFKC` the fraction. Nothing warns. Without a normalizer, and with the normalizer applied before, the tokens are those of the file.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile onnxruntime-extensions==0.15.2 onnxruntime==1.32.0 onnx==1.23.2 tokenizers==0.23.3 numpy==2.4.6
"$folder/venv/bin/python" - "$folder" <<'PY'
import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from onnxruntime_extensions.pp_api import Tokenizer as Reader
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

print(*(f"{name} {version(name)}" for name in ("onnxruntime-extensions", "tokenizers")))
LINES = ["the small house on the hill", "a house is not a home", "The House is 1 m high", 'Das Café ist "groß"'] * 20
CASES = {
    "none": (None, "The House"),
    "Lowercase": (normalizers.Lowercase(), "The House"),
    "NFC": (normalizers.NFC(), "Das Cafe\u0301"),
    "NFKC": (normalizers.NFKC(), "½ m"),
    "Strip": (normalizers.Strip(), " the house "),
    "Replace": (normalizers.Replace("“", '"'), "“a house"),
}
for name, (normalizer, text) in CASES.items():
    tokenizer = Tokenizer(models.BPE())
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(LINES, trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, special_tokens=["<pad>"], show_progress=False))
    folder = Path(sys.argv[1]) / name
    folder.mkdir()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "<pad>", "model_max_length": 512}))
    reader = Reader(str(folder))
    read, of_normalized = (list(map(int, np.ravel(reader.tokenize(x)))) for x in (text, normalizer.normalize_str(text) if normalizer else text))
    ids = tokenizer.encode(text).ids
    tokens = [" ".join(map(tokenizer.id_to_token, x)) for x in (ids, read)]
    print(f"{name}: {text!r}: {tokens[0]}; ONNX Runtime Extensions: {tokens[1]}")
    if of_normalized != ids or reader.detokenize(np.array(ids, "int64"))[0] != tokenizer.decode(ids):
        sys.exit("not as expected")
    if (read == ids) != (name == "none"):
        sys.exit("not as expected" if name == "none" else "ONNX Runtime Extensions changed")
    if name == "Lowercase" and (len(ids), len(read)) != (2, 6):
        sys.exit("ONNX Runtime Extensions changed")
PY
