"""The inner tensors of a model for texts, batch by batch."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import os
import warnings
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from keras_nmt.analysis.layer_records import (
    MEMORY,
    OWN,
    by_text,
    composition_parts,
    layer_outputs,
    matching_layers,
    numbered,
)
from keras_nmt.data import SubwordTokenizer
from keras_nmt.errors import UserError, check_names, check_no_string, require
from keras_nmt.ids import BOS, EOS, PAD
from keras_nmt.inference import Translator
from keras_nmt.inference._traced_functions import function
from keras_nmt.inference.alignment import words_of_subwords
from keras_nmt.inference.load import load
from keras_nmt.layers._taps import Record, recording, tapping_outputs
from keras_nmt.models import Ensemble, TranslationModel
from keras_nmt.progress import count_steps
from keras_nmt.text.language_codes import unknown_language
from keras_nmt.text.translation import count_outputs


class Pair(NamedTuple):
    """The model of one direction with the subwords of its sides, and the language whose tag is put before sources."""

    model: TranslationModel
    tokenizers: tuple[SubwordTokenizer, SubwordTokenizer]
    tag_language: str | None = None


# A model directory, or a model with its subwords.
Model = str | os.PathLike[str] | Translator | Pair | tuple[TranslationModel, tuple[SubwordTokenizer, SubwordTokenizer]]
TENSORS = ("states", "attention", "gates", "roles", "composition", "bridge")
NAMES = {  # in errors about what a model lacks
    "bridge": "attention bridge",
    "gates": "shortcuts with gates",
    "composition": "composition of layers or heads that derives from `keras_nmt.layers.CompositionLayer`",
}
LINES_AT_ONCE = 4096  # lines of similar length are computed together


class _AttentionBySite(dict[str, list[np.ndarray]]):
    """The weights by site, with an error of one line for a site that a side does not have."""

    def __missing__(self, site: str) -> list[np.ndarray]:
        sites = " and ".join(self) or "none (request 'attention')"
        raise UserError(f"This side of the model has no such attention; it has {sites}. Received: {site!r}")


@dataclasses.dataclass(frozen=True, eq=False)
class HiddenStates:
    """Inner tensors of one side of a model, over the N tokens of a batch of texts. Padding is left out.

    The tokens of a source are the text's subwords and the end, behind the target-language tag if one is put before it;
    those of a target are the begin and the subwords. Arrays are float32. A tensor is None, or an empty dictionary, if
    the model lacks it or if it was not requested.

    Attributes:
        texts: Tuple of the B texts of the batch.
        rows: Array `[B]`, the indices of these texts in the corpus.
        sentences: Array `[N]`, the index of each token's text in `texts`.
        positions: Array `[N]`, the position of each token in its text, from 0.
        ids: Array `[N]`, the subword ids.
        tokenizer: `SubwordTokenizer` of the side.
        is_target: Boolean, whether the side is the decoder.
        attends_to_bridge: Boolean, whether the side is a decoder that attends to the k vectors of a bridge.
        states: Array `[L + 1, N, d]`, the embeddings E = H_0 and the output of each layer, as the layer returns it.
        output: Array `[N, d]`, the output of the stack, after its composition and norm.
        attention: Dictionary from "self" and "cross" to a list of the B texts' arrays `[L, H, T, S]`: layers, heads,
            tokens, and the tokens that they attend to (the k vectors of a bridge, for "cross"). The attention to a
            label of the target language is left out. Row t is of token t of the side: in a decoder, of the token that
            is read at position t, with which the model predicts token t + 1. A site that the side does not have is a
            `UserError`, such as "self" of a decoder that has an `SSRU` in its place.
        gates: Dictionary from "self" and "cross" to an array `[L, N, 2, d]`: the gates r_K and r_V of lexical
            shortcuts. Gates of "cross" are at the N tokens of the source, or at the B k vectors of a bridge. With fewer
            heads of keys and values than of queries, d is their width.
        roles: Array `[N, number of roles]`.
        composition: Dictionary from the path of each composition of representations to `CompositionParts`, arrays
            `[n, N]` for n representations. Further calls, in tied layers, have the path with ":2", ":3" and so on.
        bridge: None, or the arrays M `[B, k, d]` and a list of the B texts' arrays A `[k, n]`.
        layers: Dictionary from the path of each requested layer that the side calls to a list of the B texts' outputs:
            what `call` returns for the text, `[T, d]` in most layers. A further call of the same layer has the path
            with ":2", ":3" and so on; of several returned tensors there is a tuple. For a composition that acts between
            layers, the outputs are those of `aggregate`.
    """

    texts: tuple[str, ...]
    rows: np.ndarray
    sentences: np.ndarray
    positions: np.ndarray
    ids: np.ndarray
    tokenizer: SubwordTokenizer
    is_target: bool
    attends_to_bridge: bool
    states: np.ndarray | None
    output: np.ndarray | None
    attention: dict[str, list[np.ndarray]]
    gates: dict[str, np.ndarray]
    roles: np.ndarray | None
    composition: dict[str, Any]
    bridge: tuple[np.ndarray, list[np.ndarray]] | None
    layers: dict[str, list[Any]]

    @functools.cached_property
    def subwords(self) -> list[str]:
        """The N subwords, as SentencePiece writes them."""
        pieces = self.tokenizer.pieces()
        return [pieces[i] for i in self.ids]

    @functools.cached_property
    def words(self) -> np.ndarray:
        """The word index of each token in its text, `[N]`; -1 where it is of no word. Spaces separate words."""
        return np.array(self.of_tokens(words_of_subwords(self.tokenizer, self.texts), -1))

    def of_tokens(self, values: Sequence[Sequence[Any]], other: Any) -> list[Any]:
        """Returns N values from those of the subwords of each text, with `other` at begin, end and tag."""
        of_all: list[Any] = []
        for of_text, length in zip(values, self.lengths, strict=True):
            behind = 0 if self.is_target else 1
            of_all += [*[other] * (length - len(of_text) - behind), *of_text, *[other] * behind]
        return of_all

    def by_sentence(self, values: np.ndarray) -> np.ndarray:
        """Returns the sum of values `[N, ...]` over the tokens of each text, `[B, ...]`."""
        starts = np.flatnonzero(self.positions == 0)
        return np.add.reduceat(values, starts, axis=0)

    @property
    def lengths(self) -> np.ndarray:
        """The number of tokens of each text, `[B]`."""
        return np.bincount(self.sentences, minlength=len(self.texts))


class HiddenStatesBatch(NamedTuple):
    """The inner tensors of a batch: those of the encoder, and those of the decoder where there are target texts."""

    source: HiddenStates
    target: HiddenStates | None = None


def hidden_states(
    model: Model,
    source: Iterable[str],
    target: Iterable[str] | None = None,
    *,
    tensors: Collection[str] = ("states",),
    layers: str | Collection[str] = (),
    source_language: str | None = None,
    target_language: str | None = None,
    max_tokens: int = 4096,
    generator: np.random.Generator | None = None,
) -> Iterator[HiddenStatesBatch]:
    """Reads the inner tensors of a model for texts, by teacher forcing.

    Texts of any number are read in batches of bounded size. Within 4,096 texts, those of similar length share a batch:
    `HiddenStates.rows` gives the position of each text in the corpus.

    Args:
        model: String or path of a model directory, or a `Translator`.
        source: Iterable of strings.
        target: Iterable of strings, a translation of each source. None: only the encoder runs. Defaults to None.
        tensors: Names among "states", "attention", "gates", "roles", "composition" and "bridge". Defaults to
            `("states",)`.
        layers: String or strings, patterns of the paths of layers whose outputs `HiddenStates.layers` gets, with `*`
            for any characters: "encoder/layer_1/self_attention", or "*/feed_forward". `keras_nmt.models.inner_layers`
            lists the paths. Any layer can be chosen, also one of your own. Defaults to none.
        source_language, target_language: Strings, the direction of a multilingual model; `target_language` alone, the
            language whose tag is put before the sources of a model with target-language tags.
        max_tokens: Integer, the largest number of tokens of a batch, padding included, unless a single text is longer.
            Defaults to 4096.
        generator: `numpy.random.Generator` that draws the order of the batches within 4,096 texts, such as for
            training. Defaults to None: batches of the longest texts come first.

    Yields:
        `HiddenStatesBatch`: `source` and `target`, `HiddenStates` each; `target` is None without target texts.

    Raises:
        UserError: One string is given for a list, a name is unknown, a pattern matches no layer, no matching layer is
            called outside of a loop, the model has none of the tensors or does not have the direction, there is not a
            target for each source, or a composition is not of second order.

    Example:

    >>> import pathlib, tempfile
    >>> from keras_nmt.models import Transformer
    >>> from keras_nmt.data import train_subwords
    >>> text = pathlib.Path(tempfile.mkdtemp()) / "text.txt"
    >>> _ = text.write_text("the cat sat\\nthe mat sat\\n")
    >>> tokenizer = SubwordTokenizer(train_subwords(text, text.with_suffix(".model"), vocabulary_size=20))
    >>> model = Transformer(20, num_encoder_layers=2, num_decoder_layers=2, hidden_dim=8, num_heads=2)
    >>> for batch in hidden_states(Translator(model, tokenizer), ["the cat"], ["sat"], tensors=["states", "attention"]):
    ...     print(len(batch.source.ids) == len(tokenizer.tokenize(["the cat"])[0]) + 1)
    ...     print(batch.source.states.shape[::2], batch.target.attention["cross"][0].shape[:2])
    True
    (3, 8) (2, 2)
    >>> batch = next(hidden_states(Translator(model, tokenizer), ["the cat"], layers="encoder/*/feed_forward"))
    >>> {path: output.shape[1:] for path, (output,) in batch.source.layers.items()}
    {'encoder/layer_1/feed_forward': (8,), 'encoder/layer_2/feed_forward': (8,)}

    Reference:
        [Emelin et al., 2019](https://arxiv.org/abs/1906.12284), section 4.1.
    """
    check_no_string(source=source, target=target)
    check_names("`tensors`", tensors, TENSORS)
    pair, tokenizers, language = open_pair(model, source_language, target_language)
    patterns = (layers,) if isinstance(layers, str) else tuple(layers)
    read = _reader(pair, tuple(tensors), patterns, target is not None)

    def states() -> Iterator[HiddenStatesBatch]:
        with count_steps(len(source) if isinstance(source, Sequence) else None, "lines") as advance:
            batches = id_batches(tokenizers, source, target, max_tokens, generator, language)
            for number, batch in enumerate(batches):
                tensors_by_side = read(*batch.ids)
                lengths = batch.lengths[0]
                sides = [_side(tensors_by_side["source"], batch, tokenizers[0], lengths, is_target=False)]
                if target is not None:
                    of_memory = None if pair.positions_before_source is None else lengths
                    sides.append(_side(tensors_by_side["target"], batch, tokenizers[1], of_memory, is_target=True))
                if number == 0:
                    _check_there(sides, tensors, patterns, named(model))
                yield HiddenStatesBatch(*sides)
                advance(len(batch.rows))

    return states()


def _check_there(
    sides: Sequence[HiddenStates], tensors: Collection[str], patterns: tuple[str, ...], model: str
) -> None:
    """Checks that a batch has one of the tensors, and one of the layers, that were requested."""
    wanted = [getattr(side, name) for side in sides for name in tensors]
    if wanted and not any(value is not None and len(value) for value in wanted):
        missing = " and no ".join(NAMES.get(name, name) for name in tensors)
        raise UserError(f"The model has no {missing}. Received: {model}")
    reason = "layers of the decoder need target texts, and what runs in a loop has no outputs to read"
    problem = f"None of these layers is called: {reason}. Received: {', '.join(patterns)}"
    require(not patterns or any(side.layers for side in sides), problem)


def open_pair(model: Model, source_language: str | None = None, target_language: str | None = None) -> Pair:
    """Returns the translation model of one direction, and the subwords of its sides; such a pair as it is.

    Raises:
        UserError: The folder is no model directory, the model is an ensemble, or does not have the direction.
    """
    if isinstance(model, tuple):
        pair = Pair(*model)
        return pair._replace(tokenizers=(pair.tokenizers[0].source, pair.tokenizers[1]))
    if isinstance(model, Translator):
        whole, tokenizers = model.model, model.tokenizers
        target_language = model.target if target_language is None else target_language
    else:
        whole, tokenizers, *_ = load(model)
    if isinstance(whole, Ensemble):
        raise UserError("An ensemble has no states of its own: give one of its models. Received: an ensemble")
    language = None
    if len(whole.directions) == 1 and (tags := tokenizers[whole.directions[0][0]].source.tags):
        if target_language is not None and target_language not in tags.texts:
            raise UserError(unknown_language(target_language, tags.texts, "target"))
        language, target_language = target_language, None
    direction = (source_language, target_language)
    if direction == (None, None) and len(whole.directions) == 1:
        direction = whole.directions[0]
    if direction not in whole.directions:
        reason = f"has the languages {', '.join(whole.languages)}: name those of one direction"
        if len(whole.directions) == 1:
            reason = "has one direction: leave out the languages"
        raise UserError(f"The model {reason}. Received: from {source_language} to {target_language}")
    first, second = map(str, direction)
    return Pair(whole.pair(first, second), (tokenizers[first].source, tokenizers[second]), language)


def open_translator(
    model: Model, source_language: str | None = None, target_language: str | None = None
) -> tuple[Translator, tuple[str | None, ...]]:
    """Returns a translator of the model, and the languages that its methods take: none if it has one direction.

    Raises:
        UserError: The model is a pair without a translator, or cannot be opened.
    """
    if isinstance(model, tuple):
        raise UserError("Give a model directory or a translator. Received: the model of one direction")
    if isinstance(model, Translator):
        return model, (source_language, target_language)
    translator = Translator.from_directory(model, source=source_language, target=target_language, num_hypotheses=1)
    return translator, (None, None)


def target_tokenizer(translator: Translator, languages: tuple[str | None, ...]) -> SubwordTokenizer:
    """Returns the target's subwords, for languages that `open_translator` returns. Those of tags share one model."""
    ((_, only), *others) = translator.directions
    return translator.tokenizers[languages[1] if others and languages[1] else only]


def translated(
    model: Model | list[str], source: Sequence[str], languages: tuple[str | None, str | None]
) -> tuple[list[str], Mapping[str, int], bool]:
    """Translates texts. Returns the best translations, their `count_outputs`, and whether the target is lower-cased.

    `model` may be a list of translations, which are returned, without counts.
    """
    if isinstance(model, list):
        return model, {}, False
    translator, of_methods = open_translator(model, *languages)  # type: ignore[arg-type]
    translations = translator.translate(source, *of_methods)
    lowercases = target_tokenizer(translator, of_methods).lowercases
    return [x.text for x in translations], count_outputs(translations), lowercases


def named(model: Model) -> str:
    """Returns the model's name in error messages."""
    if isinstance(model, tuple):
        return type(model[0]).__name__
    return type(model.model).__name__ if isinstance(model, Translator) else os.fspath(model)


def _reader(
    pair: TranslationModel, tensors: tuple[str, ...], patterns: tuple[str, ...], with_target: bool
) -> Callable[..., Any]:
    """Traces the function from source ids `[B, S]` and target-input ids `[B, T]` to tensors by side and name.

    It is traced once for a model: callers read one text after another.
    """
    readers, key = _readers.setdefault(pair, {}), (tensors, patterns, with_target)
    if key not in readers:
        readers[key] = _new_reader(pair, *key)
    return readers[key]


# By model. Functions hold a model's layers, but not the model, so that they are removed with it.
_readers: weakref.WeakKeyDictionary[TranslationModel, dict[Any, Any]] = weakref.WeakKeyDictionary()


def _new_reader(
    pair: TranslationModel, tensors: tuple[str, ...], patterns: tuple[str, ...], with_target: bool
) -> Callable[..., Any]:
    encoder, decoder = pair.encoder, pair.decoder_for(pair.directions[0][1])
    before, before_target = pair.positions_before_source, pair.positions_before_target
    layers = matching_layers(pair, patterns)
    paths = {id(layer): path for path, layer in layers.items()}

    def read(source: tf.Tensor, *target: tf.Tensor) -> dict[str, Any]:
        real = source != PAD
        with recording() as records, tapping_outputs(layers.values()):
            memory = encoder(source)
        tensors_by_side = {"source": _tensors(records, tensors, paths, real, real, before or 0)}
        if target:
            memory_real = tf.fill(tf.shape(memory["mask"]), True) if before is None else real
            ids = target[0]
            if paths:  # one position more where both sides are of one length, so that the length tells axes apart
                is_alike = before_target + tf.shape(ids)[1] == (before or 0) + tf.shape(memory_real)[1]
                ids = tf.pad(ids, [[0, 0], [0, tf.cast(is_alike, tf.int32)]], constant_values=PAD)
            with recording() as records, tapping_outputs(layers.values()):
                decoder.logits(ids, memory)
            tensors_by_side["target"] = _tensors(
                records, tensors, paths, ids != PAD, memory_real, before_target, before or 0
            )
        return tensors_by_side

    ids = tf.TensorSpec([None, None], tf.int32)
    return function(read, [ids] * (1 + with_target))


def _tensors(
    records: Sequence[Record],
    names: Collection[str],
    paths: Mapping[int, str],
    real: tf.Tensor,
    memory_real: tf.Tensor,
    before: int,
    before_memory: int = 0,
) -> dict[str, Any]:
    """Returns the requested tensors of a side. `real` `[B, T]` and `memory_real` `[B, S]` are True at tokens.

    `paths` are those of the layers with requested outputs, by their `id`.
    `before` are the positions before the tokens, such as a label, and `before_memory` those of the memory.
    """

    def tokens(x: Any, at: tf.Tensor = real, skipped: int = before) -> tf.Tensor:  # [B, T', ...] -> [N, ...]
        return tf.boolean_mask(tf.cast(x, tf.float32)[:, skipped:], at)

    axes = {
        MEMORY: (before_memory + tf.shape(memory_real)[1], before_memory),
        OWN: (before + tf.shape(real)[1], before),
    }
    outputs = layer_outputs(records, paths, axes, real.graph) if paths else {}
    by_name: dict[str, Any] = {f"layers/{path}": output for path, output in outputs.items()}
    for layer, name, value, *_ in records:
        if name == "representations":
            name = "composition"
        elif name == "bridge_attention":  # comes before its "bridge"
            bridge_attention = value
        if name not in names:
            continue
        is_recurrent = name == "attention" and value.shape.rank == 3  # one attention, to the memory
        site = "cross" if is_recurrent or "/cross_attention" in layer.path else "self"
        if name == "states":
            *states, output = value
            by_name["states"] = tf.stack([tokens(x) for x in states])
            by_name["output"] = tokens(output)
        elif name == "attention":
            weights = value if value.shape.rank == 4 else value[:, None]  # [B, H, T, S]
            weights = weights[:, :, before:, before_memory if site == "cross" else before :]
            by_name.setdefault(f"attention/{site}", []).append(tf.cast(weights, tf.float32))
        elif name == "gates":
            gates = tokens(value, memory_real, before_memory) if site == "cross" else tokens(value)
            by_name.setdefault(f"gates/{site}", []).append(tf.reshape(gates, [-1, 2, gates.shape[-1] // 2]))
        elif name == "composition":
            parts = composition_parts(layer, value)
            by_name[numbered(f"composition/{layer.path}", by_name)] = {key: tokens(x) for key, x in parts.items()}
        elif name == "bridge":
            by_name["bridge"] = tf.cast(value, tf.float32), bridge_attention
        else:
            by_name[name] = tokens(value)
    return {name: tf.stack(value) if isinstance(value, list) else value for name, value in by_name.items()}


class IdBatch(NamedTuple):
    """The subword ids of texts, of one side or of two.

    Attributes:
        rows: Array `[B]`, the indices of the texts in the corpus.
        texts: List with the tuple of a side's texts.
        ids: List with the tensor `[B, T]` of a side's ids: a source with its tag and its end, a target with its begin.
        lengths: List with the array `[B]` of a side's numbers of ids.
    """

    rows: np.ndarray
    texts: list[tuple[str, ...]]
    ids: list[tf.Tensor]
    lengths: list[np.ndarray]


def id_batches(
    tokenizers: Sequence[SubwordTokenizer],
    source: Iterable[str],
    target: Iterable[str] | None,
    max_tokens: int,
    generator: np.random.Generator | None = None,
    language: str | None = None,
) -> Iterator[IdBatch]:
    """Yields the ids of texts in batches; within 4,096 texts, those of similar length share a batch.

    If the source has target-language tags, that of `language` is put before texts without it; without a language, a
    warning counts those without a tag.
    """
    tags, untagged = tokenizers[0].source.tags, list[tuple[int, str]]()
    tag = tokenizers[0].tokenize([tags.texts[language]]).to_list()[0] if language is not None else []
    texts = zip(*((source,) if target is None else (source, target)), strict=True)
    first = 0
    while window := _take(texts, LINES_AT_ONCE):
        sides = list(zip(*window, strict=True))
        before: list[list[int]] = [[]] * len(window)
        if tags:
            before = [tag * bool(name) for name in tags.of_lines(sides[0], language, first + 1)]
            untagged += tags.untagged(sides[0], first + 1) if language is None else []
        subwords = [tokenizers[side].tokenize(lines).to_list() for side, lines in enumerate(sides)]
        rows = [[[*first_ids, *ids, EOS] for first_ids, ids in zip(before, subwords[0], strict=True)]]
        rows += [[[BOS, *ids] for ids in of_side] for of_side in subwords[1:]]
        sizes = [max(map(len, of_text)) for of_text in zip(*rows, strict=True)]
        order = sorted(range(len(window)), key=lambda i: -sizes[i])
        batches = []
        while order:
            count = max(1, max_tokens // sizes[order[0]])
            batches.append(order[:count])
            order = order[count:]
        if generator is not None:
            generator.shuffle(batches)
        for chosen in batches:
            yield IdBatch(
                np.array(chosen) + first,
                [tuple(of_side[i] for i in chosen) for of_side in sides],
                [tf.ragged.constant([of_side[i] for i in chosen], dtype=tf.int32).to_tensor(PAD) for of_side in rows],
                [np.array([len(of_side[i]) for i in chosen]) for of_side in rows],
            )
        first += len(window)
    if untagged:
        warnings.warn(tags.warning(len(untagged), *untagged[0]), stacklevel=2)


def _take(texts: Iterator[Any], count: int) -> list[Any]:
    """Returns the next texts; an error if one side has more of them."""
    try:
        return list(itertools.islice(texts, count))
    except ValueError:
        raise UserError("There must be a target for each source. Received: different numbers of lines") from None


def _side(
    tensors: dict[str, Any],
    batch: IdBatch,
    tokenizer: SubwordTokenizer,
    memory_lengths: np.ndarray | None,
    *,
    is_target: bool,
) -> HiddenStates:
    """Returns a side's tensors as `HiddenStates`; without `memory_lengths`, all positions of the memory are real."""
    texts, ids, lengths = batch.texts[is_target], batch.ids[is_target].numpy(), batch.lengths[is_target]
    arrays = tf.nest.map_structure(lambda x: x.numpy(), tensors)

    def sub(prefix: str) -> dict[str, Any]:
        return {name.partition("/")[2]: x for name, x in arrays.items() if name.startswith(f"{prefix}/")}

    attention = _AttentionBySite()
    for site, weights in sub("attention").items():  # [L, B, H, T, S]
        columns = lengths if site == "self" else memory_lengths
        ends = [weights.shape[-1]] * len(texts) if columns is None else columns
        attention[site] = [weights[:, i, :, :n, :m] for i, (n, m) in enumerate(zip(lengths, ends, strict=True))]
    bridge = None
    if "bridge" in arrays:
        sentence, weights = arrays["bridge"]
        bridge = sentence, [weights[i, :, :n] for i, n in enumerate(lengths)]
    return HiddenStates(
        texts=texts,
        rows=batch.rows,
        sentences=np.repeat(np.arange(len(texts)), lengths),
        positions=np.concatenate([np.arange(n) for n in lengths]),
        ids=ids[ids != PAD],
        tokenizer=tokenizer,
        is_target=is_target,
        attends_to_bridge=memory_lengths is None,
        states=arrays.get("states"),
        output=arrays.get("output"),
        attention=attention,
        gates=sub("gates"),
        roles=arrays.get("roles"),
        composition={path: {key: x.T for key, x in parts.items()} for path, parts in sub("composition").items()},
        bridge=bridge,
        layers=by_text(sub("layers"), len(texts), {OWN: lengths, MEMORY: memory_lengths}),
    )
