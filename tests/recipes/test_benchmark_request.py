"""The benchmark of one large request, on an export that echoes."""

from __future__ import annotations

import pytest
import tensorflow as tf
from scripts import load_script

from keras_nmt.errors import UserError


@pytest.fixture
def version(tmp_path):
    module = tf.Module()
    module.f = tf.function(
        lambda text: {"translation": tf.strings.upper(text)}, input_signature=[tf.TensorSpec([None], tf.string, "text")]
    )
    tf.saved_model.save(module, str(tmp_path / "1"), signatures={"serving_default": module.f})
    (tmp_path / "lines").write_text("a\nb\nc\n")
    return tmp_path / "1"


def test_a_large_request_is_compared_with_small_ones(version, capsys):
    request = load_script("benchmarks/request.py")
    request.main(version, version.with_name("lines"), rows=200, signature="serving_default", apart=100)
    shown = capsys.readouterr().out
    assert shown.startswith("serving_default, 200 sentences: ")
    assert shown.endswith("100 of 100 answers as in requests of 64\n")
    with pytest.raises(UserError, match="has the signatures serving_default. Received: score"):
        request.main(version, version.with_name("lines"), rows=2, signature="score", apart=0)
