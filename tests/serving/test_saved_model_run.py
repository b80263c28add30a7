"""A C program runs an export by TensorFlow's C API alone: plain, as in a stock model server, and compiled."""

import math
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_text
from echo_models import meta_graph_of

PROGRAM = Path(__file__).with_name("saved_model_run.c")


@pytest.fixture(scope="module")
def program(tmp_path_factory):
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


@pytest.fixture
def run(program, exported, tmp_path):
    """Calls the program. The tensors of the signatures are read as by `saved_model_cli show`."""
    signatures = meta_graph_of(exported).signature_def
    library = Path(tensorflow_text.__file__).parent / "python" / "ops" / "_sentencepiece_tokenizer.so"

    def call(calls, *flags):
        """Outputs of the calls that succeeded, the exit status and standard error."""
        command = [program, exported, "--library", library, *flags]
        for i, (name, inputs) in enumerate(calls):
            command.append("--run")
            for key, texts in inputs.items():
                file = tmp_path / f"{i}.{key}"
                file.write_text("".join(text + "\n" for text in texts), encoding="utf-8")
                command += ["--input", signatures[name].inputs[key].name, file]
            for key in sorted(signatures[name].outputs):
                command += ["--output", signatures[name].outputs[key].name]
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300)

        printed, answers = iter(done.stdout.splitlines()), []
        for name, inputs in calls:
            count, answer = len(next(iter(inputs.values()))), {}
            for key in sorted(signatures[name].outputs):
                head = next(printed, None)
                if head is None:  # the program ended before this call
                    return answers, done.returncode, done.stderr
                printed_name, _, shape = head.removesuffix("]").partition(" [")
                sizes = [int(size) for size in shape.split(",")]  # [N], or [N, T] of tokens
                assert (printed_name, sizes[0]) == (signatures[name].outputs[key].name, count)
                answer[key] = [next(printed) for _ in range(math.prod(sizes))]
            answers.append(answer)
        return answers, done.returncode, done.stderr

    return call


def assert_translated(answer, expected):
    assert answer["translation"] == [translation.text for translation in expected]
    assert answer["truncated"] == [str(translation.truncated).lower() for translation in expected]
    np.testing.assert_allclose(np.array(answer["score"], float), [x.score for x in expected], atol=1e-4)


# In .ci/run, test_export.py compares the same signatures, plain and compiled, in a session without keras_nmt.
@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:.*were truncated")
def test_text_to_text_plain_and_compiled_where_xla_is_allowed(run, translator, lines):
    pairs = {"source": lines, "target": lines[::-1]}
    plain = [("serving_default", {"text": lines}), ("score", pairs)]
    compiled = [("serving_default_xla", {"text": lines}), ("score_xla", pairs)]
    answers, status, error = run([*plain, *compiled, ("serving_default", {"text": []})])
    assert status == 0, error
    expected = translator.translate(lines)
    log_probabilities = translator.score(lines, lines[::-1])
    for translated, scored in (answers[:2], answers[2:4]):
        assert_translated(translated, expected)
        np.testing.assert_allclose(np.array(scored["log_probability"], float), log_probabilities, rtol=1e-4, atol=1e-4)
    assert answers[4] == {"translation": [], "score": [], "cut_off": [], "truncated": [], "has_unknown": []}

    # A stock server runs plain signatures, and refuses compiled ones.
    answers, status, error = run([*plain, *compiled], "--disable-xla")
    assert len(answers) == 2
    assert_translated(answers[0], expected)
    assert status == 1
    assert "XLA compilation disabled" in error
