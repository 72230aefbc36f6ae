"""Where in the rule file a finding can be acted on, and one command to try.

Keys are those of the rules at hand, and a command is named only if these rules can be played with its change.
"""

from __future__ import annotations

import html
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from sushibalance.analysis.tables import with_cards
from sushibalance.errors import UserError
from sushibalance.games.registry import load_rules, rule_sets
from sushibalance.rules import Rules

MOST = 4  # keys that are named
PART = 4  # a number moves by so small a part of itself, but by 1 at least
# What a card of Otter does by how much: the first of these in its table is what the command changes.
PAYS = ("vp", "score", "vp_each", "score_each", "hand_limit", "times")
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
    more : bool
        A larger number makes what is judged larger.
    """

    rules: Rules
    keys: Mapping[str, Sequence[str]] = field(default_factory=dict)
    every: Sequence[str] = ()
    moved: Mapping[str, Sequence[str]] = field(default_factory=dict)
    more: bool = True

    def said(self, members: Sequence[Any], verdict: str) -> str:
        """Return where to look for members that lie above or below, and a command that moves the first of them back."""
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
        for member in map(str, members):
            if command := self.command(member, verdict):
                return f"{text} To try: <code>{html.escape(command)}</code>"
        return text

    def command(self, member: str, verdict: str) -> str:
        """Return a command that plays the game with a member moved back towards its margin, or ``""``."""
        values = {value.key: value.value for value in self.rules.values()}
        keys = self.moved.get(member, self.keys.get(member, self.every)[:1])
        step = _less if (verdict == "above") == self.more else _more
        weaker = self.every_other_round(member) if verdict == "above" else []
        for changes in ({key: step(values.get(key)) for key in keys}, *weaker):
            if changes and None not in changes.values():
                with suppress(UserError):
                    self.rules.vary(dict(changes))
                    sets = [shlex.quote(f"{key}={_toml(value)}") for key, value in changes.items()]
                    return f"sushibalance compare {source(self.rules)} " + " ".join(f"--set {one}" for one in sets)
        return ""

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


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}={_toml(part)}" for key, part in value.items()) + "}"
    return str(value).replace(" ", "")


def _step(value: int) -> int:
    return max(1, abs(value) // PART)


def source(rules: Rules) -> str:
    """Return what the command line calls these rules: a shipped name, or FILE.toml."""
    for name in (rules.game, *(name for name in rule_sets() if name.startswith(f"{rules.game}/"))):
        if load_rules(name).fingerprint == rules.fingerprint:
            return name
    return "FILE.toml"


def cards(rules: Rules) -> Levers:
    """Return the tables of Otter's power-ups, by the names that `with_cards` gives them, and of Key Clients."""
    numbers = [int(number) for number in rules.power_ups]  # type: ignore[attr-defined]
    named = with_cards(pd.DataFrame({"power_up": numbers}), rules)
    values = {value.key: value.value for value in rules.values()}
    keys: dict[str, list[str]] = {}
    moved: dict[str, list[str]] = {}
    for number, card in zip(numbers, named["card"].astype(str), strict=True):
        table = f"power_ups.{number}"
        keys.setdefault(card, []).append(table)
        pays = [f"{table}.{name}" for name in PAYS if values.get(f"{table}.{name}", 0)]
        moved.setdefault(card, []).extend(pays[:1])
    for name, card in rules.key_clients.items():  # type: ignore[attr-defined]
        worth = "upgraded_score" if card.type == "upgrade" else "score"
        paid = [f"hands.{hand}.{worth}" for hand in card.hands]
        for called in (name, name.replace("_", " ")):
            keys[called], moved[called] = [f"key_clients.{name}", *paid], paid
    return Levers(rules, keys, moved=moved)


def hands(rules: Rules) -> Levers:
    """Return what Otter's hands pay; a hand that pays little for how rare it is (above) wants more."""
    keys = {str(hand): (f"hands.{hand}.score", f"hands.{hand}.vp") for hand in rules.hands}  # type: ignore[attr-defined]
    return Levers(rules, keys, more=False)


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
