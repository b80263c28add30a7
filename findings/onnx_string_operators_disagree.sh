#!/usr/bin/env bash
# Guess: a tokenizer that is part of an ONNX model (StringSplit, RegexFullMatch) gives the same tokens in every implementation.
# Behaviour: at a no-break space the reference evaluator splits, ONNX Runtime does not; an empty text has one part in the first and none in
# the second (with a delimiter); `\w+` and `\d` match letters and digits of all scripts in the first, only those of ASCII in the second.
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


def both(operator, texts, outputs, **attributes):
    graph = helper.make_graph(
        [helper.make_node(operator, ["text"], list(outputs), **attributes)],
        "text",
        [helper.make_tensor_value_info("text", TensorProto.STRING, [len(texts)])],
        [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in outputs.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return [np.asarray(run.run(None, {"text": np.array(texts, object)})[-1]).tolist() for run in (ReferenceEvaluator(model), session)]


split = {"parts": (TensorProto.STRING, [None, None]), "counts": (TensorProto.INT64, [None])}
match = {"matches": (TensorProto.BOOL, [None])}
seen = {
    "parts of 'dix\\u00a0000 euros' at spaces": both("StringSplit", ["dix\u00a0000 euros"], split),
    "parts of '' and 'a-b' at '-'": both("StringSplit", ["", "a-b"], split, delimiter="-"),
    r"'für', 'fur' match \w+": both("RegexFullMatch", ["für", "fur"], match, pattern=r"\w+"),
    r"'٣', '3' match \d": both("RegexFullMatch", ["٣", "3"], match, pattern=r"\d"),
}
for name, (reference, runtime) in seen.items():
    print(f"{name}: reference {reference}, runtime {runtime}")
if list(seen.values()) != [[[3], [2]], [[1, 2], [0, 2]], [[True, True], [False, True]], [[True, True], [False, True]]]:
    sys.exit("one of the two implementations changed")
PY
