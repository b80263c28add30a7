"""Errors that a user of the package can cause."""


class UserError(ValueError):
    """Something the user gave cannot be used: one line that says what, where, and what to do about it.

    The command line prints the line alone, without a traceback, and exits with code 2.
    """
