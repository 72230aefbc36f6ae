"""Which rules of Sushi Otter no table could play: told when a rule file is loaded, not in mid-game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations_with_replacement, product
from math import comb
from typing import TYPE_CHECKING

from sushibalance.games.otter.vocabulary import (
    MAX_ROUNDS,
    ChangePowerUp,
    Condition,
    Conversion,
    Hand,
    KeyClientPowerUp,
    Marks,
    Numbers,
    PassivePowerUp,
    ScorePowerUp,
    resolve_numbers,
)
from sushibalance.rules.problems import Words, nearest, one_of

if TYPE_CHECKING:
    from sushibalance.games.otter.rules import OtterRules

MAX_HAND_LIMIT = 12
MAX_GROUPS = 8
MAX_FILTERS = 9
MAX_GAPS = 3
MAX_MOVES = 6
MAX_WAYS = 400_000
PLAYERS = range(2, 6)

Fault = tuple[str, object, str]
"""Key, value found, what is allowed."""


def faults(rules: OtterRules) -> Iterator[Fault]:
    """Yield each fault of rules whose values are allowed one by one."""
    yield from _counts(rules)
    yield from _cards(rules)
    yield from _round_cards(rules)
    for name, hand in rules.hands.items():
        for key, found, allowed in _hand(rules, hand):
            yield f"hands.{name}{key}", found, allowed
    yield from _clients(rules)
    yield from _too_many(rules)
    for number, card in rules.power_ups.items():
        for key, found, allowed in _power_up(rules, card):
            yield f"power_ups.{number}{key}", found, allowed


def _too_many(rules: OtterRules) -> Iterator[Fault]:
    """Yield what exceeds the engine's tables: more than any printed rule needs, but bounded."""
    cards = rules.power_ups.values()
    passive = [card for card in cards if isinstance(card, PassivePowerUp)]
    change = [card for card in cards if isinstance(card, ChangePowerUp)]
    groups = {tuple(sorted(hand.groups)) for hand in rules.hands.values() if hand.groups}
    filters = {
        (tuple(resolve_numbers(hand.numbers, rules.deck.numbers)), hand.cards)
        for hand in rules.hands.values()
        if hand.numbers is not None
    }
    moved = sum(max(abs(conversion.to.add or 0) for conversion in card.conversions) for card in change)
    gaps = sum(card.run_gaps for card in passive)
    for key, found, most, what in (
        ("hands", len(groups), MAX_GROUPS, "different groups of equal numbers"),
        ("hands", len(filters), MAX_FILTERS, "different choices of numbers"),
        ("power_ups", gaps, MAX_GAPS, "gaps (run_gaps) of all power-ups together"),
        ("power_ups", moved, MAX_MOVES, "steps (add) of all Change power-ups together"),
    ):
        if found > most:
            yield key, Words(f"{found} {what}"), f"at most {most}"
    for number, card in rules.power_ups.items():
        if isinstance(card, ChangePowerUp):
            ways = _ways(rules, card)
            if ways > MAX_WAYS:
                allowed = f"at most {MAX_WAYS:,}: fewer times, or fewer numbers and suits to become"
                yield f"power_ups.{number}.times", Words(f"{card.times}, so {ways:,} ways in one use"), allowed


def _ways(rules: OtterRules, card: ChangePowerUp) -> int:
    """Return in how many ways one use could change the cards at most."""
    highest, options = rules.deck.numbers, 0
    for conversion in card.conversions:
        to = conversion.to
        numbers = highest + 30 if to.numbers == "any" else len(resolve_numbers(to.numbers or [1], highest))
        suits = len(rules.deck.suits) if to.suits == "any" else len(to.suits or [""])
        options += numbers * suits
    marked = rules.play.reveal_at_most
    return sum(comb(marked, changed) * options**changed for changed in range(1, min(card.most, marked) + 1))


def _cards(rules: OtterRules) -> Iterator[Fault]:
    suits, highest = rules.deck.suits, rules.deck.numbers
    yield from _exact_keys("card_scores", rules.card_scores, suits)
    for suit, scores in rules.card_scores.items():
        if suit in suits:
            yield from _exact_keys(f"card_scores.{suit}", scores, [str(number) for number in range(1, highest + 1)])
    if max(rules.fibonacci) > highest:
        yield "fibonacci", rules.fibonacci, f"numbers from 1 to {highest}"
    if max(Counter(rules.fibonacci).values()) > 2:
        yield "fibonacci", rules.fibonacci, "each number at most twice"
    for suit in rules.readings.never_by_change:
        if suit not in suits:
            yield "readings.never_by_change", suit, one_of(suit, suits)


