"""PyTorch in the benchmark of training."""

from __future__ import annotations

from typing import Any

import numpy as np
from contender import BETAS, EPSILON, LABEL_SMOOTHING, LEARNING_RATE, Measured, Work, clock_of

from keras_nmt.ids import PAD


class PyTorch:
    """`torch.nn.Transformer` in the usual loop; the batches are tensors before the clock starts."""

    compiled = False

    def __init__(self, work: Work) -> None:
        import torch

        if work.threads:
            torch.set_num_threads(work.threads)
        sizes = work.sizes
        self._torch, self._dtype, self._clock = torch, work.dtype, clock_of(work)
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        width, layers = sizes["hidden_dim"], sizes["num_encoder_layers"]
        self._embedding = torch.nn.Embedding(work.vocabulary_size, width)
        torch.nn.init.normal_(self._embedding.weight, std=width**-0.5)
        self._dropout = torch.nn.Dropout(work.dropout)
        self._transformer = torch.nn.Transformer(
            width,
            sizes["num_heads"],
            layers,
            sizes["num_decoder_layers"],
            sizes["intermediate_dim"],
            work.dropout,
            batch_first=True,
            norm_first=True,
        )
        for module in self._transformer.modules():
            if isinstance(module, torch.nn.MultiheadAttention):
                module.dropout = 0.0
            if isinstance(module, (torch.nn.TransformerEncoderLayer, torch.nn.TransformerDecoderLayer)):
                module.dropout.p = 0.0  # inside the feed-forward network
        self._embedding.to(self._device)
        self._transformer.to(self._device).train()
        weights = [*self._embedding.parameters(), *self._transformer.parameters()]
        self.parameters = sum(weight.numel() for weight in weights)
        self._optimizer = torch.optim.Adam(weights, LEARNING_RATE, BETAS, EPSILON, fused=True)
        with np.load(work.batches) as file:
            arrays = [
                torch.from_numpy(file[f"arr_{number}"]).long().to(self._device) for number in range(len(file.files))
            ]
        self._batches = list(zip(arrays[::3], arrays[1::3], arrays[2::3], strict=True))
        longest = max(target.shape[1] for _, target, _ in self._batches)
        places = torch.arange(max(longest, 1))[:, None] / 10000 ** (torch.arange(0, width, 2) / width)
        self._positions = torch.cat([places.sin(), places.cos()], 1).to(self._device)  # [positions, width]
        self._loss = torch.compile(self._loss_of) if self.compiled else self._loss_of

    def _embed(self, ids: Any) -> Any:
        states = self._embedding(ids) * self._embedding.embedding_dim**0.5
        return self._dropout(states + self._positions[: ids.shape[1]])

    def _loss_of(self, source: Any, target_input: Any, target_output: Any) -> Any:
        torch = self._torch
        padding = source == PAD
        later = torch.nn.Transformer.generate_square_subsequent_mask(
            target_input.shape[1], self._device, dtype=torch.bool
        )
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._dtype == "bfloat16"):
            states = self._transformer(
                self._embed(source),
                self._embed(target_input),
                tgt_mask=later,
                src_key_padding_mask=padding,
                memory_key_padding_mask=padding,
                tgt_is_causal=True,
            )
            logits = states @ self._embedding.weight.T  # [B, T, V]
        return torch.nn.functional.cross_entropy(
            logits.flatten(0, 1).float(), target_output.flatten(), ignore_index=PAD, label_smoothing=LABEL_SMOOTHING
        )

    def _update(self, source: Any, target_input: Any, target_output: Any) -> None:
        self._optimizer.zero_grad(set_to_none=True)
        self._loss(source, target_input, target_output).backward()
        self._optimizer.step()

    def _wait(self) -> None:
        if self._device.type == "cuda":
            self._torch.cuda.synchronize()

    def train(self, updates: int) -> Measured:
        self._update(*self._batches[0])
        self._wait()
        start = self._clock()
        for batch in self._batches[1 : updates + 1]:
            self._update(*batch)
        self._wait()
        return Measured(self._clock() - start)


class PyTorchCompiled(PyTorch):
    """`PyTorch` with forward and backward pass compiled by `torch.compile`."""

    compiled = True
