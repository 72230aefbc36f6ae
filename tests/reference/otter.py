"""One reveal of Sushi Otter in plain Python, as the rulebook tells it: slow, readable, without the kernel.

A card is ``(suit, number)``. Readings O1 to O8 are those of the rule set; section names are the rulebook's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

Card = tuple[str, int]
Cards = tuple[Card, ...]
FAR = 1000  # numbers from here on are far from all others


@dataclass(frozen=True)
class Player:
    """What lies in front of a player: power-ups by number, and the hands that Key Clients upgrade or teach."""

    power_ups: tuple[int, ...] = ()
    upgrades: tuple[str, ...] = ()
    new_hands: tuple[str, ...] = ()


def power_ups(rules, player, kind):
    """Return {number: card} of a player's power-ups of one type."""
    cards = {number: rules.power_ups[str(number)] for number in player.power_ups}
    return {number: card for number, card in cards.items() if card.type == kind}


# ---------------------------------------------------------------- marks and conditions


def numbers_meant(numbers, rules) -> set[int]:
    """Return the printed numbers that ``"odd"``, ``"even"``, ``"2-4"`` or a list means (O3: no others)."""
    printed = range(1, rules.deck.numbers + 1)
    if numbers == "odd":
        return {number for number in printed if number % 2 == 1}
    if numbers == "even":
        return {number for number in printed if number % 2 == 0}
    if isinstance(numbers, str):
        low, high = numbers.split("-")
        return {number for number in printed if int(low) <= number <= int(high)}
    return {number for number in printed if number in numbers}


def is_marked(card: Card, marks, rules) -> bool:
    """Tell whether a card bears the marker of a condition or of an arrow."""
    suit, number = card
    if marks.suits is not None and suit not in marks.suits:
        return False
    return marks.numbers is None or number in numbers_meant(marks.numbers, rules)


def counted(cards: Iterable[Card], condition, rules) -> int:
    """Return the count that a condition compares."""
    marked = [card for card in cards if is_marked(card, condition.marks, rules)]
    if condition.count == "cards":
        return len(marked)
    if condition.count == "different_suits":
        return len({suit for suit, _ in marked})
    of_a_number = Counter(number for _, number in marked)
    return len(of_a_number) if condition.count == "different_numbers" else max(of_a_number.values(), default=0)


def within(count: int, condition) -> bool:
    """Tell whether a count is what a condition asks for."""
    if condition.exactly is not None:
        return count == condition.exactly
    if condition.at_least is not None and count < condition.at_least:
        return False
    return condition.at_most is None or count <= condition.at_most


def holds(cards: Cards, condition, rules, round_number: int) -> bool:
    """Tell whether a condition holds for the cards in a round."""
    if condition.rounds is not None and round_number not in condition.rounds:
        return False
    if condition.revealed is not None and len(cards) != condition.revealed:
        return False
    return within(counted(cards, condition, rules), condition)


# ---------------------------------------------------------------- hands


def needed(hand, rules, player) -> tuple[int, int, int]:
    """Return how many cards the flush and the run of a hand need, and how many gaps the run may have (O4, O5)."""
    flush = run = hand.cards
    gaps = 0
    for card in power_ups(rules, player, "passive").values():
        flush = min(flush, card.flush_cards or flush)
        run = min(run, card.run_cards or run)
        gaps += card.run_gaps
    if run < hand.cards and not rules.readings.gap_in_lowered_run:
        gaps = 0
    return flush, run, gaps


def shows_groups(cards: Iterable[Card], groups: Sequence[int], rules) -> bool:
    """Tell whether the numbers fall into these groups; by O1 into exactly these."""
    sizes = sorted((size for size in Counter(number for _, number in cards).values() if size >= 2), reverse=True)
    wanted = sorted(groups, reverse=True)
    if rules.readings.kinds == "exact":
        return sizes == wanted
    return len(sizes) >= len(wanted) and all(size >= want for size, want in zip(sizes, wanted, strict=False))


def shows_straight(cards: Iterable[Card], need: int, gaps: int, rules) -> bool:
    """Tell whether ``need`` different numbers follow each other, with at most ``gaps`` values missing inside."""
    numbers = {number for _, number in cards}
    if rules.readings.straights == "printed_numbers":
        numbers &= set(range(1, rules.deck.numbers + 1))
    return any(max(some) - min(some) + 1 <= need + gaps for some in combinations(numbers, need))


def shows_fibonacci(cards: Iterable[Card], need: int, gaps: int, rules) -> bool:
    """Tell whether ``need`` numbers are a stretch of the Fibonacci row, at most ``gaps`` inner entries missing."""
    numbers = sorted(number for _, number in cards)
    row = rules.fibonacci
    for missing in range(gaps + 1):
        for start in range(len(row) - need - missing + 1):
            stretch = row[start : start + need + missing]
            for left_out in combinations(range(1, len(stretch) - 1), missing):
                wanted = sorted(number for place, number in enumerate(stretch) if place not in left_out)
                if any(list(some) == wanted for some in combinations(numbers, need)):
                    return True
    return False


