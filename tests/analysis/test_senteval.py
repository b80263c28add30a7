"""SentEval's tasks, probing tasks and transfer: classes that vectors hold are found, formats are read."""

import dataclasses
import gzip
import shutil

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression

from keras_nmt.analysis import read_transfer, senteval, transfer
from keras_nmt.analysis.sentence_probes import classify
from keras_nmt.analysis.senteval_scores import _similarity, with_averages
from keras_nmt.analysis.task_data import PROBING, TASKS, TEST, read_senteval
from keras_nmt.errors import UserError

N = 200
RNG = np.random.default_rng(0)
NUMBERS = RNG.integers(0, 1000, 3 * N)


def encode(texts):
    """Vectors that hold the parity of a text's number, and noise that does not hold it."""
    numbers = np.array([int(text.split()[-1]) for text in texts])
    noise = np.random.default_rng(1).normal(size=(1000, 6))
    parity = np.stack([numbers % 2, 1 - numbers % 2], axis=1) * 10.0
    return {"": np.concatenate([parity, noise[numbers]], axis=1), "noise": noise[numbers]}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """SentEval's files, in which the class is the parity of a text's number."""
    folder = tmp_path_factory.mktemp("senteval") / "downstream"

    def write(name, rows):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")

    texts = [f"it 's film {number}" for number in NUMBERS]
    write("MR/rt-polarity.neg", [text for text, number in zip(texts, NUMBERS, strict=True) if number % 2 == 0])
    write("MR/rt-polarity.pos", [text for text, number in zip(texts, NUMBERS, strict=True) if number % 2])
    splits = {"train": slice(0, N), "dev": slice(N, 2 * N), "test": slice(2 * N, 3 * N)}
    for name, rows in splits.items():
        pairs = list(zip(texts[rows], NUMBERS[rows], strict=True))
        write(f"SST/binary/sentiment-{name}", [f"{text}\t{number % 2}" for text, number in pairs])
        sts = [f"a\tb\tc\td\t{5.0 * (number % 2)}\t{text}\tnumber 1" for text, number in pairs]
        write(f"STS/STSBenchmark/sts-{name}.csv", sts)
    (folder / "TREC").mkdir()
    trec = [f"{('NUM:dist', 'HUM:desc')[n % 2]} caf\xe9 {n}" for n in NUMBERS]
    (folder / "TREC/train_5500.label").write_bytes("\n".join(trec[:N]).encode("latin-1") + b"\n")
    (folder / "TREC/TREC_10.label.gz").write_bytes(gzip.compress("\n".join(trec[N:]).encode()))
    head = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String"
    mrpc = [f"{n % 2}\t1\t2\t{text}\tother {2 * (n // 4)}" for text, n in zip(texts, NUMBERS, strict=True)]
    write("MRPC/msr_paraphrase_train.txt", [head, *mrpc[:N]])
    write("MRPC/msr_paraphrase_test.txt", [head, *mrpc[N:]])
    for part, size in (("a", 60), ("b", 30)):
        pairs = [f"x {n}\ty {m}" for n, m in NUMBERS[: 2 * size].reshape(-1, 2)]
        write(f"STS/STS12-en-test/STS.input.{part}.txt", pairs)
        scores = ["" if i == 0 else f"{i % 5}.0" for i in range(size)]
        write(f"STS/STS12-en-test/STS.gs.{part}.txt", scores)
    for i, file in enumerate(PROBING.values()):
        names = ["tr"] * N + ["va"] * N + ["te"] * N
        rows = [f"{name}\t{n % 2}\t{text}" for name, n, text in zip(names, NUMBERS, texts, strict=True)]
        write(f"../probing/{file}.txt", rows if i < 5 else rows[::3])
    return folder.parent


def test_classifiers_equal_scikit_learn(data):
    task = read_senteval(data, "SST2")
    x = encode(task.texts)["noise"]
    y = (x @ np.arange(6) + np.random.default_rng(2).normal(size=len(x)) * 4 > 0).astype(int)
    train, test = task.splits != TEST, task.splits == TEST
    penalty = 1e-2
    ours, _ = classify(x, y, train[None], test[None], [penalty], epoch_size=60, max_epochs=60, learning_rate=0.01)
    # scikit-learn's C weighs the sum of losses; our penalty is half the squared norm beside their mean.
    theirs = LogisticRegression(C=1 / (penalty * train.sum())).fit(x[train], y[train])
    same = ours[0].argmax(axis=1) == theirs.predict(x)
    assert same[test].mean() > 0.95


