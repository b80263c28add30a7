"""Reads the rules by which a SentencePiece model normalises text, `precompiled_charsmap`."""

from __future__ import annotations

import struct

import numpy as np

MAX_RULES = 2_000_000  # rules of a model; SentencePiece's own models have 225,276
LEAF, LABEL, LONG = 1 << 8, (1 << 31) | 0xFF, 1 << 9  # bits of a unit of the trie


def read_rules(charsmap: bytes) -> dict[str, str]:
    """Returns what each text becomes, by the rules of a model. Other content is an error of any type.

    The content is the size of a trie, the trie, a double array of units of 32 bits
    ([darts-clone](https://github.com/s-yata/darts-clone)), and the new texts, each with a zero behind it.
    """
    if not charsmap:
        return {}
    (size,) = struct.unpack("<I", charsmap[:4])
    if size % 4 or size > len(charsmap) - 4:
        raise ValueError(f"a trie of {size:,} bytes in {len(charsmap):,}")
    units, texts = np.frombuffer(charsmap[4 : 4 + size], "<u4"), charsmap[4 + size :]
    rules: dict[str, str] = {}
    nodes: np.ndarray = np.zeros(1, np.uint32)
    keys = [b""]
    labels = np.arange(1, 256, dtype=np.uint32)
    while len(nodes):  # all nodes of one depth at a time
        unit = units[nodes]
        children = nodes ^ ((unit >> 10) << ((unit & LONG) >> 6))
        for i in np.flatnonzero(unit & LEAF):
            start = int(units[children[i]]) & ~(1 << 31)
            rules[keys[i].decode()] = texts[start : texts.index(0, start)].decode()
        places = children[:, None] ^ labels
        inside = places < len(units)
        rows, columns = np.nonzero(inside & (units[np.where(inside, places, 0)] & LABEL == labels))
        keys = [keys[row] + bytes([column + 1]) for row, column in zip(rows, columns, strict=True)]
        nodes = places[rows, columns]
        if len(rules) + len(keys) > MAX_RULES:  # of a damaged trie, whose nodes may be their own children
            raise ValueError(f"more than {MAX_RULES:,} rules")
    return rules
