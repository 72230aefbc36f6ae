"""The base of the errors that speak to the user."""


class UserError(ValueError):
    """A request that cannot be met; the text says what was found and what is allowed.

    The command line prints it without a traceback. Half of a surrogate pair, which no screen or file takes, stands
    in the text as its number.
    """

    def __init__(self, text: str = ""):
        super().__init__(text.encode(errors="backslashreplace").decode())
