#!/usr/bin/env bash
# Guess: a table of embeddings in int8 has a quarter of the bytes of one in float32, so a compiled step of a search, which waits for memory,
# reads a quarter. How the product with the transposed table is written makes no difference to a compiler.
# Behaviour: where a factor of a product of int8 is transposed by an operation of its own, XLA computes it from int32 copies of both factors
# on CPUs, and makes the copy of the table before the loop: each step reads as many bytes as of float32, and the copy takes four times the
# table's memory. Keras' ReversibleEmbedding writes it so. With the transposition as an argument of the same product, XLA reads bytes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile tensorflow==2.21.0 keras==3.15.1 numpy==2.4.6
TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES="" TF_NUM_INTRAOP_THREADS=1 "$folder/venv/bin/python" - <<'PY' 2>/dev/null
import sys
import time

import keras
import numpy as np
import tensorflow as tf

STEPS, VOCABULARY, WIDTH, ROWS = 20, 32_000, 512, 4
layer = keras.layers.ReversibleEmbedding(VOCABULARY, WIDTH)
layer.build()
layer.quantize("int8")
table, scale = layer.embeddings, layer.embeddings_scale
rows = tf.constant(np.random.default_rng(1).normal(size=(ROWS, WIDTH)).astype("float32"))


def by_keras(x):
    return layer(x, reverse=True)


def by_one_product(x):
    values, row_scale = keras.quantizers.abs_max_quantize(x, axis=-1)
    products = tf.matmul(values, table, transpose_b=True, output_type=tf.int32)
    return tf.cast(products, tf.float32) / (row_scale * scale)


def compile_search(project):
    def step(i, x):
        return i + 1, x + 1e-6 * tf.reduce_max(project(x), 1, keepdims=True)

    return tf.function(lambda x: tf.while_loop(lambda i, x: i < STEPS, step, [0, x])[1], jit_compile=True)


print(f"tensorflow {tf.__version__}, keras {keras.__version__}: {ROWS} rows, a table of {VOCABULARY:,} by {WIDTH} in int8, a step of a loop")
found = {}
for project in (by_keras, by_one_product):
    search = compile_search(project)
    search(rows).numpy()
    seconds = []
    for _ in range(7):
        start = time.perf_counter()
        search(rows).numpy()
        seconds.append(time.perf_counter() - start)
    program = search.experimental_get_compiler_ir(rows)(stage="optimized_hlo")
    before_the_loop = program[program.index("\nENTRY ") :]
    copies = any(f"s32[{size}]" in before_the_loop for size in (f"{VOCABULARY},{WIDTH}", f"{WIDTH},{VOCABULARY}"))
    found[project.__name__] = copies, 1000 * min(seconds) / STEPS
    print(f"{project.__name__}: {found[project.__name__][1]:.1f} ms, the table {'as int32' if copies else 'as bytes'}")
same = np.max(np.abs(by_keras(rows) - by_one_product(rows)))
print(f"largest difference of the results: {same:.1e}")
if same > 1e-5 or [copies for copies, _ in found.values()] != [True, False] or found["by_keras"][1] < 1.5 * found["by_one_product"][1]:
    sys.exit("XLA or Keras changed")
PY
