"""TEMPORARY."""
from keras_nmt.inference import MultilingualTranslator
from keras_nmt.inference import Translator as T
from keras_nmt.models import MultilingualModel, Transformer
Transformer.pair = lambda self, s, t: self
class Translator:
    def __init__(self, model, tokenizers, **o):
        self.m = isinstance(model, MultilingualModel)
        self.t = MultilingualTranslator(model, tokenizers, **o) if self.m else T(model, tokenizers["source"], tokenizers["target"], **o)
    @classmethod
    def from_directory(cls, path, **o):
        from keras_nmt.models import ModelDirectory
        self = cls.__new__(cls)
        self.m = ModelDirectory(path).load_config()["model"]["class"] != "Transformer"
        self.t = (MultilingualTranslator if self.m else T).from_directory(path, **o)
        return self
    def translate(self, lines, s=None, t=None):
        return self.t.translate(lines, s, t) if self.m else self.t.translate(lines)
