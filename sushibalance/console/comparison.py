"""A comparison on the terminal: a table with a row a number, and what it says in plain words."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from sushibalance.analysis.compare import Comparison

WIDE = 120  # columns where nobody looks at a terminal
LABEL = 14  # columns that a row's name has at least
NAME = 20
KEYS = 5  # so many changed values are listed
NAMED = 24  # so many rows are shown that tell of what was changed: of more, those with the fewest keys
OTHERS = 10  # so many numbers that are no main ones are shown of those that moved


class Told:
    """A comparison, printed.

    Parameters
    ----------
    found : Comparison
    everything : bool
        Print every number, not just the main ones and what moved.
    words : mapping of str to str
        By variant: what the shell calls its rules.
    """

    def __init__(self, found: Comparison, everything: bool = False, words: Mapping[str, str] | None = None):
        self.found, self.everything = found, everything
        self.words = words or {name: shlex.quote(name) for name in found.variants}

    def show(self) -> None:
        """Print it."""
        from rich.console import Console

        from sushibalance.analysis.saying import Said

        console = Console(highlight=False)
        if not console.is_terminal and "COLUMNS" not in os.environ:
            console.width = WIDE
        table = self.found.table()
        level, changed = table.attrs["level"], self.found.named()
        if not self.everything:
            changed = changed[~table["metric"].isin(self.found.repeated)]
            table = table[~table["metric"].isin(self.found.repeated)]

        def say(text: str) -> None:
            console.print(text, markup=False)

        from sushibalance.rules.problems import changed as becomes

        say(self.found.played())
        for name, rules in self.found.variants.items():
            of = (table["change"] == name).to_numpy()
            rows = table[of]
            said = Said(rows, self.found.unit, self.found.fixed)
            chosen, left, hidden = self.chosen(rows, said, changed[of])
            say(f"\n{name}: {' '.join(rules.description.split())}" if rules.description else f"\n{name}")
            moved = rules.differences(self.found.base)
            for key, before, after in moved[:KEYS]:
                say(f"  {key}: {becomes(before, after)}")
            if len(moved) > KEYS:
                say(f"  and {len(moved) - KEYS} more")
            if name in self.found.same:
                say(f"  {self.found.cannot_differ()}")
                if not self.everything:
                    continue
            for part in self._tables(chosen, said, console.width):
                console.print(part)
            for part in self.alone(name):
                console.print(part)
            say("")
            if hidden:
                tells = "number tells" if hidden == 1 else "numbers tell"
                say(f"{hidden} more {tells} of what was changed: --all shows every number.")
            if left:
                more = "1 more difference lies" if left == 1 else f"{left} more differences lie"
                say(f"{more} beyond the margin: --all shows every number, --csv writes it.")
            counted = said.counted()
            say(counted[0].upper() + counted[1:])
            pairing = said.pairing(self.found.unchanged[name].iloc[0])
            say(pairing[0].upper() + pairing[1:])
        if self.found.fixed:
            say("\n" + self.found.cannot_move())
        if not self.everything and len(self.found.same) == len(self.found.variants):
            return
        say(
            f"\nIn brackets: {100 * level:.4g}% intervals, of percentages in percentage points. Of the verdicts given, "
            f"at most {100 * (1 - self.found.level):.3g} in 100 are wrong on average."
        )

    def chosen(self, rows: pd.DataFrame, said: Any, changed: Any) -> tuple[pd.DataFrame, int, int]:
        """Return the rows to print, and how many are left out that moved, and that tell of what was changed.

        ``changed`` says for each row how many keys it has where these name what was changed (`Comparison.named`).
        """
        import pandas as pd

        known = rows["estimate"].notna().to_numpy()  # others have a part of their own
        rows, changed = rows[known], changed[known]
        if self.everything:
            return rows, 0, 0
        about = rows[changed > 0]
        named = about.iloc[changed[changed > 0].argsort(kind="stable")[:NAMED]].sort_index()
        moves = (rows["estimate"] != 0) | rows["reduction"].notna()  # others are the same in every game of both
        main = rows[said.main()[known] & moves.to_numpy()].drop(index=named.index, errors="ignore")
        others = said.moved().drop(index=[*named.index, *main.index], errors="ignore")
        shown = pd.concat([named, main, others.head(OTHERS).sort_index()])
        hidden = about.index.difference(shown.index)
        return (shown if len(shown) else rows.head(OTHERS)), max(len(others) - OTHERS, 0), len(hidden)

    def alone(self, name: str) -> Iterator[Any]:
        """Yield what came up under one rule set only: a table for each, and where to read more."""
        from rich.table import Table
        from rich.text import Text

        from sushibalance.analysis.saying import Said

        every = self.found.alone[self.found.alone["change"] == name]
        for under, only in (("variant", name), ("base", self.found.base.name)):
            rows = every[every["under"] == under]
            if not len(rows):
                continue
            shown = rows if self.everything else rows.head(OTHERS)
            made = Table(box=None, pad_edge=False, padding=(0, 1), title_justify="left", show_header=False,
                         title=Text(f"Came up only under {only}, with nothing to compare", style="bold"))  # fmt: skip
            made.add_column(overflow="fold")
            made.add_column(justify="right", no_wrap=True)
            made.add_column(justify="right", no_wrap=True)
            for row, before in zip(shown.itertuples(), [None, *shown["name"]], strict=False):
                if row.name != before:
                    made.add_row(Text(f"  {row.name}"))
                made.add_row(Text(f"    {row.of or 'all'}"), Text(Said.interval(row)), Text(f"n = {row.n:,}"))
            yield made
            if left := len(rows) - len(shown):
                yield Text(f"    and {left} more: --all shows them")
            if under == "variant":
                yield Text(f"  More about these rules: sushibalance report {self.words[name]}")

    def _tables(self, rows: pd.DataFrame, said: Any, width: int) -> Iterator[Any]:
        """Yield a table of rich for each metric, with columns that stand one below the other."""
        from rich.table import Table
        from rich.text import Text

        heads = ["", self.found.base.name[:NAME], "variant", "difference (interval)", "verdict"]
        parts: dict[str, list[tuple[list[str], str]]] = {}
        for row in rows.itertuples():
            numbers = [said.before(row, unit=False), said.after(row, unit=False), said.step(row, unit=False)]
            heading = f"{row.name}, in points" if row.unit == "points" else str(row.name)
            style = {"above": "bold", "below": "bold", "undecided": "dim"}.get(str(row.verdict), "")
            parts.setdefault(heading, []).append(([f"  {row.of or 'all'}", *numbers, said.short(row)], style))
        every = [heads, *(cells for part in parts.values() for cells, _ in part)]
        widths = [max(len(cells[place]) for cells in every) for place in range(len(heads))]
        words = [0] * len(heads)
        for cells in every:
            words = [max(most, *map(len, cell.split()), 0) for most, cell in zip(words, cells, strict=True)]
        # Where the terminal is narrow, words go below each other; numbers stay whole.
        for place, least in ((0, LABEL), (3, words[3]), (4, words[4]), (0, words[0])):
            over = sum(widths) + 2 * (len(heads) - 1) - width
            widths[place] -= min(max(over, 0), max(widths[place] - least, 0))

        def table(rows: list[tuple[list[str], str]], **looks: Any) -> Table:
            made = Table(box=None, pad_edge=False, padding=(0, 1), title_justify="left", **looks)
            for head, column in zip(heads, widths, strict=True):
                made.add_column(
                    Text(head), width=column, justify="left" if head in ("", "verdict") else "right", overflow="fold"
                )
            for cells, style in rows:
                made.add_row(*(Text(cell, style=style) for cell in cells))
            return made

        yield table([])
        for heading, part in parts.items():
            yield table(part, show_header=False, title=Text(heading, style="bold"))
