"""A preset is uploaded to a model hub and loaded from there, with the requests of huggingface_hub, on loopback."""

import os
import subprocess
import sys
import threading

import pytest
from fake_hub import start

CODE = """
import sys, keras_hub, keras_nmt.hub
path, line = sys.argv[1:]
keras_hub.upload_preset("hf://me/model", path)
task = keras_hub.models.Seq2SeqLM.from_preset("hf://me/model")
task.compile(run_eagerly=True)
print(task.generate(line))
"""


@pytest.mark.nightly
def test_a_preset_is_uploaded_and_loaded_from_a_hub(model, tokenizers, tmp_path):
    from keras_nmt.hub import TranslationSeq2SeqLM

    task = TranslationSeq2SeqLM.from_model(model, tokenizers, {"beam_size": 2})
    task.compile(run_eagerly=True)
    task.save_to_preset(tmp_path / "preset")
    server = start()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings = {"HF_ENDPOINT": server.url, "HF_TOKEN": "none", "HF_HOME": str(tmp_path / "home")}
    environment = {**os.environ, **settings, "HF_HUB_DISABLE_XET": "1"}
    command = [sys.executable, "-c", CODE, str(tmp_path / "preset"), "a mouse"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    server.shutdown()
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines()[-1] == task.generate("a mouse")
    preset = {path.relative_to(tmp_path / "preset").as_posix() for path in (tmp_path / "preset").rglob("*.*")}
    assert set(server.files) == {*preset, "README.md"}
    assert "TranslationBackbone" not in server.files["README.md"].decode().splitlines()[0]
