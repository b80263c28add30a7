#!/usr/bin/env bash
# Guess: speculative sampling gives tokens with the probabilities of the model, whatever the draft model is (Leviathan et al., 2022, appendix
# A.1): `SpeculativeSampler` refers to that algorithm.
# Behaviour: the draft's tokens are not drawn from the draft's probabilities, but are always its likeliest. With the model itself as the draft, the
# token of probability 0.4 is drawn two times of three, with four tokens at once nine times of ten. In a batch, all sequences go on by the
# smallest number of accepted tokens, and those that had accepted more draw anew as if their token had been rejected: where draft and model
# agree, nothing is left to draw from, and each token of the vocabulary is as likely as the others. `RandomSampler` has the model's.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile keras-hub==0.32.0 keras==3.15.1 jax==0.10.2
KERAS_BACKEND=jax "$folder/venv/bin/python" -W ignore - 2>/dev/null <<'PY'
import sys
from importlib.metadata import version

import numpy as np
from keras import ops
from keras_hub.samplers import RandomSampler, SpeculativeSampler

print(*(f"{name} {version(name)}" for name in ("keras-hub", "keras", "jax")))
LENGTH = 2000
model = [0.4, 0.3, 0.2, 0.1]


def constant(rows):
    """Returns a model that gives the tokens of each row the same probabilities at each position."""
    logits = ops.log(ops.convert_to_tensor(np.array(rows, "float32")))
    return lambda prompt, cache, index: (logits, None, cache)


def shares(tokens):
    return np.round([np.bincount(row, minlength=4) / LENGTH for row in np.array(tokens)], 2).tolist()


def speculate(rows, drafts, number):
    sampler = SpeculativeSampler(num_speculative_tokens=number, base_sampler=RandomSampler(), seed=1)
    prompt = ops.zeros((len(rows), LENGTH), "int32")
    return shares(sampler(constant(rows), prompt, index=0, draft_next=constant(drafts)))


plain = shares(RandomSampler(seed=1)(constant([model]), ops.zeros((1, LENGTH), "int32"), index=0))[0]
print("the model", model, "RandomSampler", plain)
own = [speculate([model], [model], number)[0] for number in (1, 4)]
print("the model as its own draft: one token at once", own[0], "four", own[1])
other = [0.01, 0.01, 0.01, 0.97]
batch = speculate([model, other], [model, model], 1)
print("the same beside a sequence whose drafts are rejected", batch[0])
if np.abs(np.subtract(plain, model)).max() > 0.05:
    sys.exit("not as expected")
if own[0][0] < 0.6 or own[1][0] < 0.8 or np.abs(np.subtract(batch[0], 0.25)).max() > 0.05:
    sys.exit("keras-hub changed")
PY
