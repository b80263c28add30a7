#!/usr/bin/env bash
# Guess: lower case in a graph of ONNX Runtime Extensions is that of Unicode, or that of ASCII.
# Behaviour: `StringLower` lowers ASCII, Latin-1, the letters А to Я, and seven Greek ones (ΙΚΛΜΝΟΠ): "ΑΘΗΝΑ" becomes "ΑΘΗνΑ", "ŁÓDŹ" "ŁódŹ", "КИЇВ"
# "киЇв", and Ё stays. Greek vowels with a breathing become other capitals: Ἀ becomes Ἠ, and Ὠ ᾈ. `StringUpper` raises ASCII alone: "łódź" becomes "łóDź".
# A tokenizer of an uncased BERT that is converted (`gen_processing_models`) lowers as `StringLower` does, and keeps accents, because it does not know
# that `strip_accents=None` follows `do_lower_case`: with "cafe" and "αθηνα" in the vocabulary, "Café" and "ΑΘΗΝΑ" are unknown tokens. Nothing warns.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile onnxruntime-extensions==0.15.2 onnxruntime==1.32.0 onnx==1.23.2 transformers==5.24.0 tokenizers==0.23.3 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - "$folder" <<'PY'
import sys
import unicodedata
from importlib.metadata import version
from pathlib import Path

import numpy as np
import onnxruntime
from onnx import TensorProto, helper
from onnxruntime_extensions import gen_processing_models, get_library_path, ort_inference
from transformers import BertTokenizer

print(*(f"{name} {version(name)}" for name in ("onnxruntime-extensions", "onnxruntime", "transformers")))


def compute(operator, texts):
    node = helper.make_node(operator, ["x"], ["y"], domain="ai.onnx.contrib")
    values = [helper.make_tensor_value_info(name, TensorProto.STRING, [None]) for name in "xy"]
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.contrib", 1)]
    model = helper.make_model(helper.make_graph([node], "graph", values[:1], values[1:]), opset_imports=opsets, ir_version=9)
    options = onnxruntime.SessionOptions()
    options.register_custom_ops_library(get_library_path())
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    return session.run(None, {"x": np.array(list(texts), dtype=object)})[0].tolist()


NAMES = ["PARIS", "ZÜRICH", "МОСКВА", "ΑΘΗΝΑ", "ŁÓDŹ", "КИЇВ", "ПЁТР", "İZMİR", "Ἀθῆναι"]
lowered = dict(zip(NAMES, compute("StringLower", NAMES)))
print("StringLower:", lowered)
raised = dict(zip(NAMES, compute("StringUpper", [name.lower() for name in NAMES])))
print("StringUpper, of them in lower case:", raised)
capitals = [c for c in map(chr, range(0x80, 0x2000)) if unicodedata.category(c) == "Lu" and len(c.lower()) == 1]
results = compute("StringLower", capitals)
right = [a for a, b in zip(capitals, results) if b == a.lower()]
other = [f"{a}>{b}" for a, b in zip(capitals, results) if b not in (a, a.lower())]
print(f"of {len(capitals)} capitals from U+0080 to U+1FFF, {len(right)} are lowered, {len(other)} become another character: {' '.join(other[:8])} ...")
greek = [c for c in right if unicodedata.name(c).startswith("GREEK CAPITAL LETTER")]
print("Greek ones of the former:", greek)

words = ["paris", "zurich", "москва", "αθηνα", "łodz", "zürich"]
(Path(sys.argv[1]) / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words, "cafe"]) + "\n", encoding="utf-8")
tokens = {}
for text in ("Paris", "PARIS cafe", "МОСКВА", "Zurich", "Café", "ΑΘΗΝΑ", "ŁODZ", "Zürich"):
    for strip in (None, True):
        tokenizer = BertTokenizer.from_pretrained(sys.argv[1], do_lower_case=True, **({} if strip is None else {"strip_accents": strip}))
        ids = np.asarray(ort_inference(gen_processing_models(tokenizer, pre_kwargs={})[0], [text])[0]).ravel()
        tokens[text, strip] = [tokenizer.convert_ids_to_tokens(list(map(int, x)))[1:-1] for x in (tokenizer(text)["input_ids"], ids)]
    print(f"uncased BERT: {text}: {tokens[text, None][0]}, converted: {tokens[text, None][1]}")
if lowered["PARIS"] != "paris" or raised["PARIS"] != "PARIS" or any("[UNK]" in before for before, _ in tokens.values()):
    sys.exit("not as expected")
if any(tokens[text, None][0] != tokens[text, None][1] for text in ("Paris", "PARIS cafe", "МОСКВА", "Zurich")) or tokens["Café", True][1] != ["cafe"]:
    sys.exit("not as expected")
expected = {"ZÜRICH": "zürich", "МОСКВА": "москва", "ΑΘΗΝΑ": "ΑΘΗνΑ", "ŁÓDŹ": "ŁódŹ", "КИЇВ": "киЇв", "ПЁТР": "пЁтр", "Ἀθῆναι": "Ἠθῆναι"}
if any(lowered[name] != text for name, text in expected.items()) or raised["ŁÓDŹ"] != "łóDź" or raised["МОСКВА"] != "москва":
    sys.exit("ONNX Runtime Extensions changed")
if greek != list("ΙΚΛΜΝΟΠ") or len(right) > 100 or "Ἀ>Ἠ" not in other or "Ὠ>ᾈ" not in other:
    sys.exit("ONNX Runtime Extensions changed")
if any("[UNK]" not in tokens[text, None][1] for text in ("Café", "ΑΘΗΝΑ", "ŁODZ")) or tokens["Zürich", None][1] != ["zürich"]:
    sys.exit("ONNX Runtime Extensions changed")
PY
