#!/usr/bin/env bash
# Guess: a runtime computes the inputs that an operator of the standard has, and orders equal values as the standard says.
# Behaviour: the peepholes of an LSTM, its optional input P, are read and ignored: the states are those of an LSTM without them. Of equal values,
# `TopK` returns others before the lowest index, which the standard wants first ("the element with the lower index will appear first"): of three
# equal scores, 1, 2, 0. So a beam search with equal scores, as half precision has them, goes on with other tokens than elsewhere; the very
# largest alone (k = 1) is right. Neither warns. ONNX's reference and ONNX Runtime agree.
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


def compute(operator, inputs, outputs, **options):
    """The last of OUTPUTS, a mapping of names to types and ranks, by each runtime."""
    feeds = {name: array for name, array in inputs.items() if array is not None}
    names = [name if array is not None else "" for name, array in inputs.items()]
    graph = helper.make_graph(
        [helper.make_node(operator, names, list(outputs), **options)],
        "graph",
        [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for name, a in feeds.items()],
        [helper.make_tensor_value_info(name, kind, [None] * rank) for name, (kind, rank) in outputs.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, sys.argv[1])
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(sys.argv[1]), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    last = len(outputs) - 1
    return {
        "reference": ReferenceEvaluator(model).run(None, feeds)[last],
        "onnxruntime": onnxruntime.InferenceSession(model.SerializeToString()).run(None, feeds)[last],
        "openvino": np.asarray(compiled(feeds)[last]),
    }


def normal(*shape):
    return draw.normal(size=shape).astype("float32")


inputs = {"X": normal(5, 2, 3), "W": normal(1, 16, 3), "R": normal(1, 16, 4), "B": None, "lengths": None, "h": None, "c": None}
peepholes = {"P": normal(1, 12)}
lstm = {bool(more): compute("LSTM", inputs | more, {"Y": (TensorProto.FLOAT, 4)}, hidden_size=4) for more in ({}, peepholes)}
for with_peepholes, states in lstm.items():
    errors = {name: float(abs(array - states["reference"]).max()) for name, array in states.items()}
    print("LSTM with" if with_peepholes else "LSTM without", "peepholes:", {name: round(error, 5) for name, error in errors.items()})
ties = {}
for scores in ([1, 1, 1], draw.integers(0, 6, 32).tolist()):
    array = {"scores": np.array(scores, "float32"), "k": np.array([min(5, len(scores))], "int64")}
    ties[len(scores)] = compute("TopK", array, {"values": (TensorProto.FLOAT, 1), "indices": (TensorProto.INT64, 1)})
    print(f"the largest of {scores}:", {name: indices.tolist() for name, indices in ties[len(scores)].items()})
if any(abs(states["reference"] - states["onnxruntime"]).max() > 1e-5 for states in lstm.values()) or abs(lstm[False]["openvino"] - lstm[False]["reference"]).max() > 1e-5:
    sys.exit("not as expected")
if any(indices["onnxruntime"].tolist() != indices["reference"].tolist() for indices in ties.values()):
    sys.exit("not as expected")
if abs(lstm[True]["openvino"] - lstm[False]["openvino"]).max() > 1e-6 or abs(lstm[True]["openvino"] - lstm[True]["reference"]).max() < 0.05:
    sys.exit("OpenVINO changed")
if any(indices["openvino"].tolist() == indices["reference"].tolist() for indices in ties.values()):
    sys.exit("OpenVINO changed")
PY