def _round_cards(rules: OtterRules) -> Iterator[Fault]:
    if not rules.round_cards:
        yield "round_cards", Words("no table"), "a table for at least one number of players, 2 to 5"
    for players, rows in rules.round_cards.items():
        key = f"round_cards.{players}"
        if int(players) not in PLAYERS:
            yield key, Words(f"{players} players"), "2 to 5 players"
            continue
        wanted = [str(number) for number in range(1, rules.play.rounds + 1)]
        unused = [str(number) for number in range(rules.play.rounds + 1, MAX_ROUNDS + 1)]  # by a shorter game
        yield from _exact_keys(key, rows, wanted, unused)
        for number, row in rows.items():
            if players == "2" and len(row) != 3:
                allowed = "3 values: first place, second place, and second with too low a score (two_player_percent)"
                yield f"{key}.{number}", row, allowed
            elif players != "2" and len(row) != int(players):
                yield f"{key}.{number}", row, f"{players} values, one for each place"


def _counts(rules: OtterRules) -> Iterator[Fault]:
    """Yield what does not fit: cards revealed, hand limits, and piles too small for the most players."""
    play = rules.play
    if play.reveal_at_least > play.reveal_at_most:
        yield "play.reveal_at_least", play.reveal_at_least, f"at most reveal_at_most ({play.reveal_at_most})"
    if play.reveal_at_most > play.hand_limit:
        yield "play.reveal_at_most", play.reveal_at_most, f"at most hand_limit ({play.hand_limit})"
    if rules.most_hand_limit > MAX_HAND_LIMIT:
        found = Words(f"{play.hand_limit}, and {rules.most_hand_limit} with passive power-ups")
        yield "play.hand_limit", found, f"at most {MAX_HAND_LIMIT} with every passive power-up that raises it"
    lowest = play.hand_limit + sum(min(card.hand_limit, 0) for card in rules.passives)
    if lowest < play.reveal_at_least:
        allowed = f"at least reveal_at_least ({play.reveal_at_least}) with every passive power-up that lowers it"
        yield "play.hand_limit", Words(f"{play.hand_limit}, and {lowest} with passive power-ups"), allowed
    most = max((int(players) for players in rules.round_cards if int(players) in PLAYERS), default=0)
    cards = len(rules.deck.suits) * rules.deck.numbers
    needed = most * play.hand_limit + rules.most_hand_limit - play.hand_limit
    if needed > cards:
        yield "deck.numbers", Words(f"{cards} cards"), f"at least {needed} cards, the hands of {most} players"
    start = play.starting_power_ups > 0
    if most * play.starting_power_ups > len(rules.power_ups):
        allowed = f"at least {most * play.starting_power_ups}: {play.starting_power_ups} for each of {most} players"
        yield "power_ups", Words(f"{len(rules.power_ups)} power-ups"), allowed
    elif play.rounds > 1:
        offers = most + play.offers_beyond_players
        needed = most * (play.rounds - 2 + start) + offers
        if needed > len(rules.power_ups):
            last = f"{offers} on offer in round {play.rounds - 1}, after {most} players took theirs"
            yield "power_ups", Words(f"{len(rules.power_ups)} power-ups"), f"at least {needed}: {last}"


