"""The power-ups of a game: their deck, what lies on offer, and who takes what, with the Key Client card it brings."""

from sushibalance.core.jit import inlined, lean
from sushibalance.core.log import note
from sushibalance.core.random import next_word, shuffle, start
from sushibalance.games.otter.kernel.decide import decide
from sushibalance.games.otter.kernel.learn import learn_client, learn_power_up
from sushibalance.games.otter.kernel.state import (
    BAD_CLIENT,
    BAD_OFFER,
    BAD_START,
    BEST_FIRST,
    CHOICE_PICK,
    CLIENT,
    DRAFT,
    E_CLIENT,
    E_DEALT,
    E_DECK,
    E_FORCED,
    E_KEPT,
    E_OFFER,
    E_PICK,
    KEY_CLIENT,
    OK,
    PASSIVE,
    PICK_ORDER,
    POWER_UP_DECK,
    RANDOM_ORDER,
    START,
)


@inlined
def mix_deck(rules, hidden, seed, game, time, rng, log):
    """Shuffle the power-up deck: order it by a random key of each card's number."""
    keys = hidden.deck_key
    for i in range(hidden.n_deck):
        p = hidden.deck[i]
        start(rng, seed, game, POWER_UP_DECK, time * 1000 + rules.number[p])
        key = next_word(rng)
        at = i
        while at > 0 and keys[at - 1] > key:
            keys[at] = keys[at - 1]
            hidden.deck[at] = hidden.deck[at - 1]
            at -= 1
        keys[at] = key
        hidden.deck[at] = p
    if log is not None:
        for i in range(hidden.n_deck - 1, -1, -1):
            note(log, E_DECK, -1, hidden.deck[i], hidden.n_deck - 1 - i)


@inlined
def draw_power_up(hidden):
    """Return the top power-up of the deck."""
    hidden.n_deck -= 1
    return hidden.deck[hidden.n_deck]


@lean
def starting_power_ups(rules, functions, params, seed, game, table, own, hidden, rng, choice, rows, log):
    """Deal starting power-ups, let each seat keep one (Optional Rules); return (status, seat)."""
    n = table.n_players
    kept = hidden.kept
    for seat in range(n):
        mine = own[seat]
        mine.n_dealt = rules.start_dealt
        for i in range(rules.start_dealt):
            mine.dealt[i] = draw_power_up(hidden)
            note(log, E_DEALT, seat, mine.dealt[i])
    for seat in range(n):
        decide(rules, functions, START, params, seed, game, table, own, seat, rng, choice)
        kept[seat] = choice[CHOICE_PICK]
        if not 0 <= kept[seat] < rules.start_dealt:
            return BAD_START, seat
    for step in range(n):
        seat = (table.button - 1 - step) % n  # from the dealer's right, counterclockwise
        mine = own[seat]
        p = mine.dealt[kept[seat]]
        code, client = acquire(rules, functions, params, seed, game, table, own, seat, p, rng, choice, log)
        if code != OK:
            return code, seat
        note(log, E_KEPT, seat, p, client)
        rows[step].seat, rows[step].power_up, rows[step].key_client = seat, p, client
        for i in range(rules.start_dealt):
            if i != kept[seat]:
                hidden.deck[hidden.n_deck] = mine.dealt[i]
                hidden.n_deck += 1
        mine.n_dealt = 0
    mix_deck(rules, hidden, seed, game, 1, rng, log)
    return OK, 0


@inlined
def lay_out(rules, table, hidden, rows, log):
    """Lay out the power-ups on offer (Setup 6, Preparation 6)."""
    table.n_offers = rows.shape[0]
    for i in range(table.n_offers):
        p = draw_power_up(hidden)
        table.offer[i] = p
        rows[i].power_up, rows[i].taken_by = p, -1
        note(log, E_OFFER, -1, p, i)


