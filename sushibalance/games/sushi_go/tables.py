"""Rules of Sushi Go! in the kernel's words."""

from __future__ import annotations

import numpy as np

from sushibalance.games.sushi_go.kernel.state import CARDS, MAX_HAND, RULES
from sushibalance.games.sushi_go.rules import SushiGoRules

DIRECTIONS = {"left": (1, 1), "right": (-1, -1), "alternating": (1, -1)}


def rules_table(rules: SushiGoRules) -> np.recarray:
    """Return the rules as a structured array of `RULES`, length 1."""
    table = np.zeros(1, RULES).view(np.recarray)
    row = table[0]
    row.rounds = rules.rounds
    for players, size in rules.deal.sizes.items():
        row.deal[players] = size
    row.direction[:] = DIRECTIONS[rules.readings.passing]

    counts = rules.deck.counts
    row.deck_total = sum(counts)
    row.deck[:] = counts
    row.unshuffled[: sum(counts)] = np.repeat(np.arange(len(CARDS)), counts)

    row.tempura_cards, row.tempura_points = rules.tempura.cards, rules.tempura.points
    row.sashimi_cards, row.sashimi_points = rules.sashimi.cards, rules.sashimi.points
    listed = [0, *rules.dumpling.points]
    row.dumpling_top = len(listed) - 1
    row.dumpling_points[:] = listed + listed[-1:] * (MAX_HAND + 1 - len(listed))

    for name, icons in rules.maki.icons.model_dump().items():
        row.icons[CARDS.index(name)] = icons
    for name, points in rules.nigiri.model_dump().items():
        row.nigiri[CARDS.index(name)] = points
        row.is_nigiri[CARDS.index(name)] = 1
    nigiri = row.deck * row.is_nigiri
    row.nigiri_mean = (nigiri * row.nigiri).sum() / max(nigiri.sum(), 1)
    row.wasabi_factor = rules.wasabi.factor
    row.wasabi_next_turn = rules.readings.wasabi_serves == "next_turn"

    maki, pudding = rules.maki, rules.pudding
    row.maki_most, row.maki_second = maki.most, maki.second
    row.maki_split = maki.ties == "split"
    row.maki_second_after_tie = maki.second_after_tie
    row.pudding_most, row.pudding_fewest = pudding.most, pudding.fewest
    row.pudding_split_most = pudding.ties_most == "split"
    row.pudding_split_fewest = pudding.ties_fewest == "split"
    row.pudding_every_round = pudding.scored == "every_round"
    row.pudding_penalty_for_two = pudding.penalty_with_two_players
    row.pudding_all_tied_score = rules.readings.all_tied_on_puddings == "both_rules"
    return table
