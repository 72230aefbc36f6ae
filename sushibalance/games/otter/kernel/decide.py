"""How the engine asks a seat's policy for a decision."""

from sushibalance.core.calls import caller
from sushibalance.core.jit import decision_signature, inlined
from sushibalance.core.random import start
from sushibalance.games.otter.kernel.state import DECIDE, OWN, ROUNDS, RULES, SEATS, TABLE

call = caller(decision_signature(RULES, TABLE, OWN))


@inlined
def decide(rules, functions, decision, params, seed, game, table, own, seat, rng, choice):
    """Let a seat's policy make one decision, from a stream of its own."""
    index = ((table.round_number * 4 + decision) * SEATS + seat) * (ROUNDS + 1) + table.n_picked
    start(rng, seed, game, DECIDE, index)
    choice[:] = 0
    call(functions[decision * SEATS + seat], rules, table, own[seat], seat, params[seat], rng, choice)
