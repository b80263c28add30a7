"""Marian in a process of its own.

python pymarian_oracle.py translate FOLDER LINES RESULT MODEL VOCABULARY VOCABULARY    greedy translations and scores
python pymarian_oracle.py train OPTION...    a training, with Marian's options
"""

import json
import sys
from pathlib import Path

import _pymarian
from pymarian import Translator


def translate(folder, lines, result, model, *vocabularies):
    translator = Translator(
        models=str(Path(folder, model)),
        vocabs=[str(Path(folder, name)) for name in vocabularies],
        beam_size=1,
        normalize=0,
        max_length_factor=3,
        n_best=True,
        quiet=True,
        cpu_threads=1,
    )
    found = [row.split(" ||| ") for row in translator.translate(Path(lines).read_text("utf-8").splitlines())]
    Path(result).write_text(json.dumps([(text.strip(), float(score)) for _, text, _, score in found]), "utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "translate":
        translate(*sys.argv[2:])
    else:
        sys.exit(_pymarian.main(sys.argv[2:]))