def shows_suit(cards: Iterable[Card], need: int) -> bool:
    """Tell whether ``need`` cards are of one suit."""
    return max(Counter(suit for suit, _ in cards).values(), default=0) >= need


def forms(cards: Cards, hand, rules, player) -> bool:
    """Tell whether revealed cards form a hand (Hand Details), not counting a hand for everything else."""
    flush, run, gaps = needed(hand, rules, player)
    parts: list[tuple[int, Callable[[Cards], bool]]] = []
    if hand.run == "straight":
        parts.append((run, lambda some: shows_straight(some, run, gaps, rules)))
    if hand.run == "fibonacci":
        parts.append((run, lambda some: shows_fibonacci(some, run, gaps, rules)))
    if hand.same_suit:
        parts.append((flush, lambda some: shows_suit(some, flush)))
    if hand.numbers is not None:
        fitting = numbers_meant(hand.numbers, rules)
        parts.append((hand.cards, lambda some: sum(number in fitting for _, number in some) >= hand.cards))
    if hand.different == "numbers":
        parts.append((hand.cards, lambda some: len({number for _, number in some}) >= hand.cards))
    if hand.different == "suits":
        parts.append((hand.cards, lambda some: len({suit for suit, _ in some}) >= hand.cards))
    if hand.groups and not shows_groups(cards, hand.groups, rules):
        return False
    if rules.readings.lowered_parts == "apart" or not parts:
        return all(shown(cards) for _, shown in parts)
    size = max(need for need, _ in parts)
    return any(all(shown(some) for _, shown in parts) for some in combinations(cards, size))


def hands_formed(cards: Cards, rules, player: Player = Player()) -> list[str]:
    """Return the hands that a player may declare, ``highest_score`` (O2) apart."""
    taught = {name for client in rules.key_clients.values() if client.type == "new_hand" for name in client.hands}
    usable = {name: hand for name, hand in rules.hands.items() if name not in taught or name in player.new_hands}
    formed = [name for name, hand in usable.items() if not hand.otherwise and forms(cards, hand, rules, player)]
    if not formed or rules.readings.no_hand == "always":
        formed += [name for name, hand in usable.items() if hand.otherwise]
    return formed


def worth(name: str, rules, player: Player = Player()) -> tuple[int, int]:
    """Return (score, VP) of a hand, by its upgrade where the player has that."""
    hand = rules.hands[name]
    return (hand.upgraded_score, hand.upgraded_vp) if name in player.upgrades else (hand.score, hand.vp)


def declarable(cards: Cards, rules, player: Player = Player()) -> list[str]:
    """Return the hands that a player may declare with these final cards (O1, O2)."""
    formed = hands_formed(cards, rules, player)
    if rules.readings.declared_hand == "highest_score":
        best = max(worth(name, rules, player) for name in formed)
        return [name for name in formed if worth(name, rules, player) == best]
    return formed


# ---------------------------------------------------------------- score


def gain(cards: Cards, declared: str, card, rules, round_number: int) -> tuple[int, int]:
    """Return (score, VP) that a Score power-up must add for the final cards."""
    hand = rules.hands[declared]
    if card.hands is not None and declared not in card.hands:
        return 0, 0
    if card.categories is not None:
        shown = {"straight": hand.run == "straight", "fibonacci": hand.run == "fibonacci", "flush": hand.same_suit}
        if not any(shown[category] for category in card.categories):
            return 0, 0
    if not holds(cards, card, rules, round_number):
        return 0, 0
    count = counted(cards, card, rules)
    score = card.score + count * card.score_each
    if card.score_by_count and count > 0:
        score += card.score_by_count[min(count, len(card.score_by_count)) - 1]
    return score, card.vp + count * card.vp_each


def icons(printed: Iterable[Card], rules) -> int:
    """Return the score printed on the revealed cards, whatever Change cards made of them."""
    return sum(rules.card_scores[suit][str(number)] for suit, number in printed)


def score(
    printed: Cards, final: Cards, declared: str, rules, player: Player = Player(), round_number: int = 1
) -> tuple[int, int]:
    """Return (score, VP) of a reveal: hand, printed icons, Score power-ups (II, step 3)."""
    total, vp = worth(declared, rules, player)
    total += icons(printed, rules)
    for card in power_ups(rules, player, "score").values():
        more, more_vp = gain(final, declared, card, rules, round_number)
        total, vp = total + more, vp + more_vp
    return total, vp


# ---------------------------------------------------------------- Change cards


