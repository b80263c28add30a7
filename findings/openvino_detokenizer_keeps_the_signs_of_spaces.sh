#!/usr/bin/env bash
# Guess: a converted tokenizer of pairs of characters (BPE) with `Metaspace` writes the texts that the tokenizer writes, and counts unknown characters
# as it does.
# Behaviour: the decoder `Metaspace` is passed over: texts come out with the signs "▁" for spaces, "▁a▁small▁house". An unknown character is one
# token for each of its bytes, two for an accented or Greek letter, three for a Chinese one, instead of one, and with `fuse_unk` four Chinese
# characters are twelve tokens instead of one. Nothing warns. With `Unigram`, the decoder is not passed over.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile openvino==2026.4.1 openvino-tokenizers==2026.4.1.0 tokenizers==0.23.3 transformers==5.24.0 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import numpy as np
import openvino
from openvino_tokenizers import convert_tokenizer
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

print(*(f"{name} {version(name)}" for name in ("openvino", "openvino-tokenizers", "tokenizers", "transformers")))
LINES = ["a small house on the hill", "the house of a small family", "all is well on the hill"] * 10
TEXT = "a small house on the hill"
UNKNOWN = {"Greek": "Ω", "accented": "é", "Chinese": "中", "four Chinese": "中文字典"}
SPECIAL = {"special_tokens": ["<unk>", "<pad>"], "show_progress": False, "vocab_size": 60}


def make(model, trainer):
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    tokenizer.train_from_iterator(LINES, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", pad_token="<pad>", model_max_length=64)


kinds = {
    "BPE": make(models.BPE(unk_token="<unk>"), trainers.BpeTrainer(**SPECIAL)),
    "BPE, fuse_unk": make(models.BPE(unk_token="<unk>", fuse_unk=True), trainers.BpeTrainer(**SPECIAL)),
    "Unigram": make(models.Unigram(), trainers.UnigramTrainer(unk_token="<unk>", **SPECIAL)),
}
texts, unknown = {}, {}
for kind, tokenizer in kinds.items():
    encoder, decoder = (openvino.compile_model(model, "CPU") for model in convert_tokenizer(tokenizer, with_detokenizer=True))
    ids = tokenizer(TEXT)["input_ids"]
    if encoder([TEXT])["input_ids"][0].tolist() != ids:
        sys.exit("not as expected")
    texts[kind] = tokenizer.decode(ids), str(decoder([np.array([ids], "int32")])["string_output"][0])
    print(f"{kind}: {texts[kind][0]!r}, converted: {texts[kind][1]!r}")
    for name, text in UNKNOWN.items():
        of_both = (tokenizer(text)["input_ids"], encoder([text])["input_ids"][0].tolist())
        unknown[kind, name] = [all_ids.count(tokenizer.unk_token_id) for all_ids in of_both]
    print(f"{kind}, unknown tokens, before and converted: {({name: unknown[kind, name] for name in UNKNOWN})}")
if {before for before, _ in texts.values()} != {TEXT} or texts["Unigram"][1] != TEXT:
    sys.exit("not as expected")
if [unknown["BPE", name][0] for name in UNKNOWN] != [1, 1, 1, 4] or unknown["BPE, fuse_unk", "four Chinese"][0] != 1:
    sys.exit("not as expected")
if texts["BPE"][1] != "▁a▁small▁house▁on▁the▁hill":
    sys.exit("OpenVINO Tokenizers changed")
if any([unknown[kind, name][1] for name in UNKNOWN] != [2, 2, 3, 12] for kind in ("BPE", "BPE, fuse_unk")):
    sys.exit("OpenVINO Tokenizers changed")
PY
