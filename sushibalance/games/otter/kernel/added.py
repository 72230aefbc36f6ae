"""What each power-up and Key Client card adds by itself to the best play of a hand."""

from sushibalance.core.jit import lean
from sushibalance.games.otter.kernel.decide import call
from sushibalance.games.otter.kernel.game import take_reveal
from sushibalance.games.otter.kernel.learn import forget, learn_client, learn_power_up, start_round
from sushibalance.games.otter.kernel.reveals import key_of
from sushibalance.games.otter.kernel.state import KEY_CLIENT, PASSIVE


@lean
def alone(rules, table, own, hidden, hand, n_hand, reveal, params, rng, choice, features):
    """Return the key of a decision's play of one hand with what ``own`` has learned."""
    own.n_hand = n_hand
    for i in range(n_hand):
        own.hand[i] = hand[i]
    start_round(rules, own, table.round_number)
    choice[:] = 0
    call(reveal, rules, table, own, 0, params, rng, choice)
    take_reveal(rules, own, hidden, 0, table.round_number, choice, features, None)
    return key_of(hidden.value[0], params[0])


@lean
def added_values(rules_table, table_row, own_row, hidden_row, feature_row, hands, reveal, params, rng, choice, gains):
    """Write how much each power-up, then each Key Client card, adds by itself to the best play of a hand.

    Parameters
    ----------
    hands : int64[m, k]
        Random hands of at least the highest hand limit; hand ``i`` is played in round ``2 + i % (rounds - 1)``.
    reveal : int
        Address of the decision that plays best; its ``params[0]`` is what a VP is worth in score points.
    gains : float64[power-ups + clients]
        Filled with the mean gain in score points; 0 for Key Client power-ups, whose worth is that of the card taken.
    """
    rules, table, own = rules_table[0], table_row[0], own_row[0]
    hidden, features = hidden_row[0], feature_row[0]
    rounds, limit = max(rules.n_rounds - 1, 1), rules.hand_limit
    gains[:] = 0
    for i in range(hands.shape[0]):
        table.round_number = min(2 + i % rounds, rules.n_rounds)
        forget(rules, own)
        base = alone(rules, table, own, hidden, hands[i], limit, reveal, params, rng, choice, features)
        for p in range(rules.n_power_ups):
            if rules.kind[p] == KEY_CLIENT:
                continue
            forget(rules, own)
            learn_power_up(rules, own, p)
            n_hand = limit + rules.more_hand[p] if rules.kind[p] == PASSIVE else limit
            gains[p] += alone(rules, table, own, hidden, hands[i], n_hand, reveal, params, rng, choice, features) - base
        for client in range(rules.n_clients):
            forget(rules, own)
            learn_client(rules, own, client)
            gain = alone(rules, table, own, hidden, hands[i], limit, reveal, params, rng, choice, features) - base
            gains[rules.n_power_ups + client] += gain
    for card in range(gains.shape[0]):
        gains[card] /= hands.shape[0]
