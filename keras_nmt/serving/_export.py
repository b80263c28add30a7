"""Exports a model as a SavedModel from text to text, which TensorFlow Serving runs."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import tensorflow as tf

from keras_nmt.data import SubwordTokenizer
from keras_nmt.errors import UserError, check_choice, check_names, one_line, require
from keras_nmt.files.search_options import WITHOUT_SEARCH, names_of
from keras_nmt.inference._phrases import PHRASES
from keras_nmt.inference._traced_functions import Method
from keras_nmt.inference.graph import TextGraph
from keras_nmt.inference.translator import Translator
from keras_nmt.models import MultilingualModel, TranslationModel
from keras_nmt.models import quantize as quantize_model
from keras_nmt.progress import count_steps
from keras_nmt.serving._versions import check_loadable, check_version, write_version
from keras_nmt.serving.warmup import warmup_records, write_warmup
from keras_nmt.text.language_codes import unknown_language

SIGNATURES = ("search", "align", "tokens")  # an export has these on request only
HALVES = ("bfloat16", "float16")  # types of two bytes
QUANTIZED = ("int8", *HALVES)
_NUMBERS = ("seed", "beam_size", "max_length")  # inputs that are integers; the others are strings


def export(
    path: str | os.PathLike[str],
    model: TranslationModel | MultilingualModel,
    tokenizers: SubwordTokenizer | Mapping[str, SubwordTokenizer],
    *,
    version: int | None = None,
    directions: Iterable[tuple[str, str]] | None = None,
    warmup: Iterable[str] | None = None,
    warmup_xla: bool = False,
    quantize: str | None = None,
    signatures: Iterable[str] = (),
    target: str | None = None,
    **search: Any,
) -> Path:
    """Writes `path/<version>`, a SavedModel from text to text for all directions of a model.

    Signatures of a model of one direction, where N is the number of sentences of a request:

    - `serving_default`: `text` [N] string -> `translation` [N] string, `score` [N] float32, `cut_off` [N] bool (whether
      the length limit ended the translation), `truncated` [N] bool, `has_unknown` [N] bool (whether the text has
      characters without a subword). The first three are [N, num_hypotheses] if there are several hypotheses.
    - `score`: `source` and `target` [N] string -> `log_probability` [N] float32, `truncated` [N] bool, `token` [N, T]
      string and `token_log_probability` [N, T] float32, of each subword of the target as in `tokens`.
    - `sample`, with `sample=True`: `text` [N] string and `seed` [N] int32 -> the outputs of `serving_default`, for
      translations that are drawn at random (`keras_nmt.decoding.sampling_search`), always the same for a text and seed.
    - `search`, if in `signatures`: `text` and `prefix` [N] string, `beam_size` and `max_length` [N] int32,
      `constraints` and `avoid` [N, C] string -> `translation` [N, K] string, `score` [N, K] float32, `cut_off` [N, K]
      bool, `met` [N, K] string, `truncated` and `has_unknown` [N] bool. K is the export's beam size. A translation
      begins with its prefix, which may be empty, and has at most `max_length` tokens (0 for the export's limits alone)
      beside those of a forced prefix. A text has `beam_size` translations, best first, as from a translator with this
      beam size (0 stands for K). Further entries are empty, with the score -1e9. Translations have the phrases in
      `constraints` ("a|b" for either), if possible, and none of those in `avoid`; "" is not a phrase. `met` has a 1 or
      0 for each of the C constraints.
    - `align`, if in `signatures`: `source` and `target` [N] string -> `alignment` [N, T], `source_word` [N, S] and
      `target_word` [N, T] int32, `truncated` [N] bool: the position of the source subword with most attention for each
      target subword, and the position of its word for each subword; -1 after the last subword. S and T are the largest
      numbers of subwords of the request, at least 1.
    - `tokens`, if in `signatures`: the inputs and outputs of `search`, and `token` [N, K, T] string and
      `token_log_probability` [N, K, T] float32: the subwords of each translation and their log-probabilities, with the
      end `</s>`; "" and 0 after it. The log-probabilities sum to the score before the length penalty.

    Signatures of a model of several directions:

    - `serving_default` and `translate`: `text`, `source_language` and `target_language` [N] string -> as above. A
      request may mix languages. An unknown language is an error that names the model's languages.
    - `translate_de_fr`, one for each of `directions`: `text` [N] string -> as above.
    - `score`: `source`, `target`, `source_language` and `target_language` [N] string -> as above.
    - `sample`, `search`, `align` and `tokens` also have the inputs `source_language` and `target_language`.
    - `embed`, with an attention bridge: `text` and `language` [N] string -> `mean` [N, d] and `sentence` [N, k, d]
      float32, `truncated` [N] bool.

    A model of one direction with target-language tags (`keras_nmt.data.target_tags`) has its signatures with the
    input `target_language` [N] string: the language whose tag stands before each sentence, or "" for a text with a tag;
    other texts are an error. With `target`, it has no such input.

    Each signature exists a second time, with `_xla` after its name, compiled by XLA. A model server must be configured
    to run these (`savedmodels/README.md`). All signatures share the weights and the graphs. A request may have any
    number of sentences; they are computed in parts (`batch_buckets`, `max_batch_tokens`), so that the memory of the
    model is bounded. The texts and the answer are in memory as a whole.

    The export computes in float32, or as `quantize` says. The given model is not changed. The folder gets its name when
    it is complete: a server that watches `path` never sees an incomplete version.

    Args:
        path: Path of the folder of the model's versions, the server's `base_path`. It is created if needed.
        model: `TranslationModel` or `MultilingualModel`.
        tokenizers: Mapping of "source" and "target", or of the languages, to their subwords; or the joint subwords.
        version: Integer, the number of the version. Defaults to one more than the highest in `path`, from 1.
        directions: Pairs of source and target languages with a signature of their own, for a model of several
            directions. Defaults to all pairs of two languages.
        warmup: Lines of text for requests to `serving_default` that a server runs while it loads the version: one
            for each batch bucket and each length bucket that has lines, and for each source and target language.
        warmup_xla: Boolean, whether to add such requests to `serving_default_xla`. A server without XLA cannot load
            the version then.
        signatures: The names of further signatures: some of "search", "align" and "tokens". Each makes the graph
            larger. Defaults to none.
        target: String, the only target language of a model with target-language tags. Defaults to None, for all.
        quantize: "bfloat16" or "float16" for weights and products of this type: half the size, and faster on a GPU or a
            CPU that has instructions for the type. The search adds log-probabilities in float32. "int8" for a quarter
            of the size, see `keras_nmt.models.quantize`. Defaults to None, for float32.
        **search: Options of `keras_nmt.inference.Translator`. `sample`, `temperature`, `top_k` and `top_p` affect only
            the signature `sample`, the other options of the search all signatures.

    Returns:
        Path of the version's folder.

    Raises:
        UserError: The version exists, or is not positive; TensorFlow could not load a model from `path`; a direction
            or a signature is unknown; tokenizers do not fit the model; the decoder has no attention to words ("align");
            an option of the search is out of its range; `warmup` or `quantize` cannot be used, or
            `tensorflow-serving-api` is missing.
    """
    path = Path(path)
    check_loadable(path)
    check_version(path, version)
    chosen = _checked_directions(model, directions)
    more = list(dict.fromkeys([signatures] if isinstance(signatures, str) else signatures))
    check_names("`signatures` (--signature NAME, once for each)", more, SIGNATURES)
    if "jit_compile" in search:
        raise UserError(
            "Each signature is exported with XLA and without: leave out `jit_compile`. "
            f"Received: jit_compile={search['jit_compile']!r}"
        )
    sampling = {name: search.pop(name) for name in names_of("sampling") if name in search}
    check_choice("quantize", quantize, (None, *QUANTIZED))
    model = model.with_dtype(quantize if quantize in HALVES else "float32")
    if quantize == "int8":
        quantize_model(model)
    translator = Translator(model, tokenizers, **search)
    if target is not None and target not in translator.tags.texts:
        raise UserError(unknown_language(target, translator.tags.texts, "target"))
    translator.target = target
    sampler = translator.with_options(**WITHOUT_SEARCH, **sampling) if sampling else translator
    records = warmup_records(warmup, warmup_xla, translator, path.name)

    def write(folder: Path) -> None:
        _write(translator, sampler if sampler.options.sample else None, more, chosen, folder)
        write_warmup(records, folder)

    return write_version(path, version, write)


def _checked_directions(
    model: TranslationModel | MultilingualModel, directions: Iterable[tuple[str, str]] | None
) -> list[tuple[str, str]]:
    """Returns the directions that get a signature of their own."""
    if len(model.directions) == 1:
        require(directions is None, f"The model has one direction: leave out `directions`. Received: {directions!r}")
        return []
    pairs: Iterable[Any] = itertools.permutations(model.languages, 2) if directions is None else map(tuple, directions)
    chosen: list[tuple[str, str]] = list(dict.fromkeys(pairs))
    for direction in chosen:
        problem = f"A direction must be two of the languages {', '.join(model.languages)}. Received: {direction!r}"
        require(direction in model.directions, problem)
    names = {f"translate_{source}_{target}" for source, target in chosen}
    if len(names) < len(chosen):  # "a_b" to "c", and "a" to "b_c"
        raise UserError(f"Directions must have signatures of different names. Received: directions={chosen!r}")
    return chosen


def _write(
    translator: Translator, sampler: Translator | None, more: list[str], directions: list[tuple[str, str]], folder: Path
) -> None:
    languages = [] if len(translator.directions) == 1 else ["source_language", "target_language"]
    tag = {} if translator.target is None else {"target_language": translator.target}  # of all signatures
    if translator.tags and not tag:
        languages = ["target_language"]
    graph = translator.graph
    planned = []
    if "align" in more:  # first, because only tracing shows whether the model can align
        planned.append(_Signature("align", graph, graph.align, ("source", "target", *languages)))
    names = ("serving_default", *(["translate"] if languages else []))
    planned += [_Signature(name, graph, graph.translate, ("text", *languages)) for name in names]
    for direction in directions:
        fixed = dict(zip(languages, direction, strict=True))
        planned.append(_Signature(f"translate_{'_'.join(direction)}", graph, graph.translate, ("text",), fixed))
    planned.append(_Signature("score", graph, graph.score_tokens, ("source", "target", *languages)))
    if sampler is not None:
        planned.append(_Signature("sample", sampler.graph, sampler.graph.translate, ("text", "seed", *languages)))
    for name, method in (("search", graph.translate), ("tokens", graph.tokens)):
        if name in more:
            planned.append(
                _Signature(name, graph, method, ("text", "prefix", "beam_size", "max_length", *PHRASES, *languages))
            )
    if translator.has_bridge:
        planned.append(_Signature("embed", graph, graph.embed, ("text", "language")))
    with count_steps(2 * len(planned) + 1, "signatures") as advance:  # the last step writes the files
        signatures: dict[str, Any] = {}
        for signature in planned:
            for suffix, compiled in (("", False), ("_xla", True)):
                signatures[signature.name + suffix] = signature._replace(fixed={**signature.fixed, **tag}).traced(
                    languages, compiled
                )
                advance()
        # A server needs no gradients, whose tensors would stay in memory.
        options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
        saved = tf.Module()  # `keras.export.ExportArchive` would trace each signature twice
        saved.tokenizers = list(dict.fromkeys(translator.tokenizers.values()))
        saved.weights = list({id(x): x for function in signatures.values() for x in function.variables}.values())
        tf.saved_model.save(saved, str(folder), signatures=signatures, options=options)


class _Signature(NamedTuple):
    """A signature to trace: its name, the method of the graph, the inputs, and the languages of a fixed direction."""

    name: str
    graph: TextGraph
    method: Method
    inputs: tuple[str, ...]
    fixed: Mapping[str, str] = {}

    def traced(self, languages: Sequence[str], compiled: bool) -> Any:
        """Traces the concrete function. `languages` are the names of the inputs with languages."""

        def endpoint(*values: tf.Tensor) -> dict[str, tf.Tensor]:
            named = dict(zip(self.inputs, values, strict=True))
            named |= {key: tf.fill(tf.shape(values[0])[:1], language) for key, language in self.fixed.items()}
            if "language" in named:  # `embed` has one language
                named |= dict.fromkeys(languages, named.pop("language"))
            return self.graph.traced(self.method, named, compiled)

        specs = [
            tf.TensorSpec(
                [None, None] if key in PHRASES else [None], tf.int32 if key in _NUMBERS else tf.string, name=key
            )
            for key in self.inputs
        ]
        try:
            return tf.function(endpoint, input_signature=specs, autograph=False).get_concrete_function()
        except ValueError as error:
            if self.method != self.graph.align:
                raise
            raise UserError(f"The signature `align` needs attention to words. Received: {one_line(error)}") from None
