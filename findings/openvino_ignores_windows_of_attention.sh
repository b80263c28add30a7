#!/usr/bin/env bash
# Guess: a runtime that reads an operator of opset 25 computes it, or refuses what it does not know.
# Behaviour: OpenVINO reads `Attention` with a local window (`left_window_size`, `right_window_size`), and attends to everything, with and without a
# causal mask and a cache, without an error or a warning. With a window of one token, the outputs are those of full attention, which differ from the
# right ones by as much as the values themselves. ONNX's reference and ONNX Runtime agree with the equation; so does OpenVINO without a window.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile openvino==2026.4.1 onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - "$folder/model.onnx" <<'PY'
import sys
from importlib.metadata import version

import numpy as np
import onnx
import onnxruntime
import openvino
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

print(*(f"{name} {version(name)}" for name in ("openvino", "onnx", "onnxruntime")))
draw = np.random.default_rng(1)
queries, keys, values = (draw.normal(size=(1, 2, 6, 8)).astype("float32") for _ in range(3))


def by_the_equation(left, causal):
    ahead = np.arange(6)[:, None] - np.arange(6)  # how far a query is ahead of a key
    allowed = (ahead <= left if left >= 0 else True) & (ahead >= 0 if causal else ahead == ahead)
    logits = np.where(allowed, queries @ keys.swapaxes(-1, -2) / np.sqrt(8), -np.inf)
    weights = np.exp(logits - logits.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ values


def compute(left, causal, past):
    names = ["queries", "keys", "values", *(["", "past_keys", "past_values"] if past else [])]
    arrays = [queries[:, :, past:], keys[:, :, past:], values[:, :, past:], None, keys[:, :, :past], values[:, :, :past]]
    feeds = {name: np.ascontiguousarray(array) for name, array in zip(names, arrays) if name}
    outputs = ["output", "all_keys", "all_values"] if past else ["output"]
    options = {"left_window_size": left} if left >= 0 else {}
    graph = helper.make_graph(
        [helper.make_node("Attention", names, outputs, is_causal=int(causal), **options)],
        "attention",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, array.shape) for name, array in feeds.items()],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None] * 4) for name in outputs],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=11)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, sys.argv[1])
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(sys.argv[1]), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return {
        "reference": ReferenceEvaluator(model).run(None, feeds)[0],
        "onnxruntime": onnxruntime.InferenceSession(model.SerializeToString()).run(None, feeds)[0],
        "openvino": np.asarray(compiled(feeds)[0]),
    }


for left, causal, past in ((-1, False, 0), (-1, True, 0), (-1, True, 4), (1, False, 0), (1, True, 0), (1, True, 4)):
    right, full = (by_the_equation(each, causal)[:, :, past:] for each in (left, -1))
    seen = compute(left, causal, past)
    errors = {name: float(abs(output - right).max()) for name, output in seen.items()}
    window = f"window of {left}" if left >= 0 else "no window"
    print(f"{window}, causal {causal}, {past} cached:", ", ".join(f"{name} is off by {error:.5f}" for name, error in errors.items()))
    if max(errors["reference"], errors["onnxruntime"]) > 1e-4 or left < 0 and errors["openvino"] > 1e-4:
        sys.exit("not as expected")
    if left >= 0 and (errors["openvino"] < 0.5 or abs(seen["openvino"] - full).max() > 1e-4):
        sys.exit("OpenVINO changed")
PY
