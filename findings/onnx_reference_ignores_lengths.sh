#!/usr/bin/env bash
# Guess: ONNX's own reference evaluator is what a runtime is checked against, and LSTM and GRU obey `sequence_lens` in both.
# Behaviour: the reference evaluator accepts `sequence_lens` and ignores it: it goes on over the padding, so the final state of every
# shorter sequence is another one. ONNX Runtime stops at each length, as the specification of the operator says.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

print("onnx", onnx.__version__, "onnxruntime", onnxruntime.__version__)
random = np.random.default_rng(0)
x = random.normal(size=(3, 2, 2)).astype("float32")  # [time, batch, features]
lengths = np.array([3, 1], "int32")


def final_states(operator, gates, batch, lengths):
    inputs = {
        "x": batch,
        "w": np.linspace(-1, 1, gates * 2, dtype="float32").reshape(1, gates, 2),
        "r": np.linspace(1, -1, gates, dtype="float32").reshape(1, gates, 1),
        "lengths": lengths,
    }
    kinds = {"lengths": TensorProto.INT32}
    graph = helper.make_graph(
        [helper.make_node(operator, ["x", "w", "r", "", "lengths"], ["", "final"], hidden_size=1)],
        "rnn",
        [helper.make_tensor_value_info(name, kinds.get(name, TensorProto.FLOAT), value.shape) for name, value in inputs.items()],
        [helper.make_tensor_value_info("final", TensorProto.FLOAT, [1, batch.shape[1], 1])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return [np.ravel(run.run(None, inputs)[0]) for run in (ReferenceEvaluator(model), session)]


for operator, gates in (("LSTM", 4), ("GRU", 3)):
    reference, runtime = final_states(operator, gates, x, lengths)
    alone = final_states(operator, gates, x[:1, 1:], np.array([1], "int32"))[0][0]
    print(f"{operator}: the sequence of length 1 alone {alone:.5f}, in the batch: reference {reference[1]:.5f}, runtime {runtime[1]:.5f}")
    if not (np.isclose(reference[0], runtime[0], atol=1e-5) and np.isclose(runtime[1], alone, atol=1e-5)):
        sys.exit("ONNX Runtime changed")
    if abs(reference[1] - alone) < 1e-3:
        sys.exit("the reference evaluator now obeys sequence_lens")
PY
