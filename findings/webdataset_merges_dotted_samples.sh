#!/usr/bin/env bash
# Guess: the samples that `TarWriter` writes are the ones that `WebDataset` reads.
# Behaviour: the key of a sample may have a dot, as in "v1.0" or in the name of a file, and is written as it is; the reader ends a key at its
# first dot. Samples that follow each other and agree before the dot become one, with fields such as "5.txt" for the sample "doc1.5", and
# without "txt". Dots in folders before the last slash do no harm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile webdataset==1.0.2
"$folder/venv/bin/python" - <<'PY'
import os
import sys
import tarfile
import tempfile
from importlib.metadata import version

import webdataset

print("webdataset", version("webdataset"))


def read(samples):
    """Returns the keys and fields of the samples that are read, and the names in the archive."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "shard.tar")
        with webdataset.TarWriter(path) as writer:
            for key, text in samples.items():
                writer.write({"__key__": key, "txt": text})
        with tarfile.open(path) as archive:
            names = archive.getnames()
        found = list(webdataset.WebDataset(path, shardshuffle=False).decode())
    return [{name: value for name, value in sample.items() if name in ("__key__",) or name.endswith("txt")} for sample in found], names


for samples in ({"doc1.5": "five", "doc1.6": "six", "doc2": "two"}, {"v1.0/doc1": "one", "v1.0/doc2": "two"}):
    found, names = read(samples)
    print("written:", *names, "| read:", *found)
    if "v1.0/doc1" in samples and found != [{"__key__": key, "txt": text} for key, text in samples.items()]:
        sys.exit("folders are not as expected")
    if "doc2" in samples and found != [{"__key__": "doc1", "5.txt": "five", "6.txt": "six"}, {"__key__": "doc2", "txt": "two"}]:
        sys.exit("webdataset changed")
PY
