#!/usr/bin/env bash
# Guess: a tokenizer of `transformers` that is loaded from a SentencePiece model encodes as the model does, with its settings.
# Behaviour: settings of the model file are passed over. Llama's tokenizer does not normalize: with a model of SentencePiece's default settings (NFKC),
# the fractions, ligatures and wide letters of a text are gone, not even unknown: "½ x² ﬁne" comes back as "x ne". T5's and XLM-RoBERTa's know no
# bytes: with `byte_fallback`, "Ω" is unknown. With `add_dummy_prefix=False`, a space precedes each text all the same, so that other tokens begin
# it, and with `identity`, tabs and line breaks become spaces. Nothing warns. With default settings, T5's and XLM-RoBERTa's encode as the model.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile transformers==5.24.0 tokenizers==0.23.3 sentencepiece==0.2.3 protobuf==7.36.2
"$folder/venv/bin/python" - "$folder" <<'PY'
import io
import sys
from importlib.metadata import version
from pathlib import Path

import sentencepiece
from transformers import LlamaTokenizer, T5Tokenizer, XLMRobertaTokenizer

print(*(f"{name} {version(name)}" for name in ("transformers", "tokenizers", "sentencepiece")))
LINES = ["the small house on the hill", "a house is not a home", "a fine word of 3.5 m", "1/2 x2 and ½ x² fi"] * 20
TEXT, NUMBERS, GREEK, TAB = "the house on the hill", "½ x² ﬁne", "Ω", "a\thouse"
CLASSES = {"T5": (T5Tokenizer, "spiece.model"), "XLM-RoBERTa": (XLMRobertaTokenizer, "sentencepiece.bpe.model"), "Llama": (LlamaTokenizer, "tokenizer.model")}


def load(name, **settings):
    """A SentencePiece model with these settings, and the tokenizer that is loaded from its file."""
    kind, file = CLASSES[name]
    stream = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES),
        model_writer=stream,
        model_type="bpe" if name == "Llama" else "unigram",
        vocab_size=330 if settings.get("byte_fallback") else 70,
        hard_vocab_limit=False,
        pad_id=3,
        minloglevel=5,
        **settings,
    )
    folder = Path(sys.argv[1]) / "-".join([name, *settings])
    folder.mkdir()
    (folder / file).write_bytes(stream.getvalue())
    return sentencepiece.SentencePieceProcessor(model_proto=stream.getvalue()), kind.from_pretrained(folder)


seen = {}
for name in CLASSES:
    for settings, text in (({}, TEXT), ({}, NUMBERS), ({"byte_fallback": True}, GREEK), ({"add_dummy_prefix": False}, TEXT), ({"normalization_rule_name": "identity"}, TAB)):
        if ("-".join([name, *settings])) not in seen:
            seen["-".join([name, *settings])] = load(name, **settings)
        model, tokenizer = seen["-".join([name, *settings])]
        tokens = model.encode(text, out_type=str), tokenizer.tokenize(text)
        decoded = tokenizer.decode(tokenizer(text)["input_ids"], skip_special_tokens=True)
        seen[name, *settings, text] = (*tokens, decoded)
        print(f"{name}, {settings or 'default'}: {text!r}: {' '.join(tokens[0])}; tokenizer: {' '.join(tokens[1])}; decoded: {decoded!r}")
for name in ("T5", "XLM-RoBERTa"):
    if any(seen[name, text][0] != seen[name, text][1] for text in (TEXT, NUMBERS)):
        sys.exit("not as expected")
if seen["Llama", TEXT][0] != seen["Llama", TEXT][1] or seen["Llama", "byte_fallback", GREEK][1] != seen["Llama", "byte_fallback", GREEK][0]:
    sys.exit("not as expected")
if any("<0xCE> <0xA9>" not in " ".join(seen[name, "byte_fallback", GREEK][0]) or seen[name, "add_dummy_prefix", TEXT][0][0].startswith("▁") for name in CLASSES):
    sys.exit("not as expected")
if seen["Llama", NUMBERS][2].split() != ["x", "ne"] or not seen["Llama", "add_dummy_prefix", TEXT][1][0].startswith("▁"):
    sys.exit("transformers changed")
for name in ("T5", "XLM-RoBERTa"):
    if seen[name, "byte_fallback", GREEK][2] or not seen[name, "add_dummy_prefix", TEXT][1][0].startswith("▁") or seen[name, "normalization_rule_name", TAB][2] != "a house":
        sys.exit("transformers changed")
PY
