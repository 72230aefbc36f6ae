"""A comparison on the terminal: a table with a row a number, and what it says in plain words."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sushibalance.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

    from sushibalance.analysis.compare import Comparison

WIDE = 120  # columns where nobody looks at a terminal
OTHERS = 10  # so many numbers that are no main ones are shown of those that moved


class Told:
    """A comparison, printed.

    Parameters
    ----------
    found : Comparison
    everything : bool
        Print every number, not just the main ones and what moved.
    """

    def __init__(self, found: Comparison, everything: bool = False):
        self.found, self.everything = found, everything

    def show(self) -> None:
        """Print it."""
        from rich.console import Console

        from sushibalance.analysis.saying import Said

        console = Console(highlight=False)
        if not console.is_terminal and "COLUMNS" not in os.environ:
            console.width = WIDE
        table = self.found.table()
        level = table.attrs["level"]

        def say(text: str) -> None:
            console.print(text, markup=False)

        say(self.found.played())
        for name, rules in self.found.variants.items():
            rows = table[table["change"] == name]
            said = Said(rows, self.found.unit)
            chosen, left = self._chosen(rows, said)
            say(f"\n{name}: {' '.join(rules.description.split())}" if rules.description else f"\n{name}")
            for key, before, after in rules.differences(self.found.base)[:5]:
                say(f"  {key}: {before} -> {after}")
            console.print(self._table(chosen, said))
            if left:
                say(f"{left} more differences lie beyond their margins: --all shows every number, --csv writes it.")
            say(said.counted())
            pairing = said.pairing(self.found.unchanged[name].iloc[0])
            say(pairing[0].upper() + pairing[1:])
        say(
            f"\nIn brackets: {100 * level:.4g}% intervals, of percentages in percentage points. Of the verdicts given, "
            f"at most {100 * (1 - self.found.level):.3g} in 100 are wrong on average."
        )

    def _chosen(self, rows: pd.DataFrame, said: Any) -> tuple[pd.DataFrame, int]:
        """Return the rows to print, and how many that moved are left out."""
        import pandas as pd

        if self.everything:
            return rows, 0
        moves = (rows["estimate"] != 0) | rows["reduction"].notna()  # others are the same in every game of both
        main = rows[said.main() & moves.to_numpy()]
        others = said.moved().drop(index=main.index, errors="ignore")
        return pd.concat([main, others.head(OTHERS).sort_index()]), max(len(others) - OTHERS, 0)

    def _table(self, rows: pd.DataFrame, said: Any) -> Any:
        """Return a table of rich, with a heading for each metric."""
        from rich import box
        from rich.table import Table
        from rich.text import Text

        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
        for column in ("", self.found.base.name, "variant", "difference (interval)"):
            table.add_column(Text(column), justify="right" if column else "left", overflow="fold")
        table.add_column("verdict", overflow="fold")
        before = ""
        for row in rows.itertuples():
            if row.name != before:
                before = row.name
                table.add_row(Text(str(before), style="bold"))
            style = {"above": "bold", "below": "bold", "undecided": "dim"}.get(str(row.verdict), "")
            cells = (
                f"  {row.of or 'all'}",
                said.before(row),
                said.after(row),
                said.step(row, unit=False),
                said.short(row),
            )
            table.add_row(*(Text(str(cell), style=style) for cell in cells))
        return table


class Sheet:
    """A CSV file that is there whole or not at all.

    Parameters
    ----------
    path : Path
        Checked at once, before any game is played.

    Raises
    ------
    UserError
        When its folder is not there, or it is a folder itself.
    """

    def __init__(self, path: Path):
        self.path = path
        if path.is_dir() or not path.parent.is_dir():
            what = "a folder" if path.is_dir() else f"no folder {path.parent}"
            raise UserError(f"--csv: found {what}, allowed a file in a folder that is there")

    def write(self, frame: pd.DataFrame) -> None:
        """Write the frame."""
        with tempfile.NamedTemporaryFile(
            "w", dir=self.path.parent, prefix=f".{self.path.name}.", delete=False, encoding="utf-8", newline=""
        ) as draft:
            try:
                frame.to_csv(draft, index=False)
                draft.close()
                os.chmod(draft.name, 0o666 & ~_mask())
                os.replace(draft.name, self.path)
            except BaseException:
                with suppress(OSError):
                    os.unlink(draft.name)
                raise


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def margins(texts: list[str], metrics: list[str]) -> Any:
    """Return the margins that ``--margin`` options ask for.

    Parameters
    ----------
    texts : list of str
        ``"win_points=0.02"``, ``"hands=1%"``, ``"points=-1..2"``; without a name for the one metric that is asked.
    metrics : list of str
        What ``--metric`` asks for.

    Raises
    ------
    UserError
        For a text that is no margin.
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        if not equals:
            if len(metrics) != 1:
                raise UserError(
                    f'--margin: found "{text}", allowed NAME=NUMBER, for example win_points=0.02; a number alone '
                    "beside one --metric"
                )
            name = metrics[0]
        numbers = list(_numbers(value))
        if len(numbers) not in (1, 2) or None in numbers:
            raise UserError(f'--margin: found "{text}", allowed NAME=NUMBER or NAME=LOW..HIGH, as 0.02, 2% or -1..2')
        if name.strip() in found:
            raise UserError(f"--margin {name.strip()}: found it twice, allowed once")
        found[name.strip()] = numbers[0] if len(numbers) == 1 else tuple(numbers)
    return found or None


def _numbers(text: str) -> Iterator[float | None]:
    for part in text.split(".."):
        percent = part.strip().endswith("%")
        try:
            yield float(part.strip().removesuffix("%")) / (100 if percent else 1)
        except ValueError:
            yield None
