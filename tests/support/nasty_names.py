"""Names that a file system allows for a folder, and that programs take for something else."""

import os

NAMES = [
    "[d]", "[a-d]", "[!d]", "[", "]", "[]", "[[]d]", "*", "d*", "?", "**", "a\\b", "\\", "\\[d\\]", "{d}", "{}",
    "{a,d}", " d", "d ", " ", "a\nb", "a\tb", "a\rb", '"d"', "'d'", "d'", "%s", "%d%n", "#d", "~", "~root", "-d", "--",
    "-", "$HOME", "$(id)", "`id`", "a;b", "a&b", "a|b", "a,b", "a=b", "!d", "gs:", "file:", "a:b", "con", "nul",
    "d.h5", "d.weights.h5", ".d", "...", "😀", "e\u0301", "ﬁ", "a\u2028b", "a\u200bb", "\ufeffd", "\x01\x7f",
    os.fsdecode(b"\xff\xfe"), "d" * 255, "\N{CAT}" * 63,
]  # fmt: skip
