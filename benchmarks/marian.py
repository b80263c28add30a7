"""Whether Marian and its imported model translate alike, and whether Marian translates what we export.

    python benchmarks/marian.py --data-dir DATA --minutes 10 --output runs/marian

trains Marian, by `pymarian`, on Multi30k, imports the model, trains it for some more updates, and exports it. Both
programs translate `test_2016_flickr` with each model, greedily. DATA is the folder of Multi30k. See README.md beside
this file.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import sacrebleu
import tensorflow as tf
import typer
from rich.console import Console
from support import check_sizes, print_table, write_table

from keras_nmt.cli.run_app import run_app
from keras_nmt.errors import UserError, one_line
from keras_nmt.experiments.corpus_files import sides_of_corpus
from keras_nmt.files.atomic_files import write_text
from keras_nmt.formats import export_marian, import_model
from keras_nmt.ids import BOS, EOS
from keras_nmt.inference import Translator
from keras_nmt.text.text_files import read_lines
from keras_nmt.text.translation import END_PIECE

# The sizes of `transformer_tiny`, and the post-LN, biases and swish that Marian has by default.
TRAINING = {
    "type": "transformer",
    "dim-vocabs": [4000, 4000],
    "tied-embeddings-all": True,
    "dim-emb": 128,
    "enc-depth": 2,
    "dec-depth": 2,
    "transformer-heads": 4,
    "transformer-dim-ffn": 256,
    "transformer-dropout": 0.1,
    "label-smoothing": 0.1,
    "learn-rate": 0.003,
    "lr-warmup": 300,
    "lr-decay-inv-sqrt": 300,
    "optimizer-params": [0.9, 0.98, 1e-9],
    "clip-norm": 1,
    "mini-batch": 64,
    "max-length": 100,
    "workspace": 500,
    "seed": 1,
    "disp-freq": 100,
    "save-freq": 1_000_000,
}
GREEDY = {"beam-size": 1, "normalize": 0, "max-length-factor": 3, "n-best": True, "workspace": 500}
# The same search of ours. Marian never writes the unknown token.
OUR_GREEDY: dict[str, Any] = {"beam_size": 1, "length_penalty": 0.0, "min_length": 0, "unknown": "forbid"}
OUR_GREEDY |= {"max_length_factor": 3, "max_length_offset": 3}
COLUMNS = ("model", "lines", "equal", "largest difference of scores", "BLEU by Marian", "BLEU by keras_nmt")
DIFFERENT = (
    "model",
    "line",
    "subword",
    "Marian",
    "keras_nmt",
    "difference of log-probabilities",
    "score by Marian",
    "score by keras_nmt",
)


class Greedy(NamedTuple):
    """The subwords of a translation, without the end, and its log-probability."""

    pieces: list[str]
    score: float

    @property
    def text(self) -> str:
        return "".join(self.pieces).replace("▁", " ").strip()


def options(**settings: Any) -> list[str]:
    """Options of Marian's command line; True stands for a flag."""
    found: list[str] = []
    for name, value in settings.items():
        values = value if isinstance(value, list | tuple) else [] if value is True else [value]
        found += [f"--{name}", *map(str, values)]
    return found


