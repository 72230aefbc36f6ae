"""Where in the rule file a finding can be acted on, and one command to try.

Keys are those of the rules at hand, and a command is named only if these rules can be played with its change.
"""

from __future__ import annotations

import html
import shlex
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from sushibalance.analysis.tables import with_cards
from sushibalance.errors import UserError
from sushibalance.games.game import Engine, Policy
from sushibalance.games.registry import engine, load_rules, rule_sets
from sushibalance.rules import Rules
from sushibalance.rules.problems import shown

MOST = 4  # keys that are named
PART = 4  # a number moves by so small a part of itself, but by 1 at least
# What a card of Otter does by how much: the first of these in its table is what the command changes.
PAYS = ("vp", "score", "vp_each", "score_each", "hand_limit", "times")
NEEDS = ("exactly", "at_least", "when.exactly", "when.at_least")  # how many cards it asks for
IDLE = 0.1  # what does less than this part of the least that it should does next to nothing: a price cannot help
ABILITIES = ("converts", "penalty", "factor", "gold")  # likewise of an ability of Nightmares
SUSHI_GO = {
    "tempura": ("tempura.points", "tempura.cards"),
    "sashimi": ("sashimi.points", "sashimi.cards"),
    "dumpling": ("dumpling.points",),
    "maki_1": ("maki.most", "maki.second", "maki.icons.maki_1"),
    "maki_2": ("maki.most", "maki.second", "maki.icons.maki_2"),
    "maki_3": ("maki.most", "maki.second", "maki.icons.maki_3"),
    "salmon_nigiri": ("nigiri.salmon_nigiri",),
    "squid_nigiri": ("nigiri.squid_nigiri",),
    "egg_nigiri": ("nigiri.egg_nigiri",),
    "pudding": ("pudding.most", "pudding.fewest"),
    "wasabi": ("wasabi.factor", "deck.wasabi"),
    "chopsticks": ("deck.chopsticks",),
}


