"""A C program runs an export by TensorFlow's C API alone: plain, as in a stock model server, and compiled."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

PROGRAM = Path(__file__).with_name("saved_model_run.c")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, compiled against the installed TensorFlow."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler (cc, gcc or clang) is installed")
    tensorflow = Path(tf.__file__).parent
    binary = tmp_path_factory.mktemp("bin") / "saved_model_run"
    libraries = ["-l:libtensorflow_cc.so.2", "-l:libtensorflow_framework.so.2", "-ldl"]
    folders = [f"-I{tensorflow / 'include'}", f"-L{tensorflow}", f"-Wl,-rpath,{tensorflow}"]
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror"]
    built = subprocess.run(
        [compiler, *flags, str(PROGRAM), "-o", str(binary), *folders, *libraries], capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr
    return binary


class Runner:
    """Calls the program on one export. The tensors of the signatures are read as by `saved_model_cli show`."""

    def __init__(self, program: Path, exported: Path, scratch: Path) -> None:
        self.program, self.exported, self.scratch = program, exported, scratch
        saved_model = saved_model_pb2.SavedModel.FromString((exported / "saved_model.pb").read_bytes())
        self.signatures = saved_model.meta_graphs[0].signature_def

    def __call__(self, calls: list[tuple[str, dict[str, list[str]]]], *flags: str) -> tuple[list[dict], int, str]:
        """Outputs of the calls that succeeded, the exit status and standard error."""
        import tensorflow_text

        library = Path(tensorflow_text.__file__).parent / "python" / "ops" / "_sentencepiece_tokenizer.so"
        command = [str(self.program), str(self.exported), "--library", str(library), *flags]
        for i, (name, inputs) in enumerate(calls):
            command.append("--run")
            for key, texts in inputs.items():
                file = self.scratch / f"{i}.{key}"
                file.write_text("".join(text + "\n" for text in texts), encoding="utf-8")
                command += ["--input", self.signatures[name].inputs[key].name, str(file)]
            for key in sorted(self.signatures[name].outputs):
                command += ["--output", self.signatures[name].outputs[key].name]
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300)

        printed = iter(done.stdout.splitlines())
        answers: list[dict] = []
        for name, inputs in calls:
            count = len(next(iter(inputs.values())))
            answer = {}
            for key in sorted(self.signatures[name].outputs):
                head = next(printed, None)
                if head is None:  # the program ended before this call
                    break
                assert head == f"{self.signatures[name].outputs[key].name} [{count}]"
                answer[key] = [next(printed) for _ in range(count)]
            if answer:
                answers.append(answer)
        return answers, done.returncode, done.stderr


@pytest.fixture
def run(program: Path, exported: Path, tmp_path: Path) -> Runner:
    return Runner(program, exported, tmp_path)


def assert_translated(answer: dict, expected: list) -> None:
    assert answer["translation"] == [translation.text for translation in expected]
    assert answer["truncated"] == [str(translation.truncated).lower() for translation in expected]
    scores = [translation.score for translation in expected]
    np.testing.assert_allclose(np.array(answer["score"], float), scores, atol=1e-4)


# In the usual run, test_export.py compares the same signatures, plain and compiled, in a session without keras_nmt.
@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:.*were truncated")
def test_text_to_text_plain_and_compiled(run, translator, lines):
    pairs = {"source": lines, "target": lines[::-1]}
    calls = [("serving_default", {"text": lines}), ("serving_default_xla", {"text": lines})]
    calls += [("score", pairs), ("score_xla", pairs), ("serving_default", {"text": []})]
    answers, status, error = run(calls)
    assert status == 0, error

    expected = translator.translate(lines)
    assert_translated(answers[0], expected)
    assert_translated(answers[1], expected)
    log_probabilities = translator.score(lines, lines[::-1])
    for answer in answers[2:4]:
        np.testing.assert_allclose(np.array(answer["log_probability"], float), log_probabilities, rtol=1e-4, atol=1e-4)
    assert answers[4] == {"translation": [], "score": [], "cut_off": [], "truncated": []}


@pytest.mark.nightly
def test_a_stock_server_runs_plain_signatures_and_refuses_compiled_signatures(run, translator, lines):
    pairs = {"source": lines, "target": lines}
    plain = [("serving_default", {"text": lines}), ("score", pairs)]
    answers, status, error = run([*plain, ("serving_default_xla", {"text": lines})], "--disable-xla")
    assert len(answers) == 2
    assert_translated(answers[0], translator.translate(lines))
    assert status == 1
    assert "XLA compilation disabled" in error