def test_a_hidden_layer_finds_what_is_not_linear():
    x = np.random.default_rng(3).choice([-1.0, 1.0], size=(400, 2))
    y = (x[:, 0] * x[:, 1] > 0).astype(int)
    train = np.arange(400) < 300
    _, network = classify(x, y, train[None], ~train[None], [1e-5], hidden_dim=20, learning_rate=0.03)
    _, linear = classify(x, y, train[None], ~train[None], [1e-5], learning_rate=0.03)
    assert network[0] == 1
    assert linear[0] < 0.8


def test_jobs_have_their_own_rows_and_penalties():
    x = np.array([[1.0], [-1.0]] * 100)
    y = np.array([0, 1] * 100)
    first = np.arange(200) < 20  # few: without their mask, the others would outvote them
    flipped = np.where(first, y, 1 - y)
    rows = np.stack([first, ~first])
    probabilities, accuracy = classify(x, flipped, rows, rows, [1e-4] * 2, learning_rate=0.1)
    assert accuracy.tolist() == [1, 1]
    np.testing.assert_array_equal(probabilities[0].argmax(1), 1 - probabilities[1].argmax(1))
    all_ = np.ones((2, 200), bool)
    probabilities, _ = classify(x, y, all_, all_, [1e-5, 10.0], learning_rate=0.1)
    distances = np.abs(probabilities - 0.5).mean(axis=(1, 2))
    assert distances[1] < 0.1 < 0.25 < distances[0], "a large penalty leaves the classes alike"


@pytest.mark.parametrize("number", [1, 16])
def test_the_range_of_initial_weights_does_not_depend_on_the_number_of_jobs(number):
    y = np.arange(200) % 2
    rows = np.ones((number, 200), bool)
    found, _ = classify(np.eye(200), y, rows, rows, [0.0] * number, learning_rate=0.0, max_epochs=1)
    weights = np.log(found[..., 0] / found[..., 1])  # of each feature, for class 0 minus class 1
    assert weights.std() == pytest.approx((2 * 6 / (200 + 2) / 3) ** 0.5, rel=0.15)  # of Glorot's uniform distribution
    assert len(np.unique(weights)) > 190 * number


@pytest.fixture
def jobs(monkeypatch):
    """The arguments of each call of `classify`, which runs as usual."""
    calls = []

    def recorded(vectors, labels, train, validation, penalties, **options):
        calls.append((vectors, train, validation, options))
        return classify(vectors, labels, train, validation, penalties, **options)

    monkeypatch.setattr("keras_nmt.analysis.sentence_probes.classify", recorded)
    return calls


