"""Cross-entropy with label smoothing, for padded rows of token ids."""

from __future__ import annotations

from typing import Any, Protocol

import keras
import tensorflow as tf

from keras_nmt.ids import PAD


class TokenLoss(Protocol):
    """The interface of a loss that `Trainer` minimises. `LabelSmoothedCrossEntropy` is one."""

    def terms(self, targets: tf.Tensor, logits: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """The loss of each token, and the negative log-probability that the model gives the token.

        `Trainer` sums the loss over the tokens of an update and divides the sum by the number of tokens or sentences.
        The log has the perplexity, the exponential of the mean of the negative log-probabilities.

        Args:
            targets: Tensor of token ids `[n, T]`, int32, padded with `PAD`.
            logits: Tensor `[n, T, V]` of the dtype that the model gives.

        Returns:
            Two float32 tensors `[n, T]`, both 0 at padding. Gradients are taken of the first.
        """


@keras.saving.register_keras_serializable(package="keras_nmt")
class LabelSmoothedCrossEntropy(keras.losses.Loss):
    """Cross-entropy against `(1 - smoothing) * one-hot + smoothing / vocabulary size`, 0 at padding.

    With the logits z of a token and its id y, the loss is
    `logsumexp(z) - (1 - smoothing) * z[y] - smoothing * mean(z)`, computed in float32 for logits of any dtype.

    `Trainer` calls `terms`. As a Keras loss, `compile(loss=LabelSmoothedCrossEntropy())`, it is summed over the tokens
    of a batch, or reduced by `reduction`.

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
        """See `TokenLoss.terms`. The negative log-probability of a token is its loss without smoothing."""
        targets = tf.cast(targets, "int32")
        shape = tf.shape(targets)
        flat_logits = tf.reshape(tf.cast(logits, "float32"), [-1, logits.shape[-1]])  # [B * T, V]
        loss, nll = _smoothed(flat_logits, tf.reshape(targets, [-1]), self.smoothing)
        real = tf.cast(targets != PAD, "float32")
        return tf.reshape(loss, shape) * real, tf.reshape(nll, shape) * real

    def get_config(self) -> dict[str, Any]:
        return {"smoothing": self.smoothing, "reduction": self.reduction, "name": self.name}


def _smoothed(logits: tf.Tensor, targets: tf.Tensor, smoothing: float) -> tuple[tf.Tensor, tf.Tensor]:
    """Smoothed loss and negative log-probability of each row of `logits` [N, V]."""

    # The gradient is written by hand to pass over the largest tensors of an update, [N, V], as seldom as possible: only
    # the probabilities are kept, and they may reuse the memory of the logits, which nothing reads afterwards.
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
