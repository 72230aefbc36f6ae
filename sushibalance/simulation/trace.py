"""One game as a readable log, from the same engine that simulates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sushibalance.core.log import new_log
from sushibalance.games.game import Policy
from sushibalance.rules import Rules
from sushibalance.simulation.simulate import MAX_GAMES, MAX_SEED, aside, illegal, prepared, table_of, whole

CAPACITY = 20_000


def trace(
    rules: Rules | str | Path,
    *,
    players: int = 4,
    policies: str | Policy | Sequence[str | Policy] = "random",
    seed: int = 0,
    game: int = 0,
) -> str:
    """Return game ``game`` of ``simulate(..., seed=seed)`` as text, round by round.

    Parameters and errors are those of `simulate`.
    """
    rules, engine, chosen = table_of(rules, players, policies)
    game = whole("game", game, 0, MAX_GAMES)
    seed = whole("seed", seed, 0, MAX_SEED)
    rows = engine.rows(rules, len(chosen), 1)
    log = new_log(CAPACITY)
    status = aside(lambda: prepared(rules, engine, chosen, seed)(game, rows, log))
    head = f"{engine.title}, {rules.name}, {len(chosen)} players, seed {seed}, game {game}"
    lines = [head, "=" * len(head), *engine.narrate(log[1 : log[0].kind + 1], rules, chosen)]
    if status[0]:
        lines.append(str(illegal(engine, chosen, seed, status)))
    return "\n".join(lines) + "\n"
