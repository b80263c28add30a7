"""Several languages from files to scores, on a task learnt in a minute: numbers spelt in three ways."""

from __future__ import annotations

import io
import random
import sys

import numpy as np
import pytest
from keras_nmt.experiments.multilingual_experiment import MultilingualExperiment

from keras_nmt.cli.app import app
from keras_nmt.errors import UserError
from keras_nmt.inference import Translator
from keras_nmt.models import ModelDirectory
from keras_nmt.text import SubwordTokenizer

WORDS = ["ka", "ke", "la", "le", "ma", "me", "na", "ne", "pa", "pe"]
SPELLINGS = {
    "digits": lambda digits: " ".join(map(str, digits)),
    "words": lambda digits: " ".join(WORDS[digit] for digit in digits),
    "letters": lambda digits: " ".join("abcdefghij"[digit] for digit in digits),
}
MODEL = {
    "encoder": "transformer",
    "transformer": {"num_heads": 4, "intermediate_dim": 96},
    "hidden_dim": 48,
    "num_encoder_layers": 1,
    "num_decoder_layers": 1,
    "dropout": 0.0,
}
BRIDGE = {"bridge_heads": 6, "bridge_hidden_dim": 64, "penalty_weight": 0.1}
# Digits and letters are never translated to each other.
PAIRS = ["digits-words", "words-digits", "words-letters", "letters-words", "digits-digits", "letters-letters"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spellings")
    generator = random.Random(1)
    seen = set()
    while len(seen) < 1800:
        seen.add(tuple(generator.choices(range(10), k=generator.randint(2, 4))))
    lines = sorted(seen)
    generator.shuffle(lines)
    for name, part in (("train", lines[:1740]), ("dev", lines[1740:1770]), ("test", lines[1770:])):
        for language, spell in SPELLINGS.items():
            (folder / f"{name}.{language}").write_text("".join(spell(line) + "\n" for line in part))
    return folder


@pytest.fixture(scope="module")
def settings(corpus):
    return {
        "languages": list(SPELLINGS),
        "pairs": PAIRS,
        **{name: str(corpus / f"{name}.{{language}}") for name in ("train", "dev", "test")},
        "vocabulary_size": 22,
        "subword_model": "unigram",
        "model": {**MODEL, **BRIDGE},
        "batch_size": 64,
        "batch_unit": "sentences",
        "length_buckets": [16],
        "normalize_by": "sentences",
        "schedule": "cosine",
        "learning_rate": 0.01,
        "warmup_steps": 50,
        "label_smoothing": 0.0,
        "max_updates": 600,
        "evaluate_every": 600,
        "final": "last",
    }


@pytest.fixture(scope="module")
def trained(settings, tmp_path_factory):
    directory = tmp_path_factory.mktemp("runs") / "spellings"
    results = MultilingualExperiment(directory=directory, **settings).run(report=lambda line: None)
    return directory, results


@pytest.fixture
def keras_nmt(monkeypatch, capfd):
    """Runs `keras-nmt` in this process, where TensorFlow is there already, and gives what it wrote."""

    def run(*arguments, stdin=""):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        app([*map(str, arguments)], standalone_mode=False)
        sys.stdout.flush()
        return capfd.readouterr().out

    return run


def test_pairs_that_were_never_trained_are_translated(trained):
    _, results = trained
    scores = {pair: cell["bleu"]["score"] for pair, cell in results["test"].items()}
    unseen = [pair for pair, cell in results["test"].items() if not cell["trained"]]
    assert unseen == ["digits-letters", "letters-digits"]
    assert all(scores[pair] > 80 for pair in scores if pair not in unseen), scores
    assert all(scores[pair] > 45 for pair in unseen), scores


def test_the_score_that_chooses_is_the_mean_over_pairs_of_two_languages(trained):
    _, results = trained
    of_pairs = {name: value for name, value in results["dev_greedy"].items() if name != "bleu"}
    assert set(of_pairs) == {f"bleu_{pair}" for pair in PAIRS[:4]}
    assert results["dev_greedy"]["bleu"] == pytest.approx(np.mean(list(of_pairs.values())), abs=0.01)


def test_each_pair_from_the_folder_is_the_same_as_all_together(trained):
    directory, _ = trained
    together = Translator.from_directory(directory)
    alone = Translator.from_directory(directory, source="digits", target="letters")
    lines = ["3 0 7", "1 2", "9 9 9 9"]
    assert alone.translate(lines) == together.translate(lines, "digits", "letters")


def test_the_command_line_translates_scores_and_embeds(trained, corpus, tmp_path, keras_nmt):
    directory, _ = trained
    text = keras_nmt("translate", directory, "-s", "words", "-t", "digits", stdin="le ka ne\n")
    assert text == "3 0 7\n"
    files = corpus / "test.digits", corpus / "test.words"
    both = ["--source", files[0], "--target", files[1]]
    scores = keras_nmt("score", directory, *both, "-s", "digits", "-t", "words")
    assert np.mean([float(line) > -1 for line in scores.split()]) > 0.8
    arguments = ["evaluate", directory, "--references", files[1], "--source", files[0]]
    report = keras_nmt(*arguments, "--source-language", "digits", "--target-language", "words")
    assert report.startswith("BLEU")
    vectors = {}
    for language, text in (("digits", "3 0 7\n1 1\n"), ("words", "le ka ne\nke ke\n")):
        keras_nmt("embed", directory, "--language", language, "--output", tmp_path / "v.npy", stdin=text)
        vectors[language] = np.load(tmp_path / "v.npy", allow_pickle=False)
    assert vectors["digits"].shape == (2, MODEL["hidden_dim"])
    # What says the same is nearer than what does not.
    distance = np.linalg.norm(vectors["digits"][:, None] - vectors["words"][None], axis=-1)
    assert distance[0, 0] < distance[0, 1]
    assert distance[1, 1] < distance[1, 0]
    output = ["--output", tmp_path / "v.npy", "--all-vectors"]
    keras_nmt("embed", directory, "--language", "words", *output, stdin="ke\n")
    assert np.load(tmp_path / "v.npy", allow_pickle=False).shape == (1, BRIDGE["bridge_heads"], MODEL["hidden_dim"])


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["translate", "{}"], "model of digits, words, letters: say which.* Received: from None to None"),
        (["translate", "{}", "-s", "xx", "-t", "words"], "say which.* Received: from xx to words"),
        (["embed", "{}", "--language", "xx", "--output", "v.npy"], "digits, words, letters.*Received: 'xx'"),
        (["embed", "{}", "--language", "words", "--output", "v.txt"], r"\*.npy. Received: --output v.txt"),
        (["embed", "{}", "--language", "words", "--output", "v.npy"], "Received: no lines"),
    ],
)
def test_errors_of_the_command_line(trained, command, message, keras_nmt):
    with pytest.raises(UserError, match=message):
        keras_nmt(*(word.format(trained[0]) for word in command), stdin="ka\n" if "xx" in command else "")


