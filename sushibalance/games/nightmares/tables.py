"""Rules in the kernel's words: one ``RULES`` record."""

from __future__ import annotations

import numpy as np

from sushibalance.games.nightmares.kernel.state import ASIDE_NONE, ASIDE_SHOWN, ASIDE_UNSEEN, RULES
from sushibalance.games.nightmares.rules import ABILITIES, NightmaresRules

ASIDE = {"none": ASIDE_NONE, "unseen": ASIDE_UNSEEN, "shown": ASIDE_SHOWN}


def make_table(rules: NightmaresRules) -> np.recarray:
    """Return ``rules`` as a structured array of length 1 and dtype ``RULES``."""
    table = np.zeros(1, RULES).view(np.recarray)
    row, readings, abilities = table[0], rules.readings, rules.abilities
    row.rounds = rules.rounds
    row.penalty_victory = 0 if rules.penalty_victory == "none" else rules.penalty_victory
    row.grades = len(rules.grades)
    for at, grade in enumerate(rules.grades.values()):
        row.cards[at] = grade.cards
        row.eater_gold[at], row.eater_penalty[at] = grade.eater.gold, grade.eater.penalty
        row.owner_gold[at], row.owner_penalty[at] = grade.owner.gold, grade.owner.penalty
    row.chefs = len(rules.chefs.points)
    row.chefs_on_table = rules.chefs.on_table
    row.chef_points[: row.chefs] = rules.chefs.points
    row.ability_cards[:] = [getattr(abilities, name).cards for name in ABILITIES]
    row.cat_converts = abilities.fortune_cat.converts
    row.chin_penalty = abilities.ninjutsu_chin.penalty
    row.chin_at_most = abilities.ninjutsu_chin.at_most
    row.wasabi_factor = abilities.whats_up_wasabi.factor
    row.sauce_gold = abilities.wheres_the_sauce.gold
    row.sauce_at_most = abilities.wheres_the_sauce.at_most
    row.set_aside = ASIDE[readings.set_aside]
    row.chef_leaves = readings.chosen_chef == "leaves"
    row.eat_in_turn = readings.eating == "in_turn"
    row.cat_counts_cats = readings.fortune_cat == "per_cat_played"
    row.cat_first = readings.fortune_cat_order == "first"
    row.chin_swapped = readings.ninjutsu_chin_point == "swapped"
    row.tongue_own_plate = readings.swelling_tongue == "every_plate"
    row.wasabi_own_plate = readings.whats_up_wasabi == "every_plate"
    row.victory_each_round = readings.penalty_victory == "each_round"
    row.starter_first = readings.ties == "starter_first"
    row.third_seat = readings.two_players == "third_seat"
    row.remember_all = readings.memory == "everything"
    return table
