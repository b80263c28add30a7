"""Losses of token ids: cross-entropy with label smoothing, a teacher's probabilities, and given alignments."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Protocol

import keras
import tensorflow as tf

from keras_nmt.data.parallel_corpus import LINK_BASE
from keras_nmt.errors import require
from keras_nmt.ids import PAD

LEAST_ATTENTION = 1e-6  # added to attention, so that its logarithm is finite also in half precision


class TokenLoss(Protocol):
    """The interface of a loss that `Trainer` minimises. `LabelSmoothedCrossEntropy` is one."""

    def terms(self, targets: tf.Tensor, logits: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Computes the loss of each token, and the negative log-probability that the model gives the token.

        `Trainer` sums the loss over the tokens of an update and divides the sum by the number of tokens or sentences.
        The log has the perplexity, the exponential of the mean negative log-probability.

        Args:
            targets: Tensor of token ids `[n, T]`, int32, padded with `PAD`.
            logits: Tensor `[n, T, V]` of the model's dtype.

        Returns:
            Two float32 tensors `[n, T]`, both 0 at padding. The first is differentiated.
        """


@keras.saving.register_keras_serializable(package="keras_nmt")
class LabelSmoothedCrossEntropy(keras.losses.Loss):
    """Cross-entropy against `(1 - smoothing) * one-hot + smoothing / vocabulary size`, 0 at padding.

    With the logits z of a token and its id y, the loss is
    `logsumexp(z) - (1 - smoothing) * z[y] - smoothing * mean(z)`, computed in float32 for logits of any dtype.

    `Trainer` calls `terms`. As a Keras loss, `compile(loss=LabelSmoothedCrossEntropy())`, it is reduced by `reduction`
    over the positions of a batch. A mean counts padding, whose loss is 0; a sum does not depend on it.

    Args:
        smoothing: Float, probability that is distributed evenly over the whole vocabulary, at least 0 and below 1.
            Defaults to 0.1.
        reduction: String, as in every Keras loss. Defaults to "sum".
        name: String, name of the loss.

    Raises:
        ValueError: `smoothing` is out of range.

    Example:

    >>> import numpy as np
    >>> loss = LabelSmoothedCrossEntropy(smoothing=0.1)
    >>> logits = np.zeros((1, 3, 8), "float32")  # even probabilities: log(8) a token
    >>> targets = np.array([[5, 3, 0]], "int32")  # two tokens and padding
    >>> bool(np.isclose(loss(targets, logits), 2 * np.log(8)))
    True

    Reference:
        [Szegedy et al., 2016](https://arxiv.org/abs/1512.00567), section 7.
    """

    def __init__(
        self, smoothing: float = 0.1, reduction: str = "sum", name: str = "label_smoothed_cross_entropy"
    ) -> None:
        super().__init__(name=name, reduction=reduction, dtype="float32")
        if not 0 <= smoothing < 1:
            raise ValueError(f"The smoothing must be at least 0 and below 1. Received: smoothing={smoothing}")
        self.smoothing = smoothing

    def call(self, y_true: tf.Tensor, y_pred: tf.Tensor) -> tf.Tensor:
        return self.terms(y_true, y_pred)[0]

    def terms(self, targets: tf.Tensor, logits: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Computes the terms of `TokenLoss`. The negative log-probability of a token is its loss without smoothing."""
        targets = tf.cast(targets, "int32")
        shape = tf.shape(targets)
        flat_logits = tf.reshape(tf.cast(logits, "float32"), [-1, logits.shape[-1]])  # [B * T, V]
        loss, nll = _smoothed(flat_logits, tf.reshape(targets, [-1]), self.smoothing)
        real = tf.cast(targets != PAD, "float32")
        return tf.reshape(loss, shape) * real, tf.reshape(nll, shape) * real

    def get_config(self) -> dict[str, Any]:
        return {"smoothing": self.smoothing, "reduction": self.reduction, "name": self.name}


def _smoothed(logits: tf.Tensor, targets: tf.Tensor, smoothing: float) -> tuple[tf.Tensor, tf.Tensor]:
    """Computes the smoothed loss and negative log-probability of each row of `logits` [N, V]."""

    # An explicit gradient needs fewer passes over the largest tensors of an update, [N, V]: only the probabilities are
    # kept, and they may reuse the memory of the logits, which nothing reads afterwards.
    @tf.custom_gradient
    def both(logits: tf.Tensor) -> Any:
        chosen = tf.gather(logits, targets, batch_dims=1)  # z[y]: [N]
        highest = tf.reduce_max(logits, -1)
        mean = tf.reduce_mean(logits, -1) if smoothing else tf.zeros_like(chosen)
        with tf.control_dependencies([chosen, highest, mean]):
            probabilities = tf.nn.softmax(tf.identity(logits))  # [N, V]
        # The highest logit's probability is 1 / sum(exp(z - max(z))).
        log_sum_exp = highest - tf.math.log(tf.reduce_max(probabilities, -1))
        nll = log_sum_exp - chosen
        loss = nll + smoothing * (chosen - mean)

        def gradient(by_loss: tf.Tensor, by_nll: tf.Tensor) -> tf.Tensor:
            by_logits = probabilities * (by_loss + by_nll)[:, None]
            if smoothing:
                by_logits += (by_loss * (-smoothing / logits.shape[-1]))[:, None]
            indices = tf.stack([tf.range(tf.size(targets)), targets], -1)  # [N, 2]
            return tf.tensor_scatter_nd_sub(by_logits, indices, (1 - smoothing) * by_loss + by_nll)

        return (loss, nll), gradient

    return both(logits)


@dataclasses.dataclass(frozen=True, kw_only=True)
class WordDistillation:
    r"""Word-level distillation: a model learns the probabilities of its teacher in addition to the references.

    The loss of a token is `(1 - w) * L + w * T^2 * KL(q || p)`, where L is the loss of `Trainer`, and q and p are the
    probabilities of teacher and model, softmax(z / T) of their logits. The teacher computes q for the same source and
    the same beginning of the reference, without dropout. It is neither trained nor saved.

    Args:
        teacher: Model `[source, target_input] -> logits`, with the same vocabularies, made in the strategy's scope.
        weight: Float w, above 0 and at most 1. Defaults to 0.5.
        temperature: Float T, above 0. A larger T gives less likely tokens more weight. Defaults to 1.

    Raises:
        UserError: A number is out of its range.

    Reference:
        [Kim and Rush, 2016](https://aclanthology.org/D16-1139), section 3.1; for T,
        [Hinton et al., 2015](https://arxiv.org/abs/1503.02531), section 2.
    """

    teacher: keras.Model
    weight: float = 0.5
    temperature: float = 1.0

    def __post_init__(self) -> None:
        require(0 < self.weight <= 1, "{weight} of word-level distillation must be in (0, 1]", weight=self.weight)
        is_right = 0 < self.temperature < math.inf
        require(is_right, "{temperature} of word-level distillation must be above 0", temperature=self.temperature)

    def mix(self, losses: tf.Tensor, logits: tf.Tensor, inputs: list[tf.Tensor], targets: tf.Tensor) -> tf.Tensor:
        """Mixes the losses of tokens `[n, T]` with the divergence from the teacher's probabilities.

        Args:
            losses: Float32 tensor `[n, T]`.
            logits: Tensor `[n, T, V]` of the model.
            inputs: List of the sources `[n, S]` and target inputs `[n, T]`.
            targets: int32 tensor `[n, T]`; padding has no divergence.
        """
        theirs = tf.stop_gradient(self.teacher(inputs, training=False))  # [n, T, V]
        log_q, log_p = (tf.nn.log_softmax(tf.cast(z, "float32") / self.temperature) for z in (theirs, logits))
        divergence = tf.reduce_sum(tf.exp(log_q) * (log_q - log_p), -1)  # [n, T]
        divergence *= tf.cast(targets != PAD, "float32") * self.temperature**2
        return (1 - self.weight) * losses + self.weight * divergence


def alignment_losses(attention: tf.Tensor, links: tf.Tensor) -> tf.Tensor:
    """Computes the cross-entropy of an attention with given alignments, for each target position: float32 `[n, T]`.

    A target subword that is aligned to n source subwords gives each of them the probability 1 / n. Its loss is 0 if it
    is aligned to none. The `attention` `[n, T, S]` predicts each target position. The int32 `links` `[n, P]` are pairs
    of aligned subwords as numbers `t * LINK_BASE + s`, then -1.

    Reference:
        [Chen et al., 2016](https://aclanthology.org/2016.amta-researchers.10), section 4.
    """
    shape = tf.shape(attention)  # [n, T, S]
    rows = tf.broadcast_to(tf.range(shape[0])[:, None], tf.shape(links))
    real = links >= 0
    # Padding adds 0 to the first pair.
    places = tf.stack([rows, *(tf.where(real, x, 0) for x in (links // LINK_BASE, links % LINK_BASE))], -1)  # [n, P, 3]
    aligned = tf.scatter_nd(places, tf.cast(real, "float32"), shape)  # [n, T, S], 0 and 1
    aligned /= tf.maximum(tf.reduce_sum(aligned, -1, keepdims=True), 1.0)
    return -tf.reduce_sum(aligned * tf.math.log(tf.cast(attention, "float32") + LEAST_ATTENTION), -1)