def test_a_language_is_added_to_a_trained_model(trained, settings, corpus, tmp_path):
    """New encoder and decoder against the bridge, the rest as it was."""
    for name in ("train", "dev", "test"):
        lines = (corpus / f"{name}.digits").read_text()
        (corpus / f"{name}.signs").write_text(lines.translate(str.maketrans("0123456789", "!@#$%^&*()")))
    old = ModelDirectory(trained[0]).load_model()
    more = {
        **settings,
        "languages": [*SPELLINGS, "signs"],
        "pairs": ["signs-words", "words-signs"],
        "init_from": str(trained[0]),
        "allow_new": ["signs_*"],
        "frozen": ["bridge/*", "digits_*", "words_*", "letters_*"],
        "max_updates": 8,
        "evaluate_every": 8,
        "schedule": "constant",
        "test": None,
    }
    MultilingualExperiment(directory=tmp_path / "more", **more).run(report=lambda line: None)
    new = ModelDirectory(tmp_path / "more").load_model()
    assert new.languages == (*SPELLINGS, "signs")
    kept = {weight.path: weight.numpy() for weight in new.weights}
    for weight in old.weights:
        np.testing.assert_array_equal(kept[weight.path], weight.numpy())
    # As many subword models, the old ones' as they were.
    subwords = ModelDirectory(tmp_path / "more").subword_paths()
    assert subwords["words"].read_bytes() == ModelDirectory(trained[0]).subword_paths()["words"].read_bytes()
    with pytest.raises(UserError, match="missing in the model to start from.*Received: signs_"):
        MultilingualExperiment(directory=tmp_path / "refused", **{**more, "allow_new": []}).run(
            report=lambda line: None
        )


