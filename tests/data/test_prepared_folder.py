"""The folder of a prepared corpus: what is written is read, and damage is an error of one line."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from full_disk import full_disk
from hypothesis import given, settings
from hypothesis import strategies as st
from one_in import these
from updates import make_block
from updates import same_blocks as same

from keras_nmt.data import prepared_folder as module
from keras_nmt.data.prepared_folder import PreparedFolder, prepared_side, write_manifest, write_shard
from keras_nmt.data.sentence_pairs import PairBlock
from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import atomic_folder, write_json
from keras_nmt.files.json_file import with_digest

SIDES = ("de", "en")
OF_SHARD = [f"de/00000.{name}{x}.npy" for name in ("ids", "text") for x in ("", "_offsets", "_checksums")]
OF_SHARD += [f"pairs/00000.lines{ending}.npy" for ending in ("", "_checksums")]


def write(path: Path, block: PairBlock, shard_pairs: int) -> None:
    with atomic_folder(path) as folder:
        shards = [
            write_shard(folder, number, SIDES, block.select(np.arange(begin, min(begin + shard_pairs, len(block)))))
            for number, begin in enumerate(range(0, len(block), shard_pairs))
        ]
        write_manifest(
            folder,
            shards,
            sides=SIDES,
            subwords=[b"model of de", b"model of en"],
            has_text=True,
            num_read=2 * len(block),
            dropped={"empty": len(block)},
            max_ratio=None,
        )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A prepared corpus of 600 pairs in shards of 400 and 200."""
    write(tmp_path / "prepared", make_block(600), 400)
    return tmp_path / "prepared"


@settings(max_examples=5)
@given(data=st.data(), num_pairs=st.integers(1, 40), shard_pairs=st.integers(1, 15), block=st.integers(1, 6))
def test_any_pairs_are_read_as_written(tmp_path_factory, data, num_pairs, shard_pairs, block):
    made, path = make_block(num_pairs), tmp_path_factory.mktemp("prepared") / "corpus"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", block)
        write(path, made, shard_pairs)
        prepared = PreparedFolder(path)
        assert len(prepared) == num_pairs
        starts = prepared.block_starts
        assert (starts[0], starts[-1]) == (0, num_pairs)
        assert np.diff(starts).max() <= block
        pairs = np.array(data.draw(st.lists(st.integers(0, num_pairs - 1), max_size=30)), np.int64)
        assert same(prepared.read(pairs, SIDES, with_text=True), made.select(pairs))
        nothing = pairs[:0]
        assert same(prepared.read(nothing, SIDES, with_text=True), made.select(nothing))
        turned = prepared.read(pairs, SIDES[::-1], with_text=False)
        assert turned.text is None
        assert np.array_equal(turned.ids[0].values, made.select(pairs).ids[1].values)
    longer = np.maximum(made.ids[0].lengths, made.ids[1].lengths)
    assert prepared.length_counts(*SIDES).tolist() == np.bincount(longer).tolist()
    assert prepared.length_counts("en", "en").tolist() == np.bincount(made.ids[1].lengths).tolist()
    assert prepared.manifest["tokens"] == {side: len(rows.values) for side, rows in zip(SIDES, made.ids, strict=True)}
    shutil.rmtree(path)


