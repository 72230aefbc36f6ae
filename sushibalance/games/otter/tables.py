"""Otter's rules in the kernel's words: `OtterRules` to one ``RULES`` record."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from sushibalance.games.otter.kernel import state as s
from sushibalance.games.otter.rules import (
    ChangePowerUp,
    Condition,
    Marks,
    OtterRules,
    PassivePowerUp,
    ScorePowerUp,
    resolve_numbers,
)

ALL_NUMBERS = (1 << s.NUMBER_BITS) - 1
ALL_HANDS = (1 << s.HANDS) - 1
COUNTS = {
    "cards": s.COUNT_CARDS,
    "different_numbers": s.COUNT_NUMBERS,
    "different_suits": s.COUNT_SUITS,
    "same_number": s.COUNT_SAME,
}
KINDS = {"score": s.SCORE, "change": s.CHANGE, "passive": s.PASSIVE, "key_client": s.KEY_CLIENT}
RUNS = {None: s.NO_RUN, "straight": s.STRAIGHT, "fibonacci": s.FIBONACCI}
CATEGORIES = {"flush": 1, "straight": 2, "fibonacci": 4}
PICK_ORDERS = {"worst_rank_first": s.WORST_FIRST, "best_rank_first": s.BEST_FIRST, "random": s.RANDOM_ORDER}
FIRST_FILTER = s.SUITS  # nibbles 0..5 of `word` count suits


def code(suit: int, number: int) -> int:
    """Return the code of a card (suit index, any whole number of the kernel's window)."""
    return suit << s.SUIT_SHIFT | (number + s.OFFSET)


def card_of(card: int) -> tuple[int, int]:
    """Return (suit index, number) of a card's code."""
    return card >> s.SUIT_SHIFT, (card & s.NUMBER_MASK) - s.OFFSET


def mask(numbers: range | list[int]) -> int:
    """Return the bit mask of some numbers."""
    return sum(1 << (number + s.OFFSET) for number in numbers)


def packed(score: int, vp: int) -> int:
    """Return score and VP in one integer."""
    return score + vp * s.VP


def unpacked(value: int) -> tuple[int, int]:
    """Return (score, vp) of a packed value."""
    score = (value + 2**31) % 2**32 - 2**31
    return score, (value - score) // s.VP


def reach(rules: OtterRules) -> int:
    """Return how far beyond the printed numbers a number can still matter.

    A straight of five with every gap may begin beyond the last printed number that ``add`` has moved;
    numbers further out behave like the outermost ones: equal to nothing, in no run.
    """
    adds = gaps = 0
    for card in rules.power_ups.values():
        if isinstance(card, ChangePowerUp):
            adds += max(abs(conversion.to.add or 0) for conversion in card.conversions)
        elif isinstance(card, PassivePowerUp):
            gaps += card.run_gaps
    return s.SLOTS - 1 + gaps + adds


def rules_table(rules: OtterRules) -> np.recarray:
    """Return the ``RULES`` record (array of length 1) of a rule set."""
    table = np.zeros(1, s.RULES).view(np.recarray)
    record = table[0]
    _deck_and_play(rules, record)
    _hands(rules, record)
    for index, client in enumerate(rules.key_clients.values()):
        record.client_new[index] = client.type == "new_hand"
        record.client_hands[index] = _hand_mask(rules, client.hands)
    record.n_clients = len(rules.key_clients)
    record.n_power_ups = len(rules.power_ups)
    for index, (number, card) in enumerate(rules.power_ups.items()):
        record.number[index] = int(number)
        record.kind[index] = KINDS[card.type]
        record.flush_cards[index] = record.run_cards[index] = s.SLOTS
        if isinstance(card, ScorePowerUp):
            _score(rules, record, index, card)
        elif isinstance(card, ChangePowerUp):
            _change(rules, record, index, card)
        elif isinstance(card, PassivePowerUp):
            record.more_hand[index] = card.hand_limit
            record.flush_cards[index] = card.flush_cards or s.SLOTS
            record.run_cards[index] = card.run_cards or s.SLOTS
            record.run_gaps[index] = card.run_gaps
    readings = rules.readings
    record.no_hand_always = readings.no_hand == "always"
    record.highest_score = readings.declared_hand == "highest_score"
    printed = mask(range(1, rules.deck.numbers + 1))
    record.straight_numbers = printed if readings.straights == "printed_numbers" else ALL_NUMBERS
    record.same_cards = readings.lowered_parts == "same_cards"
    record.gap_in_lowered_run = readings.gap_in_lowered_run
    record.as_revealed = readings.change_conditions == "as_revealed"
    record.numbers_by_add = printed if readings.numbers_by_change == "printed_numbers" else ALL_NUMBERS
    return table


def _deck_and_play(rules: OtterRules, record: np.record) -> None:
    deck, play = rules.deck, rules.play
    record.n_suits, record.n_numbers = len(deck.suits), deck.numbers
    record.n_cards = len(deck.suits) * deck.numbers
    codes = [code(suit, number) for suit in range(len(deck.suits)) for number in range(1, deck.numbers + 1)]
    record.card_code[: len(codes)] = codes
    for suit, name in enumerate(deck.suits):
        for number, score in rules.card_scores[name].items():
            record.icon[code(suit, int(number))] = score
    record.n_rounds = play.rounds
    record.hand_limit = play.hand_limit
    record.reveal_low, record.reveal_high = play.reveal_at_least, play.reveal_at_most
    record.offers_beyond = play.offers_beyond_players
    record.pick_order = PICK_ORDERS[play.pick_order]
    record.two_player_percent = play.two_player_percent
    record.start_dealt = play.starting_power_ups
    for players, rows in rules.round_cards.items():
        for number, row in rows.items():
            record.round_vp[int(players), int(number), : len(row)] = row


def _hands(rules: OtterRules, record: np.record) -> None:
    record.n_hands = len(rules.hands)
    groups = list(dict.fromkeys(tuple(sorted(hand.groups)[::-1]) for hand in rules.hands.values() if hand.groups))
    filters: list[tuple[tuple[int, ...], int]] = []
    word = np.zeros(s.CODES, np.int64)
    for suit in range(len(rules.deck.suits)):
        word[suit << s.SUIT_SHIFT : (suit + 1) << s.SUIT_SHIFT] += 1 << (4 * suit)
    new = set(rules.new_hands)
    for index, (name, hand) in enumerate(rules.hands.items()):
        record.hand_cards[index] = hand.cards
        record.hand_run[index] = RUNS[hand.run]
        record.hand_flush[index] = hand.same_suit
        record.hand_different[index] = COUNTS[f"different_{hand.different}"] if hand.different else 0
        record.hand_new[index] = name in new
        record.hand_worth[index] = packed(hand.score, hand.vp)
        if hand.upgraded_score is not None and hand.upgraded_vp is not None:
            record.hand_upgraded[index] = packed(hand.upgraded_score, hand.upgraded_vp)
        record.hand_categories[index] = sum(CATEGORIES[category] for category in hand.categories)
        if hand.groups:
            record.hand_group[index] = 1 << groups.index(tuple(sorted(hand.groups)[::-1]))
        if hand.numbers is not None:
            entry = (tuple(resolve_numbers(hand.numbers, rules.deck.numbers)), hand.cards)
            if entry not in filters:
                filters.append(entry)
            record.hand_filter[index] = FIRST_FILTER + filters.index(entry)
        if hand.otherwise:
            record.otherwise = index
    for place, (numbers, cards) in enumerate(filters):
        shift = 4 * (FIRST_FILTER + place)
        record.filter_need += (8 - cards) << shift
        record.filter_numbers[place] = mask(list(numbers))
        for suit in range(len(rules.deck.suits)):
            for number in numbers:
                word[code(suit, number)] += 1 << shift
    record.word[:] = word
    record.n_filters = len(filters)
    for bit, sizes in enumerate(groups):
        record.group_first[bit] = sizes[0]
        record.group_second[bit] = sizes[1] if len(sizes) > 1 else 0
        for pattern, shown in PATTERNS.items():
            if _shows(shown, sizes, rules.readings.kinds == "exact"):
                record.group_bits[pattern] |= 1 << bit
            for cards in range(sum(sizes), s.SLOTS + 1):
                record.group_near[cards, pattern, changes_needed(shown, sizes) :] |= 1 << bit
    _fibonacci(rules.fibonacci, record)


# By n2 + 2 * (n3 + n4 + n5), where nk numbers stand on at least k cards: the groups shown.
PATTERNS = {0: (), 1: (2,), 2: (2, 2), 3: (3,), 4: (3, 2), 5: (4,), 7: (5,)}


def changes_needed(shown: tuple[int, ...], sizes: tuple[int, ...]) -> int:
    """Return how many numbers must change at least to make groups of ``sizes`` of the groups shown."""
    have = [*shown, 1, 1]
    if len(sizes) == 1:
        return max(sizes[0] - have[0], 0)
    ways = ((have[0], have[1]), (have[1], have[0]))
    return min(sum(max(need - size, 0) for need, size in zip(sizes, way, strict=True)) for way in ways)


def _shows(shown: tuple[int, ...], sizes: tuple[int, ...], exact: bool) -> bool:
    if exact:
        return shown == sizes
    return len(shown) >= len(sizes) and all(have >= need for have, need in zip(shown, sizes, strict=False))


def _fibonacci(sequence: list[int], record: np.record) -> None:
    """List, by cards needed and gaps, the multisets that are a stretch with only inner values missing."""
    record.fib_numbers = mask(sorted(set(sequence)))
    for cards in range(1, s.SLOTS + 1):
        for gaps in range(s.GAPS):
            rows = set()
            for width in range(cards, min(cards + gaps, len(sequence)) + 1):
                for start in range(len(sequence) - width + 1):
                    stretch = sequence[start : start + width]
                    for left_out in combinations(range(1, width - 1), width - cards):
                        kept = [value for place, value in enumerate(stretch) if place not in left_out]
                        twice = sorted({value for value in kept if kept.count(value) > 1})
                        rows.add((mask(sorted(set(kept))), mask(twice)))
            for place, (one, two) in enumerate(sorted(rows)):
                record.fib_one[cards, gaps, place] = one
                record.fib_two[cards, gaps, place] = two
            record.n_fib[cards, gaps] = len(rows)


def _hand_mask(rules: OtterRules, names: list[str]) -> int:
    return sum(1 << list(rules.hands).index(name) for name in names)


def _marks(rules: OtterRules, marks: Marks) -> tuple[int, int]:
    """Return the masks of marked suits and numbers."""
    suits = sum(1 << rules.deck.suits.index(name) for name in marks.suits or rules.deck.suits)
    if marks.numbers is None:
        return suits, ALL_NUMBERS
    return suits, mask(resolve_numbers(marks.numbers, rules.deck.numbers))


def _condition(rules: OtterRules, record: np.record, index: int, condition: Condition) -> None:
    record.suits[index], record.numbers[index] = _marks(rules, condition.marks)
    record.counting[index] = COUNTS[condition.count]
    record.low[index], record.high[index] = condition.bounds
    record.revealed[index] = condition.revealed or 0
    rounds = condition.rounds or range(s.ROUNDS + 1)
    record.rounds[index] = sum(1 << number for number in rounds)


def _score(rules: OtterRules, record: np.record, index: int, card: ScorePowerUp) -> None:
    _condition(rules, record, index, card)
    for count in range(s.SLOTS + 1):
        record.gain[index, count] = packed(*card.gain(count))
    hands = ALL_HANDS if card.hands is None else _hand_mask(rules, card.hands)
    if card.categories is not None:
        shown = [name for name, hand in rules.hands.items() if set(hand.categories) & set(card.categories)]
        hands &= _hand_mask(rules, shown)
    record.gain_hands[index] = hands


def _change(rules: OtterRules, record: np.record, index: int, card: ChangePowerUp) -> None:
    _condition(rules, record, index, card.when)
    highest, readings = rules.deck.numbers, rules.readings
    beyond = 0 if readings.numbers_by_change == "printed_numbers" else reach(rules)
    record.moves_numbers[index] = any(c.to.numbers is not None or bool(c.to.add) for c in card.conversions)
    record.moves_suits[index] = any(c.to.suits is not None for c in card.conversions)
    any_suit = [name for name in rules.deck.suits if name not in readings.never_by_change]
    record.times[index] = card.most
    record.n_conversions[index] = len(card.conversions)
    for place, conversion in enumerate(card.conversions):
        result = conversion.to
        record.from_suits[index, place], record.from_numbers[index, place] = _marks(rules, conversion.cards)
        if result.numbers == "any":
            record.to_numbers[index, place] = mask(range(1 - beyond, highest + beyond + 1))
        elif result.numbers is not None:
            record.to_numbers[index, place] = mask(resolve_numbers(result.numbers, highest))
        record.to_add[index, place] = result.add or 0
        suits = any_suit if result.suits == "any" else result.suits or []
        record.to_suits[index, place] = sum(1 << rules.deck.suits.index(name) for name in suits)
        record.not_x[index, place] = result.other_than_x
