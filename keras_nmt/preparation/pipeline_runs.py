"""A run of one Apache Beam pipeline, whose results and errors come back to this process."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import apache_beam as beam
import grpc
from apache_beam.options.pipeline_options import PipelineOptions, StandardOptions
from apache_beam.runners.runner import create_runner

from keras_nmt.errors import UserError, error_and_type, one_line, require
from keras_nmt.files.atomic_files import write_text

RESULT = "result.json"  # in the temporary folder, from the workers to the process that finishes the folder
FAILURES = "failures"


def run_pipeline(
    options: PipelineOptions, folder: Path, stage: Callable[[beam.Pipeline], beam.PCollection]
) -> list[dict[str, Any]]:
    """Runs a pipeline in a folder that all workers share, and returns its results in a fixed order.

    `stage` maps the pipeline to a collection of dictionaries: results, by "number" if they have one, and failures of
    `failures_as_results`.

    Raises:
        UserError: A worker failed, or the runner cannot be reached.
    """
    pipeline = beam.Pipeline(options=options)
    _ = (
        stage(pipeline)
        | "One key" >> beam.Map(lambda result: (0, result))
        | "Together" >> beam.GroupByKey()
        | "Results" >> beam.Map(_write_results, path=str(folder / RESULT))
    )
    try:
        pipeline.run().wait_until_finish()
    except RuntimeError as error:  # of a worker, with its traceback as text
        if match := re.search(r"OSError: \[Errno \d+\] (.+?): '(.+?)'", str(error)):
            raise UserError(f"{match[1]}. Received: {match[2]}") from None
        raise
    except (OSError, grpc.RpcError, grpc.FutureTimeoutError) as error:
        if getattr(error, "filename", None):
            raise
        raise UserError(
            f"Apache Beam's runner is lost, or not at its address. Received: {error_and_type(error)}"
        ) from error
    results = json.loads((folder / RESULT).read_bytes())
    (folder / RESULT).unlink()
    failures = [result[FAILURES] for result in results if FAILURES in result]
    if failures:
        raise UserError(min(failures))
    ordered: list[dict[str, Any]] = sorted(results, key=lambda result: json.dumps(result, sort_keys=True))
    return sorted(ordered, key=lambda result: result.get("number", 0))


def pipeline_options(package_options: Sequence[str], user_options: Sequence[str]) -> PipelineOptions:
    """Returns the options of a pipeline: those of the package and those of the user. Beam must know the latter.

    Raises:
        UserError: A given option is unknown, or has a wrong value. Beam itself would leave it out, or exit.
    """
    parser, said = argparse.ArgumentParser(add_help=False, allow_abbrev=False), io.StringIO()
    options = PipelineOptions([*package_options, *user_options])
    try:
        with contextlib.redirect_stderr(said):
            create_runner(options.view_as(StandardOptions).runner)  # its module may have more options
            for cls in PipelineOptions.__subclasses__():
                cls._add_argparse_args(parser)  # type: ignore[attr-defined, unused-ignore]  # as Beam does
            _, unknown = parser.parse_known_args(list(user_options))
    except SystemExit:
        reason = said.getvalue().strip().rpartition("error: ")[2]
        raise UserError(f"Apache Beam refuses its options. Received: {reason}") from None
    except Exception as error:  # of a runner that does not exist, or is not installed
        raise UserError(f"Apache Beam refuses its options. Received: {error_and_type(error)}") from error
    require(not unknown, f"Apache Beam has no such options. Received: {' '.join(unknown)}")
    return options


@contextlib.contextmanager
def failures_as_results() -> Iterator[list[dict[str, str]]]:
    """Returns errors of a worker as results: an exception would be tried again, and lose its message on the way."""
    failures: list[dict[str, str]] = []
    try:
        yield failures
    except UserError as error:
        failures.append({FAILURES: str(error)})
    except OSError as error:
        failures.append({FAILURES: f"{error.strerror or one_line(error)}. Received: {error.filename}"})


def _write_results(results: tuple[int, Any], path: str) -> None:
    write_text(path, json.dumps(list(results[1])))
