#!/usr/bin/env bash
# Guess: `onnx.version_converter.convert_version` keeps what a model computes, or raises an error where an operator has changed.
# Behaviour: it adapts Softmax and LogSoftmax from opset 11 to 13, but not Hardmax, which changed in the same way: of a tensor with more than
# two axes, one 1 becomes one in each row. Downwards it adapts neither: a softmax over an axis that is not the last becomes one over all that
# follows. Resize and Upsample get the new default of coordinates: linear interpolation gives other numbers. Each model passes the checker,
# without a word.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper, version_converter

print("onnx", onnx.__version__, "onnxruntime", onnxruntime.__version__)
onnxruntime.set_default_logger_severity(3)
logits = np.arange(1, 7, dtype="float32").reshape(1, 2, 3)
line = np.arange(4, dtype="float32").reshape(1, 1, 4)


def run(model, x):
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0].round(4).ravel().tolist()


def is_kept(x, shape, old, new, operator, scales=(), **attributes):
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)]
    initializers = [numpy_helper.from_array(np.array(scales, "float32"), "scales")] if scales else []
    node = helper.make_node(operator, ["x", *(["scales"] if scales else [])], ["y"], **attributes)
    graph = helper.make_graph([node], "graph", inputs, outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", old)], ir_version=8)
    before, after = run(model, x), run(version_converter.convert_version(model, new), x)
    print(f"{operator} {attributes} from opset {old} to {new}: {before} becomes {after}" if before != after else f"{operator}: kept")
    return before == after


kept = {
    "Softmax": is_kept(logits, [1, 2, 3], 11, 13, "Softmax", axis=1),
    "LogSoftmax": is_kept(logits, [1, 2, 3], 11, 13, "LogSoftmax", axis=1),
    "Hardmax": is_kept(logits, [1, 2, 3], 11, 13, "Hardmax", axis=1),
    "Softmax, down": is_kept(logits, [1, 2, 3], 13, 11, "Softmax", axis=1),
    "LogSoftmax, down": is_kept(logits, [1, 2, 3], 13, 11, "LogSoftmax", axis=1),
    "Upsample": is_kept(line, [1, 1, 8], 9, 13, "Upsample", (1, 1, 2), mode="linear"),
    "Resize": is_kept(line, [1, 1, 8], 10, 13, "Resize", (1, 1, 2), mode="linear"),
}
if [name for name, same in kept.items() if same] != ["Softmax", "LogSoftmax"]:
    sys.exit("the converter changed")
PY
