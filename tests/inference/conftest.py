"""The fixtures of tests/translators.py."""

from translators import (  # noqa: F401  fixtures
    compiled_translator,
    label_tokenizer,
    lines,
    make_model,
    make_multilingual,
    model,
    options,
    source_tokenizer,
    target_tokenizer,
    tokenizers,
    translator,
)
