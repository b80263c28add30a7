#!/usr/bin/env bash
# Guess: `WordPieceTokenizer` splits words as BERT does: at spaces of any kind, and not where a soft hyphen only allows a line break.
# Behaviour: only ASCII spaces split. "10 km" with a no-break space or a thin one, as typography wants it, is one unknown word; the
# ideographic space of Chinese is an unknown word of its own. Invisible characters split words instead of being removed: German Versand with a soft hyphen is "ver"
# and "sand", Persian verbs are cut at their joiner. Direct calls and `tf.data` agree. `split_on_cjk=False` is not saved: the tokenizer of a
# loaded model splits 東京 in two.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras-hub==0.32.0 keras==3.15.1 tensorflow==2.21.0 tensorflow-text==2.21.1 tokenizers==0.23.3
cd "$folder"
TF_CPP_MIN_LOG_LEVEL=3 venv/bin/python -W ignore - 2>/dev/null <<'PY'
import sys
from importlib.metadata import version

import keras
import keras_hub
import tensorflow as tf
from tokenizers.implementations import BertWordPieceTokenizer

print(*(f"{name} {version(name)}" for name in ("keras-hub", "tensorflow", "tensorflow-text", "tokenizers")))
words = "[UNK] [SEP] [CLS] 10 km ver ##sand versand sand می خواهم میخواهم 東 京 東京".split()
tokenizer = keras_hub.tokenizers.WordPieceTokenizer(vocabulary=words, lowercase=True, dtype="string")
bert = BertWordPieceTokenizer({word: i for i, word in enumerate(words)}, lowercase=True)
expected = {  # what keras_hub gives, and BERT's rules
    "10 km": (["10", "km"], ["10", "km"]),
    "10\u00a0km": (["[UNK]"], ["10", "km"]),
    "10\u2009km": (["[UNK]"], ["10", "km"]),
    "東京": (["東", "京"], ["東", "京"]),
    "\u3000東京": (["[UNK]", "東", "京"], ["東", "京"]),
    "Versand": (["versand"], ["versand"]),
    "Ver\u00adsand": (["ver", "sand"], ["versand"]),
    "می\u200cخواهم": (["می", "خواهم"], ["میخواهم"]),
}
for text, (ours, theirs) in expected.items():
    direct = [str(token) for token in tokenizer(text)]
    mapped = [token.decode() for token in next(iter(tf.data.Dataset.from_tensors(text).map(tokenizer))).numpy()]
    rules = bert.encode(text, add_special_tokens=False).tokens
    print(ascii(text), "direct", direct, "tf.data", mapped, "BERT's rules", rules)
    if rules != theirs:
        sys.exit("not as expected")
    if direct != ours or mapped != ours:
        sys.exit("keras-hub changed")
whole = keras_hub.tokenizers.WordPieceTokenizer(vocabulary=words, split_on_cjk=False)
model = keras.Sequential([keras.Input((), dtype="string"), whole])
before = [int(i) for i in whole("東京")]
keras.saving.save_model(model, "model.keras")
after = [int(i) for i in keras.saving.load_model("model.keras").layers[-1]("東京")]
print("split_on_cjk=False: ids of 東京 before", before, "after saving and loading", after)
if before != [words.index("東京")] or after != [words.index("東"), words.index("京")]:
    sys.exit("keras-hub changed")
PY