def _hand(rules: OtterRules, hand: Hand) -> Iterator[Fault]:
    most, suits = rules.play.reveal_at_most, len(rules.deck.suits)
    if hand.otherwise:
        if hand.cards > rules.play.reveal_at_least:
            yield ".cards", hand.cards, f"at most play.reveal_at_least ({rules.play.reveal_at_least})"
        return
    if hand.cards > most:
        yield ".cards", hand.cards, f"at most play.reveal_at_most ({most})"
        return
    if hand.groups and sum(hand.groups) != hand.cards:
        yield ".groups", hand.groups, f"groups that make up its {hand.cards} cards"
        return
    if hand.run and hand.cards < 3:
        yield ".cards", hand.cards, "at least 3 in a run"
    if hand.run == "fibonacci" and hand.cards > len(rules.fibonacci):
        yield ".cards", hand.cards, f"at most the {len(rules.fibonacci)} values of fibonacci"
        return
    wrong = list(_numbers(".numbers", hand.numbers, rules))
    yield from wrong
    if hand.different == "suits" and hand.cards > suits:
        yield ".cards", hand.cards, f"at most {suits}, the number of suits"
    elif hand.different == "suits" and hand.same_suit and _needs(rules, hand)[0] + hand.cards - 1 > most:
        found = Words("same_suit and different suits")
        yield "", found, f"parts that {most} cards can show together, or it can never form"
    if wrong:
        return
    if not _changes_exist(rules):
        held = suits * len(resolve_numbers(hand.numbers, rules.deck.numbers)) if hand.numbers else hand.cards
        if held < hand.cards or any(size > suits for size in hand.groups):
            yield ".cards", hand.cards, "at most as many as the deck has of such cards, as no power-up changes cards"
            return
    if _numbers_clash(rules, hand):
        parts = {"groups": hand.groups, "run": hand.run, "numbers": hand.numbers, "different": hand.different}
        found = Words(" and ".join(part for part, value in parts.items() if value))
        yield "", found, f"parts that {most} cards can show together, or it can never form"


def _needs(rules: OtterRules, hand: Hand) -> tuple[int, int]:
    """Return how many cards a hand's flush part and its run part need at the least."""
    flush = [card.flush_cards for card in rules.passives if card.flush_cards is not None]
    run = [card.run_cards for card in rules.passives if card.run_cards is not None]
    return min([hand.cards, *flush]), min([hand.cards, *run])


def _fewest_cards(rules: OtterRules, hand: Hand) -> int:
    """Return how many revealed cards can form a hand at the least."""
    if hand.otherwise:
        return rules.play.reveal_at_least
    flush, run = _needs(rules, hand)
    whole = hand.groups or hand.numbers or hand.different
    return max(hand.cards if whole else 0, run if hand.run else 0, flush if hand.same_suit else 0)


def _numbers_clash(rules: OtterRules, hand: Hand) -> bool:
    """Tell whether no numbers at all show every part of a hand that speaks of numbers."""
    if sum(map(bool, (hand.groups, hand.run, hand.numbers, hand.different == "numbers"))) < 2:
        return False
    highest = rules.deck.numbers
    marked = set(resolve_numbers(hand.numbers, highest)) if hand.numbers else set()
    wanted = sorted(hand.groups, reverse=True)
    gaps = sum(card.run_gaps for card in rules.passives)
    run = _needs(rules, hand)[1]
    widths = {hand.cards: hand.cards + gaps, run: run + gaps * (run == hand.cards or rules.readings.gap_in_lowered_run)}

    def shows(numbers: tuple[int, ...]) -> bool:
        if hand.numbers and sum(number in marked for number in numbers) < hand.cards:
            return False
        if hand.different == "numbers" and len(set(numbers)) < hand.cards:
            return False
        sizes = sorted((size for size in Counter(numbers).values() if size > 1), reverse=True)
        if hand.groups and rules.readings.kinds == "exact" and sizes != wanted:
            return False
        if len(sizes) < len(wanted) or any(size < want for size, want in zip(sizes, wanted, strict=False)):
            return False
        return not hand.run or any(runs(numbers, need, width) for need, width in widths.items())

    def runs(numbers: tuple[int, ...], need: int, width: int) -> bool:
        row = list(range(1, highest + 1)) if hand.run == "straight" else rules.fibonacci
        held = Counter(numbers)
        stretches = (Counter(row[start : start + width]) for start in range(max(1, len(row) - width + 1)))
        return any((stretch & held).total() >= need for stretch in stretches)

    return not any(map(shows, combinations_with_replacement(range(1, highest + 1), rules.play.reveal_at_most)))


