"""The ids that every vocabulary of the package shares."""

PAD = 0
UNK = 1
BOS = 2
EOS = 3
