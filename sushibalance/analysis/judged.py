"""Verdicts on many tallies at once, each with a margin of its own, corrected over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from sushibalance.stats import Running, verdicts
from sushibalance.stats.tallies import answer, with_level

JUDGED = ("verdict", "needed")


@dataclass(frozen=True, eq=False)
class Watched:
    """A tally whose intervals may be looked at while games are played, and never say too much of rare things.

    The confidence sequence (`Running`) is only as good as the spread that has been seen: of a thing that never
    happened yet it would say that it never will. So an interval is never narrower than the ordinary one, which knows
    better (Wilson's); being wider, it stays valid at all times.

    Attributes
    ----------
    tally : RatioTally or PairTally
    about : int
        At about so many games the intervals are narrowest.
    """

    tally: Any
    about: int = 10_000

    @property
    def played(self) -> int | None:
        """Games that were played; see `Tally`."""
        return self.tally.played

    def frame(self, level: float = 0.95) -> pd.DataFrame:
        """Return the frame of the tally with the wider interval of both; unknown in the first hundred games."""
        plain, watched = self.tally.frame(level), Running(self.tally, about=self.about).frame(level)
        unknown = np.isnan(watched["low"].to_numpy())
        wider = {
            name: np.where(unknown, np.nan, wider_of(plain[name].to_numpy(), watched[name].to_numpy()))
            for name, wider_of in (("low", np.minimum), ("high", np.maximum))
        }
        return answer(plain, wider, level)


class Judged:
    """Tallies with a margin each, and one correction over all their rows.

    Parameters
    ----------
    tallies : sequence of Tally
        Anything with ``frame(level)``.
    margins : sequence of (low, high)
        As many.
    """

    def __init__(self, tallies: Sequence[Any], margins: Sequence[tuple[float, float]]):
        self.tallies, self.margins = list(tallies), list(margins)

    def frame(self, level: float = 0.95) -> pd.DataFrame:
        """Return all rows with the place of their tally, on one scale on which each margin is -1 to 1."""
        columns: dict[str, list[np.ndarray]] = {name: [] for name in ("tally", "estimate", "low", "high", "games")}
        for place, (tally, (low, high)) in enumerate(zip(self.tallies, self.margins, strict=True)):
            frame, middle, half = tally.frame(level), (low + high) / 2, (high - low) / 2
            for name in ("estimate", "low", "high"):
                columns[name].append((frame[name].to_numpy(np.float64) - middle) / half)
            columns["tally"].append(np.full(len(frame), place))
            columns["games"].append(frame["games"].to_numpy())
        return pd.DataFrame({name: np.concatenate(parts) for name, parts in columns.items()})

    def played_of(self, frame: pd.DataFrame) -> np.ndarray:
        """Return the games that were played for each row of `frame`; 0 where its tally does not know."""
        return np.array([tally.played or 0 for tally in self.tallies], np.int64)[frame["tally"].to_numpy()]

    def frames(self, level: float = 0.95, *, correct: bool = True) -> list[pd.DataFrame]:
        """Return the frame of each tally with ``margin_low, margin_high, verdict, needed``; see `verdicts`.

        The error rate of all verdicts together that are not "undecided" is at most ``1 - level``; the intervals are
        those at the level that this takes, which is ``attrs["level"]``. Without ``correct`` each verdict is on its own.
        """
        if not self.tallies:
            return []
        judged = verdicts(self, (-1.0, 1.0), level=level, correct=correct)
        used, found = judged.attrs["level"], []
        for place, (tally, (low, high)) in enumerate(zip(self.tallies, self.margins, strict=True)):
            frame, rows = tally.frame(used), judged[judged["tally"] == place]
            extra = {name: rows[name].set_axis(frame.index) for name in JUDGED}
            found.append(with_level(frame.assign(margin_low=low, margin_high=high, **extra), used))
        return found

    def undecided(self, level: float = 0.95, only: Sequence[int] | None = None) -> int:
        """Return how many verdicts are open: of all tallies, or of those at some places.

        What only came up under one of two rule sets is not counted: it may never come up under the other.
        """
        if not self.tallies:
            return 0
        judged = verdicts(self, (-1.0, 1.0), level=level)
        asked = judged["tally"].isin(range(len(self.tallies)) if only is None else only)
        return int(((judged["verdict"] == "undecided") & judged["estimate"].notna() & asked).sum())
