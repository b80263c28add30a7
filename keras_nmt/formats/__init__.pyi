from .argos import export_argos
from .ctranslate2 import export_ctranslate2
from .huggingface import export_huggingface
from .keras_hub import export_keras_hub
from .marian import export_marian
from .registry import find_format, import_model

__all__ = [
    "export_argos",
    "export_ctranslate2",
    "export_huggingface",
    "export_keras_hub",
    "export_marian",
    "find_format",
    "import_model",
]
