#!/usr/bin/env bash
# Guess: without TensorFlow, `tfrecord` reads the bytes of a feature as they were written.
# Behaviour: a feature of one value does come back. Of several values, it makes a NumPy array of fixed-width bytes, which has no place for
# zeros at the end: the 32-bit ids 5 and 256 are read with 1 and 2 bytes, id 0 with none, a float array that ends in 0.0 is shorter.
# `np.frombuffer` then raises an error, or reads fewer numbers. The file itself is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile tfrecord==1.14.6 numpy==2.4.6 protobuf==7.36.2
"$folder/venv/bin/python" - <<'PY'
import os
import sys
import tempfile
from importlib.metadata import version

import numpy as np
from tfrecord import example_pb2, tfrecord_loader
from tfrecord.writer import TFRecordWriter

print(*(f"{name} {version(name)}" for name in ("tfrecord", "numpy", "protobuf")))


def round_trip(values):
    """Returns the values as the package reads them, and as protobuf parses them from the same file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "file.tfrecord")
        writer = TFRecordWriter(path)
        writer.write({"values": (values, "byte")})
        writer.close()
        (read,) = tfrecord_loader(path, None, {"values": "byte"})
        with open(path, "rb") as file:
            record = file.read()[12:-4]  # after the length and its checksum, before the checksum of the record
    parsed = example_pb2.Example.FromString(record).features.feature["values"].bytes_list.value
    return read["values"], list(parsed)


ids = [np.int32(i).tobytes() for i in (5, 256, 0)]
rows = [np.array(row, np.float32).tobytes() for row in ([1, 2, 0], [0.5, 0, 0])]
one, several, arrays = round_trip(ids[:1]), round_trip(ids), round_trip(rows)
print("one id:", one)
print("three ids:", several)
print("two rows:", arrays)
print("the second row is written with 12 bytes, read with", len(arrays[0][1]))
if any(parsed != written for (_, parsed), written in zip((one, several, arrays), (ids[:1], ids, rows))):
    sys.exit("the file is not as expected")
if one[0] != ids[0] or several[0].tolist() != [b"\x05", b"\x00\x01", b""] or len(arrays[0][1]) != 4:
    sys.exit("tfrecord changed")
PY
