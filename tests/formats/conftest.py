"""Small models to export."""

from translators import (  # noqa: F401  fixtures
    label_tokenizer,
    lines,
    make_model,
    make_multilingual,
    source_tokenizer,
    target_tokenizer,
    tokenizers,
)

collect_ignore_glob = ["*_oracle.py"]  # programs of environments that have other toolkits
