"""The languages of texts as inputs of a `TextGraph`."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Mapping, Sequence

import numpy as np
import tensorflow as tf

from keras_nmt.data import SubwordTokenizer
from keras_nmt.data.target_tags import TargetTags
from keras_nmt.errors import UserError
from keras_nmt.inference._tensors import checked
from keras_nmt.text.language_codes import known_languages
from keras_nmt.text.line_tags import NO_LANGUAGE
from keras_nmt.text.lines import Languages

IN_TEXT = -1  # in place of a tag: the text must begin with one


class LanguageInputs:
    """Checks the languages of texts, and makes inputs of a `TextGraph` of them, int32 `[N]` each.

    A model of several directions has the inputs `source_language` and `target_language`, indices of its languages. A
    model of one direction has no such inputs. If its `tokenizer` of the source has target-language tags, there may be
    the input `tag`: the number of the tag that stands before each text, 0 for none, or `IN_TEXT`.

    Attributes:
        tags: `TargetTags` of a model of one direction.
        tag_subwords: List of the subwords of each tag, without that of number 0.
    """

    def __init__(
        self, languages: Sequence[str], directions: Sequence[tuple[str, str]], tokenizer: SubwordTokenizer
    ) -> None:
        self._languages, self._directions = languages, directions
        self.tags = tokenizer.source.tags if len(directions) == 1 else TargetTags()
        self.tag_subwords = [tokenizer.tokenize([tag]).to_list()[0] for tag in self.tags.texts.values()]
        of_tags = list(itertools.chain.from_iterable(self.tag_subwords))
        self._is_of_tag = np.isin(np.arange(tokenizer.vocabulary_size), of_tags)
        self._tag_numbers = {language: number for number, language in enumerate((NO_LANGUAGE, *self.tags.texts))}

    def targets(self, lines: Sequence[str], target: Languages) -> Languages:
        """Returns the target languages; for a model with tags, the language whose tag each line lacks, or "".

        It warns of lines without a tag and without a language.
        """
        if not self.tags:
            return target
        if target == self._directions[0][1]:  # the name of the side, as an experiment has it
            target = None
        if target is None and (untagged := self.tags.untagged(lines)):
            warnings.warn(self.tags.warning(len(untagged), *untagged[0]), stacklevel=5)
        return self.tags.of_lines(lines, target)

    def for_lines(self, count: int, source: Languages, target: Languages) -> dict[str, tf.Tensor]:
        """Returns the inputs for `count` lines. For a model with tags, `target` is what `targets` returned.

        Raises:
            UserError: There is not a language for each line, or a language is unknown.
        """
        inputs: dict[str, tf.Tensor] = {}
        for side, languages in (("source", source), ("target", target)):
            if side == "target" and self.tags:
                if any(names := list(languages or ())):
                    inputs["tag"] = tf.constant([self._tag_numbers[name] for name in names], tf.int32)
                continue
            if len(self._directions) == 1:
                (only,) = self._directions
                if languages not in (None, only[side == "target"]):
                    problem = f"The model has one direction: leave out the {side} language"
                    raise UserError(f"{problem}. Received: {languages!r}")
                continue
            if languages is None:
                raise UserError(
                    f"The model has the languages {', '.join(self._languages)}: name a source and a target language. "
                    f"Received: {side}=None"
                )
            names = known_languages(languages, count, side, self._languages)
            inputs[f"{side}_language"] = tf.constant(list(map(self._languages.index, names)), tf.int32, [count])
        return inputs

    def with_numbers(self, inputs: Mapping[str, tf.Tensor]) -> dict[str, tf.Tensor]:
        """Replaces names of languages among the inputs of an export by their numbers, or by the `tag`."""
        numbers = {
            name: _indices(x, self._languages) if name.endswith("_language") and x.dtype == tf.string else x
            for name, x in inputs.items()
            if not (self.tags and name == "target_language")
        }
        if len(numbers) < len(inputs):
            tags = _indices(inputs["target_language"], list(self._tag_numbers))
            numbers["tag"] = tf.where(tags == 0, IN_TEXT, tags)
        return numbers

    def have_text(self, subwords: tf.RaggedTensor) -> tf.Tensor:
        """Tells which texts `[N]` have other subwords than those of tags."""
        return tf.reduce_any(subwords.with_values(~tf.gather(self._is_of_tag, subwords.values)), 1)

    def subwords_before(self, texts: tf.Tensor, numbers: tf.Tensor, is_read: tf.Tensor) -> tf.RaggedTensor:
        """Returns the subwords of the tags with these numbers, for texts `[N]` that do not begin with them.

        It checks that each text that `is_read` has one tag, unless its number is 0.
        """
        texts = tf.strings.regex_replace(texts, r"^\s+", "")
        wanted = tf.gather(["", *self.tags.texts.values()], tf.maximum(numbers, 0))
        has_wanted = tf.strings.substr(texts, tf.zeros_like(numbers), tf.strings.length(wanted)) == wanted
        has_any = tf.strings.regex_full_match(texts, f"(?s){self.tags.pattern}.*")
        is_put = is_read & (numbers > 0) & ~has_wanted
        are_right = tf.reduce_all(tf.where(is_put, ~has_any, has_any | (numbers != IN_TEXT) | ~is_read))
        message = f"A text must have one tag of a target language, of {', '.join(self.tags.texts)}. Received tags:"
        numbers = checked(tf.where(is_put, numbers, 0), are_right, message, wanted)
        subwords = tf.ragged.constant([[], *self.tag_subwords], tf.int32, row_splits_dtype=tf.int64)
        return tf.gather(subwords, numbers)


def numbers_of_languages(inputs: Mapping[str, tf.Tensor]) -> list[tf.Tensor]:
    """Returns the numbers of the source and of the target languages; none where the model has one direction."""
    return [inputs[name] for name in ("source_language", "target_language") if name in inputs]


def _indices(names: tf.Tensor, languages: Sequence[str]) -> tf.Tensor:
    """Checks names of languages `[N]`, and returns their indices `[N]`, int32."""
    names = tf.ensure_shape(tf.convert_to_tensor(names, tf.string), [None])
    matches = names[:, None] == tf.constant(languages)  # [N, languages]
    known = tf.reduce_any(matches, 1)
    message = f"Unknown language. The model has {', '.join(filter(None, languages))}. Received:"
    return checked(tf.argmax(matches, 1, tf.int32), tf.reduce_all(known), message, tf.boolean_mask(names, ~known))