@inlined
def pick_order(rules, table, hidden, seed, game, rng):
    """Order the seats for the draft: worst rank first (IV.1), or as the rules say."""
    n, order = table.n_players, hidden.order
    if rules.pick_order == RANDOM_ORDER:
        for seat in range(n):
            order[seat] = seat
        start(rng, seed, game, PICK_ORDER, table.round_number)
        shuffle(rng, order, n)
        return
    for seat in range(n):
        at = table.rank[seat] - 1
        order[at if rules.pick_order == BEST_FIRST else n - 1 - at] = seat


@inlined
def draft(rules, functions, params, seed, game, table, own, hidden, rng, choice, pick_rows, offer_rows, log):
    """Let each seat take a power-up in order (IV); the rest go under the deck; return (status, seat)."""
    table.n_picked = 0
    for i in range(table.n_players):
        seat = hidden.order[i]
        decide(rules, functions, DRAFT, params, seed, game, table, own, seat, rng, choice)
        slot = choice[CHOICE_PICK]
        if not 0 <= slot < table.n_offers or table.offer[slot] < 0:
            return BAD_OFFER, seat
        p = table.offer[slot]
        table.offer[slot] = -1
        offer_rows[slot].taken_by = seat
        note(log, E_PICK, seat, p, slot, i + 1)
        if seat == hidden.forced_seat and table.round_number == hidden.forced_round:
            code, client = intervene(rules, functions, params, seed, game, table, own, seat, rng, choice, log), -1
        else:
            code, client = acquire(rules, functions, params, seed, game, table, own, seat, p, rng, choice, log)
        if code != OK:
            return code, seat
        pick_rows[i].seat, pick_rows[i].power_up, pick_rows[i].key_client = seat, p, client
        table.n_picked += 1
    for slot in range(table.n_offers):
        if table.offer[slot] >= 0:
            for i in range(hidden.n_deck, 0, -1):
                hidden.deck[i] = hidden.deck[i - 1]
            hidden.deck[0] = table.offer[slot]
            hidden.n_deck += 1
    table.n_offers = 0
    table.n_picked = 0
    return OK, 0


@inlined
def acquire(rules, functions, params, seed, game, table, own, seat, p, rng, choice, log):
    """Give power-up ``p`` to a seat, with a Key Client card if it brings one; return (status, client)."""
    client = -1
    if rules.kind[p] == KEY_CLIENT:
        left = 0
        for i in range(rules.n_clients):
            left += table.client_taken[i] == 0
        if left:
            decide(rules, functions, CLIENT, params, seed, game, table, own, seat, rng, choice)
            client = choice[CHOICE_PICK]
            if not 0 <= client < rules.n_clients or table.client_taken[client]:
                return BAD_CLIENT, -1
            table.client_taken[client] = 1
            learn_client(rules, own[seat], client)
            note(log, E_CLIENT, seat, client)
    elif rules.kind[p] == PASSIVE:
        table.hand_limit[seat] += rules.more_hand[p]
    hold(rules, table, own, seat, p, client)
    return OK, client


@inlined
def hold(rules, table, own, seat, p, client):
    """Put a power-up before a seat, with the Key Client card on it (-1 for none)."""
    learn_power_up(rules, own[seat], p)
    at = table.n_held[seat]
    table.held[seat, at] = p
    table.held_client[seat, at] = client
    table.n_held[seat] = at + 1


@lean
def intervene(rules, functions, params, seed, game, table, own, seat, rng, choice, log):
    """Give a seat what is under test in place of its pick, or nothing; return a status."""
    p, client = rules.tested_power_up - 1, rules.tested_client - 1
    note(log, E_FORCED, seat, p if rules.given else -1)
    if rules.given == 0:
        return OK
    if client < 0:
        code, _ = acquire(rules, functions, params, seed, game, table, own, seat, p, rng, choice, log)
        return code
    learn_client(rules, own[seat], client)
    note(log, E_CLIENT, seat, client)
    hold(rules, table, own, seat, p, client)
    return OK
