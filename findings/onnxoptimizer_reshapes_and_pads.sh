#!/usr/bin/env bash
# Guess: `onnxoptimizer.optimize` with its default passes changes no result.
# Behaviour: of two reshapes in a row only the second stays, also where it has a 0, “as many as the input has”: now those of the first input.
# The sums of 8 rows of 3 become the sums of 4 rows of 6. And a padding with zeros before a maximum becomes the padding of MaxPool, which
# pads with minus infinity: beside negative numbers, the maximum at the borders is no longer 0. The optimizer inside ONNX Runtime keeps both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile onnx==1.23.2 onnxruntime==1.32.0 onnxoptimizer==0.4.2 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import importlib.metadata
import sys

import numpy as np
import onnx
import onnxoptimizer
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

print({name: importlib.metadata.version(name) for name in ("onnx", "onnxruntime", "onnxoptimizer")})
onnxruntime.set_default_logger_severity(3)


def model_of(nodes, x, shape, **constants):
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)]
    initializers = [numpy_helper.from_array(np.array(value), name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "graph", inputs, outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    onnx.checker.check_model(model, full_check=True)
    return model.SerializeToString()


def run(model, x, optimize=False):
    options = onnxruntime.SessionOptions()
    if not optimize:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0].ravel().tolist()


rows = np.arange(24, dtype="float32").reshape(4, 6)
reshapes = [
    helper.make_node("Reshape", ["x", "rows"], ["eight_rows"]),
    helper.make_node("Reshape", ["eight_rows", "again"], ["again_eight_rows"]),
    helper.make_node("ReduceSum", ["again_eight_rows", "axes"], ["y"], keepdims=0),
]
logits = np.array([[[-1, -2, -3, -4]]], "float32")
pads = [
    helper.make_node("Pad", ["x", "pads"], ["padded"]),
    helper.make_node("MaxPool", ["padded"], ["y"], kernel_shape=[2]),
]
cases = {
    "two reshapes": (model_of(reshapes, rows, ["rows"], rows=[8, 3], again=[0, -1], axes=[1]), rows),
    "zeros and a maximum": (model_of(pads, logits, [1, 1, 5], pads=[0, 0, 1, 0, 0, 1]), logits),
}
changed = {}
for case, (model, x) in cases.items():
    kept = run(model, x)
    print(f"{case}: {kept}")
    optimized = onnxoptimizer.optimize(onnx.ModelProto.FromString(model)).SerializeToString()
    results = {"onnxoptimizer": run(optimized, x), "onnxruntime": run(model, x, optimize=True)}
    changed[case] = {name: result for name, result in results.items() if result != kept}
    print(f"  other results: {changed[case]}")
expected = {"two reshapes": {"onnxoptimizer": [15.0, 51.0, 87.0, 123.0]}}
expected["zeros and a maximum"] = {"onnxoptimizer": [-1.0, -1.0, -2.0, -3.0, -4.0]}
if changed != expected:
    sys.exit("onnxoptimizer or onnxruntime changed")
PY
