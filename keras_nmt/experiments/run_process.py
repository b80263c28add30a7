"""The process of a run: what a comparison trains or measures has memory and device settings of its own.

    python -m keras_nmt.experiments.run_process PARENT TASK SETTINGS IMPORTS [ARGUMENT ...]

A user error ends it with code 2 and one line, the last on standard error.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from keras_nmt.errors import UserError, one_line, user_message
from keras_nmt.files.paths import import_file
from keras_nmt.files.process_resources import end_with_parent
from keras_nmt.training.stopping import Interruption

if TYPE_CHECKING:
    from keras_nmt.experiments.config import ExperimentConfig

TRAIN, MEASURE = "train", "measure"
STOPPING = "Stopping: the run saves what it has, and the same command continues; again, to stop without saving"
LOST_OUTPUT = 128 + signal.SIGPIPE  # exit code: nobody reads the process's output, as that of its parent


def run_in_process(
    task: str, experiment: ExperimentConfig, *arguments: str, imports: Sequence[str | os.PathLike[str]] = ()
) -> None:
    """Trains an experiment (`TRAIN`) or measures its speed (`MEASURE`, with the arguments of `measure_speed`).

    The process is stopped, and saves its run, when this process is.

    Raises:
        UserError: The run failed.
    """
    with (
        tempfile.NamedTemporaryFile("w") as settings,
        tempfile.NamedTemporaryFile() as errors,
        open(errors.name, encoding="utf-8", errors="replace") as lines,
        Interruption() as interruption,
    ):
        json.dump(experiment.settings(), settings)
        settings.flush()
        files = json.dumps([os.fspath(file) for file in imports])
        command = [sys.executable, "-m", __name__, str(os.getpid()), task, settings.name, files, *arguments]
        is_stopping, said = False, ""
        with subprocess.Popen(command, stderr=errors) as process, _killed_on_error(process):
            while process.poll() is None:
                said = _show_warnings(said, lines.read())
                if interruption.signal is not None and not is_stopping:
                    is_stopping = True
                    print(STOPPING, file=sys.stderr, flush=True)
                    process.send_signal(interruption.signal)  # perhaps once more, as a terminal signals both processes
                time.sleep(0.1)
        if interruption.signal is not None:
            raise SystemExit(128 + interruption.signal)
        said = _show_warnings(said, lines.read())
        if process.returncode == LOST_OUTPUT:
            raise BrokenPipeError
        if process.returncode:
            raise UserError(_reason(process.returncode, said))


@contextlib.contextmanager
def _killed_on_error(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Kills a process if the block ends by an error, such as that of a second Ctrl-C."""
    try:
        yield
    except BaseException:
        process.kill()
        raise


def _show_warnings(before: str, new: str) -> str:
    """Prints the user warnings in the lines that `new` completes, and returns all text."""
    if not new:
        return before
    text = before + new
    start, end = before.rfind("\n") + 1, text.rfind("\n") + 1
    for warning in re.findall(r"\bUserWarning: (.+)", text[start:end]):
        print(f"Warning: {warning}", file=sys.stderr, flush=True)
    return text


def _reason(returncode: int, errors: str) -> str:
    """Returns in one line why a process failed. The traceback of an unexpected error goes to standard error."""
    last = next((line for line in reversed(errors.splitlines()) if line.strip()), "")
    if returncode == 2 and last:
        return last
    print(errors, file=sys.stderr)
    if returncode < 0:
        return f"The run was killed, perhaps for lack of memory. Received: {signal.Signals(-returncode).name}"
    return f"The run failed; see the error above. Received: {last or f'exit code {returncode}'}"


def _run(task: str, settings: str, imports: str, *arguments: str) -> None:
    from keras_nmt.experiments.config import ExperimentConfig  # starts TensorFlow
    from keras_nmt.experiments.run_experiment import run
    from keras_nmt.experiments.scores import measure_speed

    for file in json.loads(imports):
        import_file(Path(file))
    experiment = ExperimentConfig.from_settings(ExperimentConfig.read_settings(settings))
    if task == TRAIN:
        run(experiment)
    else:
        measure_speed(experiment, *arguments)


if __name__ == "__main__":
    end_with_parent(int(sys.argv[1]))
    try:
        _run(*sys.argv[2:])
    except (KeyboardInterrupt, SystemExit) as stopped:  # all is saved: do not wait for TensorFlow's threads
        sys.stdout.flush()
        os._exit(getattr(stopped, "code", 128 + signal.SIGINT))
    except Exception as error:
        if (message := user_message(error)) is None:
            raise
        print(one_line(message), file=sys.stderr, flush=True)
        os._exit(LOST_OUTPUT if isinstance(error, BrokenPipeError) else 2)  # Python would write lost output once more
