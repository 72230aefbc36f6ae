"""One game's log as readable lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from sushibalance.games.game import Policy
from sushibalance.games.sushi_go.frames import POINTS
from sushibalance.games.sushi_go.kernel.state import (
    BY_PUDDINGS,
    CARD,
    CARDS,
    END,
    ROUND,
    SCORE,
    SHARED,
    TAKE,
    TURN,
)
from sushibalance.games.sushi_go.rules import SushiGoRules

COLUMNS = (*POINTS, "round", "total", "maki icons", "puddings")


def narrate(log: np.ndarray, rules: SushiGoRules, policies: Sequence[Policy]) -> list[str]:
    """Return one game's log as lines: hands dealt, cards taken, points by kind, the winner."""
    return list(_lines(log, rules, [f"seat {seat} ({policy.name})" for seat, policy in enumerate(policies)]))


def _lines(log: np.ndarray, rules: SushiGoRules, seats: list[str]) -> Iterator[str]:
    width = max(map(len, seats))
    hands: list[Counter[int]] = []
    scores: list[list[int]] = []
    totals = [0] * len(seats)
    ends: list[list[int]] = []
    number = 0
    for event in log:
        kind, seat = int(event["kind"]), int(event["seat"])
        args = [int(value) for value in event["args"]]
        if kind == ROUND:
            number, cards, direction = args[:3]
            yield f"Round {number}: {cards} cards each, hands pass {'left' if direction > 0 else 'right'}"
            hands, scores = [Counter() for _ in seats], []
        elif kind == CARD:
            hands[seat][args[0]] += 1
        elif kind == TURN:
            if args[0] == 1:
                for name, hand in zip(seats, hands, strict=True):
                    yield f"  {name:{width}}  is dealt {_listed(hand)}"
            yield f"  Turn {args[0]}"
        elif kind == TAKE:
            yield f"    {seats[seat]:{width}}  {_taken(args)}"
        elif kind == SCORE:
            totals[seat] += sum(args[:6])
            scores.append([*args[:6], sum(args[:6]), totals[seat], *args[6:8]])
            if len(scores) == len(seats):
                yield from _score_table(seats, scores)
                if rules.pudding.scored == "every_round" or number == rules.rounds:
                    yield from _pudding_lines(seats, scores)
                yield ""
        elif kind == END:
            ends.append(args)
            if len(ends) == len(seats):
                yield from _ending(seats, ends)


def _name(kind: int) -> str:
    return CARDS[kind].replace("_", " ")


def _listed(hand: Counter[int]) -> str:
    return ", ".join(_name(kind) if hand[kind] == 1 else f"{hand[kind]} x {_name(kind)}" for kind in sorted(hand))


def _taken(args: list[int]) -> str:
    first, second, on_wasabi, second_on_wasabi = args[:4]
    text = f"takes {_name(first)}" + (" (on wasabi)" if on_wasabi else "")
    if second:
        text += f" and, with chopsticks, {_name(second - 1)}" + (" (on wasabi)" if second_on_wasabi else "")
    return text


def _puddings(count: int) -> str:
    return f"{count} pudding" + ("" if count == 1 else "s")


def _score_table(seats: list[str], scores: list[list[int]]) -> Iterator[str]:
    width = max(map(len, seats))
    yield f"  {'Points':{width}}" + "".join(f"  {column:>8}" for column in COLUMNS)
    for name, row in zip(seats, scores, strict=True):
        cells = zip(COLUMNS, row, strict=True)
        yield f"  {name:{width}}" + "".join(f"  {value:>{max(8, len(column))}}" for column, value in cells)


def _pudding_lines(seats: list[str], scores: list[list[int]]) -> Iterator[str]:
    counts = [row[COLUMNS.index("puddings")] for row in scores]
    points = [row[COLUMNS.index("pudding")] for row in scores]
    most, fewest = max(counts), min(counts)
    for name, count, score in zip(seats, counts, points, strict=True):
        place = "as all have" if most == fewest else {most: "the most", fewest: "the fewest"}.get(count, "in between")
        yield f"  Puddings: {name} has {count}, {place}: {score:+d}"


def _ending(seats: list[str], ends: list[list[int]]) -> Iterator[str]:
    yield "Result"
    for rank, seat in sorted((end[2], seat) for seat, end in enumerate(ends)):
        yield f"  {rank}. {seats[seat]}: {ends[seat][0]} points, {_puddings(ends[seat][1])}"
    winners = [seat for seat, end in enumerate(ends) if end[3]]
    names = " and ".join(seats[seat] for seat in winners)
    points, puddings = ends[winners[0]][:2]
    decided = ends[0][4]
    if decided == SHARED:
        yield f"{names} share the win: {points} points and {_puddings(puddings)} each."
    elif decided == BY_PUDDINGS:
        tied = [seat for seat, end in enumerate(ends) if end[0] == points and seat not in winners]
        others = " and ".join(f"{seats[seat]} with {ends[seat][1]}" for seat in tied)
        yield f"{names} wins the tie at {points} points by puddings: {puddings}, against {others}."
    else:
        yield f"{names} wins with {points} points."
