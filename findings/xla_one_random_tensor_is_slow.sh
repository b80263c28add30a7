#!/usr/bin/env bash
# Guess: a function that XLA compiles for a CPU draws random numbers about as fast as one that it does not compile, and two tensors take
# twice as long as one.
# Behaviour: where a compiled function draws one random tensor, a number takes some 300 ns, 50 to 100 times as long as without XLA: also in
# a dropout, or where only the sum of the numbers is used, and whatever the size. Where the same function draws two, both together take
# a tenth of the time of one alone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile tensorflow==2.21.0 keras==3.15.1 numpy==2.4.6
TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES="" "$folder/venv/bin/python" - <<'PY' 2>/dev/null
import sys
import time

import tensorflow as tf

SIZE = 524_288
seed, ones = tf.constant([1, 2]), tf.ones(SIZE)


def milliseconds(draw, jit_compile):
    function = tf.function(draw, jit_compile=jit_compile)
    function()
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - start)
    return 1000 * min(seconds)


cases = {
    "one tensor": lambda: tf.random.stateless_uniform((SIZE,), seed),
    "the sum of one tensor": lambda: tf.reduce_sum(tf.random.stateless_uniform((SIZE,), seed)),
    "one dropout": lambda: tf.nn.experimental.stateless_dropout(ones, 0.1, seed),
    "two tensors": lambda: [tf.random.stateless_uniform((SIZE,), seed + i) for i in range(2)],
}
print(f"tensorflow {tf.__version__}, {SIZE:,} numbers a tensor")
found = {}
for name, draw in cases.items():
    plain, found[name] = milliseconds(draw, False), milliseconds(draw, True)
    print(f"{name}: plain {plain:.1f} ms, by XLA {found[name]:.1f} ms, {found[name] / plain:.0f} times")
    if name != "two tensors" and found[name] < 10 * plain:
        sys.exit("XLA changed")
if found["two tensors"] > found["one tensor"] / 3:
    sys.exit("XLA changed")
PY
