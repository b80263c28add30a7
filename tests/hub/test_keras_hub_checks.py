"""keras_hub's own checks of backbones, tokenizers, preprocessors, tasks and presets, for our classes."""

import numpy as np
import pytest

from keras_nmt.hub import (
    TranslationBackbone,
    TranslationSeq2SeqLM,
    TranslationSeq2SeqLMPreprocessor,
    TranslationTokenizer,
)

SIZES = {
    "source_vocabulary_size": 120,
    "num_encoder_layers": 2,
    "num_decoder_layers": 2,
    "hidden_dim": 16,
    "num_heads": 2,
    "intermediate_dim": 32,
}
PLAIN = {"shortcuts": None}
ALL = {"shortcuts": "fusion", "layer_composition": "extended", "head_composition": "low_rank", "roles": "softmax"}
TEXTS = {"encoder_text": ["the small cat", "a mouse"], "decoder_text": ["a mouse", "cat"]}
IDS = np.full((2, 5), 5, "int32")
INPUTS = {f"{side}_{name}": IDS for side in ("encoder", "decoder") for name in ("token_ids",)}
INPUTS |= {f"{side}_padding_mask": np.ones_like(IDS) for side in ("encoder", "decoder")}
SHAPES = {"encoder_sequence_output": (2, 5, 16), "decoder_sequence_output": (2, 5, 16)}

pytestmark = pytest.mark.nightly


@pytest.fixture
def checks(tmp_path, source_tokenizer):
    pytest.importorskip("grain")  # which these checks need
    from keras_hub.src.tests.test_case import TestCase

    case = TestCase("run_task_test")
    case.get_temp_dir = lambda: str(tmp_path)
    tokenizer = TranslationTokenizer(source_tokenizer.proto)
    case.init_kwargs = {"tokenizer": tokenizer, "encoder_sequence_length": 9, "decoder_sequence_length": 8}
    return case


@pytest.mark.parametrize("options", [PLAIN, ALL])
def test_backbones(checks, options):
    # Roles are computed in float32 whatever the policy, which the checks of precision and of policies do not allow.
    is_plain = options is PLAIN
    arguments = {**SIZES, **options}
    policies = {"run_mixed_precision_check": is_plain, "run_quantization_check": is_plain}
    checks.run_backbone_test(TranslationBackbone, arguments, INPUTS, SHAPES, **policies)
    checks.run_model_saving_test(TranslationBackbone, arguments, INPUTS)


def test_tokenizers_and_preprocessors(checks, source_tokenizer):
    checks.run_preprocessing_layer_test(TranslationTokenizer, {"proto": source_tokenizer.proto}, TEXTS["encoder_text"])
    checks.run_preprocessor_test(
        TranslationSeq2SeqLMPreprocessor, checks.init_kwargs, (TEXTS,), token_id_key="decoder_token_ids"
    )


@pytest.mark.parametrize("options", [PLAIN, ALL])
def test_tasks_and_presets(checks, options):
    preprocessor = TranslationSeq2SeqLMPreprocessor(**checks.init_kwargs)
    arguments = {"preprocessor": preprocessor, "backbone": TranslationBackbone(**SIZES, **options)}
    compiled = {"jit_compile": False}
    checks.run_task_test(TranslationSeq2SeqLM, arguments, (TEXTS,), (2, 8, 120), compile_kwargs=compiled)
    preset = checks.get_temp_dir() + "/preset"
    TranslationSeq2SeqLM(**arguments).save_to_preset(preset)
    checks.run_preset_test(TranslationBackbone, preset, INPUTS, expected_output_shape=SHAPES)
    checks.run_preset_test(TranslationSeq2SeqLM, preset, INPUTS)
    checks.run_preset_test(TranslationTokenizer, preset, ["a mouse"])
