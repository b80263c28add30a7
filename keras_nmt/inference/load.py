"""Loads the model and the subwords of a model directory."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from keras_nmt.data import SubwordTokenizer
from keras_nmt.errors import UserError, check_choice, check_no_string, one_line
from keras_nmt.files.model_config import read_model_files
from keras_nmt.files.paths import check_regular
from keras_nmt.files.process_resources import has_bfloat16, warn_without_bfloat16
from keras_nmt.files.weights_file import weights_digest, written_digest
from keras_nmt.models import Ensemble, MultilingualModel, TranslationModel, merge_adapter
from keras_nmt.models.language_label_model import FIRST_LABEL
from keras_nmt.models.model_directory import load_model
from keras_nmt.text.language_codes import unknown_language

DTYPES = ("float32", "bfloat16", "auto")
SMALLEST_WIDTH = 256  # of the states, from which bfloat16 is measured to gain


class LoadedModel(NamedTuple):
    """A model, its subwords, and the search settings of the model directory."""

    model: TranslationModel | MultilingualModel
    tokenizers: dict[str, SubwordTokenizer]  # see `checked_tokenizers`
    search: dict[str, Any]
    sentences_per_line: int | None
    target: str | None = None  # the language of a target-language tag that is to stand before each sentence


def load(
    directory: str | os.PathLike[str],
    *,
    weights: str | os.PathLike[str] | None = None,
    source: str | None = None,
    target: str | None = None,
    ensemble: Sequence[str | os.PathLike[str]] = (),
    adapter: str | os.PathLike[str] | None = None,
    dtype: str = "float32",
    is_compiled: bool = False,
) -> LoadedModel:
    """Loads the model of a directory, with all its directions or with one.

    Args:
        directory: Path of a model directory, or `ModelFiles`, what was read of it.
        weights: Path of a weights file to load instead of the directory's, such as a kept checkpoint.
        source: String, the source language, to load one direction of a multilingual model, with tokenizers for "source"
            and "target". It needs `target`.
        target: String, the target language; alone, for a model with target-language tags.
        ensemble: Paths of other model directories with the same subwords. All models are loaded as an `Ensemble`.
        adapter: Path of an adapter of the model of `directory`, which is added to its weights.
        dtype: String, in which the model computes: "float32", "bfloat16", or "auto", which is "bfloat16" where the
            model gains by it: without XLA, on a processor with such instructions, for a width of at least 256. Weights
            are half as large in "bfloat16"; log-probabilities are float32 in all. Defaults to "float32".
        is_compiled: Boolean, whether XLA will compile the model. On CPUs, XLA has no fast products in bfloat16.
            Defaults to False.

    Raises:
        UserError: A directory is not a model directory, or not complete; the model does not have the direction; the
            adapter belongs to other weights; the models cannot be an ensemble; or `dtype` is another one.
    """
    check_choice("dtype", dtype, DTYPES)
    if dtype == "auto" and is_compiled:
        dtype = "float32"
    loaded = _load(directory, weights, source, target, dtype, adapter)
    if not ensemble:
        return loaded
    check_no_string(ensemble=ensemble)
    models = [loaded.model]
    for other in ensemble:
        model, tokenizers, *_ = _load(other, None, source, target, dtype)
        if {key: x.proto for key, x in tokenizers.items()} != {key: x.proto for key, x in loaded.tokenizers.items()}:
            raise UserError(
                f"Models of an ensemble must have the same subword models as {directory}. Received: ensemble={other}"
            )
        models.append(model)
    try:
        return loaded._replace(model=Ensemble(models))
    except ValueError as error:
        raise UserError(one_line(error)) from None


def _load(
    directory: str | os.PathLike[str],
    weights: str | os.PathLike[str] | None,
    source: str | None,
    target: str | None,
    dtype: str,
    adapter: str | os.PathLike[str] | None = None,
) -> LoadedModel:
    files = read_model_files(directory)
    model = load_model(files, dtype="float32", weights=weights)
    if adapter is not None:
        try:
            check_regular(adapter, ", the adapter.weights.h5 of a run")
            path = files.weights_path if weights is None else weights
            merge_adapter(model, adapter, written_digest(path) or weights_digest(path))  # checked when it was loaded
        except FileNotFoundError:
            raise UserError(f"There is no such adapter. Received: {adapter}") from None
    if not tf.config.list_physical_devices("GPU"):
        warn_without_bfloat16(dtype)
    if dtype == "bfloat16" or (dtype == "auto" and _gains_by_bfloat16(model)):
        model = model.with_dtype("bfloat16")
    paths = files.subword_paths()
    by_path = {path: SubwordTokenizer(path, digest=files.subword_digest(path)) for path in set(paths.values())}
    tokenizers = {key: by_path[path] for key, path in paths.items()}
    search, most = files.search, files.sentences_per_line
    if source is None and target is None:
        return LoadedModel(model, checked_tokenizers(model, tokenizers), search, most)
    is_one = len(model.directions) == 1
    if is_one and (tags := tokenizers[model.directions[0][0]].source.tags):
        if source is not None:
            raise UserError(f"The model does not know the name of its source: leave it out. Received: source={source}")
        if target not in tags.texts:
            raise UserError(unknown_language(str(target), tags.texts, "target"))
        return LoadedModel(model, checked_tokenizers(model, tokenizers), search, most, target)
    for side, name in () if is_one else (("source", source), ("target", target)):
        if name is not None and name not in model.languages:
            raise UserError(unknown_language(name, model.languages, side))
    if (source, target) not in model.directions:
        several = f"the languages {', '.join(model.languages)}: name a source and a target language"
        known = "one direction: leave out its languages" if is_one else several
        raise UserError(f"The model of {directory} has {known}. Received: from {source} to {target}")
    assert source is not None and target is not None  # noqa: PT018
    pair = model.pair(source, target)
    of_pair = checked_tokenizers(pair, {"source": tokenizers[source], "target": tokenizers[target]})
    return LoadedModel(pair, of_pair, search, most)


def _gains_by_bfloat16(model: TranslationModel | MultilingualModel) -> bool:
    """Tells whether plain graphs of a model are faster in bfloat16 here, by the table of docs/performance.md."""
    widths = [weight.shape[-1] for weight in model.weights if weight.path.endswith("embeddings")]
    return max(widths, default=0) >= SMALLEST_WIDTH and has_bfloat16()


def checked_tokenizers(
    model: TranslationModel | MultilingualModel, tokenizers: SubwordTokenizer | Mapping[str, SubwordTokenizer]
) -> dict[str, SubwordTokenizer]:
    """Returns tokenizers by the keys of `model.vocabulary_sizes`, with one object for equal subwords.

    For the key "source" of a model of one direction, it is the `source` of a tokenizer.
    """
    sizes = model.vocabulary_sizes
    by_key = dict.fromkeys(sizes, tokenizers) if isinstance(tokenizers, SubwordTokenizer) else dict(tokenizers)
    if set(by_key) != set(sizes):
        raise UserError(f"Each of {', '.join(sizes)} must have a subword model. Received: {', '.join(by_key)}")
    for language, size in sizes.items():
        if by_key[language].vocabulary_size != size:
            raise UserError(
                f"The {language} subword model must be the one with which the model was trained, of {size} subwords. "
                f"Received: {by_key[language].vocabulary_size} subwords"
            )
    if "source" in sizes:  # of one direction
        by_key["source"] = by_key["source"].source
    keys = {key: (one.proto, one.cleans, bool(one.tags)) for key, one in by_key.items()}
    equal = {keys[key]: by_key[key] for key in reversed(by_key)}
    if model.num_labels and (number := len({proto for proto, *_ in equal})) > 1:
        raise UserError(f"This model must have one subword model. Received: {number} subword models")
    if model.num_labels:
        by_key[model.languages[0]].check_control_symbols(FIRST_LABEL, FIRST_LABEL + model.num_labels)
    return {language: equal[keys[language]] for language in sizes}
