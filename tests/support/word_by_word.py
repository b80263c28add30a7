"""Translations without a model: word by word in capital letters, in any order of the words."""

from keras_nmt.text.kept_text import KeptText
from keras_nmt.text.lines import make_request
from keras_nmt.text.markup import translate_marked
from keras_nmt.text.translation import Translation


def answers(*texts):
    return [Translation.of([text], [-1.0], [False], truncated=False) for text in texts]


def backwards(count):
    return range(count)[::-1]


def by_words(order=range, split=str.split, read=None):
    """The arguments `translate` and `align` of `marked`; `read` gets what the model would read."""

    def translate(texts):
        if read is not None:
            read.extend(texts)
        return answers(*(" ".join(words[i].upper() for i in order(len(words))) for words in map(split, texts)))

    def align(texts, *_):
        return [[(i, j) for j, i in enumerate(order(len(split(text))))] for text in texts]

    return translate, align


def marked(documents, markup, translate, align, kept=None):
    """The translations of documents by functions of their texts."""
    return translate_marked(make_request(documents), markup, kept, lambda request: translate(request.lines), align)


def placed(document, markup="html", order=range, keep=None):
    """What the model reads of a document, texts between bars, and its translation."""
    read = []
    kept = None if keep is None else KeptText(keep)
    (answer,) = marked([document], markup, *by_words(order, read=read), kept)
    return "|".join(" ".join(text.split()) for text in read), answer.text