@dataclass(frozen=True)
class Levers:
    """The values of a rule file that decide what a finding judges.

    Attributes
    ----------
    rules : Rules
    keys : mapping of str to sequence of str
        By member: keys of values, or beginnings of keys. Those that the rules do not have are left out.
    every : sequence of str
        The keys of members that are not named.
    moved : mapping of str to sequence of str
        By member: keys of numbers that the command changes, all of them alike; by default the first of ``keys``.
    eased : mapping of str to mapping of str to value
        By member: what its command sets where it does next to nothing, for its condition is hardly ever met.
    fitting : mapping of str to mapping of str to value
        By member: what its command sets, where it is known what would fit.
    more : bool
        A larger number makes what is judged larger.
    tables : mapping of tuple to sequence of Policy
        Who plays what is judged, seat by seat; by what a row of verdicts holds of its table, as label and players.
    metric : str
        The number of a comparison that shows it.
    """

    rules: Rules
    keys: Mapping[str, Sequence[str]] = field(default_factory=dict)
    every: Sequence[str] = ()
    moved: Mapping[str, Sequence[str]] = field(default_factory=dict)
    eased: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    fitting: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    more: bool = True
    tables: Mapping[tuple[Any, ...], Sequence[str | Policy]] = field(default_factory=dict)
    metric: str = ""

    def at(self, tables: Any, metric: str = "") -> Levers:
        """Return these levers with commands that play a table, and tell a number.

        Parameters
        ----------
        tables : Table, or mapping of these, or of policies seat by seat
            Who plays; of several by what tells them apart in a frame of verdicts: a label, or label and players.
        metric : str, optional
            A headline number of `analysis.compare`.
        """
        each = tables if isinstance(tables, Mapping) else {(): tables}
        seated = {
            key if isinstance(key, tuple) else (key,): tuple(getattr(table, "policies", table))
            for key, table in each.items()
        }
        return replace(self, tables=seated, metric=metric)

    def said(
        self,
        members: Sequence[Any],
        verdict: str,
        *,
        row: Sequence[Any] = (),
        idle: Container[Any] = (),
        tip: bool = True,
    ) -> str:
        """Return where to look for members that lie above or below, and a command that moves the first of them back.

        Parameters
        ----------
        members : sequence
        verdict : str
            ``"above"`` or ``"below"``.
        row : sequence, optional
            What tells the table to play, where there are several.
        idle : container
            Members that do next to nothing (`IDLE`).
        tip : bool
            Whether to name a command.
        """
        known = self.rules.values()
        have, found = [value.key for value in known], []
        for member in map(str, members):
            found += [key for key in self.keys.get(member, self.every) if any(_starts(one, key) for one in have)]
        found = list(dict.fromkeys(found))
        if not found:
            return ""
        codes = [f"<code>{html.escape(key)}</code>" for key in found[:MOST]]
        rest = f" and {len(found) - MOST} more" if len(found) > MOST else ""
        text = f"In the rule file: {', '.join(codes)}{rest}."
        for member in members if tip else ():
            if command := self.command(str(member), verdict, row, idle=member in idle):
                what = ", an easier condition" if member in idle and str(member) in self.eased else ""
                return f"{text} To try{what}: <code>{html.escape(command)}</code>"
        return text

    def command(self, member: str, verdict: str, row: Sequence[Any] = (), *, idle: bool = False) -> str:
        """Return a command that plays the game with a member moved back towards its margin, or ``""``."""
        changes, base, table = self.changes(member, verdict, idle=idle), source(self.rules), self._table(row)
        if not changes or not base or table is None:
            return ""
        metric = [f"--metric {self.metric}"] * bool(self.metric)
        return " ".join(["sushibalance compare", base, _set(changes), *table, *metric])

    def changes(self, member: str, verdict: str, *, idle: bool = False) -> dict[str, Any]:
        """Return what moves a member back towards its margin, by key; nothing where the rules cannot be played so."""
        values = {value.key: value.value for value in self.rules.values()}
        keys = self.moved.get(member, self.keys.get(member, self.every)[:1])
        step = _less if (verdict == "above") == self.more else _more
        weaker = self.every_other_round(member) if verdict == "above" else []
        eased, fitting = self.eased.get(member, {}) if idle else {}, self.fitting.get(member, {})
        for changes in (eased, fitting, {key: step(values.get(key)) for key in keys}, *weaker):
            if changes and (changes is eased or None not in changes.values()):
                with suppress(UserError):
                    self.rules.vary(dict(changes))
                    return dict(changes)
        return {}

    def opposed(self, above: Sequence[Any], below: Sequence[Any]) -> bool:
        """Return whether what moves some members down moves others up: no one value suits them all."""
        down, up = ([key for one in some for key in self.changes(str(one), verdict)]
                    for some, verdict in ((above, "above"), (below, "below")))  # fmt: skip
        return bool(set(down) & set(up))

    def _table(self, row: Sequence[Any]) -> list[str] | None:
        """Return the options that seat the table of a row; None where the command line cannot name its policies."""
        if not self.tables:
            return []
        fits = (seats for key, seats in self.tables.items() if all(part in list(row) for part in key))
        seats = next(fits, None)
        return None if seats is None else seated(engine(self.rules.game), seats)

    def every_other_round(self, member: str) -> list[dict[str, Any]]:
        """Return what weakens a power-up that has no number to change: it works in even rounds only."""
        tables = [key for key in self.keys.get(member, ()) if key.startswith("power_ups.")]
        if not tables:
            return []
        even = list(range(2, self.rules.play.rounds + 1, 2))  # type: ignore[attr-defined]
        return [{f"{key}.rounds": even for key in tables}, {f"{key}.when": {"rounds": even} for key in tables}]


def _less(value: Any) -> int | None:
    """Return a smaller number; once, where any number of times was allowed."""
    if value == "any":
        return 1
    return value - _step(value) if type(value) is int else None


def _more(value: Any) -> int | None:
    """Return a larger number."""
    return value + _step(value) if type(value) is int else None


def _set(changes: Mapping[str, Any]) -> str:
    """Return the options that change some values."""
    return " ".join(f"--set {shlex.quote(f'{key}={_toml(value)}')}" for key, value in changes.items())


def _toml(value: Any) -> str:
    """Return a value as ``--set`` takes it; nothing takes one out."""
    if value is None:
        return ""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}={_toml(part)}" for key, part in value.items()) + "}"
    return shown(value, 1_000) if isinstance(value, str | bool) else str(value).replace(" ", "")


