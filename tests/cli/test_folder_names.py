"""Every command works in a folder of any name that the file system allows, or refuses it in one line."""

import json
import os
import shutil

import pytest
import tensorflow as tf
from grpc_server import ServerOfBothApis
from nasty_names import NAMES
from small import SPELLINGS, write_lines


@pytest.mark.nightly
@pytest.mark.parametrize("name", NAMES)
def test_every_command_in_a_folder_of_any_name(keras_nmt, monkeypatch, tmp_path, name):
    def command(*arguments, code=0):
        return "".join(keras_nmt(*arguments, code=code))

    monkeypatch.chdir(tmp_path)
    other = tmp_path / "d" / "checkpoints"
    other.mkdir(parents=True)
    (other / "state-1.h5").write_text("another run's")
    folder = tmp_path / name
    folder.mkdir()
    run, numbers = folder / "run", [range(n, n + 3) for n in range(7)] * 3
    texts = [write_lines(folder / name, list(map(SPELLINGS[name], numbers))) for name in ("digits", "words")]
    sizes = {"hidden_dim": 8, "intermediate_dim": 8, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1}
    train = ["train", "--directory", run, "--train", *texts, "--dev", *texts, "--vocabulary-size", 40]
    train += ["--preset", "transformer_tiny", "--set", f"model={json.dumps(sizes)}", "--set", "tensorboard=true"]
    train += ["--set", "saving.every=1", "--set", "evaluation.every=2"]
    command(*train, "--max-updates", 2)
    assert "Going on from update 2" in command(*train, "--max-updates", 3)
    assert {path.name for path in (folder / "run" / "checkpoints").glob("state-*")} == {"state-2.h5", "state-3.h5"}
    assert (other / "state-1.h5").read_text() == "another run's"
    command("average", run, "--last", 2)
    assert "3" in command("info", run)
    command("translate", run, "--input", texts[0], "--output", folder / "output")
    assert (folder / "output").read_text().count("\n") == 21
    export = ["export", run, folder / "served", "--warmup", texts[0]]
    if "[" in name or "\\" in name or name == os.fsdecode(b"\xff\xfe"):
        assert "cannot load a model from a path" in command(*export, code=2)
        command("export", run, "served", "--warmup", texts[0])
        shutil.move("served", folder / "served")
    else:
        command(*export)
        assert tf.saved_model.load(str(folder / "served" / "1")).signatures
    with ServerOfBothApis(folder / "served", port=0) as server:
        command("translate", "--server", server.rest_url, "--model", server.name, "--input", texts[0], "--output", "a")
        command("translate", "--server", server.grpc_url, "--model", server.name, "--input", texts[0], "--output", "b")
        assert (tmp_path / "a").read_text() == (tmp_path / "b").read_text()
