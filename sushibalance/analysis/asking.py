"""What a comparison is asked for, checked: the variants and the numbers, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sushibalance.analysis.headlines import by_name, headlines
from sushibalance.analysis.over import Question, Questions
from sushibalance.errors import UserError
from sushibalance.games.registry import load_rules, rule_sets
from sushibalance.rules import Rules
from sushibalance.rules.problems import one_of, shown
from sushibalance.simulation.request import several

RuleSet = Rules | str | Path
QUANTILES = ("bands", "quantiles")  # questions without a paired difference


class Changes(dict[str, Rules]):
    """The variants of a base, by name."""

    @classmethod
    def of(cls, variants: RuleSet | Sequence[RuleSet] | Mapping[str, RuleSet], base: Rules) -> Changes:
        """Return the variants that `compare` is called with.

        Raises
        ------
        UserError
            For none, one of another game, or two of one name.
        """
        if isinstance(variants, Mapping):
            listed = [(str(name), rules) for name, rules in variants.items()]
        else:
            wanted = "a rule set, a list of these, or names for them"
            listed = [("", rules) for rules in several("variants", variants, Rules | str | Path, wanted)]
        named = cls()
        for name, given in listed:
            rules = given if isinstance(given, Rules) else cls._loaded(given, base.game)
            if rules.game != base.game:
                found = f"{shown(rules.name)}, a rule set of {rules.game}"
                raise UserError(f"variants: found {found}, allowed one of {base.game}")
            label = name or rules.name
            if label in named:
                raise UserError(
                    f'variants: found {shown(label)} twice, allowed different names, as by name = "..." in a rule '
                    "file, or as of a mapping"
                )
            named[label] = rules
        if not named:
            raise UserError("variants: found none, allowed one rule set or more")
        return named

    @staticmethod
    def _loaded(given: str | Path, game: str) -> Rules:
        """Return the rules of a file or of a shipped name; of this game where several have that name."""
        own = f"{game}/{given}"
        return load_rules(own if isinstance(given, str) and own in rule_sets() else given)


class Numbers(Questions):
    """The questions of a comparison, by name."""

    @classmethod
    def of(cls, metrics: str | Sequence[str] | Mapping[str, Question] | None, game: str, quantiles: bool) -> Numbers:
        """Return the headline numbers of a game, some of them, or questions of one's own.

        Parameters
        ----------
        metrics : str, sequence of str, mapping of str to Question, optional
            By default all headlines of the game.
        game : str
        quantiles : bool
            Whether quantiles can be compared. Where not, they are left out, or refused if asked for.

        Raises
        ------
        UserError
            For a name that is none, or nothing to ask.
        """
        known = by_name(game)
        if isinstance(metrics, Mapping):
            for name, ask in metrics.items():
                if not isinstance(ask, Question):
                    raise UserError(f"metrics: found {shown(ask)} under {shown(name)}, allowed a question(...)")
            chosen = dict(metrics)
        else:
            names = (
                list(headlines(game)) if metrics is None else several("metrics", metrics, str, "names, or questions")
            )
            for name in names:
                if name not in known:
                    raise UserError(f"metrics: found {shown(name)}, allowed {one_of(str(name), known)}")
            chosen = {name: known[name] for name in names}
        for name in [] if quantiles else [name for name, ask in chosen.items() if cls._ranks(ask)]:
            if metrics is not None:
                raise UserError(
                    f'metrics: found {name}, which are quantiles, allowed with a number of games (not "auto") and '
                    "seats that do not rotate"
                )
            del chosen[name]
        if not chosen:
            raise UserError("metrics: found none, allowed one or more")
        return cls(chosen)

    @staticmethod
    def _ranks(ask: Any) -> bool:
        return getattr(ask.ask, "__name__", "") in QUANTILES
