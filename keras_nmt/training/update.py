"""Updates of a model's weights as TensorFlow graphs."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import keras
import tensorflow as tf

from keras_nmt.errors import check_choice, check_positive, check_seed
from keras_nmt.ids import PAD
from keras_nmt.layers._taps import Record, recording
from keras_nmt.training.loss import TokenLoss, WordDistillation, alignment_losses
from keras_nmt.training.optimizers import unscaled
from keras_nmt.training.tasks import DEFAULT_TASK, LINKS, Task, check_element, check_ids

# The entries of an update's measurements, over the whole update.
MEASUREMENTS = ("loss", "nll", "extra_loss", "tokens", "sentences", "gradient_norm", "learning_rate", "loss_scale")


@dataclasses.dataclass(frozen=True, kw_only=True)
class UpdateConfig:
    """How `Trainer` computes an update: devices, micro-batches, normalisation, compilation, seed.

    Args:
        strategy: tf.distribute.Strategy, the devices; see `make_strategy`. Defaults to one device.
        accumulation_steps: Integer, number of micro-batches into which each replica splits its part of an update's
            batch. Defaults to 1.
        normalize_by: String, "tokens" or "sentences", the number by which the summed token loss is divided. Extra
            losses, such as the penalty of an attention bridge, are means over sentences. With "tokens", their weight in
            the loss is therefore larger, by the number of tokens of a sentence. Defaults to "tokens".
        jit_compile: Boolean, whether XLA compiles the forward and backward pass, and on one device the optimizer.
            Compilation takes some seconds for each batch shape. It is meant for GPUs: on several CPU cores, training is
            about a fifth faster, on one core not at all. Defaults to `False`.
        seed: Integer of at least 0 and below 2**32, seed of all random operations of the model during training.
            Defaults to 0.
        alignment_weight: Float, weight of the loss of guided alignment, if batches have alignments: the cross-entropy
            of the attention of the model's `alignment_head` is added to the loss of each token. Defaults to 0.1.

    Raises:
        UserError: `accumulation_steps` is below 1, `normalize_by` is unknown, `alignment_weight` is not positive, or
            `seed` is out of its range.
    """

    strategy: tf.distribute.Strategy | None = None
    accumulation_steps: int = 1
    normalize_by: str = "tokens"
    jit_compile: bool = False
    seed: int = 0
    alignment_weight: float = 0.1

    def __post_init__(self) -> None:
        check_positive(accumulation_steps=self.accumulation_steps, alignment_weight=self.alignment_weight)
        check_seed(seed=self.seed)
        check_choice("normalize_by", self.normalize_by, ("tokens", "sentences"))


class UpdateOutput(NamedTuple):
    """The output of an update."""

    measurements: tf.Tensor  # float32 [8], in the order of `MEASUREMENTS`
    stop_requests: tf.Tensor | None  # float32 [3], how many replicas have each of `STOP_REQUESTS`; None with one worker


class Update:
    """Makes updates and their batches. See `Trainer` for the arguments.

    Every update sums `stop_requests` `[3]` over workers. It is None if there is one worker.
    """

    def __init__(
        self,
        tasks: Mapping[str, Task],
        optimizer: keras.optimizers.Optimizer,
        loss: TokenLoss,
        config: UpdateConfig,
        stop_requests: tf.Variable | None,
        word_distillation: WordDistillation | None = None,
    ) -> None:
        self.num_traces = 0  # one for each task; any further trace takes seconds
        self.strategy = config.strategy or tf.distribute.get_strategy()
        self.num_replicas: int = self.strategy.num_replicas_in_sync
        self.parts = self.num_replicas * config.accumulation_steps
        self._config = config
        self._tasks = tasks
        self._optimizer = optimizer
        self._scaler = optimizer if isinstance(optimizer, keras.optimizers.LossScaleOptimizer) else None
        self._loss = loss
        self._word_distillation = word_distillation
        self._stop_requests = stop_requests
        self._variables = {name: list(task.model.trainable_variables) for name, task in tasks.items()}
        self._seed_states = {
            name: [v for v in task.model.variables if v.path.endswith("seed_generator_state")]
            for name, task in tasks.items()
        }
        self._forward_backward, self._apply = self._micro_batch, self._apply_gradients
        if config.jit_compile:
            self._forward_backward = tf.function(self._micro_batch, jit_compile=True, autograph=False)
            if self.num_replicas == 1:  # else the optimizer sums over replicas, which a compiled program cannot
                self._apply = tf.function(self._apply_gradients, jit_compile=True, autograph=False)

    def make_batches(self, name: str, start: int) -> Any:
        """Makes the iterator of a task's batches from its update `start` on.

        An element is a dictionary of tensors `[accumulation, n, length]` on each replica. Raises a `UserError` if the
        data are not as `Batches` describes.
        """
        data, model = self._tasks[name].data, self._tasks[name].model

        @tf.autograph.experimental.do_not_convert
        def used(element: dict[str, tf.Tensor]) -> dict[str, tf.Tensor]:
            check_ids(name, model, element)
            return {key: element[key] for key in element if key != "line_numbers"}

        def shard(context: tf.distribute.InputContext) -> tf.data.Dataset:
            dataset = data.dataset(
                start, parts=self.parts, shard_index=context.input_pipeline_id, num_shards=context.num_input_pipelines
            )
            check_element(name, dataset)
            return dataset.map(used).batch(self._config.accumulation_steps, drop_remainder=True).prefetch(2)

        return iter(self.strategy.distribute_datasets_from_function(shard))

    def make(self, batch_spec: Any, name: str = DEFAULT_TASK) -> Callable[[Any], UpdateOutput]:
        """Makes the graph of a task's updates, from the specifications of a batch's tensors.

        The graph is a function from a batch, or a batch of each replica, to the `UpdateOutput`.
        """
        # Lengths and rows are unknown in the signature, so that one trace fits all batch shapes. TensorFlow would take
        # functions of the same code for one function that is traced too often, and warn; partial objects avoid that.
        return tf.function(functools.partial(self._run, name), input_signature=[batch_spec], autograph=False)

    def _run(self, name: str, batch: Any) -> UpdateOutput:
        self.num_traces += 1
        output = self.strategy.run(self._replica_update, args=(name, batch))
        return tf.nest.map_structure(lambda x: self.strategy.experimental_local_results(x)[0], output)

    def _micro_batch(
        self,
        name: str,
        key: tf.Tensor,
        source: tf.Tensor,
        target_input: tf.Tensor,
        target_output: tf.Tensor,
        normalizer: tf.Tensor,
        sentences: tf.Tensor,
        links: tf.Tensor | None = None,
    ) -> tuple[list[tf.Tensor], tf.Tensor]:
        """Runs the forward and backward pass of a task's micro-batch, `[n, S]` and `[n, T]`, with alignments `[n, P]`.

        `key` is that of `make_key`. It is an argument so that a compiled program does not depend on the seed.
        `normalizer` and `sentences` belong to the whole update, so that gradients only have to be summed.

        Returns:
            The gradients, float32, multiplied by the loss scale if there is one, and the sums `[3]` of loss, negative
            log-probability and extra loss.
        """
        model = self._tasks[name].model
        self.set_seeds(key, name)
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            values = [variable.value for variable in self._variables[name]]
            tape.watch(values)
            with contextlib.nullcontext(list[Record]()) if links is None else recording() as records:
                logits = model([source, target_input], training=True)  # [n, T, V]
            losses, nlls = self._loss.terms(target_output, logits)  # [n, T] each
            if self._word_distillation is not None:
                losses = self._word_distillation.mix(losses, logits, [source, target_input], target_output)
            if links is not None:
                losses += self._config.alignment_weight * alignment_losses(model.recorded_alignment(records), links)
            loss = tf.reduce_sum(losses)
            here = tf.reduce_sum(tf.cast(target_output[:, 0] != PAD, "float32"))  # number of its sentences
            extra_loss = here * tf.add_n([tf.zeros([])] + [tf.cast(x, "float32") for x in model.losses])
            objective = loss / normalizer + extra_loss / sentences
            if self._scaler is not None:
                objective = self._scaler.scale_loss(objective)
        gradients = tape.gradient(objective, values, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        gradients = [tf.cast(tf.convert_to_tensor(gradient), "float32") for gradient in gradients]
        return gradients, tf.stack([loss, tf.reduce_sum(nlls), extra_loss])

    def make_key(self, update: tf.Tensor, part: tf.Tensor) -> tf.Tensor:
        """Makes the key of the random numbers of a part of an update's batch, int64 tensor `[2]`."""
        key = tf.stack([tf.constant(self._config.seed, "int64"), tf.cast(update, "int64")])
        return tf.random.experimental.stateless_fold_in(key, tf.cast(part, "int64"), alg="philox")

    def set_seeds(self, key: tf.Tensor, name: str = DEFAULT_TASK) -> None:
        """Sets the state of every SeedGenerator of a task's model from a key."""
        seed_states = self._seed_states[name]
        if not seed_states:
            return
        states = tf.random.stateless_uniform(
            [len(seed_states), 2], key, minval=None, maxval=None, dtype=tf.uint32, alg="philox"
        )
        for variable, state in zip(seed_states, tf.unstack(states), strict=True):
            variable.value.assign(tf.cast(state, variable.value.dtype))

    def _all_reduce(self, tensors: list[tf.Tensor]) -> list[tf.Tensor]:
        """Sums tensors over replicas."""
        if self.num_replicas == 1:
            return tensors
        context = tf.distribute.get_replica_context()
        return list(context.all_reduce(tf.distribute.ReduceOp.SUM, tensors))

    def _replica_update(self, name: str, batch: dict[str, tf.Tensor]) -> UpdateOutput:
        """Computes one replica's part of an update: micro-batches `[accumulation, n, S]` and `[accumulation, n, T]`."""
        context = tf.distribute.get_replica_context()
        update = tf.convert_to_tensor(self._optimizer.iterations)
        first_part = tf.cast(context.replica_id_in_sync_group, "int64") * self._config.accumulation_steps
        real = tf.cast(batch["target_output"] != PAD, "float32")  # [accumulation, n, T]
        tokens, sentences = self._all_reduce([tf.reduce_sum(real), tf.reduce_sum(real[..., 0])])
        normalizer = tokens if self._config.normalize_by == "tokens" else sentences

        def micro_batch(index: tf.Tensor | int) -> tuple[list[tf.Tensor], tf.Tensor]:
            source, target_input, target_output = (
                batch[key][index] for key in ("source", "target_input", "target_output")
            )
            links = batch[LINKS][index] if LINKS in batch else None
            key = self.make_key(update, first_part + tf.cast(index, "int64"))
            return self._forward_backward(name, key, source, target_input, target_output, normalizer, sentences, links)

        if self._config.accumulation_steps == 1:
            gradients, sums = micro_batch(0)
        else:
            # TensorFlow would run unrolled micro-batches at the same time, which needs the memory of all of them.
            def accumulate(index: tf.Tensor, gradients: list[tf.Tensor], sums: tf.Tensor) -> tuple[Any, ...]:
                more_gradients, more_sums = micro_batch(index)
                return index + 1, [a + b for a, b in zip(gradients, more_gradients, strict=True)], sums + more_sums

            zeros = [tf.zeros(variable.shape) for variable in self._variables[name]]
            _, gradients, sums = tf.while_loop(
                lambda index, *_: index < self._config.accumulation_steps,
                accumulate,
                (tf.constant(0), zeros, tf.zeros([3])),
                parallel_iterations=1,
            )
        sums, *gradients = self._all_reduce([sums, *gradients])
        norm, learning_rate, scale = self._apply(name, gradients)
        measurements = tf.stack([*tf.unstack(sums), tokens, sentences, norm, learning_rate, scale])
        if self._stop_requests is None:
            return UpdateOutput(measurements, None)
        return UpdateOutput(measurements, self._all_reduce([tf.identity(self._stop_requests)])[0])

    def _apply_gradients(self, name: str, gradients: list[tf.Tensor]) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        """Changes weights by the gradients of an update. Returns their norm, the learning rate and the loss scale."""
        scale = tf.ones([])
        if self._scaler is not None:
            scale = tf.convert_to_tensor(self._scaler.dynamic_scale)
        norm = tf.linalg.global_norm(gradients) / scale
        learning_rate = tf.cast(tf.convert_to_tensor(self._optimizer.learning_rate), "float32")
        if self.num_replicas > 1:
            # Keras' optimizer would clip each replica's gradients and then sum them, in the wrong order. So gradients
            # are summed and clipped here. They are divided by the number of replicas, so that the optimizer's sum
            # restores them and its own clipping changes nothing. They are finite on all replicas or on none, which loss
            # scaling needs.
            if self._scaler is not None:
                gradients = [gradient / scale for gradient in gradients]
            gradients = [gradient * (scale / self.num_replicas) for gradient in self._clip(gradients, norm)]
        self._optimizer.apply(gradients, self._variables[name])
        return norm, learning_rate, scale

    def _clip(self, gradients: list[tf.Tensor], norm: tf.Tensor) -> list[tf.Tensor]:
        """Clips gradients as the optimizer is configured to."""
        optimizer = unscaled(self._optimizer)
        if optimizer.global_clipnorm:
            return list(tf.clip_by_global_norm(gradients, optimizer.global_clipnorm, use_norm=norm)[0])
        if optimizer.clipnorm:
            return [tf.clip_by_norm(gradient, optimizer.clipnorm) for gradient in gradients]
        if optimizer.clipvalue:
            limit = optimizer.clipvalue
            return [tf.clip_by_value(gradient, -limit, limit) for gradient in gradients]
        return gradients
