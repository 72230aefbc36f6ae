"""Commands that say where words belong that they have no place for."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

PLACES = "a variant goes after --variant, a value after --set as KEY=VALUE, other values after the name of their option"


class Command(TyperCommand):
    """A command; see the top of this module."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words of a command line."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:  # click's UsageError, which typer keeps to itself
            message = str(getattr(error, "message", ""))
            if "unexpected extra argument" in message:
                error.message = f"{message.rstrip('.')}: {PLACES}"  # type: ignore[attr-defined]
            raise
