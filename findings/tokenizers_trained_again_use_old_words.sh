#!/usr/bin/env bash
# Guess: a `Tokenizer` that is trained again, on other texts or with a larger vocabulary, encodes as one that was trained so from the start.
# Behaviour: with the model `BPE`, words that were encoded before are taken from a cache that training does not clear, with the ids of the old
# vocabulary. With three sizes of the vocabulary one after the other, a text has as many tokens in the second and third as in the first; after a
# training on other texts, what `encode` gives is read by `decode` as other words. The file that `save` writes is right, as is `WordPiece`.
# A new `Tokenizer`, or `tokenizer.model = BPE()` before each training, helps.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile tokenizers==0.23.3
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version
from pydoc_data.topics import topics

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

print("tokenizers", version("tokenizers"))
TEXTS = [line for name in sorted(topics) for line in topics[name].splitlines()]
TEXT = "the value of the expression is evaluated before the statement is executed"
SIZES = (500, 1000, 2000)
KINDS = {
    "BPE": (models.BPE, trainers.BpeTrainer),
    "WordPiece": (models.WordPiece, trainers.WordPieceTrainer),
}


def create(kind):
    tokenizer = Tokenizer(KINDS[kind][0](unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def train(tokenizer, kind, texts, size):
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = KINDS[kind][1](vocab_size=size, special_tokens=["[UNK]"], initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)


lengths = {}
for kind in KINDS:
    one = create(kind)
    for case in ("one tokenizer", "a new one each", "one, saved and loaded", "one with a new model"):
        lengths[kind, case] = []
        for size in SIZES:
            if case == "a new one each":
                one = create(kind)
            if case == "one with a new model":
                one.model = KINDS[kind][0](unk_token="[UNK]")
            train(one, kind, TEXTS, size)
            tokenizer = Tokenizer.from_str(one.to_str()) if "loaded" in case else one
            lengths[kind, case].append(len(tokenizer.encode(TEXT).ids))
        print(f"{kind}, {case}: tokens with vocabularies of {SIZES}: {lengths[kind, case]}")

tokenizer = create("BPE")
train(tokenizer, "BPE", ["der Laden ist heute offen", "the shop is closed"] * 20, 320)
first = tokenizer.decode(tokenizer.encode("the shop is closed").ids)
train(tokenizer, "BPE", TEXTS, 1000)
second = tokenizer.decode(tokenizer.encode("the shop is closed").ids)
loaded = Tokenizer.from_str(tokenizer.to_str())
third = loaded.decode(loaded.encode("the shop is closed").ids)
print(f'encoded and decoded: "{first}" after the first training, "{second}" after the second, "{third}" once loaded')
right = [lengths["BPE", case] for case in ("a new one each", "one, saved and loaded", "one with a new model")]
if right != [right[0]] * 3 or len(set(right[0])) != 3 or first != "the shop is closed" or third != first:
    sys.exit("not as expected")
if len({tuple(lengths["WordPiece", case]) for kind, case in lengths if kind == "WordPiece"}) != 1:
    sys.exit("not as expected")
if len(set(lengths["BPE", "one tokenizer"])) != 1 or second == first:
    sys.exit("tokenizers changed")
PY
