#!/usr/bin/env bash
# Guess: an assertion in a function (assert_less, assert_all_finite, check_numerics, tf.Assert) ends the run also with jit_compile=True.
# Behaviour: XLA compiles the function without its assertions, says nothing, and returns a result. Checks that guard a model in a plain
# graph (ids below the size of the vocabulary, a finite loss) are gone as soon as it is compiled.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile tensorflow==2.21.0 numpy==2.4.6
TF_CPP_MIN_LOG_LEVEL=3 "$folder/venv/bin/python" - <<'PY'
import sys

import tensorflow as tf

print("tensorflow", tf.__version__)


def assert_less(x):
    tf.debugging.assert_less(x, 2.0)
    return x + 1


def assert_all_finite(x):
    tf.debugging.assert_all_finite(x / 0.0, "not finite")
    return x + 1


def check_numerics(x):
    return tf.debugging.check_numerics(x / 0.0, "not finite") + 1


def plain_assert(x):
    tf.Assert(x < 0, [x])
    return x + 1


expected = {"assert_less": 6.0, "assert_all_finite": 6.0, "check_numerics": float("inf"), "plain_assert": 6.0}
for check in (assert_less, assert_all_finite, check_numerics, plain_assert):
    try:
        tf.function(check)(tf.constant(5.0))
        sys.exit(f"{check.__name__} no longer raises in a plain graph")
    except tf.errors.InvalidArgumentError:
        compiled = float(tf.function(check, jit_compile=True)(tf.constant(5.0)))
    print(f"{check.__name__} of 5: plain graph raises InvalidArgumentError, compiled returns {compiled}")
    if compiled != expected[check.__name__]:
        sys.exit(f"{check.__name__} changed under XLA")
PY