@pytest.fixture(scope="module")
def label_settings(settings):
    label = {"architecture": "language_label", "model": MODEL, "vocabulary_size": 40}
    return {**settings, **label, "schedule": "constant", "max_updates": 6, "evaluate_every": 6}


def test_the_label_baseline_runs_on_the_same_data(label_settings, tmp_path):
    label = {**label_settings, "pairs": ["digits-words", "words-letters"], "test_pairs": ["digits-letters"]}
    results = MultilingualExperiment(directory=tmp_path / "label", **label).run(report=lambda line: None)
    assert set(results["test"]) == {"digits-letters"}
    assert len(set(ModelDirectory(tmp_path / "label").subword_paths().values())) == 1


def test_a_label_model_that_starts_from_another_needs_its_labels(label_settings, tmp_path):
    """Their places in the vocabulary are what the model knows."""
    two = {"languages": ["digits", "words"], "pairs": ["digits-words"], "test": None}
    label = {**label_settings, **two, "max_updates": 1, "evaluate_every": 1}
    MultilingualExperiment(directory=tmp_path / "first", **label).run(report=lambda line: None)
    later = {**label, "init_from": str(tmp_path / "first")}
    for languages in (["words", "digits"], ["digits", "words", "letters"]):
        changed = {
            "languages": languages,
            "pairs": [f"{languages[0]}-{languages[1]}", f"{languages[-1]}-{languages[0]}"],
        }
        with pytest.raises(UserError, match="begin with other labels: give the languages.* Received: languages="):
            MultilingualExperiment(directory=tmp_path / "later", **{**later, **changed}).run(report=lambda line: None)
    again = MultilingualExperiment(directory=tmp_path / "again", **later)
    again.run(report=lambda line: None)
    # A run that has its subwords does not need what it started from.
    (tmp_path / "first").rename(tmp_path / "gone")
    again.run(report=lambda line: None)


