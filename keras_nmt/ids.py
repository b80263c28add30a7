"""The ids that every vocabulary of the package shares."""

PAD = 0
UNKNOWN = 1
BEGIN = 2
END = 3
