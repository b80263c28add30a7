"""Adam with an update in one pass over memory."""

from __future__ import annotations

from typing import Any

import keras
import tensorflow as tf


class FusedAdam(keras.optimizers.Adam):
    """Keras' Adam with one operation for the update of a variable, instead of a dozen passes over memory.

    Formula, options, variables and saved state are those of Keras. There is no `amsgrad`.

    After `count_own_updates`, the bias of a variable's moments is corrected by the number t_v of the variable's own
    updates, 1 - beta^{t_v} instead of 1 - beta^t, where t counts all calls of `apply`; each t_v is one more variable of
    the optimizer. Tasks in turn need this: the moments of a variable advance in the updates of its own tasks only, and
    with t the first steps of a late variable have another size than the learning rate. Each variable is then updated
    as by an optimizer of its own.
    """

    _own_updates: list[Any] | None = None

    def count_own_updates(self) -> None:
        """Counts the updates of each variable from now on. Call it in the strategy's scope, on a built optimizer."""
        if self._own_updates is None:
            self._own_updates = [
                self.add_variable(shape=(), initializer="zeros", dtype="int64", name=f"{variable.name}_own_updates")
                for variable in self._trainable_variables
            ]

    def _moments(self, variable: Any) -> tuple[Any, Any]:
        """The first and the second moment of a variable. The private names of Keras stand here alone."""
        index = self._get_variable_index(variable)
        return self._momentums[index], self._velocities[index]

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        dtype = variable.dtype
        momentum, velocity = self._moments(variable)
        step = tf.cast(self.iterations + 1, dtype)
        if self._own_updates is not None:
            own = self._own_updates[self._get_variable_index(variable)]
            self.assign_add(own, 1)
            step = tf.cast(tf.convert_to_tensor(own.value), dtype)  # t_v
        tf.raw_ops.ResourceApplyAdam(
            # For a variable with replicas, the handle on the replica that is updated.
            var=variable.handle,
            m=momentum.value.handle,
            v=velocity.value.handle,
            beta1_power=tf.pow(tf.cast(self.beta_1, dtype), step),
            beta2_power=tf.pow(tf.cast(self.beta_2, dtype), step),
            lr=tf.cast(learning_rate, dtype),
            beta1=tf.cast(self.beta_1, dtype),
            beta2=tf.cast(self.beta_2, dtype),
            epsilon=tf.cast(self.epsilon, dtype),
            grad=tf.cast(tf.convert_to_tensor(gradient), dtype),
        )


class FusedAdamW(FusedAdam, keras.optimizers.AdamW):
    """`FusedAdam` with the decoupled weight decay of Keras' AdamW."""
