"""Frames of several runs as one frame, and what frames know of each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import pandas as pd

from sushibalance.rules.problems import shown
from sushibalance.stats.groups import first_rows, labelled, need, numbers, same_row, stacked
from sushibalance.stats.ratios import ESTIMATES
from sushibalance.stats.tallies import Tally


class Framed(Protocol):
    """Anything that gives frames by name, such as a `Run`."""

    def frame(self, name: str) -> pd.DataFrame:
        """Return the frame of that name."""


def stack(runs: Mapping[Any, Framed], frame: str, *, keys: Sequence[str] = ("table",)) -> pd.DataFrame:
    """Return one frame of several runs, told apart by columns.

    Parameters
    ----------
    runs : mapping to Run
        By label: the tables that were played. With several ``keys`` a label is a tuple.
    frame : str
        Name of the frame: ``"players"``, ``"games"``, ...
    keys : sequence of str
        Names of the columns that hold the label; texts become categorical, in the order given.

    Returns
    -------
    DataFrame
        All rows; ``game`` is counted on from run to run, so that no two games share a number.
    """
    parts, offset = [], 0
    for label, run in runs.items():
        part = run.frame(frame)
        ids = part["game"].to_numpy(np.int64) + offset
        values = dict(zip(keys, (label,) if len(keys) == 1 else label, strict=True))
        parts.append(part.assign(game=ids, **values))
        offset += len(run.frame("games"))
    if not parts:
        return pd.DataFrame({key: [] for key in (*keys, "game")})
    result = stacked(parts)
    for key in keys:
        if not pd.api.types.is_numeric_dtype(result[key]):
            order = list(dict.fromkeys(part[key].iloc[0] for part in parts))
            result[key] = pd.Categorical(result[key], categories=order)
    return result[[*keys, *(column for column in result.columns if column not in keys)]]


def with_policy(frame: pd.DataFrame, players: pd.DataFrame) -> pd.DataFrame:
    """Return a frame of seats with the column ``policy``, taken from ``run.players``.

    A frame that has the column is returned as it is.
    """
    if "policy" in frame.columns:
        return frame
    need(frame, "frame", "game", "seat")
    need(players, "players", "game", "seat", "policy")
    known, columns = players[first_rows(players, ["seat", "policy"])], ["seat"]
    if not known["seat"].is_unique:  # several runs: a seat's policy is that of its game
        known, columns = players, ["game", "seat"]
    policy = known["policy"].take(same_row("players", known, frame, columns))
    return frame.assign(policy=policy.set_axis(frame.index))


def with_distance(frame: pd.DataFrame, rounds: pd.DataFrame) -> pd.DataFrame:
    """Return a frame of Otter's seats with the column ``distance``: seats clockwise from the first button.

    0 is the player who held the button in round 1.

    Parameters
    ----------
    frame : DataFrame
        Rows of seats: game, seat.
    rounds : DataFrame
        ``run.rounds``: game, round, seat, button.
    """
    need(frame, "frame", "game", "seat")
    need(rounds, "rounds", "game", "round", "seat", "button")
    start = rounds[rounds["round"].to_numpy() == 1]
    game, _ = numbers(start, ["game"])
    place = same_row("rounds", start, frame, ["game"])
    button, seats = start["button"].to_numpy(np.int64)[place], np.bincount(game)[game][place]
    return frame.assign(distance=((frame["seat"].to_numpy(np.int64) - button) % seats).astype(np.int8))


def with_mix(frame: pd.DataFrame, players: pd.DataFrame) -> pd.DataFrame:
    """Return a frame of games, or of anything in them, with the column ``mix``: the policies of all at the table.

    Parameters
    ----------
    frame : DataFrame
        With the column game.
    players : DataFrame
        ``run.players``: game, seat, policy.
    """
    need(frame, "frame", "game")
    need(players, "players", "game", "seat", "policy")
    policy, game, table = _policies(players)
    place = game[same_row("players", players, frame, ["game"])]
    return frame.assign(mix=_compositions(table[place], policy).set_axis(frame.index))


def with_rivals(frame: pd.DataFrame, players: pd.DataFrame) -> pd.DataFrame:
    """Return a frame of seats with the column ``rivals``: the policies of the others at the table.

    Parameters
    ----------
    frame : DataFrame
        With the columns game and seat.
    players : DataFrame
        ``run.players``: game, seat, policy.
    """
    need(frame, "frame", "game", "seat")
    need(players, "players", "game", "seat", "policy")
    policy, game, table = _policies(players)
    row = same_row("players", players, frame, ["game", "seat"])
    others = table[game[row]]
    others[np.arange(len(row)), policy.cat.codes.to_numpy()[row]] -= 1
    return frame.assign(rivals=_compositions(others, policy).set_axis(frame.index))


def _policies(players: pd.DataFrame) -> tuple[pd.Series, np.ndarray, np.ndarray]:
    """Return the policies, the number of each row's game, and how many of each policy sit there."""
    policy = players["policy"].astype("category")
    game, games = numbers(players, ["game"])
    table = np.zeros((games, len(policy.cat.categories)), np.int8)
    np.add.at(table, (game, policy.cat.codes.to_numpy()), 1)
    return policy, game, table