def _clients(rules: OtterRules) -> Iterator[Fault]:
    if sum(hand.otherwise for hand in rules.hands.values()) != 1:
        found = [name for name, hand in rules.hands.items() if hand.otherwise]
        allowed = "exactly one hand with otherwise = true, for cards that form no other"
        yield "hands", Words(f"otherwise = true in {', '.join(found) or 'no hand'}"), allowed
    new = rules.new_hands
    for name, client in rules.key_clients.items():
        for hand in client.hands:
            key = f"key_clients.{name}.hands"
            if hand not in rules.hands:
                yield key, hand, one_of(hand, rules.hands)
            elif client.type == "new_hand" and rules.hands[hand].otherwise:
                yield key, hand, "another hand: the one for cards that form no hand needs no Key Client card"
            elif client.type == "upgrade" and hand in new:
                yield key, hand, "a basic hand: new hands are never upgraded"
            elif client.type == "upgrade" and rules.hands[hand].upgraded_score is None:
                yield key, hand, f"a hand with upgraded_score and upgraded_vp (hands.{hand} has none)"


def _power_up(rules: OtterRules, card: object) -> Iterator[Fault]:
    if isinstance(card, ScorePowerUp):
        yield from _score(rules, card)
    elif isinstance(card, ChangePowerUp):
        yield from _condition(rules, ".when", card.when)
        for place, conversion in enumerate(card.conversions):
            for key, found, allowed in _conversion(rules, card, conversion):
                yield f".conversions.{place}{key}", found, allowed
    elif isinstance(card, KeyClientPowerUp) and not rules.key_clients:
        found = Words("a Key Client power-up, and no key_clients")
        yield "", found, "another type, or at least one card in key_clients"


def _score(rules: OtterRules, card: ScorePowerUp) -> Iterator[Fault]:
    wrong = list(_condition(rules, "", card))
    for hand in card.hands or ():
        if hand not in rules.hands:
            wrong.append((".hands", hand, one_of(hand, rules.hands)))
    yield from wrong
    if wrong:
        return
    fitting = [
        hand
        for name, hand in rules.hands.items()
        if (card.hands is None or name in card.hands)
        and (card.categories is None or set(card.categories) & set(hand.categories))
    ]
    if not fitting:
        allowed = "a category of one of its hands" if card.hands else "a category that a hand of these rules has"
        yield ".categories", card.categories, allowed
    elif card.revealed is not None and card.revealed < min(_fewest_cards(rules, hand) for hand in fitting):
        fewest = min(_fewest_cards(rules, hand) for hand in fitting)
        yield ".revealed", card.revealed, f"at least {fewest}, or no such hand can form"
    fewest, most = _countable(rules, card)
    if not any(any(card.gain(count)) for count in range(fewest, most + 1)):
        yield "", Words(f"no gain for a count of {fewest} to {most}"), "a gain for such a count, or it can never apply"


def _condition(rules: OtterRules, key: str, condition: Condition) -> Iterator[Fault]:
    play = rules.play
    yield from _marks(rules, f"{key}.marks", condition.marks)
    if condition.revealed is not None and not play.reveal_at_least <= condition.revealed <= play.reveal_at_most:
        allowed = f"play.reveal_at_least ({play.reveal_at_least}) to play.reveal_at_most ({play.reveal_at_most})"
        yield f"{key}.revealed", condition.revealed, allowed
        return
    (low, high), (fewest, most) = condition.bounds, _countable(rules, condition)
    if low > most:
        name = "exactly" if condition.exactly is not None else "at_least"
        yield f"{key}.{name}", low, f"at most {most}, or it can never apply"
    if high < fewest:
        name = "exactly" if condition.exactly is not None else "at_most"
        yield f"{key}.{name}", high, f"at least {fewest}, or it can never apply"
    if condition.rounds is not None and min(condition.rounds) > play.rounds:
        yield f"{key}.rounds", condition.rounds, f"a round from 1 to {play.rounds}, or it can never apply"


def _countable(rules: OtterRules, condition: Condition) -> tuple[int, int]:
    """Return the lowest and the highest count that revealed cards can give a condition."""
    fewest, most = rules.play.reveal_at_least, rules.play.reveal_at_most
    if condition.revealed is not None:
        fewest = most = condition.revealed
    suits = set(condition.marks.suits or rules.deck.suits)
    numbers = condition.marks.numbers and resolve_numbers(condition.marks.numbers, rules.deck.numbers)
    if numbers or len(suits) < len(rules.deck.suits):
        fewest = 0
    elif condition.count != "cards":
        fewest = 1
    if condition.count == "different_suits":
        most = min(most, len(suits))
    if condition.count == "different_numbers" and numbers:
        most = min(most, len(numbers))
    if not _changes_exist(rules):
        if condition.count == "same_number":
            most = min(most, len(suits))
        if numbers:
            most = min(most, len(suits) * len(numbers))
    return fewest, most


