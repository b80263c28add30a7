#!/usr/bin/env bash
# Guess: an optimizer that keeps the meaning of an ONNX model keeps two random operators apart: they draw different numbers.
# Behaviour: the elimination of common subexpressions merges random operators with equal inputs, so that both draws are one. onnxslim,
# onnxoptimizer and onnxsim merge RandomNormalLike, RandomUniformLike, Multinomial, Bernoulli and Dropout in training mode; onnxscript merges
# the last two; ONNX Runtime itself, with its default settings, merges Bernoulli. Two dropouts of one tensor have one mask, the variance of a
# sum of two noises doubles, their difference is 0, two samples are one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile onnx==1.23.2 onnxruntime==1.32.0 onnxscript==0.7.2 onnxslim==0.1.98 \
    onnxoptimizer==0.4.2 onnxsim==0.8.1 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import importlib.metadata
import sys

import numpy as np
import onnx
import onnxoptimizer
import onnxruntime
import onnxscript.optimizer
import onnxsim
import onnxslim
from onnx import TensorProto, helper, numpy_helper

packages = "onnx", "onnxruntime", "onnxscript", "onnxslim", "onnxoptimizer", "onnxsim"
print({name: importlib.metadata.version(name) for name in packages})
onnxruntime.set_default_logger_severity(3)


def model_of(operator, arguments=("x",), constants=(), kind=TensorProto.FLOAT, size=1000, **attributes):
    """A model whose output is the difference of two draws of one operator from one input."""
    nodes = [helper.make_node(operator, arguments, [name], **attributes) for name in ("first", "second")]
    nodes.append(helper.make_node("Sub", ["first", "second"], ["y"]))
    outputs = [helper.make_tensor_value_info("y", kind, [1, size])]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1000])]
    initializers = [numpy_helper.from_array(value, name) for name, value in constants]
    graph = helper.make_graph(nodes, "draws", inputs, outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    onnx.checker.check_model(model, full_check=True)
    return model.SerializeToString()


def draws_are_equal(model, optimize=False):
    options = onnxruntime.SessionOptions()
    if not optimize:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    (difference,) = session.run(None, {"x": np.full((1, 1000), 0.5, "float32")})
    return not difference.any()


models = {
    "RandomNormalLike": model_of("RandomNormalLike"),
    "RandomUniformLike": model_of("RandomUniformLike"),
    "Multinomial": model_of("Multinomial", kind=TensorProto.INT32, size=50, sample_size=50),
    "Bernoulli": model_of("Bernoulli"),
    "Dropout": model_of("Dropout", ("x", "rate", "training"), [("rate", np.float32(0.5)), ("training", np.array(True))]),
}
optimizers = {
    "as it is": lambda model: model,
    "onnxscript": onnxscript.optimizer.optimize,
    "onnxslim": onnxslim.slim,
    "onnxoptimizer": onnxoptimizer.optimize,
    "onnxsim": lambda model: onnxsim.simplify(model)[0],
}
merged = {}
for name, optimize in optimizers.items():
    optimized = {operator: optimize(onnx.ModelProto.FromString(model)) for operator, model in models.items()}
    merged[name] = {operator for operator, model in optimized.items() if draws_are_equal(model.SerializeToString())}
merged["onnxruntime"] = {operator for operator, model in models.items() if draws_are_equal(model, optimize=True)}
for name, operators in merged.items():
    print(f"{name}: the two draws are one in {sorted(operators) or 'no operator'}")
everything = set(models)
expected = {"as it is": set(), "onnxscript": {"Bernoulli", "Dropout"}, "onnxruntime": {"Bernoulli"}}
expected |= dict.fromkeys(("onnxslim", "onnxoptimizer", "onnxsim"), everything)
if merged != expected:
    sys.exit("the optimizers changed")
PY
