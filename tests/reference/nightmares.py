"""Nightmares of Sushi, played slowly and plainly from the rulebook.

It shares no code with the compiled engine and reads the rules as the designer wrote them. It is given
what chance and the players decided, checks that all of it is allowed, and works out the rest.
Section names in quotes are the rulebook's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field


class Illegal(Exception):
    """A choice that the rules do not allow."""


@dataclass
class Decisions:
    """All that chance and the players decide in one game.

    ``chefs`` are the signed values on the table by place; the others stayed out. The third seat of two
    players has the number 2 in ``aside`` and ``serve``. ``serve`` holds (grade, ability or None),
    ``eat`` holds ("player", seat) or ("chef", place), by (round, seat); rounds count from 1.
    """

    starter: int
    chefs: list[int]
    aside: dict[int, str] = field(default_factory=dict)
    serve: dict[tuple[int, int], tuple[str, str | None]] = field(default_factory=dict)
    eat: dict[tuple[int, int], tuple[str, int]] = field(default_factory=dict)
    target: dict[tuple[int, int], int] = field(default_factory=dict)


@dataclass
class Round:
    """What happened in a round; gold and penalty are running points after it."""

    starter: int
    served: list[str]
    abilities: list[str | None]
    eaten: list[tuple[str, int]]
    targets: list[int | None]
    ate_own: list[bool]
    gold: list[int]
    penalty: list[int]


@dataclass
class Game:
    """A game and its result."""

    rounds: list[Round]
    ended_by: str
    totals: list[int]
    ranks: list[int]
    winners: list[int]


def clockwise(rules, starter: int, players: int) -> list[int]:
    """Return the seats in the order in which a tie is looked at (reading N8)."""
    ring = [(starter + step) % players for step in range(players)]
    return ring if rules.readings.ties == "starter_first" else [*ring[1:], ring[0]]


def plate(rules, grade: str, by_owner: bool) -> Counter:
    """Return what a sushi card gives ("Scoring")."""
    award = rules.grades[grade].owner if by_owner else rules.grades[grade].eater
    return Counter(gold=award.gold, penalty=award.penalty)


def chef_plate(value: int) -> Counter:
    """Return what a chef card gives."""
    return Counter(gold=value) if value > 0 else Counter(penalty=-value)


def altered(rules, points: Counter, ability: str | None, own: bool) -> Counter:
    """Return the points of a meal after the player's ability ("Ability Card Descriptions", reading N6)."""
    if ability == "whats_up_wasabi" and (not own or rules.readings.whats_up_wasabi == "every_plate"):
        factor = rules.abilities.whats_up_wasabi.factor
        return Counter(gold=points["gold"] * factor, penalty=points["penalty"] * factor)
    if ability == "swelling_tongue" and (not own or rules.readings.swelling_tongue == "every_plate"):
        return Counter(gold=points["penalty"], penalty=points["gold"])
    return points


def resolve(
    rules,
    served: list[str],
    abilities: list[str | None],
    eaten: list[tuple[str, int]],
    standing: list[int],
    chefs: list[int],
    target_of: Callable[[int], int],
    order: list[int],
) -> tuple[list[int], list[int], list[int | None], list[bool]]:
    """Return the changes of gold and penalty, the targets, and who ate the own sushi ("Reveal Cards", "Scoring").

    ``standing`` are the penalty points before the round, ``target_of(seat)`` is asked in ``order`` when
    a Ninjutsu Chin takes effect.
    """
    players = len(abilities)
    gold, penalty = [0] * players, [0] * players
    targets: list[int | None] = [None] * players

    def users(name: str) -> list[int]:
        return [seat for seat in range(players) if abilities[seat] == name]

    def fortune_cats() -> None:
        cats = users("fortune_cat")
        for seat in cats:
            each = rules.abilities.fortune_cat.converts
            wanted = each * len(cats) if rules.readings.fortune_cat == "per_cat_played" else each
            for _ in range(wanted):
                if standing[seat] + penalty[seat] > 0:
                    penalty[seat] -= 1
                    gold[seat] += 1

    def ninjutsu_chins() -> None:
        chins = users("ninjutsu_chin")
        if len(chins) > rules.abilities.ninjutsu_chin.at_most:
            return
        for seat in order:
            if seat in chins:
                target = target_of(seat)
                if target not in range(players):
                    raise Illegal(f"seat {seat} aims at {target}")
                targets[seat] = target
                swapped = rules.readings.ninjutsu_chin_point == "swapped" and abilities[target] == "swelling_tongue"
                (gold if swapped else penalty)[target] += rules.abilities.ninjutsu_chin.penalty

    def sauces() -> None:
        pourers = users("wheres_the_sauce")
        if len(pourers) <= rules.abilities.wheres_the_sauce.at_most:
            for seat in pourers:
                gold[seat] += rules.abilities.wheres_the_sauce.gold

    if rules.readings.fortune_cat_order == "first":
        steps = [fortune_cats, ninjutsu_chins, sauces]
    else:
        steps = [ninjutsu_chins, fortune_cats, sauces]
    for step in steps:
        step()

    ate_own = []
    for seat in range(players):
        kind, index = eaten[seat]
        meal = chef_plate(chefs[index]) if kind == "chef" else plate(rules, served[index], by_owner=False)
        meals = [altered(rules, meal, abilities[seat], own=False)]
        ate_own.append(("player", seat) not in eaten)
        if ate_own[seat]:
            meals.append(altered(rules, plate(rules, served[seat], by_owner=True), abilities[seat], own=True))
        gold[seat] += sum(points["gold"] for points in meals)
        penalty[seat] += sum(points["penalty"] for points in meals)
    return gold, penalty, targets, ate_own


