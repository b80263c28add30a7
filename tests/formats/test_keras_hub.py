"""Presets of keras_hub: out and in again without a change, and nothing but our own classes is looked up."""

import json

import numpy as np
import pytest

from keras_nmt.formats import export_keras_hub
from keras_nmt.models import ModelDirectory


@pytest.fixture(scope="module")
def preset(model, tokenizers, tmp_path_factory):
    search = {"beam_size": 2, "max_length": 8, "length_buckets": [12]}
    return export_keras_hub(tmp_path_factory.mktemp("keras_hub") / "preset", model, tokenizers, search)


def test_a_preset_becomes_the_same_model_directory(untrained, model, tmp_path, keras_nmt):
    preset = tmp_path / "preset"
    assert keras_nmt("export", untrained, preset, "--format", "keras_hub", "--beam-size", 3).output == f"{preset}\n"
    assert keras_nmt("import", preset, tmp_path / "back").output == f"{tmp_path / 'back'}\n"
    back, before = (ModelDirectory(path).read() for path in (tmp_path / "back", untrained))
    assert back.search == {**before.search, "beam_size": 3}
    assert [x.read_bytes() for x in back.subword_paths().values()] == [
        x.read_bytes() for x in before.subword_paths().values()
    ]
    config, expected = (dict(one.model_config) for one in (back, before))
    assert {**config, "name": ""} == {**expected, "name": ""}
    found = ModelDirectory(tmp_path / "back").load_model().get_weights()
    for one, other in zip(found, model.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_damage_and_foreign_classes_are_named_in_one_line(preset, refused, tmp_path, keras_nmt, untrained):
    def damaged(name, **changes):
        folder = tmp_path / name
        folder.mkdir()
        for path in preset.rglob("*"):
            if path.is_file():
                (folder / path.relative_to(preset)).parent.mkdir(parents=True, exist_ok=True)
                (folder / path.relative_to(preset)).write_bytes(path.read_bytes())
        config = json.loads((folder / "config.json").read_text())
        config["config"] |= changes
        (folder / "config.json").write_text(json.dumps(config))
        return folder

    quantised = {"class_name": "DTypePolicyMap", "config": {}}
    foreign = {"module": "os", "class_name": "system", "config": {}, "registered_name": "os>system"}
    for number, (changes, message) in enumerate(
        [
            ({"dtype": quantised}, "saved before `quantize`. .*DTypePolicyMap"),
            ({"quantization": {"mode": "int8"}}, "saved before `quantize`. .*of int8 weights"),
            ({"hidden_dim": 10**7}, "`hidden_dim` must be at most"),
            ({"shortcuts": foreign}, "does not hold a complete preset"),
            ({"num_decoder_layers": 2}, "does not match|complete preset|numbers for a model"),
        ]
    ):
        refused(damaged(f"damaged {number}", **changes), message)
    (damaged("no subwords") / "assets/tokenizer/vocabulary.spm").unlink()
    refused(tmp_path / "no subwords", "Missing file of the preset")
    command = ("export", untrained, tmp_path / "path", "--format", "keras_hub")
    assert "Received: --unknown" in keras_nmt(*command, "--unknown", "forbid", code=2).error
