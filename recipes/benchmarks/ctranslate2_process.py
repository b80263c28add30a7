"""CTranslate2 in a process of its own: beside TensorFlow's threads in one process, it takes more than twice the time.

    python ctranslate2_process.py FOLDER DTYPE BATCH THREADS BEAM

Each line of standard input is a JSON list of texts; each line of standard output has the seconds and the translations.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path


def main(folder: str, dtype: str, batch: str, threads: str, beam: str) -> None:
    import ctranslate2
    import sentencepiece

    translator = ctranslate2.Translator(folder, device="cpu", compute_type=dtype, intra_threads=int(threads))
    source, target = (
        sentencepiece.SentencePieceProcessor(str(Path(folder) / f"{side}.model")) for side in ("source", "target")
    )
    for request in sys.stdin:
        calls = json.loads(request)
        start = time.perf_counter()
        texts = []
        for lines in calls:
            pieces = source.encode(lines, out_type=str)
            results = translator.translate_batch(
                pieces, beam_size=int(beam), max_batch_size=int(batch), length_penalty=0
            )
            texts += [target.decode(result.hypotheses[0]) for result in results]
        print(json.dumps([time.perf_counter() - start, texts]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