def _step(value: int) -> int:
    return max(1, abs(value) // PART)


def seated(engine: Engine, seats: Sequence[str | Policy]) -> list[str] | None:
    """Return the options that seat these policies; None where the command line cannot name them."""
    known, names = engine.policies, [seat if isinstance(seat, str) else seat.name for seat in seats]
    if any(name not in known or seat not in (name, known[name]) for name, seat in zip(names, seats, strict=True)):
        return None
    named = names[:1] if len(set(names)) == 1 else names
    return [f"-p {len(names)}", *(f"--policy {shlex.quote(name)}" for name in named)]


def source(rules: Rules) -> str:
    """Return what the command line calls these rules, quoted: a shipped name or their file, or ``""``."""
    names = (rules.game, *(name for name in rule_sets() if name.startswith(f"{rules.game}/")))
    known = {name: load_rules(name) for name in names}
    shipped = {file for one in known.values() for file in one.document.files.values()}
    own = [file for file in dict.fromkeys(rules.document.files.values()) if file not in shipped]
    if all(file.endswith(".toml") for file in own):  # else some values were set otherwise
        for file in own:
            with suppress(UserError):
                if len(own) == 1 or load_rules(Path(file)).fingerprint == rules.fingerprint:
                    return shlex.quote(f"./{file}" if file.startswith("-") else file)  # no option
    return next((name for name, one in known.items() if one.fingerprint == rules.fingerprint), "")


def sets(rules: Rules, base: Rules) -> str:
    """Return the options that make rules of a base, where so few values differ that one would type them; or ``""``."""
    changes = {key: after for key, _, after in rules.differences(base)}
    if 0 < len(changes) <= MOST:
        with suppress(UserError):
            if base.vary(changes).fingerprint == rules.fingerprint:
                return _set(changes)
    return ""


def cards(rules: Rules) -> Levers:
    """Return the tables of Otter's power-ups, by the names that `with_cards` gives them, and of Key Clients."""
    numbers = [int(number) for number in rules.power_ups]  # type: ignore[attr-defined]
    named = with_cards(pd.DataFrame({"power_up": numbers}), rules)
    values = {value.key: value.value for value in rules.values()}
    keys: dict[str, list[str]] = {}
    moved: dict[str, list[str]] = {}
    eased: dict[str, dict[str, int | None]] = {}
    for number, card in zip(numbers, named["card"].astype(str), strict=True):
        table = f"power_ups.{number}"
        keys.setdefault(card, []).append(table)
        pays = [f"{table}.{name}" for name in PAYS if values.get(f"{table}.{name}", 0)]
        moved.setdefault(card, []).extend(pays[:1])
        for name in NEEDS:
            key, many = f"{table}.{name}", values.get(f"{table}.{name}")
            if many and many > 1:  # one card fewer does, and as many still do
                least = key.replace("exactly", "at_least")
                eased.setdefault(card, {}).update({key: None, least: many - 1} if key != least else {key: many - 1})
    for name, card in rules.key_clients.items():  # type: ignore[attr-defined]
        worth = "upgraded_score" if card.type == "upgrade" else "score"
        paid = [f"hands.{hand}.{worth}" for hand in card.hands]
        for called in (name, name.replace("_", " ")):
            keys[called], moved[called] = [f"key_clients.{name}", *paid], paid
    return Levers(rules, keys, moved=moved, eased=eased)


def hands(rules: Rules, prices: pd.DataFrame | None = None) -> Levers:
    """Return what Otter's hands pay; a hand that pays little for how rare it is (above) wants more.

    With ``prices`` (`hand_frequencies.price_against_rarity`) a command sets the score with which a basic hand would
    fit. A new hand, which costs a Key Client card as well, is moved by a small step.
    """
    keys = {str(hand): (f"hands.{hand}.score", f"hands.{hand}.vp") for hand in rules.hands}  # type: ignore[attr-defined]
    known = [] if prices is None else prices[prices["fitting"].notna() & ~prices["new"]].itertuples()
    scores = {str(row.hand): max(0, round(row.score + row.fitting - row.price)) for row in known}
    fitting = {hand: {f"hands.{hand}.score": score} for hand, score in scores.items()}
    return Levers(rules, keys, fitting=fitting, more=False)


def plates(rules: Rules) -> Levers:
    """Return what the grades and abilities of Nightmares give to whom."""
    keys: dict[str, list[str]] = {}
    for key in (value.key for value in rules.values()):
        first, _, rest = key.partition(".")
        if first in ("grades", "abilities"):
            keys.setdefault(rest.partition(".")[0], []).append(f"{first}.{rest.partition('.')[0]}")
    unique = {member: list(dict.fromkeys(some)) for member, some in keys.items()}
    return Levers(rules, unique, moved=dict(_gains(rules)))


def _gains(rules: Rules) -> Iterator[tuple[str, list[str]]]:
    """Yield the number that a card gives more by: the gold of a grade's owner, where there is any, or an ability's."""
    for value in rules.values():
        first, *rest = value.key.split(".")
        if first == "grades" and rest[1:] == ["owner", "gold"] and value.value:
            yield rest[0], [value.key]
        if first == "abilities" and rest[1:] and rest[1] in ABILITIES:
            yield rest[0], [value.key]


def dishes(rules: Rules) -> Levers:
    """Return what the cards of Sushi Go! score."""
    return Levers(rules, SUSHI_GO)


def _starts(key: str, start: str) -> bool:
    return key == start or key.startswith(f"{start}.")
