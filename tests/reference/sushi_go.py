"""A naive Sushi Go!, written from the rulebook text on puddings and the public rules of the game.

Cards are names in lists, a turn is a turn. It shares no code with the compiled engine and knows only the
rule values (`SushiGoRules`). `play` replays a whole game from the hands dealt and the cards chosen.
"""

from __future__ import annotations

MAKI = ("maki_1", "maki_2", "maki_3")
NIGIRI = ("salmon_nigiri", "squid_nigiri", "egg_nigiri")


class Illegal(Exception):
    """A choice that the rules do not allow."""


def part(points, players, ties):
    """The part of one of ``players`` tied players: an even part without the remainder, or all of it."""
    if ties == "full":
        return points
    even = abs(points) // players
    return even if points > 0 else -even


def maki_points(icons, rules):
    """Most icons, then second most; a tie for most leaves no second award; no icons, no award."""
    points = [0] * len(icons)
    ranking = sorted({count for count in icons if count > 0}, reverse=True)
    if not ranking:
        return points
    first = [seat for seat, count in enumerate(icons) if count == ranking[0]]
    for seat in first:
        points[seat] = part(rules.maki.most, len(first), rules.maki.ties)
    if len(ranking) > 1 and (len(first) == 1 or rules.maki.second_after_tie):
        second = [seat for seat, count in enumerate(icons) if count == ranking[1]]
        for seat in second:
            points[seat] = part(rules.maki.second, len(second), rules.maki.ties)
    return points


def pudding_points(puddings, rules):
    """Most gain, fewest lose (none counts as fewest), ties share; nobody loses with two players."""
    points = [0] * len(puddings)
    if len(set(puddings)) == 1 and rules.readings.all_tied_on_puddings == "nobody_scores":
        return points
    most = [seat for seat, count in enumerate(puddings) if count == max(puddings)]
    fewest = [seat for seat, count in enumerate(puddings) if count == min(puddings)]
    for seat in most:
        points[seat] += part(rules.pudding.most, len(most), rules.pudding.ties_most)
    if len(puddings) > 2 or rules.pudding.penalty_with_two_players:
        for seat in fewest:
            points[seat] += part(rules.pudding.fewest, len(fewest), rules.pudding.ties_fewest)
    return points


class Front:
    """The cards in front of one player in one round, in play order."""

    def __init__(self, rules):
        self.rules = rules
        self.cards = []
        self.nigiri = 0
        self.open_wasabi = []  # the turn in which each was played

    def play(self, card, turn):
        self.cards.append(card)
        if card == "wasabi":
            self.open_wasabi.append(turn)
        if card in NIGIRI:
            usable = [
                played for played in self.open_wasabi if played < turn or self.rules.readings.wasabi_serves == "at_once"
            ]
            value = getattr(self.rules.nigiri, card)
            if usable:
                self.open_wasabi.remove(usable[0])
                value *= self.rules.wasabi.factor
            self.nigiri += value

    def kind_points(self):
        sets = {}
        for kind in ("tempura", "sashimi"):
            of_kind = getattr(self.rules, kind)
            complete = 0
            cards = self.cards.count(kind)
            while cards >= of_kind.cards:
                cards -= of_kind.cards
                complete += 1
            sets[kind] = complete * of_kind.points
        dumplings = self.cards.count("dumpling")
        listed = self.rules.dumpling.points
        dumpling = 0 if dumplings == 0 else (listed[dumplings - 1] if dumplings <= len(listed) else listed[-1])
        return {**sets, "dumpling": dumpling, "nigiri": self.nigiri}

    def icons(self):
        return sum(getattr(self.rules.maki.icons, card) for card in self.cards if card in MAKI)


def tableau_points(cards, rules):
    """The points of cards in play order, one a turn, without the maki and pudding awards."""
    front = Front(rules)
    for turn, card in enumerate(cards):
        front.play(card, turn)
    return sum(front.kind_points().values())


def play(rules, players, deal, choices):
    """Play a whole game.

    ``deal[round][seat]`` is the list of cards dealt; ``choices[round][turn][seat]`` is (card, second card or
    None). Returns a dict with ``rounds`` (per round and seat: points by kind, maki_icons, puddings), ``totals``,
    ``ranks``, ``winners`` (seats) and ``ended_by``.
    """
    puddings = [0] * players
    totals = [0] * players
    rounds = []
    used = []
    for number in range(1, rules.rounds + 1):
        hands = [list(hand) for hand in deal[number - 1]]
        size = {2: rules.deal.two, 3: rules.deal.three, 4: rules.deal.four, 5: rules.deal.five}[players]
        assert [len(hand) for hand in hands] == [size] * players
        for hand in hands:
            used += hand
        fronts = [Front(rules) for _ in range(players)]
        turn = 0
        while any(hands):
            chosen = choices[number - 1][turn]
            for seat in range(players):
                card, second = chosen[seat]
                had_chopsticks = "chopsticks" in fronts[seat].cards
                wanted = [card] if second is None else [card, second]
                for name in wanted:
                    if name not in hands[seat]:
                        raise Illegal(f"round {number} turn {turn + 1} seat {seat}: no {name} in hand")
                    hands[seat].remove(name)
                if second is not None:
                    if not had_chopsticks:
                        raise Illegal(f"round {number} turn {turn + 1} seat {seat}: no chopsticks in front")
                    fronts[seat].cards.remove("chopsticks")
                    hands[seat].append("chopsticks")
                for name in wanted:
                    fronts[seat].play(name, turn)
                    puddings[seat] += name == "pudding"
            left = rules.readings.passing == "left" or (rules.readings.passing == "alternating" and number % 2 == 1)
            if left:
                hands = [hands[-1], *hands[:-1]]  # the hand of seat s goes to seat s + 1
            else:
                hands = [*hands[1:], hands[0]]
            turn += 1
        assert turn == len(choices[number - 1])
        maki = maki_points([front.icons() for front in fronts], rules)
        last = number == rules.rounds
        if last or rules.pudding.scored == "every_round":
            pudding = pudding_points(puddings, rules)
        else:
            pudding = [0] * players
        rows = []
        for seat in range(players):
            row = {**fronts[seat].kind_points(), "maki": maki[seat], "pudding": pudding[seat]}
            totals[seat] += sum(row.values())
            rows.append({**row, "maki_icons": fronts[seat].icons(), "puddings": puddings[seat]})
        rounds.append(rows)
    for kind in set(used):
        assert used.count(kind) <= getattr(rules.deck, kind), kind
    order = sorted(range(players), key=lambda seat: (totals[seat], puddings[seat]), reverse=True)
    standing = [(totals[seat], puddings[seat]) for seat in order]
    ranks = [standing.index((totals[seat], puddings[seat])) + 1 for seat in range(players)]
    winners = [seat for seat in range(players) if ranks[seat] == 1]
    if len(winners) > 1:
        ended_by = "shared"
    elif totals.count(max(totals)) > 1:
        ended_by = "puddings"
    else:
        ended_by = "points"
    return {"rounds": rounds, "totals": totals, "ranks": ranks, "winners": winners, "ended_by": ended_by}
