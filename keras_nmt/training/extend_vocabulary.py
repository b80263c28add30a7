"""Adds subwords to a trained model, to train it further."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from keras_nmt.data.extend_subwords import extend_subwords
from keras_nmt.data.subword_models import cleans_sources, read_subwords
from keras_nmt.errors import UserError, check_choice, require
from keras_nmt.files.atomic_files import atomic_folder, check_new_folder, write_bytes
from keras_nmt.files.model_config import read_model_files
from keras_nmt.ids import UNK
from keras_nmt.models import AttentionBridgeModel, LanguageLabelModel, ModelDirectory, MultilingualModel, Transformer
from keras_nmt.models.language_label_model import FIRST_LABEL
from keras_nmt.models.model_directory import load_model
from keras_nmt.text.source_cleaning import clean_source

UNLIKELIER = 10  # how much less probable than UNK all new characters are together


def extend_vocabulary(
    directory: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    language: str | None = None,
    text: Sequence[str] = (),
    number: int = 0,
    words: Sequence[str] = (),
    tags: Sequence[str] = (),
) -> int:
    """Writes a model directory with more subwords. Text without the new subwords is translated as before.

    The rows of old subwords, in all tables, and all other weights are those of the model, bit for bit. The row of a new
    subword is the mean of the rows of the subwords that spelled it before. New characters were UNK so far: they get its
    row, and a bias of their logits that makes all of them together a tenth as probable. A model whose encoder and
    decoder are recurrent has no such bias: each new character that it can write is as probable as UNK until it is
    trained, which changes its scores and translations of other text, too; a warning tells so.

    Args:
        directory: Path of a model directory.
        output: Path of the model directory to make.
        language: String, whose subwords to extend, for a model with separate vocabularies: "source", "target", or a
            language. Defaults to None, the joint vocabulary.
        text: Sequence of strings, see `keras_nmt.data.extend_subwords`.
        number: Integer, the largest number of subwords learnt from `text`, in addition to its new characters.
        words: Sequence of strings, each of which becomes one subword.
        tags: Sequence of strings. For a `LanguageLabelModel`, new languages; the row of their labels is the mean of the
            rows of the other labels, and the ids of the other subwords move up. For a `Transformer`, symbols that are
            never split, such as "<2fr>".

    Returns:
        The number of new subwords.

    Raises:
        UserError: The folder is not a model directory; `output` exists; there is nothing to add; the vocabularies are
            separate and no language is named, or joint with two subword models; or a word or a tag does not fit.
    """
    check_new_folder(output)
    files, path = read_model_files(directory), Path(output)
    model, names = load_model(files), files.config["subwords"]
    if len(set(names.values())) > 1 and files.has_joint_vocabulary:
        raise UserError(
            "A joint vocabulary with a subword model for each side, as OPUS-MT's, cannot be extended: "
            f"both models would have to divide words alike. Received: {directory}"
        )
    if language is not None:
        check_choice("language", language, names)
    elif len(set(names.values())) > 1:
        raise UserError(f"The vocabularies are separate: name one of {', '.join(names)}. Received: {directory}")
    chosen = names[language or next(iter(names))]
    has_tags = not tags or not isinstance(model, AttentionBridgeModel)
    problem = "A model with an attention bridge has no {tags}: add a language by `with_language`"
    require(has_tags, problem, tags=list(tags))
    has_labels = isinstance(model, LanguageLabelModel)
    if has_labels and (wrong := [tag for tag in tags if tag in model.languages]):
        raise UserError(f"Tags must be new languages of the model. Received: {wrong[0]}")
    sides, proto = [side for side, name in names.items() if name == chosen], read_subwords(files.path / chosen)
    if sides == ["source"] and cleans_sources(proto):
        text, words = list(map(clean_source, text)), list(map(clean_source, words))
    extended = extend_subwords(
        proto,
        text=text,
        number=number,
        words=words,
        user_symbols=() if has_labels else tags,
        labels=LanguageLabelModel.labels(tags) if has_labels else (),
        first_label=FIRST_LABEL + len(model.languages) if has_labels else 0,
    )
    size = len(extended.origins)
    added = size - model.vocabulary_sizes[sides[0]]
    require(added != 0, f"There is nothing to add: the vocabulary has all of it already. Received: {directory}")
    config = model.get_config()
    if isinstance(model, MultilingualModel):
        new_languages = dict.fromkeys(tags, size) if has_labels else {}
        config["languages"] = {**config["languages"], **dict.fromkeys(sides, size), **new_languages}
        names = {**names, **dict.fromkeys(new_languages, chosen)}
    else:
        changed = {f"{side}_vocabulary_size": size for side in sides}
        config |= {name: value for name, value in changed.items() if config[name] is not None}
    unknown = [i for i, ids in enumerate(extended.origins) if i != UNK and set(ids) == {UNK}]
    if unknown and sides != ["source"]:
        if isinstance(model, Transformer):
            config["logits_bias"] = True
        elif "transformer" in (config["encoder"], config["decoder"]):
            config["transformer"] = {**config["transformer"], "logits_bias": True}
        else:
            warnings.warn(
                f"A recurrent model has no biases of logits: each of {len(unknown):,} new characters is as probable as "
                "<unk> until it is trained, so that scores and translations of other text change, too",
                stacklevel=2,
            )
    larger = type(model).from_config(config)
    _copy_weights(model, larger, extended.origins, unknown, sides)
    with atomic_folder(path) as temporary:
        target = ModelDirectory(temporary)
        for name in set(names.values()):
            write_bytes(temporary / name, extended.proto if name == chosen else read_subwords(files.path / name))
        target.save_config(larger, subwords=names, search=files.search, sentences_per_line=files.sentences_per_line)
        target.save_weights(larger)
    return added


def _copy_weights(
    model: Any, larger: Any, origins: Sequence[Sequence[int]], unknown: Sequence[int], sides: Sequence[str]
) -> None:
    """Sets the weights of a model with more ids. The row of each id is the mean of the rows of its `origins`.

    The logits of copies of UNK get lower biases, so that they share a tenth of its probability.
    """
    old = {weight.path: weight.numpy() for weight in model.weights}
    # The other languages of a model with a bridge have vocabularies of their own, with new biases of 0.
    unchanged = {f"{language}_embedding/bias" for language in getattr(model, "languages", ()) if language not in sides}
    for weight in larger.weights:
        is_bias = weight.path.endswith("embedding/bias")
        value = np.zeros(weight.shape, "float32") if is_bias and weight.path not in old else old[weight.path]
        axes = [i for i, (a, b) in enumerate(zip(value.shape, weight.shape, strict=True)) if a != b]
        if axes:
            rows = np.moveaxis(value, axes[0], 0)
            new = rows[[ids[0] for ids in origins]]
            for i, ids in enumerate(origins):
                if len(ids) > 1:
                    new[i] = rows[list(ids)].mean(0, dtype="float64")
            value = np.moveaxis(new, 0, axes[0])
        if is_bias and weight.path not in unchanged:
            value = np.array(value)
            value[list(unknown)] -= np.log(UNLIKELIER * max(len(unknown), 1))
        weight.assign(value)
