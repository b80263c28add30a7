"""CTranslate2 or Marian in a process of its own: beside TensorFlow's threads in one process, they take twice the time.

    python peer_process.py '{"peer": "CTranslate2", "folder": FOLDER, "dtype": "float32", ...}'

is the process. Each line of its standard input is a JSON list of calls, which are lists of texts; each line of its
standard output has the seconds and the translations, or null and an error.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support import Run, clock_of

from keras_nmt.errors import UserError, error_and_type

Translate = Callable[[list[str]], list[str]]
"""From texts to their translations."""


def peer_process(peer: str, folder: Path, *, cpu_time: bool = False, **options: Any) -> Run:
    """Starts a process that ends with this process.

    Args:
        peer: String, one of `PEERS`.
        folder: Path, the folder that `export_ctranslate2` or `export_marian` wrote.
        cpu_time: Boolean, whether seconds are those of the processor. Defaults to False.
        **options: Arguments of the function in `PEERS`.

    Raises:
        UserError: The peer fails, in the first call.
    """
    process = subprocess.Popen(
        peer_command(peer, folder, cpu_time=cpu_time, **options),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

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
            raise UserError(f"{peer}'s process ended; its output above says why. Received: exit code {process.wait()}")
        seconds, texts = json.loads(answer)
        if seconds is None:
            raise UserError(f"{peer} failed. Received: {texts}")
        return seconds, texts

    return run


def peer_command(peer: str, folder: Path, *, cpu_time: bool = False, **options: Any) -> list[str]:
    """The command of the process."""
    given = {"peer": peer, "folder": str(folder), "cpu_time": cpu_time, **options}
    return [sys.executable, __file__, json.dumps(given)]


def ctranslate2(
    folder: Path, *, dtype: str, batch: int, threads: int, beam: int, workers: int = 1, steps: int = 0
) -> Translate:
    """Loads CTranslate2, on a GPU if there is one.

    Args:
        folder: Path, the folder that `export_ctranslate2` wrote.
        dtype: String, CTranslate2's `compute_type`.
        batch: Integer, the largest number of sentences of a batch.
        threads: Integer, threads of an operation on the CPU.
        beam: Integer, hypotheses per sentence.
        workers: Integer, number of batches that are computed at the same time, each on `threads`. Defaults to 1.
        steps: Integer, the number of tokens of every translation. Defaults to 0: translations end by themselves.
    """
    import ctranslate2

    device = "cuda" if ctranslate2.get_cuda_device_count() else "cpu"
    translator = ctranslate2.Translator(
        str(folder), device=device, compute_type=dtype, inter_threads=workers, intra_threads=threads
    )
    source, target = _subwords(folder, "model")
    lengths = {"max_decoding_length": steps, "min_decoding_length": steps} if steps else {}

    def translate(lines: list[str]) -> list[str]:
        pieces = source.encode(lines, out_type=str)
        results = translator.translate_batch(pieces, beam_size=beam, max_batch_size=batch, length_penalty=0, **lengths)
        return [target.decode(result.hypotheses[0]) for result in results]

    return translate


def marian(folder: Path, *, batch: int, beam: int, workers: int) -> Translate:
    """Loads Marian, by `pymarian`, on the CPU: `workers` batches at the same time, each on one thread."""
    from pymarian import Translator

    # Sorts all sentences by length, as the other programs do.
    options = {"mini_batch": batch, "maxi_batch": 1000, "maxi_batch_sort": "src", "workspace": 500}
    translator = Translator(
        config=str(folder / "decoder.yml"), beam_size=beam, normalize=0, cpu_threads=workers, quiet=True, **options
    )
    source, target = _subwords(folder, "spm")

    def translate(lines: list[str]) -> list[str]:
        pieces = [" ".join(line) for line in source.encode(lines, out_type=str)]
        return [target.decode(line.split()) for line in translator.translate(pieces)]

    return translate


def _subwords(folder: Path, ending: str) -> Any:
    """The subwords of both sides, from `source.ENDING` and `target.ENDING`."""
    import sentencepiece

    return [sentencepiece.SentencePieceProcessor(str(folder / f"{side}.{ending}")) for side in ("source", "target")]


PEERS: dict[str, Callable[..., Translate]] = {"CTranslate2": ctranslate2, "Marian": marian}


def main(peer: str, folder: str, cpu_time: bool, **options: Any) -> None:
    translate, clock = PEERS[peer](Path(folder), **options), clock_of(cpu_time)
    for request in sys.stdin:
        calls = json.loads(request)
        start = clock()
        texts = [text for lines in calls for text in translate(lines)]
        print(json.dumps([clock() - start, texts]), flush=True)


if __name__ == "__main__":
    try:
        main(**json.loads(sys.argv[1]))
    except Exception as error:
        print(json.dumps([None, error_and_type(error)]), flush=True)