def _conversion(rules: OtterRules, card: ChangePowerUp, conversion: Conversion) -> Iterator[Fault]:
    result, suits = conversion.to, rules.deck.suits
    wrong = list(_marks(rules, ".cards", conversion.cards))
    for suit in result.suits if isinstance(result.suits, list) else ():
        if suit not in suits:
            wrong.append((".to.suits", suit, one_of(suit, suits)))
    if result.numbers != "any":
        wrong += _numbers(".to.numbers", result.numbers, rules)
    if result.suits == "any" and set(suits) <= set(rules.readings.never_by_change):
        wrong.append((".to.suits", "any", "a suit that readings.never_by_change does not leave out"))
    if result.other_than_x and (card.when.count != "same_number" or card.when.bounds[0] < 1):
        allowed = 'false, or beside it when = { count = "same_number", at_least = ... }, which names X'
        wrong.append((".to.other_than_x", True, allowed))
    yield from wrong
    if not wrong and not _converts(rules, conversion):
        found = result.model_dump(exclude_unset=True)
        yield ".to", found, "another card than before, or it can never apply"


def _converts(rules: OtterRules, conversion: Conversion) -> bool:
    """Tell whether a conversion makes another card of at least one printed card."""
    result, highest = conversion.to, rules.deck.numbers
    before = resolve_numbers(conversion.cards.numbers or f"1-{highest}", highest)
    beyond = rules.readings.numbers_by_change == "any_whole_number"
    for suit, number in product(conversion.cards.suits or rules.deck.suits, before):
        numbers = [number + (result.add or 0)]
        if result.numbers == "any":
            numbers = [1, 2]
        elif result.numbers is not None:
            numbers = resolve_numbers(result.numbers, highest)
        suits = [suit] if result.suits is None else result.suits
        if suits == "any":
            suits = [name for name in rules.deck.suits if name not in rules.readings.never_by_change]
        for after in product(suits, numbers):
            if after != (suit, number) and (beyond or 1 <= after[1] <= highest):
                return True
    return False


def _changes_exist(rules: OtterRules) -> bool:
    return any(isinstance(card, ChangePowerUp) for card in rules.power_ups.values())


def _marks(rules: OtterRules, key: str, marks: Marks) -> Iterator[Fault]:
    for suit in marks.suits or ():
        if suit not in rules.deck.suits:
            yield f"{key}.suits", suit, one_of(suit, rules.deck.suits)
    yield from _numbers(f"{key}.numbers", marks.numbers, rules)


def _numbers(key: str, numbers: Numbers | None, rules: OtterRules) -> Iterator[Fault]:
    highest = rules.deck.numbers
    if isinstance(numbers, list) and max(numbers) > highest:
        yield key, numbers, f"numbers from 1 to {highest}"
    if isinstance(numbers, str) and "-" in numbers:
        low, high = map(int, numbers.split("-"))
        if not low <= high <= highest:
            yield key, numbers, f'a range from low to high within "1-{highest}"'


def _exact_keys(key: str, table: Iterable[str], wanted: list[str], unused: Iterable[str] = ()) -> Iterator[Fault]:
    """Yield a fault for the missing and one for the superfluous keys of a table."""
    present = list(table)
    allowed = f"a value for each of {_listed(wanted)}, and for nothing else"
    missing = [name for name in wanted if name not in present]
    if missing:
        yield key, Words(f"nothing for {_listed(missing)}"), allowed
    beyond = [name for name in present if name not in wanted and name not in unused]
    if beyond:
        near = None if beyond[0].isdigit() else nearest(beyond[0], wanted)
        hint = f"; did you mean {near}?" if near else ""
        yield f"{key}.{beyond[0]}", Words(f"something for {_listed(beyond)}"), allowed + hint


def _listed(names: list[str]) -> str:
    """Return names as ``tuna, squid``, and numbers in a row as ``1 to 13``."""
    if len(names) > 2 and all(name.isdigit() for name in names):
        numbers = list(map(int, names))
        if numbers == list(range(numbers[0], numbers[-1] + 1)):
            return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(names)
