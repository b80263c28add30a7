"""The settings of an experiment reach what they are for."""

import pytest

from keras_nmt.data import SubwordTokenizer, train_subwords
from keras_nmt.errors import UserError
from keras_nmt.experiments import ExperimentConfig, run
from keras_nmt.experiments import run_experiment as module
from keras_nmt.files.json_file import read_json
from keras_nmt.models import ModelDirectory


def test_every_setting_has_its_effect(tmp_path, monkeypatch, reach):
    """None has its default, so that a lost setting shows."""
    read, subwords, read_parallel = [], {}, module.read_parallel

    def read_and_note(*sides, **options):
        read.append(options)
        return read_parallel(*sides, **options)

    def train(files, path, **options):
        subwords.update(options)
        return train_subwords(files, path, vocabulary_size=15)

    monkeypatch.setattr(module, "read_parallel", read_and_note)
    monkeypatch.setattr(module, "train_subwords", train)
    text = tmp_path / "text"
    text.write_text("a b c d e\n" * 10)
    (tmp_path / "longer").write_text((4 * "a b c d e " + "a b\n") * 10)
    to_trainer = {
        "update_config": {"accumulation_steps": 3, "normalize_by": "sentences", "jit_compile": True, "seed": 7},
        "loss": {"label_smoothing": 0.3},
        "evaluation": {"evaluation.every": 11, "patience": 23},
        "saving": {"saving.every": 13, "keep_last": 17, "keep_best": 19, "final_weights": "best"},
        "logging": {"logging.every": 31, "tensorboard": True},
        "stop_criteria": {"max_updates": 29},
    }
    experiment = ExperimentConfig.from_settings(
        {
            "directory": tmp_path / "run",
            "languages": ["source", "target"],
            "pairs": ["source-target"],
            "train": [{"source": text, "target": text}, {"source": text, "target": tmp_path / "longer"}],
            "dev": {"source": text, "target": text},
            "corpus_weights": [0.5, 2],
            "preset": "transformer_tiny",
            "model": {"num_encoder_layers": 1, "num_decoder_layers": 1},
            "batch_size": 5,
            "batch_unit": "sentences",
            "length_buckets": [9, 300],
            "sampling": 0.3,
            "model_type": "unigram",
            "user_symbols": ["<x>"],
            "normalization": "nfkc",
            "character_coverage": 0.99,
            "byte_fallback": True,
            "max_length": 300,
            "max_ratio": 4.5,
            "clip": 0.25,
            "dtype": "mixed_float16",
            "time_limit": 2,
            "beam_size": 6,
            "length_penalty": 0.9,
            "min_length": 2,
            **{name: value for part in to_trainer.values() for name, value in part.items()},
        }
    )
    made = reach(experiment)
    for part, settings in to_trainer.items():
        for name, value in settings.items():
            own_name = name.rpartition(".")[2].removeprefix("label_")
            assert getattr(made[part], own_name) == value, name
    assert made["stop_criteria"].time_limit == 2
    (task,) = made["data"]
    data = task.data
    assert (data.updates_per_epoch, data.seed, data._sampling.alpha) == (5, 7, 0.3)  # 5 + 20 lines; 4 without weights
    assert {edge for _, edge, _ in data.shapes} <= {9, 300}
    assert read == [{"max_length": 300, "max_ratio": 4.5, "keep_text": True}] * 2
    assert [subwords[name] for name in ("model_type", "user_symbols", "seed")] == ["unigram", ["<x>"], 7]
    assert [subwords[name] for name in ("normalization", "character_coverage", "byte_fallback")] == ["nfkc", 0.99, True]
    assert made["optimizer"].inner_optimizer.global_clipnorm == 0.25
    assert made["model"].get_config()["dtype"] == "mixed_float16"
    digest = SubwordTokenizer(tmp_path / "run" / "subwords.model").sampling_digest(0.3)
    assert read_json(tmp_path / "run" / "data.json", "digests")["subword_sampling"] == [digest] * 2
    monkeypatch.setattr(SubwordTokenizer, "sampling_digest", lambda self, alpha: "another")
    (tmp_path / "run" / "checkpoints").mkdir()
    with pytest.raises(UserError, match=f"same segmentations.* another, another instead of {digest}"):
        run(experiment, report=str)
    search = ModelDirectory(tmp_path / "run").read().search
    # 5 subwords to 22: 2 n + 10 cuts off the targets and their end; 300 is beyond the usual buckets.
    limits = {"max_length_factor": 3, "length_buckets": [16, 32, 64, 128, 256, 300]}
    assert search == {"beam_size": 6, "length_penalty": 0.9, "min_length": 2, **limits}