def test_repeated_pairs_are_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A corpus with a weight above 1 occurs several times in a portion; a read checks a whole block."""
    read, reads = module._Shard.read, []
    monkeypatch.setattr(module._Shard, "read", lambda *arguments: reads.append(arguments) or read(*arguments))
    pairs = np.repeat(np.arange(100, 200), 3)
    assert same(PreparedFolder(folder).read(pairs, SIDES, with_text=True), make_block(600).select(pairs))
    assert len(reads) == 1


def change_manifest(path: Path, **changes: Any) -> None:
    manifest = {**json.loads(path.read_text()), **changes}
    del manifest["sha256"]
    write_json(path, with_digest(manifest))


def test_damage_is_found_at_the_start(folder: Path, tmp_path: Path) -> None:
    for number, (damage, message) in enumerate(
        (
            (lambda x: os.truncate(x / "de/00001.ids.npy", 999), r"another size.*ids\.npy with [\d,]+ bytes"),
            (lambda x: (x / "en/00000.text.npy").unlink(), r"is missing.*en/00000\.text\.npy$"),
            (lambda x: shutil.rmtree(x / "pairs"), r"is missing.*pairs/00000\.lines\.npy$"),
            (lambda x: change_manifest(x / "manifest.json", version=1), r"version 2: .*version=1$"),
            (lambda x: change_manifest(x / "manifest.json", format="x"), r"format='x'"),
            (lambda x: change_manifest(x / "manifest.json", pairs=601), r"is damaged.*manifest\.json$"),
            (lambda x: (x / "manifest.json").write_text("{"), r"manifest\.json must contain the manifest"),
        )
    ):
        copy = shutil.copytree(folder, tmp_path / str(number))
        damage(copy)
        with pytest.raises(UserError, match=rf"^[^\n]*{message}"):
            PreparedFolder(copy)


def test_a_manifest_with_any_wrong_entry_is_damaged(folder: Path) -> None:
    manifest = folder / "manifest.json"
    whole = json.loads(manifest.read_text())
    right = {("max_ratio", "None"), ("dropped", "{}")}  # of no effect on what is read
    for key in sorted(set(whole) - {"format", "version", "sources", "options", "sha256"}):
        wrong = [{**whole, key: value} for value in (None, [], {}, "x", [None], -1, [*SIDES, "fr"], [{"pairs": 600}])]
        for changed in (*wrong, {name: whole[name] for name in whole if name != key}):
            if (key, repr(changed.get(key, "missing"))) in right:
                continue
            manifest.write_text(json.dumps(changed))
            with pytest.raises(UserError, match=r"The manifest of a prepared corpus is damaged.*manifest\.json$"):
                PreparedFolder(folder)


@pytest.mark.filterwarnings("ignore:Reading `.npy`:UserWarning")  # NumPy, of a header that it reads leniently
@pytest.mark.filterwarnings("ignore:Data type alias:DeprecationWarning")
@pytest.mark.parametrize("name", these([0], OF_SHARD, str))
def test_any_changed_bit_is_found_or_of_no_effect(tmp_path: Path, name: str) -> None:
    """Such as `<u2` to `>u2`, by which NumPy would read other ids."""
    write(tmp_path / "prepared", make_block(8), 8)
    path = tmp_path / "prepared" / name
    read = lambda: PreparedFolder(tmp_path / "prepared").read(np.array([3, 5]), SIDES, with_text=True)  # noqa: E731
    whole, right = path.read_bytes(), read()
    messages = []
    for bit in range(8 * len(whole)):
        content = bytearray(whole)
        content[bit // 8] ^= 1 << bit % 8
        path.write_bytes(content)
        try:
            found = read()
        except UserError as error:
            messages.append(str(error))
            continue
        assert same(found, right)
    assert len(messages) > 8 * (len(whole) - 128) > 0
    stem = path.name.removesuffix(".npy").removesuffix("_offsets").removesuffix("_checksums")
    assert all(stem in message and "is damaged" in message for message in messages)


def test_many_small_shards_are_mapped_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    write(tmp_path / "prepared", make_block(180), 2)
    prepared = PreparedFolder(tmp_path / "prepared")
    descriptors, mapped = [], []
    read = module._Shard.read

    def counted(*arguments: Any) -> PairBlock:
        descriptors.append(len(os.listdir("/proc/self/fd")))
        mapped.append(Path("/proc/self/maps").read_text().count(".npy\n"))
        return read(*arguments)

    monkeypatch.setattr(module._Shard, "read", counted)
    before = len(os.listdir("/proc/self/fd"))
    pairs = np.arange(0, 180, 2)  # one of each shard
    assert same(prepared.read(pairs, SIDES, with_text=True), make_block(180).select(pairs))
    files = 2 + 2 * 2 * 3  # two arrays of lines; three arrays of both sides' ids and text
    assert (len(mapped), max(mapped)) == (90, files)
    assert max(descriptors) <= before + files
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_side_is_a_path(folder: Path) -> None:
    prepared = prepared_side(folder / "en")
    assert (prepared[0].path, prepared[1]) == (folder, "en")
    assert prepared[0].subwords_path("en").read_bytes() == b"model of en"
    assert prepared[0].digest("en") != prepared[0].digest("de")
    assert prepared_side(folder / "manifest.json") is prepared_side(folder.parent) is None
    for wrong in (folder, folder / "pairs"):
        with pytest.raises(UserError, match=r"two sides of a prepared corpus, .*/de and .*/en\. Received: "):
            prepared_side(wrong)
    (folder / "manifest.json").unlink()
    os.mkfifo(folder / "manifest.json")
    with pytest.raises(UserError, match=r"^This must be a regular file\. Received: .*manifest\.json, a pipe$"):
        prepared_side(folder / "en")


def test_a_folder_appears_when_it_is_complete(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"\.npy'$"), full_disk():
        write(tmp_path / "prepared", make_block(600), 400)
    assert list(tmp_path.iterdir()) == []
    with atomic_folder(tmp_path / ("d" * 255)) as folder:  # no name is too long for the temporary one
        (folder / "file").touch()
    shutil.rmtree(tmp_path / ("d" * 255))
    leftover = tmp_path / ".writing-corpus"
    (leftover / "de").mkdir(parents=True)
    (leftover / "de" / "00000.ids.npy").write_bytes(b"of a killed process")
    with atomic_folder(tmp_path / "corpus") as folder:
        assert [path.name for path in folder.iterdir()] == [".lock"]
        (folder / "file").touch()
        assert not (tmp_path / "corpus").exists()
    assert [path.name for path in tmp_path.rglob("*")] == ["corpus", "file"]
    with pytest.raises(UserError, match=r"must be new.*Received: .*corpus"), atomic_folder(tmp_path / "corpus"):
        pass
    assert (tmp_path / "corpus" / "file").exists()
