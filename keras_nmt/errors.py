"""Errors that a user of the package can cause."""


class UserError(ValueError):
    """Something the user gave cannot be used: one line that says what, where, and what to do about it.

    The command line prints the line alone, without a traceback, and exits with code 2.
    """


def one_line(message: object) -> str:
    """What an error of another library says, which may be several lines, in one.

    Example:

    >>> one_line(ValueError("no such\\n    node"))
    'no such node'
    """
    return " ".join(str(message).split())