def _results(card: Card, conversion, x: int | None, anywhere: Iterable[int], rules) -> Iterator[Card]:
    """Yield what one arrow can make of one card; numbers for ``"any"`` are taken from ``anywhere``."""
    suit, number = card
    if not is_marked(card, conversion.cards, rules):
        return
    to, printed = conversion.to, range(1, rules.deck.numbers + 1)
    limited = rules.readings.numbers_by_change == "printed_numbers"
    if to.numbers == "any":
        numbers = [value for value in anywhere if value in printed or not limited]
    elif to.numbers is not None:
        numbers = list(numbers_meant(to.numbers, rules))
    elif to.add is not None:
        numbers = [number + to.add] if number + to.add in printed or not limited else []
    else:
        numbers = [number]
    if to.other_than_x:
        numbers = [value for value in numbers if value != x]
    if to.suits is None:
        suits = [suit]
    elif to.suits == "any":
        suits = [name for name in rules.deck.suits if name not in rules.readings.never_by_change]
    else:
        suits = to.suits
    for result in product(suits, numbers):
        if result != card:
            yield result


def _uses(cards: Cards, power_up: int, rules, round_number: int, revealed: Cards, anywhere) -> set[Cards]:
    card = rules.power_ups[str(power_up)]
    seen = cards if rules.readings.change_conditions == "current" else revealed
    if not holds(seen, card.when, rules, round_number):
        return set()
    xs: list[int | None] = [None]
    if card.when.count == "same_number":
        of_a_number = Counter(number for suit, number in seen if is_marked((suit, number), card.when.marks, rules))
        xs = [number for number, count in of_a_number.items() if within(count, card.when)] or xs  # "=0" names no X
    most = len(cards) if card.times == "any" else min(card.times, len(cards))
    results: set[Cards] = set()
    for x in xs:
        for how_many in range(1, most + 1):
            for places in combinations(range(len(cards)), how_many):
                partly = [cards]
                for place in places:
                    partly = [
                        (*done[:place], result, *done[place + 1 :])
                        for done in partly
                        for conversion in card.conversions
                        for result in _results(done[place], conversion, x, anywhere(done), rules)
                    ]
                results.update(partly)
    return results


def uses(
    cards: Cards, power_up: int, rules, *, round_number: int = 1, revealed: Cards | None = None, margin: int = 8
) -> set[Cards]:
    """Return all results of one use of a Change card, each card at its place.

    For "any number" it tries all from ``1 - margin`` to ``margin`` beyond the deck's highest, and one
    that is far from all others.
    """
    near = range(1 - margin, rules.deck.numbers + margin + 1)

    def anywhere(done: Cards) -> list[int]:
        far = next(far for far in range(FAR, 99 * FAR, FAR) if all(abs(number - far) > FAR // 2 for _, number in done))
        return [*near, far]

    return _uses(cards, power_up, rules, round_number, revealed or cards, anywhere)


def is_use(
    before: Cards, after: Cards, power_up: int, rules, *, round_number: int = 1, revealed: Cards | None = None
) -> bool:
    """Tell whether a Change card may turn ``before`` into ``after``, for any numbers whatever."""
    wanted = sorted({number for _, number in after})
    return after in _uses(before, power_up, rules, round_number, revealed or before, lambda done: wanted)


def finals(cards: Cards, rules, player: Player, *, round_number: int = 1, margin: int = 8) -> set[Cards]:
    """Return every set of cards that a player's Change cards can lead to: each once, in any order, or not at all."""
    start = (tuple(sorted(cards)), tuple(sorted(power_ups(rules, player, "change"))))
    seen, waiting = {start}, [start]
    while waiting:
        now, left = waiting.pop()
        for number in left:
            rest = tuple(other for other in left if other != number)
            for after in uses(now, number, rules, round_number=round_number, revealed=cards, margin=margin):
                state = (tuple(sorted(after)), rest)
                if state not in seen:
                    seen.add(state)
                    waiting.append(state)
    return {now for now, _ in seen}


def outcomes(
    cards: Iterable[Card], rules, player: Player = Player(), *, round_number: int = 1, margin: int = 8
) -> set[tuple[str, int, int]]:
    """Return every (hand, score, VP) that one revealed set can reach."""
    printed = tuple(cards)
    return {
        (name, *score(printed, final, name, rules, player, round_number))
        for final in finals(printed, rules, player, round_number=round_number, margin=margin)
        for name in declarable(final, rules, player)
    }


def best_play(
    hand: Iterable[Card],
    rules,
    player: Player = Player(),
    *,
    round_number: int = 1,
    vp_weight: float = 1.0,
    margin: int = 8,
) -> tuple[float, set[tuple[Cards, str, int, int]]]:
    """Return the highest score + ``vp_weight`` x VP, and every (reveal, hand, score, VP) that reaches it."""
    plays = set()
    hand = tuple(hand)
    for size in range(rules.play.reveal_at_least, rules.play.reveal_at_most + 1):
        for reveal in combinations(hand, size):
            reached = outcomes(reveal, rules, player, round_number=round_number, margin=margin)
            plays |= {(reveal, *outcome) for outcome in reached}
    best = max(total + vp_weight * vp for _, _, total, vp in plays)
    return best, {play for play in plays if play[2] + vp_weight * play[3] == best}
