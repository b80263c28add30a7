"""Whatever bytes come, an export answers, and the same alone as in a batch."""

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_text  # noqa: F401  registers the operators of the export
from hypothesis import given, settings
from hypothesis import strategies as st

NASTY = {
    "emoji": "a cat 😀👩‍👩‍👧‍👦🏳️‍🌈 sat",
    "right to left": "a שלום cat \u202eعربي\u202c",
    "zero width": "c\u200ba\u200ct\u200d \u2060\ufeff",
    "combining marks": "ca" + "\u0301\u0323" * 500 + "t",
    "100,000 characters": "a cat " * 16_667,
    "one word of 100,000 characters": "cat" * 33_334,
    "lone surrogates": b"a \xed\xa0\x80\xed\xb0\x80 cat \xed\xbf\xbf",
    "NUL": "a\0cat\0",
    "invalid UTF-8": b"\xff\xfe a cat \x80\xc3",
    "overlong and beyond Unicode": b"\xc0\x80\xe0\x80\xaf\xf4\x90\x80\x80\xf8\x88\x80\x80\x80",
    "only spaces": " " * 1000,
    "what ends a line": "\t\r\n\x0b\x0c\x85 \u2028\u2029",
    "spaces of all kinds": "\t\r\n\x0b\x0c\xa0\u1680\u2003\u2028\u2029\u3000",
    "control characters": "".join(map(chr, range(1, 32))) + "\x7f",
    "the mark of SentencePiece": "▁▁ a▁cat ▁",
    "names of special subwords": "<s> a </s> <unk> cat <pad>",
}
# Of any code points, surrogates too, of words that there are, and of any bytes.
TEXTS = st.one_of(
    st.text(st.characters(codec=None), max_size=30).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.text("acdehrst \u200b\u0301\0ü", max_size=60).map(str.encode),
    st.binary(max_size=30),
)


@pytest.fixture(scope="module")
def answer(exported):
    """What a signature answers, as arrays [N], and [N, T] of tokens: well-formed ones."""
    signatures = tf.saved_model.load(str(exported)).signatures

    def ask(name, *texts):
        inputs = dict(zip(("source", "target") if "score" in name else ("text",), texts, strict=True))
        found = signatures[name](**{key: tf.constant(x, tf.string, [len(x)]) for key, x in inputs.items()})
        found = {key: value.numpy() for key, value in found.items()}
        assert all(len(values) == len(texts[0]) for values in found.values())
        numbers = found["log_probability" if "score" in name else "score"]
        assert np.all(np.isfinite(numbers))
        assert np.all(numbers <= 0)
        for text in found.get("translation", []):
            text.decode("utf-8")
        return found

    return ask


def _widened(values, like):
    """Values [1], or those [1, T] of a text's tokens, padded as in a batch `like` them."""
    padding = b"" if values.dtype == object else 0
    return (
        np.pad(values, [(0, 0), (0, like.shape[1] - values.shape[1])], constant_values=padding)
        if values.ndim > 1
        else values
    )


def _check_alone(answer, texts):
    """That translations and scores in a batch are those alone; returns the translations."""
    others = texts[::-1]
    translated = [answer("serving_default", [text]) for text in texts]
    scored = [answer("score", [text], [other]) for text, other in zip(texts, others, strict=True)]
    for found, expected in ((answer("serving_default", texts), translated), (answer("score", texts, others), scored)):
        for key, values in found.items():
            alone = np.concatenate([_widened(one[key], values) for one in expected])
            if values.dtype == np.float32:
                np.testing.assert_allclose(values, alone, rtol=1e-4, atol=1e-4)
            else:
                assert values.tolist() == alone.tolist()
    return translated


@pytest.mark.slow
def test_unusual_texts_give_the_same_answer_in_a_batch_and_alone_as_documented(answer):
    translated = dict(zip(NASTY, _check_alone(answer, list(NASTY.values())), strict=True))
    empty = {name for name, found in translated.items() if found["translation"] == [b""]}
    assert {"only spaces", "what ends a line", "control characters"} <= empty
    assert not empty & {"emoji", "NUL", "invalid UTF-8", "lone surrogates"}
    truncated = {name for name, found in translated.items() if found["truncated"][0]}
    assert {"100,000 characters", "one word of 100,000 characters"} <= truncated


@settings(max_examples=8, derandomize=True)
@given(texts=st.lists(TEXTS, min_size=2, max_size=4))
def test_any_text_is_answered(answer, texts):
    _check_alone(answer, texts)
