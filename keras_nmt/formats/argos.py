"""Writes packages for Argos Translate and LibreTranslate, `.argosmodel`: a CTranslate2 model with its subwords."""

from __future__ import annotations

import json
import os
import re
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from sentencepiece.sentencepiece_model_pb2 import ModelProto

from keras_nmt.data import SubwordTokenizer
from keras_nmt.data.target_tags import TargetTags
from keras_nmt.errors import UserError, require
from keras_nmt.files.atomic_files import atomic_path
from keras_nmt.formats.ctranslate2 import export_ctranslate2
from keras_nmt.formats.registry import check_export
from keras_nmt.formats.vocabulary import score_of_unused
from keras_nmt.models import MultilingualModel, TranslationModel

CODE = re.compile(r"[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*")
VERSION = "1.0"  # version of the package
ARGOS_VERSION = "1.9.0"  # the first version of Argos Translate that reads such models


def export_argos(
    path: str | os.PathLike[str],
    model: TranslationModel | MultilingualModel,
    tokenizers: SubwordTokenizer | Mapping[str, SubwordTokenizer],
    *,
    source: str | None = None,
    target: str | None = None,
    names: Mapping[str, str] | None = None,
    quantize: str | None = None,
) -> Path:
    """Writes a package for `argostranslate.package.install_from_path`, which LibreTranslate serves, too.

    Argos Translate splits texts into sentences, and uses the search of CTranslate2; see `export_ctranslate2`. It has
    only one subword model: that of the source, to which the pieces of the target are added as unused pieces.

    Args:
        path: Path of the file to write. It must end in ".argosmodel" and must not exist.
        model: `Transformer`, pre-LN or post-LN, without mechanisms.
        tokenizers: Mapping of "source" and "target" to their subwords, or the joint subwords.
        source, target: Strings, the ISO 639 codes of the languages, such as "en".
        names: Mapping of the codes to the names that users see. Defaults to the codes.
        quantize: "int8", "int16" or "float16" to convert the weights. Defaults to None: float32.

    Returns:
        The path.

    Raises:
        UserError: The file exists, a language code is missing or invalid, the model needs a target-language tag, or
            `export_ctranslate2` raises an error.
    """
    path = Path(path)
    for side, code in (("source", source), ("target", target)):
        problem = f"Give the code of the {side} language, such as en, by `{side}` or --{side}-language"
        require(code is not None and CODE.fullmatch(code), f"{problem}. Received: {code}")
    check_export(path, "argos")
    proto = tokenizers.proto if isinstance(tokenizers, SubwordTokenizer) else tokenizers["source"].proto
    tags = TargetTags(proto)
    problem = "Argos Translate cannot put the tag of a target language before sentences: export a SavedModel"
    require(not tags, f"{problem}. Received: a model with the tags of {', '.join(tags.texts)}")
    shown = {str(code): str(code) for code in (source, target)} | dict(names or {})
    metadata = {
        "package_version": VERSION,
        "argos_version": ARGOS_VERSION,
        "from_code": source,
        "from_name": shown[str(source)],
        "to_code": target,
        "to_name": shown[str(target)],
    }
    root = f"translate-{source}_{target}-{VERSION.replace('.', '_')}"
    with tempfile.TemporaryDirectory() as folder:
        written = export_ctranslate2(Path(folder) / "model", model, tokenizers, quantize=quantize)
        if SubwordTokenizer(written / "target.model").has_bytes:
            raise UserError(
                "Argos Translate would show the bytes of a rare character, such as <0xC3>: train subwords without "
                "`byte_fallback`. Received: subwords of the target with bytes"
            )
        subwords = _with_pieces(*((written / f"{side}.model").read_bytes() for side in ("source", "target")))
        with atomic_path(path, suffix=".zip") as temporary, zipfile.ZipFile(temporary, "w") as archive:
            for file in sorted(written.iterdir()):
                if file.suffix != ".model":
                    archive.write(file, f"{root}/model/{file.name}")
            archive.writestr(f"{root}/sentencepiece.model", subwords)
            archive.writestr(f"{root}/metadata.json", json.dumps(metadata, ensure_ascii=False, indent=2))
    return path


def _with_pieces(source: bytes, target: bytes) -> bytes:
    """Returns the subword model of the source with the pieces of the target, so that it can also decode the target."""
    proto, other = ModelProto.FromString(source), ModelProto.FromString(target)
    there, score = {piece.piece for piece in proto.pieces}, score_of_unused(proto)
    for piece in other.pieces:
        if piece.piece not in there:
            proto.pieces.add(piece=piece.piece, score=score, type=ModelProto.SentencePiece.UNUSED)
    proto.trainer_spec.vocab_size = len(proto.pieces)
    return proto.SerializeToString()
