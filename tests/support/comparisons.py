"""Comparisons whose runs are written by hand instead of trained."""

import functools
import hashlib
import json
from pathlib import Path

from keras_nmt.experiments import Comparison, ExperimentConfig
from keras_nmt.experiments.data_config import digests_of
from keras_nmt.experiments.results import hypotheses_path, start_digest

LINES = [f"a man number {i} rides his bike through street {i} today" for i in range(40)]
SIGNATURE = "nrefs:1|tok:13a"


def make(seed, directory, files, **settings):
    one = {"languages": ["source", "target"], "pairs": ["source-target"]}
    tiny = {**one, "preset": "transformer_tiny", "max_updates": 100}
    return ExperimentConfig.from_settings({"directory": directory, "seed": seed, **tiny, **files, **settings})


def planned(files, directory, *, make=make, seeds=(1, 2), **changes):
    """A comparison of a baseline with configurations, by the changes of each."""
    options = {name: changes.pop(name) for name in ("unequal", "decoding_speed") if name in changes}
    changes = {"baseline": {}, **(changes or {"plain": {"model": {"shortcuts": "plain"}}})}
    experiments = {name: functools.partial(make, files=files, **change) for name, change in changes.items()}
    return Comparison(experiments=experiments, baseline="baseline", seeds=seeds, directory=directory, **options)


def write_run(config, dev=30.0, test=40.0, rates=(100.0, 300.0, 200.0), hypotheses=LINES, sets=None):
    """The files of a finished run; `test` is one score, or one for each direction, `sets` one for each test set."""
    folder = Path(config.directory)
    folder.mkdir(parents=True)
    tested = [d.name for d in config.directions if d.tests]
    scores = test if isinstance(test, dict) else dict.fromkeys(tested, test)
    apart = sets and {"sets": {name: {"bleu": {"score": x, "signature": SIGNATURE}} for name, x in sets.items()}}
    for name, value in {
        "settings": config.settings(),
        "config": {},
        "results": {
            "parameters": 1000 + len(config.model.arguments),
            "updates": config.limits["max_updates"] or 77,
            "ended_by": "max_updates",
            "limits": config.limits,
            "dev_greedy": dev if isinstance(dev, dict) else {"bleu": dev},
            "data": digests_of(config.directions),
            "test": {
                d.name: {
                    "trained": d.name not in ("de-fr", "fr-de"),
                    "bleu": {"score": scores[d.name], "signature": SIGNATURE},
                    **(apart if apart and len(d.tests) > 1 else {}),
                }
                for d in config.directions
                if d.name in scores
            },
        },
        "data": start_digest(config),
    }.items():
        (folder / f"{name}.json").write_text(json.dumps(value))
    (folder / "model.weights.h5").write_bytes(folder.name.encode())
    for name in tested:
        hypotheses_path(folder, name).write_text("".join(f"{line}\n" for line in hypotheses))
    lines = [{"update": i, "tokens_per_second": rate} for i, rate in enumerate(rates)] + [{"update": 9, "bleu": 1.0}]
    (folder / "training_log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def write_speed(folder, at, rates):
    weights = hashlib.sha256((Path(folder) / "model.weights.h5").read_bytes()).hexdigest()
    (Path(folder) / "speed.json").write_text(json.dumps({"at": at, "rates": rates, "weights": weights}))
