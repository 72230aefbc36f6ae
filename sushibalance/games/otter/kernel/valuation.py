"""What policies weigh beside the best play of the moment: cards on offer, low plays, cards worth keeping."""

from sushibalance.core.bits import popcount
from sushibalance.core.jit import kernel, lean
from sushibalance.games.otter.kernel.reveals import (
    ADDED,
    N_CARDS,
    PARENT,
    ROWS,
    TIE_CARDS,
    add_card,
    best_worth,
    fill,
    rank_hands,
    write_reveal,
)
from sushibalance.games.otter.kernel.state import (
    CHOICE_HAND,
    KEY_CLIENT,
    NUMBER_MASK,
    SUITS,
)
from sushibalance.games.otter.kernel.work import new_work


@kernel
def nth_open(offer, n_offers, nth):
    """Return the ``nth`` slot (from 0) that is still on offer."""
    for slot in range(n_offers):
        if offer[slot] >= 0:
            if nth == 0:
                return slot
            nth -= 1
    return -1


@kernel
def best_client(rules, table, values):
    """Return the Key Client card left that has the highest value, -1 when none is left."""
    best = -1
    for client in range(rules.n_clients):
        if table.client_taken[client] == 0 and (best < 0 or values[client] > values[best]):
            best = client
    return best


@kernel
def draft_value(rules, table, values, p):
    """Return the value of a power-up: its own, or that of the best Key Client card it can bring."""
    if rules.kind[p] != KEY_CLIENT:
        return values[p]
    clients = values[rules.n_power_ups :]
    client = best_client(rules, table, clients)
    return clients[client] if client >= 0 else 0.0


@kernel
def best_of(rules, table, values, cards, n):
    """Return the place of the most valuable power-up among ``cards`` (-1: gone); the first on ties."""
    best, best_value = -1, 0.0
    for i in range(n):
        if cards[i] >= 0:
            value = draft_value(rules, table, values, cards[i])
            if best < 0 or value > best_value:
                best, best_value = i, value
    return best


@kernel
def lowest_play(rules, own, weight, choice):
    """Reveal the cards that are worth least, without Change cards; ties by more cards."""
    row, hand = lowest_reveal(rules, own, new_work(1), weight)
    write_reveal(row, choice)
    choice[CHOICE_HAND] = hand + 1


@lean
def lowest_reveal(rules, own, works, weight):
    """Return (row, hand) of the reveal that is worth least."""
    work = works[0]
    rows, ranking = work.rows, work.ranking
    rank_hands(rules, own, ranking, weight)
    lowest_key, lowest_row, lowest_hand = 1e300, 0, -1
    fill(rules, own, 0, 0, 0, rows[0])
    for row in range(1, ROWS[own.n_hand]):
        n_cards = N_CARDS[row]
        add_card(rules, own, rows[PARENT[row]], rows[row], own.hand[ADDED[row]], n_cards - 1)
        if rules.reveal_low <= n_cards <= rules.reveal_high:
            key, hand, _ = best_worth(rules, own, ranking, rows[row], n_cards)
            key -= 2 * TIE_CARDS * n_cards
            if key < lowest_key:
                lowest_key, lowest_row, lowest_hand = key, row, hand
    return lowest_row, lowest_hand


@lean
def promise(word, equal):
    """Return how far kept cards are on the way to a big hand.

    The larger of (cards of the commonest suit) squared / 2 and twice the pairs of equal numbers.
    """
    most = 0
    for suit in range(SUITS):
        most = max(most, (word >> (4 * suit)) & 15)
    return max(0.5 * most * most, 2.0 * equal)


@kernel
def saving_play(rules, own, weight, hold, choice):
    """Reveal, without Change cards, what is worth most together with the promise of the cards kept.

    The key of a reveal is its worth + ``hold`` * promise of the kept cards.
    """
    row, hand = saving_reveal(rules, own, new_work(1), weight, hold)
    write_reveal(row, choice)
    choice[CHOICE_HAND] = hand + 1


@lean
def saving_reveal(rules, own, works, weight, hold):
    """Return (row, hand) of that reveal."""
    n_hand = own.n_hand
    work = works[0]
    rows, ranking = work.rows, work.ranking
    rank_hands(rules, own, ranking, weight)
    best_key, best_row, best_hand = -1e300, 0, -1
    whole = 0
    for i in range(n_hand):
        whole += rules.word[own.hand[i]]
    fill(rules, own, 0, 0, 0, rows[0])
    for row in range(1, ROWS[n_hand]):
        n_cards = N_CARDS[row]
        add_card(rules, own, rows[PARENT[row]], rows[row], own.hand[ADDED[row]], n_cards - 1)
        if rules.reveal_low <= n_cards <= rules.reveal_high:
            key, hand, _ = best_worth(rules, own, ranking, rows[row], n_cards)
            key += hold * promise(whole - rows[row].word, kept_pairs(own, row))
            if key > best_key:
                best_key, best_row, best_hand = key, row, hand
    return best_row, best_hand


@lean
def kept_pairs(own, row):
    """Return how many pairs of equal numbers stay in the hand when a row is revealed."""
    kept = (1 << own.n_hand) - 1
    while row:
        kept &= ~(1 << ADDED[row])
        row = PARENT[row]
    h1 = h2 = h3 = h4 = 0
    for i in range(own.n_hand):
        if (kept >> i) & 1:
            bit = 1 << (own.hand[i] & NUMBER_MASK)
            h4 |= h3 & bit
            h3 |= h2 & bit
            h2 |= h1 & bit
            h1 |= bit
    return popcount(h2) + 2 * popcount(h3) + 3 * popcount(h4)
