"""CTranslate2 in a process of its own: beside TensorFlow's threads in one process, it takes more than twice the time.

    python ctranslate2_process.py '{"folder": FOLDER, "dtype": "float32", ...}'

is the process. Each line of its standard input is a JSON list of calls, which are lists of texts; each line of its
standard output has the seconds and the translations, or null and an error.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from support import Run, clock_of

from keras_nmt.errors import UserError, error_and_type


def ctranslate2_process(
    folder: Path,
    *,
    dtype: str,
    batch: int,
    threads: int,
    beam: int,
    workers: int = 1,
    steps: int = 0,
    cpu_time: bool = False,
) -> Run:
    """Starts a process that ends with this process, and that computes on a GPU if there is one.

    Args:
        folder: Path, the folder that `export_ctranslate2` wrote.
        dtype: String, CTranslate2's `compute_type`.
        batch: Integer, the largest number of sentences of a batch.
        threads: Integer, threads of an operation on the CPU.
        beam: Integer, hypotheses per sentence.
        workers: Integer, number of batches that are computed at the same time, each on `threads`. Defaults to 1.
        steps: Integer, the number of tokens of every translation. Defaults to 0: translations end by themselves.
        cpu_time: Boolean, whether seconds are those of the processor. Defaults to False.

    Raises:
        UserError: CTranslate2 fails, in the first call.
    """
    options = {"folder": str(folder), "dtype": dtype, "batch": batch, "threads": threads, "beam": beam}
    options |= {"workers": workers, "steps": steps, "cpu_time": cpu_time}
    command = [sys.executable, __file__, json.dumps(options)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(calls: list[list[str]]) -> tuple[float, list[str]]:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(calls) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise UserError(
                f"CTranslate2's process ended; its output above says why. Received: exit code {process.wait()}"
            )
        seconds, texts = json.loads(answer)
        if seconds is None:
            raise UserError(f"CTranslate2 failed. Received: {texts}")
        return seconds, texts

    return run


def main(
    folder: str, dtype: str, batch: int, threads: int, beam: int, workers: int, steps: int, cpu_time: bool
) -> None:
    import ctranslate2
    import sentencepiece

    device = "cuda" if ctranslate2.get_cuda_device_count() else "cpu"
    translator = ctranslate2.Translator(
        folder, device=device, compute_type=dtype, inter_threads=workers, intra_threads=threads
    )
    source, target = (
        sentencepiece.SentencePieceProcessor(str(Path(folder) / f"{side}.model")) for side in ("source", "target")
    )
    clock = clock_of(cpu_time)
    lengths = {"max_decoding_length": steps, "min_decoding_length": steps} if steps else {}
    for request in sys.stdin:
        calls = json.loads(request)
        start = clock()
        texts = []
        for lines in calls:
            pieces = source.encode(lines, out_type=str)
            results = translator.translate_batch(
                pieces, beam_size=beam, max_batch_size=batch, length_penalty=0, **lengths
            )
            texts += [target.decode(result.hypotheses[0]) for result in results]
        print(json.dumps([clock() - start, texts]), flush=True)


if __name__ == "__main__":
    try:
        main(**json.loads(sys.argv[1]))
    except Exception as error:
        print(json.dumps([None, error_and_type(error)]), flush=True)
