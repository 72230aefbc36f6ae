"""What the notebook on variants calls: which variants, which numbers, and each number's differences by variant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sushibalance.analysis.asking import Changes
from sushibalance.analysis.compare import Comparison
from sushibalance.analysis.headlines import headlines
from sushibalance.analysis.margins import METRICS, Margins
from sushibalance.analysis.robustness import Robustness
from sushibalance.analysis.saying import STEPS, Said
from sushibalance.errors import UserError
from sushibalance.games.registry import rule_sets
from sushibalance.reports.findings import plain
from sushibalance.reports.parameters import rules_of
from sushibalance.reports.tables import seats
from sushibalance.rules import Rules
from sushibalance.rules.problems import shown

__all__ = ["Change", "cells", "changes", "main_metrics", "margins", "named", "seats", "variants_of"]
TELL = {"power_ups": "picks", "key_clients": "key_clients"}  # the numbers that tell of a table of the rule file
SHORT = 30  # so many rows a map of differences has at most, where most do not stand out
MORE = {"share": "percentage points more or fewer", "times": "more or less, in times"}


def variants_of(rules: Rules, given: Any = None) -> Any:
    """Return what a base is compared with: names, files and documents as given, or all shipped variants of the game."""
    if given is not None:
        listed = [given] if isinstance(given, str) else given
        if not isinstance(listed, list | tuple | Mapping) or not listed:
            raise UserError(f"variants: found {shown(listed)}, allowed a list of names and rule files")
        if isinstance(listed, Mapping):
            return {name: rules_of(one) if isinstance(one, Mapping) else one for name, one in listed.items()}
        return [rules_of(one) if isinstance(one, Mapping) else one for one in listed]
    every = [name for name in rule_sets() if name.startswith(f"{rules.game}/")]
    return [name for name in every if name != f"{rules.game}/{rules.name}"]


def main_metrics(rules: Rules, variants: Any = ()) -> list[str]:
    """Return the headline numbers that a game is judged by first (`analysis.margins`), and those of what is changed."""
    known = headlines(rules.game)
    changed = [
        key for one in (Changes.of(variants, rules).values() if variants else ()) for key, *_ in one.differences(rules)
    ]
    tell = {metric for start, metric in TELL.items() if any(key.startswith(f"{start}.") for key in changed)}
    return [name for name in known if (name in METRICS and METRICS[name].main) or name in tell]


def named(metric: str) -> str:
    """Return what a headline number is called."""
    return Margins.words(metric)


def margins(found: Comparison) -> pd.DataFrame:
    """Return which differences do not matter and why: a row a number, with ``number``, ``margin``, ``because``."""
    rows = []
    for name, frame in found.frames.items():
        row = frame[["margin_low", "margin_high"]].assign(unit=found.units[name]).iloc[0]
        usual = name in METRICS and (row.margin_low, row.margin_high) == Margins([name], found.players).of(name)
        why = Margins.kind(name).source if usual else "as asked for" if name in METRICS else ""
        rows.append((named(name), Said.margin(row) + STEPS[row.unit], why))
    return pd.DataFrame(rows, columns=["number", "margin", "because"])


def cells(found: Robustness) -> pd.DataFrame:
    """Return the cells of a number that changes are judged by, without the keys that are the same in all of a group."""
    told = found.cells.drop(columns=[key for key in found.keys if key != "change"])
    if told.duplicated(["change", "table", "players"]).any():
        raise UserError(f"{found.metric}: found several numbers a group, allowed one, at tables of one policy")
    told.attrs.update(found.cells.attrs, counted="{games} games under each rule set")
    return told


@dataclass(frozen=True)
class Change:
    """How one number differs under each variant.

    Attributes
    ----------
    name : str
        The metric.
    heading : str
        What it measures.
    frame : DataFrame
        As in `Comparison.frames`, with the keys in words in the column ``of``.
    unit_of : str
        ``"share"``, ``"VP"``, ``"points"``, ``"times"``.
    about : str
        Which games.
    """

    name: str
    heading: str
    frame: pd.DataFrame
    unit_of: str
    about: str

    @property
    def standing_out(self) -> pd.DataFrame:
        """The rows that a chart shows: all, or of many those beyond a margin under some variant, the farthest first."""
        far = self.frame["estimate"].abs().groupby(self.frame["of"], observed=True).max()
        if len(far) <= SHORT:
            return self.frame
        beyond = self.frame.loc[self.frame["verdict"].isin(["above", "below"]), "of"].unique()
        kept = far[far.index.isin(beyond)].sort_values(ascending=False, kind="stable").index[:SHORT]
        some = self.frame[self.frame["of"].isin(kept)]
        some = some.assign(of=some["of"].cat.set_categories(list(kept))).sort_values("of", kind="stable")
        some.attrs.update(self.frame.attrs)
        return some

    @property
    def percent(self) -> bool:
        """Whether it is a share, written as per cent."""
        return self.unit_of == "share"

    @property
    def scale(self) -> float:
        """What a number is multiplied with where it is written."""
        return 100.0 if self.percent else 1.0

    @property
    def unit(self) -> str:
        """The unit in a table."""
        return "%" if self.percent else ""

    @property
    def title(self) -> str:
        """The question that its chart answers."""
        return f"How far do these move: {self.heading}?"

    @property
    def step(self) -> str:
        """What a difference is measured in."""
        return MORE.get(self.unit_of, f"{self.unit_of} more or fewer")


def changes(found: Comparison, *metrics: str) -> Iterator[Change]:
    """Yield each number of a comparison, or those of some metrics, in the order asked for."""
    base = found.base.name.replace("_", " ")
    about, sides = f"{found.players} players, against {base}", "under each rule set"
    counted = f"{{games}} {found.unit} {sides}"
    if found.rotations > 1:
        counted = f"{{games}} {found.unit}, of {found.rotations} games each {sides}, as seats rotate"
    for metric in metrics or found.frames:
        frame = found.frames[metric]
        keys = [key for key in frame.columns[1 : frame.columns.get_loc("base")]]
        words = [
            ", ".join(str(plain(value, key)).replace("_", " ") for key, value in zip(keys, row, strict=True))
            for row in frame[keys].itertuples(index=False, name=None)
        ] if keys else ["all"] * len(frame)  # fmt: skip
        told = frame.drop(columns=keys)
        told.insert(1, "of", pd.Categorical(words, categories=list(dict.fromkeys(words))))
        told["change"] = pd.Categorical(told["change"].astype(str), categories=list(found.variants))
        told.attrs.update(frame.attrs, counted=counted, unit=found.unit)
        yield Change(metric, Margins.words(metric), told, found.units[metric], about)
