"""One game of Nightmares of Sushi as readable lines, from the engine's log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from sushibalance.games.game import Policy
from sushibalance.games.nightmares.kernel import state as s
from sushibalance.games.nightmares.rules import NightmaresRules

ABILITY_TITLES = ("Fortune Cat", "Ninjutsu Chin", "Swelling Tongue", "What's Up? Wasabi", "Where's the Sauce?")

Event = tuple[int, int, list[int]]
Points = tuple[int, int]
"""Gold and penalty points."""


def narrate(log: np.ndarray, rules: NightmaresRules, policies: Sequence[Policy]) -> list[str]:
    """Return the lines of one game; seats and chefs count from 0, rounds from 1.

    A round tells who served and chose what, what each ability card did, what each plate gave, and the sums of
    points.
    """
    events = [(int(event["kind"]), int(event["seat"]), [int(arg) for arg in event["args"]]) for event in log]
    return list(_Story(rules, policies).told(events))


class _Story:
    """Turns events into lines, keeping what a reader would keep in mind: points, abilities, the starting player."""

    def __init__(self, rules: NightmaresRules, policies: Sequence[Policy]):
        self.rules = rules
        self.policies = policies
        self.grades = list(rules.grades)
        self.starter = 0
        self.points: list[Points] = [(0, 0)] * len(policies)
        self.ability = [s.NOTHING] * (s.MAX_SEATS + 1)
        self.gains: list[list[tuple[str, Points]]] = [[] for _ in policies]
        self.works: dict[tuple[int, str], list[str]] = {}

    def told(self, events: Sequence[Event]) -> Iterator[str]:
        """Yield the lines: neighbouring events of a kind make a paragraph."""
        tell = {
            s.SETUP: self._start, s.CHEF_CARD: self._chefs, s.ASIDE: self._aside, s.ROUND: self._round,
            s.SERVES: self._choices, s.CAT: self._abilities, s.MEAL: self._meals, s.SCORE: self._scores,
            s.TOKEN: self._token, s.END: self._end, s.PLACE: self._result,
        }  # fmt: skip
        paragraph = {kind: kind for kind in tell} | {s.EATS: s.SERVES, s.CHIN: s.CAT, s.SAUCE: s.CAT}
        for kind, group in groupby(events, key=lambda event: paragraph[event[0]]):
            yield from tell[kind](list(group))

    def _start(self, events: list[Event]) -> Iterator[str]:
        ((_, self.starter, _),) = events
        yield ", ".join(f"seat {seat}: {policy.name}" for seat, policy in enumerate(self.policies))
        yield ""
        yield f"Starting player: seat {self.starter}."

    def _chefs(self, events: list[Event]) -> Iterator[str]:
        cards = [(place, self._chef_points(card)) for *_, (place, card, *_) in events]
        there = [f"chef {place} ({_said(points)})" for place, points in cards if place != s.NOTHING]
        gone = [_said(points) for place, points in cards if place == s.NOTHING]
        yield f"Face down on the table: {', '.join(there) or 'no chef'}." + (
            f" Left out: {', '.join(gone)}." if gone else ""
        )

    def _aside(self, events: list[Event]) -> Iterator[str]:
        yield f"Set aside: {', '.join(f'{self._who(seat)} {self.grades[args[0]]}' for _, seat, args in events)}."

    def _round(self, events: list[Event]) -> Iterator[str]:
        ((_, self.starter, args),) = events
        self.gains = [[] for _ in self.policies]
        self.works = {}
        yield ""
        yield f"Round {args[0]}. Starting player: seat {self.starter}"

    def _choices(self, events: list[Event]) -> Iterator[str]:
        served = {}
        for kind, seat, (grade, ability, *_) in events:
            if kind == s.SERVES:
                self.ability[seat] = ability
                played = "" if ability == s.NOTHING else f" with {ABILITY_TITLES[ability]}"
                served[seat] = f"{self.grades[grade]}{played}"
        how = "clockwise from the starting player" if self.rules.readings.eating == "in_turn" else "all at once"
        yield f"  Serve, then choose what to eat, {how}"
        chosen = {seat: args[0] for kind, seat, args in events if kind == s.EATS}
        for seat in [*chosen, *(seat for seat in served if seat not in chosen)]:
            wants = f", chooses {self._dish(chosen[seat])}" if seat in chosen else ""
            yield f"    {self._who(seat)} serves {served[seat]}{wants}"

    def _abilities(self, events: list[Event]) -> Iterator[str]:
        """Note what Fortune Cat, Ninjutsu Chin and Where's the Sauce? do; `_meals` tells it."""
        for kind, seat, (a, b, c, *_) in events:
            if kind == s.CAT:
                self._note(seat, f"{a} penalty become{'s' if a == 1 else ''} gold ({_played(b)})")
                self._gain(seat, "Fortune Cat", (a, -a))
            elif kind == s.SAUCE:
                self._note(seat, f"{a} gold" if a else self._too_many(s.WHERES_THE_SAUCE))
                self._gain(seat, "Where's the Sauce?", (a, 0))
            elif a == s.NOTHING:
                self._note(seat, self._too_many(s.NINJUTSU_CHIN))
            else:
                whom = "itself" if a == seat else self._who(a)
                self._note(seat, f"{_said((b, c))} for {whom}" + (", by the Swelling Tongue there" if b else ""))
                self._gain(a, "Ninjutsu Chin", (b, c))
        yield from ()

    def _meals(self, events: list[Event]) -> Iterator[str]:
        readings, factor = self.rules.readings, self.rules.abilities.whats_up_wasabi.factor
        for seat in range(len(self.policies)):
            if self.ability[seat] == s.SWELLING_TONGUE:
                whose = "" if readings.swelling_tongue == "every_plate" else " from others"
                self._note(seat, f"gold eaten{whose} counts as penalty, penalty as gold")
            elif self.ability[seat] == s.WHATS_UP_WASABI:
                whose = "" if readings.whats_up_wasabi == "every_plate" else " from others"
                self._note(seat, f"what is eaten{whose} counts {factor} times")
        if self.works:
            yield "  Ability cards"
            for (ability, effect), seats in self.works.items():
                yield f"    {ABILITY_TITLES[ability]} ({', '.join(seats)}): {effect}"
        yield "  Eaten"
        for _, seat, (dish, card, gold, penalty, *_) in events:
            plain, change = self._plain(seat, dish, card)
            what = f"its own {self.grades[card]}, which nobody chose" if dish == seat else self._card(dish, card)
            after = f" {change} {_said((gold, penalty))}" if change else ""
            yield f"    {self._who(seat)} eats {what}: {_said(plain)}{after}"
            self._gain(seat, "own " + self.grades[card] if dish == seat else self._card(dish, card), (gold, penalty))

    def _plain(self, seat: int, dish: int, card: int) -> tuple[Points, str]:
        """Return what a dish gives by itself, and what the eater's ability does to it."""
        readings, own = self.rules.readings, dish == seat
        if dish >= s.CHEF:
            plain = self._chef_points(card)
        else:
            grade = self.rules.grades[self.grades[card]]
            award = grade.owner if own else grade.eater
            plain = award.gold, award.penalty
        change = ""
        if self.ability[seat] == s.SWELLING_TONGUE and (not own or readings.swelling_tongue == "every_plate"):
            change = "swapped to"
        elif self.ability[seat] == s.WHATS_UP_WASABI and (not own or readings.whats_up_wasabi == "every_plate"):
            change = f"times {self.rules.abilities.whats_up_wasabi.factor} is"
        return plain, change if any(plain) else ""

    def _scores(self, events: list[Event]) -> Iterator[str]:
        yield "  Points"
        for _, seat, (gold, penalty, *_) in events:
            sums = []
            for at, (name, now) in enumerate((("gold", gold), ("penalty", penalty))):
                parts = [(points[at], what) for what, points in self.gains[seat] if points[at]]
                terms = "".join(f" {'-' if count < 0 else '+'} {abs(count)} ({what})" for count, what in parts)
                sums.append(f"{self.points[seat][at]}{terms} = {now} {name}" if parts else f"{now} {name}")
            yield f"    {self._who(seat)}: {', '.join(sums)}"
            self.points[seat] = gold, penalty

    def _token(self, events: list[Event]) -> Iterator[str]:
        ((_, seat, _),) = events
        gold = self.points[seat][0]
        level = [f"seat {other}" for other, points in enumerate(self.points) if points[0] == gold and other != seat]
        like = f", like {', '.join(level)}; {self._clockwise()} it comes first" if level else ""
        yield f"  Next starting player: seat {seat}, with the most gold ({gold}){like}"

    def _end(self, events: list[Event]) -> Iterator[str]:
        ((*_, (ending, *_)),) = events
        yield ""
        if ending == s.PENALTY_VICTORY:
            yield f"Result: penalty victory, {self.rules.penalty_victory} penalty points or more"
        else:
            yield "Result: gold victory, the best final score (gold - penalty)"

    def _result(self, events: list[Event]) -> Iterator[str]:
        places = sorted((args[1], seat, args[0], args[2]) for _, seat, args in events)
        for rank, seat, total, won in places:
            gold, penalty = self.points[seat]
            yield f"  {rank}. seat {seat}: {gold} gold - {penalty} penalty = {total}{', wins' if won else ''}"
        for total, group in groupby((place for place in places if not self._hunted(place[1])), key=lambda one: one[2]):
            tied = [f"seat {seat}" for _, seat, *_ in group]
            if len(tied) > 1:
                order = f"fewer penalty points first, then {self._clockwise()}"
                yield f"  Equal at {total}: {', then '.join(tied)} ({order})."

    def _hunted(self, seat: int) -> bool:
        """Tell whether a seat has the penalty points of the penalty victory."""
        needed = self.rules.penalty_victory
        return needed != "none" and self.points[seat][1] >= needed

    def _note(self, seat: int, effect: str) -> None:
        self.works.setdefault((self.ability[seat], effect), []).append(self._who(seat))

    def _gain(self, seat: int, what: str, points: Points) -> None:
        self.gains[seat].append((what, points))

    def _too_many(self, ability: int) -> str:
        abilities = self.rules.abilities
        works = abilities.ninjutsu_chin if ability == s.NINJUTSU_CHIN else abilities.wheres_the_sauce
        count = self.ability[: len(self.policies)].count(ability)
        return f"nothing, as {_played(count)} and it works for at most {works.at_most}"

    def _clockwise(self) -> str:
        after = "from" if self.rules.readings.ties == "starter_first" else "after"
        return f"clockwise {after} seat {self.starter}"

    def _chef_points(self, card: int) -> Points:
        points = self.rules.chefs.points[card]
        return max(points, 0), max(-points, 0)

    def _who(self, seat: int) -> str:
        return f"seat {seat}" if seat < len(self.policies) else "third seat"

    def _dish(self, dish: int) -> str:
        return f"chef {dish - s.CHEF}" if dish >= s.CHEF else f"{self._who(dish)}'s plate"

    def _card(self, dish: int, card: int) -> str:
        return f"chef {dish - s.CHEF}" if dish >= s.CHEF else f"{self._who(dish)}'s {self.grades[card]}"


def _played(count: int) -> str:
    return f"{count} {'was' if count == 1 else 'were'} played"


def _said(points: Points) -> str:
    parts = [f"{count} {name}" for count, name in zip(points, ("gold", "penalty"), strict=True) if count]
    return " and ".join(parts) or "nothing"
