#!/usr/bin/env bash
# Guess: XLA chooses how to compute a product of a few rows with a large table. x @ W^T, as the logits of tied embeddings are written in
# every step of a search, and the transposition of W @ x^T are the same product and cost the same; an operation on all results costs a bit.
# Behaviour: in a loop that XLA compiles for a CPU, x @ W^T takes some ten times as long as an order that reads the table as it lies.
# Writing the latter does not help: the compiler exchanges the factors again, unless an operation stands between the product and the
# transposition, for instance a maximum with a bound that no value reaches. With it, the loop is faster, not slower.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile tensorflow==2.21.0 keras==3.15.1 numpy==2.4.6
TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES="" TF_NUM_INTRAOP_THREADS=1 "$folder/venv/bin/python" - <<'PY' 2>/dev/null
import sys
import time

import tensorflow as tf

STEPS, VOCABULARY, WIDTH, ROWS = 20, 32_000, 512, 4
generator = tf.random.Generator.from_seed(1)
table, rows = generator.normal([VOCABULARY, WIDTH]), generator.normal([ROWS, WIDTH])


def product_of_rows(x, w):
    return tf.matmul(x, w, transpose_b=True)


def product_of_table(x, w):
    return tf.transpose(tf.matmul(w, tf.transpose(x)))


def product_of_table_with_bound(x, w):
    return tf.transpose(tf.maximum(tf.matmul(w, tf.transpose(x)), -3e38))


def measure(product):
    """The milliseconds of a step."""

    def step(i, x):
        logits = product(x, table)
        return i + 1, x + 1e-6 * tf.reduce_max(logits, 1, keepdims=True)

    @tf.function(jit_compile=True)
    def search(x):
        return tf.while_loop(lambda i, x: i < STEPS, step, [0, x])[1]

    search(rows).numpy()
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        search(rows).numpy()
        seconds.append(time.perf_counter() - start)
    return 1000 * min(seconds) / STEPS


print(f"tensorflow {tf.__version__}: {ROWS} rows, a table of {VOCABULARY:,} by {WIDTH}, one step of a loop")
found = {product.__name__: measure(product) for product in (product_of_rows, product_of_table, product_of_table_with_bound)}
for name, milliseconds in found.items():
    print(f"{name}: {milliseconds:.1f} ms")
if found["product_of_rows"] < 3 * found["product_of_table_with_bound"]:
    sys.exit("XLA changed")
if found["product_of_table"] < 1.2 * found["product_of_table_with_bound"]:
    sys.exit("XLA changed")
PY
