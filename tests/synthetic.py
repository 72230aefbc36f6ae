"""Frames with a known truth, in the columns of `Run`: for the tests of analysis, plots and reports."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

CLIENTS = ["upgrade_flush", "upgrade_straight", "learn_odd", "learn_even", "learn_low"]
HANDS = ["no_hand", "one_pair", "two_pair", "three_of_a_kind", "straight", "flush", "five_suits"]


class Frames(SimpleNamespace):
    """Frames as attributes and by name, like a run."""

    def frame(self, name):
        """Return the frame of that name."""
        return getattr(self, name)


def players_frame(total, policies):
    """Return ``run.players`` for totals of shape (games, seats); ties share the win."""
    games, seats = total.shape
    best = total == total.max(axis=1, keepdims=True)
    rank = 1 + (total[:, None, :] > total[:, :, None]).sum(axis=2)
    names = list(dict.fromkeys(policies))
    return pd.DataFrame(
        {
            "game": np.repeat(np.arange(games), seats),
            "seat": np.tile(np.arange(seats, dtype=np.int8), games),
            "policy": pd.Categorical(np.tile(policies, games), names),
            "total": total.ravel().astype(np.int16),
            "rank": rank.ravel().astype(np.int8),
            "win": (best / best.sum(axis=1, keepdims=True)).ravel(),
        }
    )


def otter(games=400, players=4, policies=None, seed=0, wanted=()):
    """Return Otter-like frames: 64 power-ups, of which ``wanted`` are taken first and the rest by chance.

    The last five bring a Key Client card, each of those left as likely as the others.
    """
    rng = np.random.default_rng(seed)
    policies = policies or ["greedy"] * players
    offers, picks, rounds = [], [], []
    vp = np.zeros((games, players), int)
    first = rng.integers(players, size=games)
    for game in range(games):
        deck, clients = rng.permutation(np.arange(1, 65)), list(rng.permutation(len(CLIENTS)))
        for number in range(1, 9):
            button = (first[game] + number - 1) % players
            score = rng.integers(0, 30, players)
            order = np.lexsort(((np.arange(players) - button) % players, -score))
            rank = np.empty(players, int)
            rank[order] = np.arange(1, players + 1)
            gain = np.maximum(0, (players - rank) * (1 + number // 2))
            vp[game] += gain
            hands = rng.choice(len(HANDS) - 1, players)
            rounds += [
                (game, number, seat, button, 5, hands[seat], score[seat], rank[seat], gain[seat], vp[game, seat])
                for seat in range(players)
            ]
            if number == 8:
                continue
            offer = deck[(number - 1) * (players + 1) : number * (players + 1)]
            left, taken = list(offer), {}
            for turn, seat in enumerate(order[::-1], 1):
                choice = next((card for card in left if card in wanted), None) or left[rng.integers(len(left))]
                left.remove(choice)
                taken[choice] = seat
                picks.append((game, number, turn, seat, choice, clients.pop() if choice >= 60 else -1))
            offers += [(game, number, slot, card, taken.get(card, -1)) for slot, card in enumerate(offer)]
    rounds = pd.DataFrame(
        rounds,
        columns=["game", "round", "seat", "button", "n_cards", "hand", "score", "rank", "round_vp", "vp"],
    )
    rounds["hand"] = pd.Categorical.from_codes(rounds["hand"], HANDS)
    picks = pd.DataFrame(picks, columns=["game", "round", "order", "seat", "power_up", "key_client"])
    picks["key_client"] = pd.Categorical.from_codes(picks["key_client"], CLIENTS)
    return Frames(
        games=pd.DataFrame({"game": range(games), "players": players, "rounds": 8, "ended_by": "vp", "winners": 1}),
        players=players_frame(vp, policies),
        rounds=rounds,
        picks=picks,
        offers=pd.DataFrame(offers, columns=["game", "round", "slot", "power_up", "taken_by"]),
    )


def nightmares(games=1_000, players=4, policies=None, seed=0, penalty=0.2, shared=0.25):
    """Return Nightmares-like frames: the rate of penalty victories, and how many of these are shared."""
    rng = np.random.default_rng(seed)
    by_penalty = rng.random(games) < penalty
    both = by_penalty & (rng.random(games) < shared)
    total = rng.permuted(np.tile(np.arange(players), (games, 1)), axis=1)
    total[both] = np.where(total[both] >= players - 2, players - 1, total[both])
    return Frames(
        games=pd.DataFrame(
            {
                "game": range(games),
                "players": np.full(games, players, np.int8),
                "rounds": np.where(by_penalty, rng.integers(3, 5, games), 4).astype(np.int8),
                "ended_by": pd.Categorical(
                    np.where(by_penalty, "penalty_victory", "gold_victory"), ["gold_victory", "penalty_victory"]
                ),
                "winners": np.where(both, 2, 1).astype(np.int8),
            }
        ),
        players=players_frame(total, policies or ["honest"] * players),
    )


def sushi_go(games=1_000, players=4, policies=None, seed=0):
    """Return Sushi-Go-like frames: points by kind and round, puddings with +6 and -6 at the end."""
    rng = np.random.default_rng(seed)
    kinds = {"tempura": 5, "sashimi": 10, "dumpling": 3, "maki": 4, "nigiri": 6}
    shape = (games, 3, players)
    points = {kind: rng.poisson(mean, shape) for kind, mean in kinds.items()}
    puddings = rng.multinomial(10, [1 / players] * players, games)
    worth = np.zeros((games, players), int)
    for most, value in ((True, 6), (False, -6)):
        edge = puddings.max(1, keepdims=True) if most else puddings.min(1, keepdims=True)
        level = puddings == edge
        worth += np.where(level, np.sign(value) * (abs(value) // level.sum(1, keepdims=True)), 0)
    points["pudding"] = np.zeros(shape, int)
    points["pudding"][:, -1] = worth
    game, number, seat = np.indices(shape)
    rounds = pd.DataFrame(
        {"game": game.ravel(), "round": number.ravel() + 1, "seat": seat.ravel()}
        | {kind: part.ravel() for kind, part in points.items()}
    )
    rounds["puddings"] = np.stack([puddings // 3, puddings // 2, puddings], axis=1).ravel()
    total = sum(part.sum(axis=1) for part in points.values())
    frame = players_frame(total, policies or ["greedy"] * players)
    winners = frame.groupby("game")["win"].apply(lambda win: (win > 0).sum()).to_numpy()
    return Frames(
        games=pd.DataFrame(
            {"game": range(games), "players": players, "rounds": 3, "ended_by": "points", "winners": winners}
        ),
        players=frame,
        rounds=rounds,
    )