def test_files_of_pairs_and_their_own_sides(corpus, tmp_path, settings):
    """A corpus a pair, in either order of its name; A -> A has the sides of all of them."""
    for pair, languages in (("digits-words", ("digits", "words")), ("letters-words", ("letters", "words"))):
        for language in languages:
            (tmp_path / f"train.{pair}.{language}").write_text((corpus / f"train.{language}").read_text())
    experiment = MultilingualExperiment(
        directory=tmp_path / "run",
        **{**settings, "train": str(tmp_path / "train.{pair}.{language}"), "pairs": [*PAIRS, "words-words"]},
    )
    names = [(a.name, b.name) for a, b in experiment._training_files("words", "words")]
    assert names == [("train.digits-words.words",) * 2, ("train.letters-words.words",) * 2]
    assert experiment._training_files("words", "letters")[0][1].name == "train.letters-words.letters"
    (tmp_path / "train.letters-words.words").unlink()
    with pytest.raises(UserError, match="There is no data for words-letters. Received: "):
        experiment.run(report=lambda line: None)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"languages": []}, "Name each language once"),
        ({"languages": ["digits", "digits"]}, "Name each language once"),
        ({"languages": "digits"}, "must be list"),
        ({"pairs": ["digits-greek"]}, "of digits, words, letters. Received: digits-greek"),
        ({"pairs": ["digits-words", "digits-words"]}, "Name each pair once"),
        ({"pairs": []}, "no pair to train on"),
        ({"pairs": ["digits-words", "words-digits"]}, "Received: none has letters"),
        ({"pairs": ["digits-digits", "words-words", "letters-letters"]}, "`dev_pairs` is needed"),
        ({"pairs": ["digits-words", "digits-letters"], "test_pairs": ["words-digits"]}, "never read"),
        ({"train": "train.txt"}, "{language} in it. Received: train="),
        ({"task_schedule": "weighted"}, "`task_weights` go with"),
        ({"task_weights": {"digits-words": 1.0}}, "`task_weights` go with"),
        ({"task_schedule": "weighted", "task_weights": {"digits-words": 1.0}}, "Give each pair a weight"),
        ({"task_schedule": "random"}, "`task_schedule` must be one of"),
        ({"best_metric": "bleu_words-greek"}, "`best_metric` is one of"),
        ({"architecture": "none"}, "`architecture` must be one of"),
        ({"model": {"use_cudnn": "auto"}}, "`model` may set"),
    ],
)
def test_settings_that_do_not_go_together(settings, changed, message):
    with pytest.raises((UserError, KeyError), match=message.replace("{", r"\{").replace("*", r"\*")):
        MultilingualExperiment(directory="x", **{**settings, **changed})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"frozen": ["tower/*"]}, r"No weight has such a path.*Received: 'tower/\*'"),
        ({"model": {"shared_attention": True, "decoder": "transformer"}}, "`shared_attention` is for recurrent dec"),
    ],
)
def test_a_model_that_cannot_be_made_is_found_before_anything_is(settings, tmp_path, changed, message):
    with pytest.raises(UserError, match=message):
        MultilingualExperiment(directory=tmp_path / "x", **{**settings, **changed}).run(report=lambda line: None)
    assert not (tmp_path / "x").exists()


def test_a_weighted_schedule_and_one_by_temperature(settings):
    weighted = MultilingualExperiment(
        directory="x",
        **{
            **settings,
            "task_schedule": "weighted",
            "task_weights": dict.fromkeys(PAIRS, 1.0) | {"words-digits": 3.0},
        },
    )
    sizes = dict.fromkeys(weighted.training_pairs, 100)
    assert weighted._task_weights(sizes)["words", "digits"] == 3
    tempered = MultilingualExperiment(directory="x", **{**settings, "task_schedule": "temperature", "temperature": 2.0})
    sizes["words", "digits"] = 400
    weights = tempered._task_weights(sizes)
    assert weights["words", "digits"] == pytest.approx(2 * weights["digits", "words"])


def test_what_is_set_of_the_tasks_reaches_the_training(settings, tmp_path, monkeypatch):
    class Reached(Exception):
        pass

    made = {}

    def trainer(model, data, directory, **options):
        made.update(options, model=model, tasks=data)
        raise Reached

    monkeypatch.setattr("keras_nmt.experiments.settings.Trainer", trainer)
    weights = {pair: 1.0 + i for i, pair in enumerate(PAIRS)}
    more = {"task_schedule": "weighted", "task_weights": weights, "best_metric": "bleu_words-digits"}
    more |= {"beam_size": 7, "dtype": "mixed_bfloat16", "lowercase": True}
    experiment = MultilingualExperiment(directory=tmp_path / "run", **{**settings, **more})
    with pytest.raises(Reached):
        experiment.run(report=str)
    assert {task.name: task.weight for task in made["tasks"]} == weights
    assert made["evaluation"].best_metric == "bleu_words-digits"
    assert made["model"].get_config()["dtype"] == "mixed_bfloat16"
    folder = ModelDirectory(tmp_path / "run")
    assert folder.load_config()["search"]["beam_size"] == 7
    tokenizer = SubwordTokenizer(folder.subword_paths()["words"])
    assert tokenizer.tokenize(["KA"]).to_list() == tokenizer.tokenize(["ka"]).to_list()
