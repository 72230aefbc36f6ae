"""The base of the errors that speak to the user."""


class UserError(ValueError):
    """A request that cannot be met; the text says what was found and what is allowed.

    The command line prints it without a traceback.
    """