@pytest.mark.parametrize("task", ["SST2", "MRPC", *(pytest.param(x, marks=pytest.mark.slow) for x in ("MR", "TREC"))])
def test_classes_that_vectors_hold_are_found_without_the_test(data, jobs, task):
    found = senteval(encode, data, [task])
    assert found.values["classification", task] > 0.97
    chance = found.references["classification", task]
    if task != "MRPC":  # whose second sentence is even
        assert found.values[f"classification: {task}", "noise"] < chance + 0.12
    if task == "SST2":
        share = np.mean(NUMBERS[2 * N :] % 2 == np.bincount(NUMBERS[:N] % 2).argmax())
        assert chance == pytest.approx(share)
    vectors, train, validation, _ = jobs[0]
    assert not np.any(train & validation)
    assert np.all(validation.any(axis=1))
    tests = ~(train | validation)
    if task == "MR":
        assert np.all(tests.sum(axis=1) == 3 * N // 10)
        assert np.all(tests.sum(axis=0) * 10 == len(tests)), "each item is tested by one fold"
    else:
        assert np.all(tests[:, 2 * N if task == "SST2" else N :])
    assert len(found.samples["classification", task]) == {"MR": 3 * N, "SST2": N}.get(task, 2 * N)
    if task == "MRPC":  # pairs are their distance and their product
        read = read_senteval(data, "MRPC")
        u, v = encode(read.texts)[""], encode(read.others)[""]
        np.testing.assert_allclose(vectors, np.concatenate([np.abs(u - v), u * v], axis=1))


def test_similarity_is_weighted_over_parts(data, tmp_path):
    found = senteval(encode, data, ["STS12"])
    task = read_senteval(data, "STS12")
    u, v = encode(task.texts)["noise"], encode(task.others)["noise"]
    cosines = (u * v).sum(1) / np.sqrt((u**2).sum(1) * (v**2).sum(1))
    assert len(cosines) == 59 + 29  # pairs without a score are left out
    expected = [stats.pearsonr(cosines[i], task.labels[i])[0] for i in (slice(0, 59), slice(59, 88))]
    expected = (59 * expected[0] + 29 * expected[1]) / 88
    assert found.values["similarity, Pearson: STS12", "noise"] == pytest.approx(expected)
    thirds = dataclasses.replace(task, parts=np.arange(88) % 3)
    expected = [stats.pearsonr(cosines[i::3], task.labels[i::3])[0] for i in range(3)]
    assert _similarity(thirds, u, v)["similarity, Pearson"] == pytest.approx(np.average(expected, weights=[30, 29, 29]))
    shutil.copytree(data, tmp_path / "data")
    folder = tmp_path / "data/downstream/STS/STS12-en-test"
    for kind in ("input", "gs"):  # copies of a part count once
        text = (folder / f"STS.{kind}.a.txt").read_bytes()
        (folder / f"STS.{kind}.a.txt.gz").write_bytes(gzip.compress(text))
        for suffix in ("~", ".bak"):
            (folder / f"STS.{kind}.a.txt{suffix}").write_bytes(text)
    assert read_senteval(tmp_path / "data", "STS12").texts == task.texts


@pytest.mark.slow
def test_relatedness_is_learned(data):
    found = senteval(encode, data, ["STS-B"])
    assert found.values["relatedness, Pearson", "STS-B"] > 0.95
    assert abs(found.values["relatedness, Pearson: STS-B", "noise"]) < 0.3


@pytest.mark.slow
def test_probing_tasks_have_averages_and_deviations(data, jobs):
    measured = senteval(lambda texts: {"": encode(texts)[""]}, data, ["SentLen", "WC"], seeds=(1, 2))
    found, average = with_averages(measured), ("probing, average", "surface")
    _, train, validation, options = jobs[0]
    assert (options["hidden_dim"], options["dropout"]) == (200, 0.1)
    assert not np.any((train | validation)[:, 2 * N :])
    assert found.values["probing", "WC"] > 0.95
    mean = np.mean([found.values["probing", task] for task in ("SentLen", "WC")])
    assert found.values[average] == pytest.approx(mean)
    assert ("probing, average", "syntactic") not in found.values
    assert set(found.deviations) == {("probing", "SentLen"), ("probing", "WC"), average}
    for task in ("SentLen", "WC"):
        by_seed = measured.details[f"probing, {task} by seed"]
        assert len(by_seed) == 2
        assert np.mean(by_seed) == pytest.approx(measured.values["probing", task])
    # Heads stand side by side in each task.
    by_head = lambda texts: dict(zip("21", encode(texts).values(), strict=True))  # noqa: E731
    heads = with_averages(senteval(by_head, data, ["SentLen", "WC"]))
    groups = ("probing: SentLen", "probing: WC", "probing, average: surface")
    assert [*heads.values] == [(group, head) for group in groups for head in "21"]
    assert heads.values[groups[2], "1"] == pytest.approx(np.mean([heads.values[group, "1"] for group in groups[:2]]))
    assert heads.values["probing: WC", "2"] > 0.95 > 0.7 > heads.values["probing: WC", "1"]
    # Deviations of tasks may cancel out in their average, or not.
    for of_tasks, expected in (((0.5, 0.7), (0.7, 0.5)), 0), (((0.5, 0.7), (0.5, 0.9)), np.std([0.5, 0.8], ddof=1)):
        details = dict(zip(measured.details, of_tasks, strict=True))
        planted = with_averages(dataclasses.replace(measured, details=details))
        assert planted.deviations[average] == pytest.approx(expected)


def test_every_task_says_what_is_missing(data, tmp_path):
    for task in (*TASKS, *PROBING):
        with pytest.raises(UserError, match=f"Missing file of {task}"):
            read_senteval(tmp_path, task)
    with pytest.raises(UserError, match="`task` must be one that is known; the nearest is `MR`"):
        read_senteval(data, "MRR")
    (tmp_path / "MRPC").mkdir()
    for name in ("train", "test"):
        (tmp_path / "MRPC" / f"msr_paraphrase_{name}.txt").write_text("head\nno table\n")
    with pytest.raises(UserError, match="not SentEval's"):
        read_senteval(tmp_path, "MRPC")
    for task, file, lines, message in (
        ("SubjNum", "subj_number.txt", ["tr\t0\ta", "tr\t1\tb"], "Received: 2 and 0 in "),
        ("SubjNum", "subj_number.txt", ["tr\t0\ta", "te\t1\tb"], "must occur in training. Received: 1 do not"),
        ("STS12", "STS/STS12-en-test/STS.gs.a.txt", ["3.0", "3.0"], "must not all be the same. Received: a in "),
        ("STS12", "STS/STS12-en-test/STS.gs.a.txt", ["3.0", "nan"], "must be finite numbers"),
    ):
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines))
        if task == "STS12":
            (path.parent / "STS.input.a.txt").write_text("x\ty\nz\tw\n")
        with pytest.raises(UserError, match=message):
            read_senteval(tmp_path, task)


