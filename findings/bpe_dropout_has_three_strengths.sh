#!/usr/bin/env bash
# Guess: BPE-dropout of 0.1 is that of the paper (Provilkov et al., 2020, algorithm 1), which SentencePiece's README cites: in each step, each
# possible merge is left out by 0.1, in this step alone, and the best of the others is made.
# Behaviour: in SentencePiece, a merge that is left out is gone for good, unless a neighbour changes: words of English come in 1.8 pieces, instead
# of 1.5 by the paper and 1.1 without dropout; its 0.1 is the paper's 0.2. In tokenizers, what was left out gets another chance before the next
# merge, whenever the queue has a pair that no longer exists, so that 0.1 is about half as strong as in the paper. subword-nmt does what the paper
# says. The rate of a recipe is another one in another toolkit.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile sentencepiece==0.2.3 tokenizers==0.23.3 subword-nmt==0.3.8
"$folder/venv/bin/python" -W ignore - <<'PY'
import io
import json
import random
import re
import sys
from importlib.metadata import version
from pydoc_data.topics import topics

import sentencepiece
from subword_nmt.apply_bpe import encode
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

print(*(f"{name} {version(name)}" for name in ("sentencepiece", "tokenizers", "subword-nmt")))
words = re.findall(r"[a-z]+", " ".join(topics.values()).lower())  # the documentation of Python's language
sample = words[5000:7000]


def of_the_paper(pieces, ranks, rate):
    while True:
        pairs = [(ranks[pair], i) for i, pair in enumerate(zip(pieces, pieces[1:])) if pair in ranks and random.random() >= rate]
        if not pairs:
            return pieces
        i = min(pairs)[1]
        pieces = [*pieces[:i], pieces[i] + pieces[i + 1], *pieces[i + 2 :]]


def count(segment):
    return sum(len(segment(word)) for word in sample) / len(sample)


file = io.BytesIO()
lines = (" ".join(words[i : i + 20]) for i in range(0, len(words), 20))
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=lines, model_writer=file, model_type="bpe", vocab_size=2000, minloglevel=2
)
processor = sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())
ids = {processor.id_to_piece(i): i for i in range(len(processor))}
pairs = [(piece[:i], piece[i:]) for piece in ids for i in range(1, len(piece)) if {piece[:i], piece[i:]} <= ids.keys()]
sentencepiece_ranks = {pair: rank for rank, pair in enumerate(pairs)}  # the earlier piece is merged first

tokenizer = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
trainer = trainers.BpeTrainer(vocab_size=2000, special_tokens=["<unk>"], end_of_word_suffix="</w>", show_progress=False)
tokenizer.train_from_iterator([" ".join(words)], trainer)
model = json.loads(tokenizer.to_str())["model"]
merges = [tuple(pair) for pair in model["merges"]]
ranks = {pair: rank for rank, pair in enumerate(merges)}

random.seed(1)
seen = {}
for rate in (0.0, 0.1, 0.2):
    bpe = models.BPE(model["vocab"], merges, dropout=rate or None, unk_token="<unk>", end_of_word_suffix="</w>")
    seen[rate] = {
        "sentencepiece": count(lambda word: processor.encode(word, out_type=str, enable_sampling=rate > 0, alpha=rate)),
        "its merges by the paper": count(lambda word: of_the_paper(list("▁" + word), sentencepiece_ranks, rate)),
        "tokenizers": count(bpe.tokenize),
        "subword-nmt with its merges": count(lambda word: encode(word, ranks, None, None, "@@", (0, 2), {}, dropout=rate)),
        "its merges by the paper ": count(lambda word: of_the_paper([*word[:-1], word[-1] + "</w>"], ranks, rate)),
    }
    print(f"dropout {rate}, pieces a word:", ", ".join(f"{name.strip()} {number:.2f}" for name, number in seen[rate].items()))
(plain, *_, plain_too), (strong, right, weak, same, right_too) = (list(seen[rate].values()) for rate in (0.0, 0.1))
if len({round(number, 9) for number in list(seen[0.0].values())[:2]}) != 1 or abs(same - right_too) > 0.05:
    sys.exit("not as expected")
if not (strong - plain > 1.7 * (right - plain) and weak - plain_too < 0.75 * (right_too - plain_too)):
    sys.exit("SentencePiece or tokenizers changed")
PY
