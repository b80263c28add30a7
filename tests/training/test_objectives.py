"""Objectives beside the cross-entropy: word-level distillation and guided alignment."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from training_runs import batches_of, losses_of, make_copier

from keras_nmt.data import ParallelCorpus, TrainingBatches
from keras_nmt.data.parallel_corpus import LINK_BASE
from keras_nmt.errors import UserError
from keras_nmt.models import Transformer
from keras_nmt.training import LabelSmoothedCrossEntropy, WordDistillation, make_optimizer
from keras_nmt.training.loss import LEAST_ATTENTION, alignment_losses

SIZES = {"num_encoder_layers": 1, "num_decoder_layers": 2, "hidden_dim": 16, "num_heads": 2, "intermediate_dim": 16}


def softmax(logits):
    shifted = np.exp(logits - logits.max(-1, keepdims=True))
    return shifted / shifted.sum(-1, keepdims=True)


@settings(max_examples=20)
@given(size=st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(1, 5)), seed=st.integers(0, 99), data=st.data())
def test_alignment_losses_equal_the_formula(size, seed, data):
    rows, targets, sources = size
    attention = softmax(np.random.default_rng(seed).normal(size=size)).astype("float32")
    pair = st.tuples(st.integers(0, targets - 1), st.integers(0, sources - 1))
    links = [sorted(data.draw(st.sets(pair, max_size=6))) for _ in range(rows)]
    width = max(1, *map(len, links)) + 1
    given_links = [[t * LINK_BASE + s for t, s in row] + [-1] * (width - len(row)) for row in links]
    found = alignment_losses(tf.constant(attention), tf.constant(given_links))
    expected = np.zeros((rows, targets))
    for i, row in enumerate(links):
        for t, s in row:
            number = sum(other == t for other, _ in row)
            expected[i, t] -= np.log(attention[i, t, s] + LEAST_ATTENTION) / number
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("temperature", [1.0, 2.5])
def test_the_divergence_from_the_teacher_equals_the_formula(temperature):
    teacher, random = make_copier(dropout=0.5, seed=7), np.random.default_rng(1)
    source, target_input, targets = (random.integers(4, 20, (2, n), dtype="int32") for n in (3, 4, 4))
    targets[1, 2:] = 0
    logits, losses = random.normal(size=(2, 4, 20)).astype("float32"), random.normal(size=(2, 4)).astype("float32")
    objective = WordDistillation(teacher=teacher, weight=0.3, temperature=temperature)
    found = objective.mix(tf.constant(losses), tf.constant(logits), [source, target_input], tf.constant(targets))
    q, p = (softmax(z / temperature) for z in (teacher([source, target_input]).numpy(), logits))
    divergence = (q * np.log(q / p)).sum(-1) * (targets != 0) * temperature**2
    np.testing.assert_allclose(found, 0.7 * losses + 0.3 * divergence, rtol=1e-4)


def test_numbers_out_of_range():
    for name, value in (("weight", 0.0), ("weight", 1.5), ("temperature", 0.0)):
        with pytest.raises(UserError, match=f"`{name}` of word-level distillation"):
            WordDistillation(teacher=make_copier(), **{name: value})


@pytest.mark.slow
def test_only_a_teacher_makes_the_student_like_itself_and_is_neither_trained_nor_saved(make_trainer, batches):
    teacher = make_copier(seed=9)
    teacher.set_weights([weight * 3 for weight in teacher.get_weights()])  # of confident answers
    before = teacher.get_weights()
    element = next(iter(batches.dataset()))
    inputs = [element["source"], element["target_input"]]
    real = element["target_output"].numpy() != 0
    found = {}
    for weight in (None, 1.0):
        objective = None if weight is None else WordDistillation(teacher=teacher, weight=weight)
        optimizer = lambda: make_optimizer("adam", 0.03)  # noqa: E731
        trainer = make_trainer(f"{weight}", word_distillation=objective, max_updates=150, optimizer=optimizer)
        trainer.train()
        best = [x(inputs).numpy().argmax(-1)[real] for x in (trainer.model, teacher)]
        found[weight] = float(np.mean(best[0] == best[1]))
    assert found[1.0] > 0.8 > 0.4 > found[None]
    for old, new in zip(before, teacher.get_weights(), strict=True):
        np.testing.assert_array_equal(old, new)


@pytest.fixture(scope="module")
def aligned():
    """Random sentences, each target its source backwards, with links of each subword to its origin but for the last."""
    random = np.random.RandomState(0)
    sources = [random.randint(4, 20, size).tolist() for size in random.randint(1, 9, 160)]
    corpus = ParallelCorpus.from_lists(sources, [row[::-1] for row in sources])
    rows = [[t * LINK_BASE + len(row) - 1 - t for t in range(len(row) - 1)] for row in sources]
    links = tf.ragged.constant(rows, tf.int32, row_splits_dtype=tf.int64)
    corpus = ParallelCorpus(corpus.source, corpus.target, corpus.line_numbers, len(corpus), links=links)
    return batches_of(corpus, length_buckets=[4, 10])


def test_batches_have_the_links_of_their_pairs(aligned):
    for parts in (1, 2):
        for part in aligned.dataset(parts=parts).take(3 * aligned.updates_per_epoch * parts):
            source, links, lines = (part[key].numpy() for key in ("source", "links", "line_numbers"))
            assert links.shape[1] == source.shape[1]
            for row, found, line in zip(source, links, lines, strict=True):
                length = max(int((row != 0).sum()) - 1, 0)
                expected = [t * LINK_BASE + length - 1 - t for t in range(length - 1)]
                assert found[found >= 0].tolist() == (expected if line > 0 else [])


def test_only_corpora_that_all_have_links_are_taken(aligned):
    with_links = aligned._order.corpus
    without = ParallelCorpus.from_lists([[4]], [[5]])
    both = ParallelCorpus.concatenate([with_links, with_links]).select(np.array([165, 3]))
    assert both.links.to_list() == [with_links.links[5].numpy().tolist(), with_links.links[3].numpy().tolist()]
    with pytest.raises(UserError, match="All corpora or none must have alignments.* exclude subword sampling"):
        TrainingBatches([with_links, without], batch_size=16)


def guided(seed=1):
    keras.utils.set_random_seed(seed)
    return Transformer(20, **SIZES, dropout=0.0, alignment_head=2)


@pytest.mark.slow
def test_a_trained_head_aligns_and_the_model_uses_it(make_trainer, aligned):
    element = next(iter(aligned.dataset()))
    source, target_input, links = (element[key].numpy() for key in ("source", "target_input", "links"))
    rows, places = np.nonzero(links >= 0)
    t, s = links[rows, places] // LINK_BASE, links[rows, places] % LINK_BASE

    def hits(model, layer=None):
        attention = model.attention(model.encoder(source), target_input, layer).numpy()
        return float(np.mean(attention[rows, t].argmax(-1) == s))

    assert hits(guided()) < 0.6
    optimizer = lambda: make_optimizer("adam", 0.01)  # noqa: E731
    options = {"model": guided, "data": aligned, "alignment_weight": 1.0, "max_updates": 120}
    trainer = make_trainer(optimizer=optimizer, **options)
    trainer.train()
    model = trainer.model
    assert hits(model) > 0.9
    assert hits(model, layer=1) < hits(model)  # the mean over the heads of the same layer
    copy = Transformer.from_config(model.get_config())
    copy.set_weights(model.get_weights())
    assert hits(copy) == hits(model)


def test_a_model_without_the_head_is_an_error(make_trainer, aligned):
    trainer = make_trainer(model=lambda: Transformer(20, **SIZES), data=aligned, alignment_weight=0.5)
    with pytest.raises(ValueError, match="must have an `alignment_head`"):
        trainer.train()
    with pytest.raises(ValueError, match="`alignment_head` must be at most `num_heads`"):
        Transformer(20, **{**SIZES, "num_heads": 1}, alignment_head=2)


SPLITS = [pytest.param(options, marks=pytest.mark.slow) for options in ({"replicas": 2}, {"jit_compile": True})]


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"accumulation_steps": 2}, *SPLITS])
def test_the_loss_of_alignments_and_of_a_teacher_have_their_weights(make_trainer, aligned, options):
    """0.1, the default, and 0.3, also of a batch in parts."""
    objective = WordDistillation(teacher=guided(seed=5), weight=0.3)
    trainer = make_trainer(model=guided, data=aligned, max_updates=1, word_distillation=objective, **options)
    batch, model = next(iter(aligned.dataset())), trainer.model
    inputs, targets = [batch["source"], batch["target_input"]], batch["target_output"]
    losses, _ = LabelSmoothedCrossEntropy(0.1).terms(targets, model(inputs))
    losses = objective.mix(losses, model(inputs), inputs, targets)
    alignments = alignment_losses(model.attention(model.encoder(inputs[0]), inputs[1]), batch["links"])
    expected = (np.sum(losses) + 0.1 * np.sum(alignments)) / np.count_nonzero(targets)
    trainer.train()
    assert losses_of(trainer) == [pytest.approx(expected, rel=1e-5)]