def test_seeds_are_checked_before_any_work(tmp_path):
    for analyse in (
        lambda seed: senteval("none", tmp_path, ["MR"], seeds=[1, seed]),
        lambda seed: transfer("none", tmp_path, seed=seed),
    ):
        for seed in (-1, 2**32):
            with pytest.raises(UserError, match=f"below 2\\*\\*32. Received: seed={seed}$"):
                analyse(seed)


def test_lines_that_are_not_utf8_are_latin_1_where_senteval_has_it(tmp_path):
    (tmp_path / "MR").mkdir()
    (tmp_path / "MR/rt-polarity.neg").write_bytes("a naïve film\n".encode() * 9 + b"caf\xe9\n")
    (tmp_path / "MR/rt-polarity.pos").write_bytes(gzip.compress("a naïve film\n".encode()))  # without .gz
    with pytest.warns(UserWarning, match=r"1 of 10 lines of [^\n]*polarity.neg are not UTF-8, line 10 first"):
        assert read_senteval(tmp_path, "MR").texts == ["a naïve film"] * 9 + ["café", "a naïve film"]
    (tmp_path / "SST/binary").mkdir(parents=True)
    for content, message in (
        (b"a\t1\ncaf\xe9\t0\n", "Line 2 is not UTF-8 .*sentiment-train"),
        (gzip.compress(b"1\ta text\n" * 100)[:-12], r"Damaged gzip data.*Received: .*sentiment-train \([^\n]+\)"),
    ):
        (tmp_path / "SST/binary/sentiment-train").write_bytes(content)
        with pytest.raises(UserError, match=rf"^{message}$"):
            read_senteval(tmp_path, "SST2")


def test_texts_of_transfer_are_utf8(tmp_path):
    for content, message in (
        (b"a\ncaf\xe9\n", "Line 2 is not UTF-8"),
        ("a\n".encode("utf-16-le"), "The first lines begin or end with NUL"),
        (b"", "The file is empty"),
        (b"a\n", None),
    ):
        for split in ("train", "test"):
            (tmp_path / f"{split}.not-good.zh-Hans").write_bytes(content)
        if message is not None:
            with pytest.raises(UserError, match=rf"^{message}.*not-good.zh-Hans"):
                read_transfer(tmp_path)
    assert list(read_transfer(tmp_path)) == [{"zh-Hans": (["a"], None, ["not-good"])}] * 2
    with pytest.raises(UserError, match="such folder"):
        read_transfer(tmp_path / "none")


@pytest.mark.slow
def test_transfer_between_languages(bridged, labelled, tmp_path, jobs):
    words = {"positive": "cat", "negative": "houses houses houses"}
    for split, count in (("train", 32), ("test", 10)):
        for label, word in words.items():
            for language in ("en", "de"):
                lines = "".join(f"the small {word} {'in ' * (i % 4)}\n" for i in range(count))
                (tmp_path / f"{split}.{label}.{language}").write_text(lines)
    found = transfer(bridged, tmp_path)
    groups = {group for group, _ in found.values}
    assert groups == {"trained on en", "trained on de", "trained on all languages"}
    assert {len(x) for x in found.samples.values()} == {20}
    assert set(found.references.values()) == {0.5}
    ((_, train, validation, _),) = jobs
    assert not np.any(train & validation)
    assert not np.any((train | validation)[:, 128:]), "the texts of the test follow those of the training"
    assert np.all(validation.any(axis=1))
    assert np.array_equal(validation[-1, :64], validation[-1, 64:128]), "translations of an item are on the same side"
    assert "label" not in found.to_markdown()
    of_labels = transfer(labelled, tmp_path, vectors="states")
    assert of_labels.notes == ("Each language is encoded with the label of a translation into itself.",)


def test_xnli_tables(tmp_path):
    (tmp_path / "dev.en.tsv").write_text("a\tb\tneutral\nc\td\tentailment\n")
    (tmp_path / "test.en.tsv.gz").write_bytes(gzip.compress(b"e\tf\n"))
    with pytest.raises(UserError, match="XNLI"):
        read_transfer(tmp_path)
    (tmp_path / "test.labels").write_text("neutral\n")
    train, test = read_transfer(tmp_path)
    assert train["en"] == (["a", "c"], ["b", "d"], ["neutral", "entailment"])
    assert test["en"] == (["e"], ["f"], ["neutral"])
    for name in ("dev.zh-Hans.tsv", "test.zh-Hans.tsv"):
        (tmp_path / name).write_text("a\tb\tneutral\n")
    assert [sorted(x) for x in read_transfer(tmp_path)] == [["en", "zh-Hans"]] * 2
    (tmp_path / "test.labels").write_text("contradiction\n")
    with pytest.raises(UserError, match=r"Received: contradiction; in training entailment, neutral, of "):
        read_transfer(tmp_path)
