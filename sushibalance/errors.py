"""The base of the errors that speak to the user, and the name that was perhaps meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class UserError(ValueError):
    """A request that cannot be met; the text says what was found and what is allowed.

    The command line prints it without a traceback. Half of a surrogate pair, which no screen or file takes, stands
    in the text as its number.
    """

    def __init__(self, text: str = ""):
        super().__init__(text.encode(errors="backslashreplace").decode())


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like ``name``, or None when none is near."""
    matches = get_close_matches(str(name)[:100], [str(item) for item in known], n=1, cutoff=0.6)
    return matches[0] if matches else None