def final_ranks(rules, gold: list[int], penalty: list[int], winners: list[int], last_starter: int) -> list[int]:
    """Return the ranks ("End Game Victory Condition" 1 and 2): penalty winners share the first."""
    players = len(gold)
    nearness = clockwise(rules, last_starter, players)
    rest = [seat for seat in range(players) if seat not in winners]
    rest.sort(key=lambda seat: (penalty[seat] - gold[seat], penalty[seat], nearness.index(seat)))
    ranks = [1] * players
    for place, seat in enumerate(rest, start=len(winners) + 1):
        ranks[seat] = place
    return ranks


def play(rules, players: int, decisions: Decisions) -> Game:
    """Play one game by the given decisions.

    Raises
    ------
    Illegal
        For a card that is not there, a plate that may not be eaten, or a target that is no player.
    """
    plates = players + (players == 2 and rules.readings.two_players == "third_seat")
    hands = [Counter({name: grade.cards for name, grade in rules.grades.items()}) for _ in range(plates)]
    held = [
        Counter({name: getattr(rules.abilities, name).cards for name in type(rules.abilities).model_fields})
        for _ in range(players)
    ]
    chefs = dict(enumerate(decisions.chefs))
    if len(chefs) != rules.chefs.on_table or Counter(decisions.chefs) - Counter(rules.chefs.points):
        raise Illegal(f"chefs {decisions.chefs}")

    def use_up(cards: Counter, name: str) -> None:
        if cards[name] < 1:
            raise Illegal(f"no {name} left")
        cards[name] -= 1

    if rules.readings.set_aside != "none":
        for seat in range(plates):
            use_up(hands[seat], decisions.aside[seat])

    gold, penalty = [0] * players, [0] * players
    starter = decisions.starter
    rounds: list[Round] = []
    winners: list[int] = []
    for number in range(1, rules.rounds + 1):
        order = [(starter + step) % players for step in range(players)]
        served, abilities = [], []
        for seat in range(plates):
            grade, ability = decisions.serve[number, seat]
            use_up(hands[seat], grade)
            served.append(grade)
            if seat < players:
                abilities.append(ability)
                if ability is not None:
                    use_up(held[seat], ability)
        eaten = [decisions.eat[number, seat] for seat in range(players)]
        for seat, (kind, index) in enumerate(eaten):
            allowed = index in chefs if kind == "chef" else index in range(plates) and index != seat
            if not allowed:
                raise Illegal(f"seat {seat} eats {kind} {index}")

        def target_of(seat: int, number: int = number) -> int:
            if (number, seat) not in decisions.target:
                raise Illegal(f"seat {seat} has no target")
            return decisions.target[number, seat]

        more, worse, targets, ate_own = resolve(
            rules, served, abilities, eaten, penalty, [chefs.get(i, 0) for i in range(8)], target_of, order
        )
        gold = [a + b for a, b in zip(gold, more, strict=True)]
        penalty = [a + b for a, b in zip(penalty, worse, strict=True)]
        rounds.append(Round(starter, served, abilities, eaten, targets, ate_own, list(gold), list(penalty)))

        if rules.readings.chosen_chef == "leaves":
            for index in {index for kind, index in eaten if kind == "chef"}:
                del chefs[index]

        looked_at = rules.readings.penalty_victory == "each_round" or number == rules.rounds
        if rules.penalty_victory != "none" and looked_at:
            winners = [seat for seat in range(players) if penalty[seat] >= rules.penalty_victory]
        if winners:
            break
        if number < rules.rounds:
            starter = next(seat for seat in clockwise(rules, starter, players) if gold[seat] == max(gold))

    ranks = final_ranks(rules, gold, penalty, winners, starter)
    return Game(
        rounds=rounds,
        ended_by="penalty_victory" if winners else "gold_victory",
        totals=[a - b for a, b in zip(gold, penalty, strict=True)],
        ranks=ranks,
        winners=[seat for seat in range(players) if ranks[seat] == 1],
    )