def _compositions(counts: np.ndarray, policy: pd.Series) -> pd.Series:
    """Return what tables are called, from how many of each policy sit there: ``"2 greedy, random"``."""
    different, code = np.unique(counts, axis=0, return_inverse=True)
    names = [
        ", ".join(f"{count} {name}" if count > 1 else str(name) for name, count in pairs if count)
        for pairs in ([*zip(policy.cat.categories, row, strict=True)] for row in different[::-1])
    ]
    return labelled(len(different) - 1 - code.reshape(-1), names)


def with_cards(frame: pd.DataFrame, rules: Any) -> pd.DataFrame:
    """Return a frame of Otter's power-ups with the columns ``card`` and ``type``.

    Power-ups that are alike in all but their number are one card: ``"52 to 63: Take a Key Client card"``. Of a card
    whose values changed while its text stayed, these stand behind it: ``"21: Two or more 5s: 5 score (score = 6)"``.

    Parameters
    ----------
    frame : DataFrame
        Rows of power-ups: power_up.
    rules : OtterRules
        The rules they are from (``run.rules``).
    """
    need(frame, "frame", "power_up")
    alike: dict[str, list[int]] = {}
    for number, card in rules.power_ups.items():
        alike.setdefault(card.model_dump_json(), []).append(int(number))
    types = list(dict.fromkeys(card.type for card in rules.power_ups.values()))
    names, size = [], max(map(int, rules.power_ups)) + 1
    card_of, type_of = np.full(size, -1), np.full(size, -1)
    for code, same in enumerate(alike.values()):
        kind_of = rules.power_ups[str(same[0])].type
        names.append(f"{_spans(same)}: {_text(rules, same[0])}")
        card_of[same], type_of[same] = code, types.index(kind_of)
    at = frame["power_up"].to_numpy(np.int64)
    card, kind = (labelled(of[at], values).set_axis(frame.index) for of, values in ((card_of, names), (type_of, types)))
    return frame.assign(card=card, type=kind)


def _text(rules: Any, number: int | str) -> str:
    """Return what is printed on a power-up of Otter, and the values that were changed after its text was written."""
    card, table = rules.power_ups[str(number)], f"power_ups.{number}"
    later = [path.removeprefix(f"{table}.") for path in rules.document.set_after(f"{table}.text")]
    have = {value.key.removeprefix(f"{table}."): value.value for value in rules.values()} if later else {}
    changed = [f"{key} = {shown(have[key])}" if key in have else f"no {key}" for key in later]
    text = (card.text or card.type.replace("_", " ")).rstrip(".")
    return f"{text} ({', '.join(changed)})" if changed else text


def _spans(numbers: Sequence[int]) -> str:
    """Return ``"1, 2"``, or ``"52 to 63"`` for three or more in a row."""
    spans: list[list[int]] = []
    for number in sorted(numbers):
        if spans and number == spans[-1][-1] + 1:
            spans[-1].append(number)
        else:
            spans.append([number])
    return ", ".join(f"{s[0]} to {s[-1]}" if len(s) > 2 else ", ".join(map(str, s)) for s in spans)


def side_by_side(*parts: Tally, level: float, names: Sequence[str], n: str) -> pd.DataFrame:
    """Return the estimates of several tallies with the same keys beside one another, each by its name.

    ``n`` is what the column is called that has the n of the first. What finishes a `Together`.
    """
    frames = [part.frame(level) for part in parts]
    keys = [key for key in frames[0].columns if key not in ESTIMATES]
    result = frames[0][[*keys, "n", "games"]].rename(columns={"n": n})
    for name, frame in zip(names, frames, strict=True):
        columns = {"estimate": name, "low": f"{name}_low", "high": f"{name}_high"}
        told = frame[[*keys, *columns]].rename(columns=columns)
        # a card that nobody took has no pick in which it was taken
        result = result.merge(told, how="left", on=keys) if keys else result.join(told)
    return result