def marian(*arguments: Any, stop_after: float | None = None) -> None:
    """Runs Marian; after so many seconds of processor time it gets SIGTERM, whereupon it writes its model and ends."""
    command = [sys.executable, "-m", "pymarian", *map(str, arguments)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    is_stopped = False
    while process.returncode is None:
        try:
            errors = process.communicate(timeout=1)[1]
        except subprocess.TimeoutExpired:
            if stop_after is not None and not is_stopped and processor_seconds(process.pid) > stop_after:
                process.terminate()
                is_stopped = True
    if process.returncode and not is_stopped:
        raise UserError(f"Marian failed. Received: {one_line(errors[-300:])}")


def processor_seconds(process: int) -> float:
    """The processor time of a process, of all its threads."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")  # utime, stime


def train_marian(folder: Path, data_dir: Path, minutes: float) -> None:
    """Trains Marian from English to German on one thread, with a joint SentencePiece model that it makes itself."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = folder / "vocab.spm"
    files = {
        "model": folder / "model.npz",
        "train-sets": sides_of_corpus(data_dir / "train.{language}", ("en", "de"), is_needed=True),
        "vocabs": [vocabulary, vocabulary],
        "log": folder / "train.log",
    }
    marian(*options(**files, **TRAINING, **{"cpu-threads": 1}), "--quiet", stop_after=60 * minutes)


def by_marian(lines: Sequence[str], folder: Path, *arguments: str) -> list[Greedy]:
    """Marian's greedy translations; its `lines` and `translations` become files of a folder."""
    write_text(folder / "lines", "".join(f"{line}\n" for line in lines))
    files = {"input": folder / "lines", "output": folder / "translations"}
    marian("decode", *arguments, *options(**files, **GREEDY, **{"cpu-threads": 1}), "--no-spm-decode", "--quiet")
    rows = [row.split(" ||| ") for row in read_lines(folder / "translations")]
    return [Greedy(text.split(), float(score)) for _, text, _, score in rows]


def by_us(translator: Translator, lines: Sequence[str]) -> list[Greedy]:
    """Our greedy translations."""
    best = [translation.hypotheses[0] for translation in translator.translate(lines, word_scores=True)]
    return [Greedy([x.text for x in one.pieces if x.text != END_PIECE], one.score) for one in best]


def difference(translator: Translator, line: str, theirs: Greedy, ours: Greedy) -> tuple[int, float]:
    """The first subword that differs, and by how much our model's log-probability of ours is above that of theirs."""
    ends = [[*side.pieces, END_PIECE] for side in (theirs, ours)]
    place = next(i for i, (a, b) in enumerate(zip(*ends, strict=False)) if a != b)
    target = translator.tokenizers["target"]
    ids = {piece: i for i, piece in enumerate(target.pieces(0, target.vocabulary_size))} | {END_PIECE: EOS}
    source = [*translator.tokenizers["source"].tokenize([line])[0].numpy(), EOS]
    given = [BOS, *(ids[piece] for piece in ours.pieces[:place])]
    logits = translator.model([np.asarray([source]), np.asarray([given])], training=False)
    of_step = tf.nn.log_softmax(tf.cast(logits[0, -1], tf.float32)).numpy()
    return place, float(of_step[ids[ends[1][place]]] - of_step[ids[ends[0][place]]])


def train_further(model: Path, directory: Path, data_dir: Path, updates: int) -> None:
    """Trains the imported model. Its embedding of the begin must stay zero, as in Marian."""
    parts = (sides_of_corpus(data_dir / f"{part}.{{language}}", ("en", "de")) or () for part in ("train", "val"))
    files = [str(file) for sides in parts for file in sides]
    settings = {"frozen": ["*embedding*"], "max_updates": updates, "evaluation.every": updates, "dev_sentences": 100}
    settings |= {"schedule": "constant", "learning_rate": 1e-4, "batch_size": 1536, "final_weights": "last"}
    command = [sys.executable, "-c", "from keras_nmt.cli.app import main; main()", "train", "--directory"]
    command += [str(directory), "--init-from", str(model), "--train", *files[:2], "--dev", *files[2:]]
    for name, value in settings.items():
        command += ["--set", f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
    subprocess.run(command, check=True)


def compare(
    name: str, translator: Translator, lines: Sequence[str], references: Sequence[str], theirs: list[Greedy]
) -> tuple[list[str], list[list[str]]]:
    """The row of a model, and a row for each line that differs."""
    ours = by_us(translator, lines)
    triples = list(zip(lines, theirs, ours, strict=True))
    gaps = [abs(a.score - b.score) for _, a, b in triples if a.pieces == b.pieces]
    different = []
    for number, (line, a, b) in enumerate(triples, 1):
        if a.pieces != b.pieces:
            place, gap = difference(translator, line, a, b)
            pieces = [[*side.pieces, END_PIECE][place] for side in (a, b)]
            scores = [f"{a.score:.4f}", f"{b.score:.4f}"]
            different.append([name, str(number), str(place + 1), *pieces, f"{gap:.1e}", *scores])
    bleu = [sacrebleu.corpus_bleu([x.text for x in side], [list(references)]).score for side in (theirs, ours)]
    equal = f"{len(gaps) / len(lines):.1%}"
    return [name, str(len(lines)), equal, f"{max(gaps, default=0):.1e}", *(f"{x:.2f}" for x in bleu)], different


def main(
    data_dir: Annotated[Path, typer.Option(metavar="DATA", help="Folder of Multi30k.")],
    output: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the models and of the tables, table.md.")],
    minutes: Annotated[float, typer.Option(help="How long Marian trains, in processor time.")] = 10,
    updates: Annotated[int, typer.Option(help="Updates of the imported model before it is exported.")] = 100,
    limit: Annotated[int, typer.Option(help="The first lines of the test set.")] = 1000,
) -> None:
    """Compares greedy translations and scores of Marian with those of its imported and of our exported model."""
    check_sizes(updates=updates, limit=limit)
    lines, references = (
        [line.strip() for line in read_lines(file)[:limit]]
        for file in sides_of_corpus(data_dir / "test_2016_flickr.{language}", ("en", "de"), is_needed=True) or ()
    )
    console = Console()
    rows: list[list[str]] = []
    different: list[list[str]] = []

    def keep(row: list[str], more: list[list[str]]) -> None:  # for interrupted runs
        rows.append(row)
        different.extend(more)
        write_table(output / "table.md", COLUMNS, rows)
        write_table(output / "different.md", DIFFERENT, different)

    theirs, ours, further, exported = (output / name for name in ("theirs", "ours", "further", "exported"))
    with console.status("Marian trains"):
        if not (theirs / "model.npz").exists():
            train_marian(theirs, data_dir, minutes)
    vocabulary = str(theirs / "vocab.spm")
    with console.status("Both translate"):
        if not ours.exists():
            import_model(theirs, ours)
        translator = Translator.from_directory(ours, **OUR_GREEDY)
        found = by_marian(lines, output, "--models", str(theirs / "model.npz"), "--vocabs", vocabulary, vocabulary)
        keep(*compare("Marian's, imported", translator, lines, references, found))
    with console.status("The imported model trains"):
        if not further.exists():
            train_further(ours, further, data_dir, updates)
    with console.status("Both translate"):
        translator = Translator.from_directory(further, **OUR_GREEDY)
        if not exported.exists():
            export_marian(exported, translator.model, translator.tokenizers)
        # As OPUS-MT's, the exported model takes subwords.
        source = translator.tokenizers["source"]
        pieces = [b" ".join(source.piece_strings(row).numpy()).decode() for row in source.tokenize(lines)]
        found = by_marian(pieces, output, "--config", str(exported / "decoder.yml"))
        keep(*compare("trained further, exported", translator, lines, references, found))
    print_table(console, COLUMNS, rows)
    print_table(console, DIFFERENT, different)


if __name__ == "__main__":
    run_app(main)
