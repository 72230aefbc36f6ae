"""What the options of a command ask for, and which of them do not go together."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from sushibalance.console.lines import plain
from sushibalance.errors import UserError, nearest

if TYPE_CHECKING:
    from sushibalance.rules import Rules

QUESTIONS = ("compare_variants", "card_values")  # reports on a question of their own


def chosen(name: str, variant: str | None = None, changes: Iterable[str] | None = None) -> Rules:
    """Return the rules that a name, ``--variant`` and ``--set`` ask for.

    Raises
    ------
    UserError
        For a variant that the game does not have, and a change that is none.
    """
    from sushibalance.games.registry import load_rules

    found = load_rules(name if variant is None else _variant(name, variant))
    if not changes:
        return found
    return found.vary(values(changes), name=plain(f"{found.name}, {', '.join(changes)}")[:100], label="--set")


def words(name: str, variant: str | None = None, changes: Iterable[str] | None = None) -> list[str]:
    """Return the words of a shell command that name the same rules again."""
    asked = [name, *(["--variant", variant] if variant else [])]
    for change in changes or ():
        asked += ["--set", change]
    return [shlex.quote(word) for word in asked]


def _variant(name: str, variant: str) -> str:
    """Return the name of a game's variant among all rule sets."""
    from sushibalance.games.registry import GAMES, load_rules, rule_sets
    from sushibalance.rules.problems import one_of, shown

    if variant.endswith(".toml"):
        raise UserError(
            f"--variant: found {shown(variant)}, allowed a shipped variant; a file of yours goes in place of {name}"
        )
    if name not in GAMES:
        load_rules(name)  # a name that is none is the greater mistake
        raise UserError(f"--variant: found it beside {shown(name)}, allowed beside a game: {', '.join(GAMES)}")
    known = [key.removeprefix(f"{name}/") for key in rule_sets() if key.startswith(f"{name}/")]
    short = variant.removeprefix(f"{name}/")
    if short not in known:
        raise UserError(f"--variant: found {shown(variant)}, allowed a variant of {name}: {one_of(short, known)}")
    return f"{name}/{short}"


def values(texts: Iterable[str], option: str = "--set") -> dict[str, Any]:
    """Return what several ``NAME=VALUE`` say, each name once.

    Raises
    ------
    UserError
        For a name that comes twice, and what `value` refuses.
    """
    found: dict[str, Any] = {}
    for key, said in (value(text, option) for text in texts):
        if key in found:
            raise UserError(f"{option} {key}: found it twice, allowed once")
        found[key] = said
    return found


def value(text: str, option: str = "--set") -> tuple[str, Any]:
    """Return the name and the value of ``NAME=VALUE``; a bare word is a text, and nothing takes a key out of rules.

    Raises
    ------
    UserError
        Without a name, or for a value that is none.
    """
    key, equals, said = text.partition("=")
    if not equals or not key.strip():
        example = (
            "KEY=VALUE, for example hands.flush.score=8" if option == "--set" else "NAME=VALUE, for example seed=1"
        )
        raise UserError(f'{option}: found "{text}", allowed {example}')
    if option == "--set" and not said.strip():
        return key.strip(), None
    try:
        parsed = tomllib.loads(f"value = {said}")
    except (ValueError, RecursionError):
        parsed = {}
    if list(parsed) == ["value"]:
        return key.strip(), parsed["value"]
    if said.strip().isidentifier():
        return key.strip(), said.strip()
    raise UserError(f'{option} {key.strip()}: found {said}, allowed a number, true, false, "text" or a [list]')


def reports(
    names: list[str], variants: list[str], changes: list[str] | None, parameters: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Return what reports to build, and with which parameters, as `reports.build_all` takes them.

    Parameters
    ----------
    names : list of str
        Rule sets, one of `QUESTIONS` before them; without any rule set all the games that the question fits.
    variants, changes : list of str
        ``--variant`` and ``--set``: the rules that the report is about; of `compare_variants` what it compares with
        its base.
    parameters : mapping
        ``-P``.

    Raises
    ------
    UserError
        For a question that is misspelt, and what `chosen` refuses.
    """
    from sushibalance.games.registry import GAMES, rule_sets

    question = names[0] if names and names[0] in QUESTIONS else None
    if names and question is None and not names[0].endswith(".toml"):
        near = nearest(names[0], [*QUESTIONS, *rule_sets()])
        if near in QUESTIONS:
            raise UserError(f'report: found "{names[0]}", allowed a question or a rule set; did you mean {near}?')
    for name in names[1:]:
        if name in QUESTIONS:
            others = " ".join(other for other in names if other != name)
            raise UserError(f"report: found {name} after a rule set, allowed before it, as: report {name} {others}")
    if question == "compare_variants":
        return _compared(names[1:], variants, changes, parameters)
    if len(variants) > 1:
        raise UserError(
            f"--variant: found {len(variants)}, allowed one; 'report compare_variants' compares several with a base"
        )
    variant = variants[0] if variants else None
    if question is None:
        return [chosen(name, variant, changes) for name in names or GAMES], dict(parameters)
    from sushibalance.reports import every

    about = names[1:] or [game for known, game in every() if known == question]
    return [(question, chosen(name, variant, changes)) for name in about], dict(parameters)


def _compared(
    names: list[str], variants: list[str], changes: list[str] | None, parameters: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Return which bases to compare, and with which variants; without any with all that are shipped."""
    from dataclasses import asdict

    from sushibalance.analysis.asking import Changes
    from sushibalance.games.registry import GAMES

    bases = [chosen(name) for name in names or GAMES]
    for at, base in enumerate(bases):
        if any(base.game == other.game for other in bases[:at]):
            raise UserError(
                f"report compare_variants: found {len(names)} rule sets, several of {base.game}, allowed one, the "
                f"base; name what to compare with it after --variant, as: {names[0]} --variant {names[-1]}"
            )
    given = {"--variant": variants, "--set": changes}
    if not first(given):
        return [("compare_variants", base) for base in bases], dict(parameters)
    if len(names) != 1:
        raise UserError(
            f"{first(given)}: found {len(names) or 'no'} rule set{'s' * (len(names) > 1)} before it, allowed one, the "
            f"base, as: report compare_variants otter {first(given)} ..."
        )
    if "variants" in parameters:
        alone("-P variants", given)
    every: list[Any] = [*variants, *([chosen(names[0], None, changes)] if changes else [])]
    Changes.of(every, bases[0])
    told = [one if isinstance(one, str) else asdict(one.document) for one in every]
    return [("compare_variants", bases[0])], {**parameters, "variants": told}


def margins(texts: list[str], metrics: list[str]) -> Any:
    """Return the margins that ``--margin`` options ask for.

    Parameters
    ----------
    texts : list of str
        ``"win_points=0.02"``, ``"hands=1%"``, ``"points=-1..2"``; without a name for the one metric that is asked.
    metrics : list of str
        What ``--metric`` asks for.

    Raises
    ------
    UserError
        For a text that is no margin.
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        if not equals:
            if len(metrics) != 1:
                raise UserError(
                    f'--margin: found "{text}", allowed NAME=NUMBER, for example win_points=0.02; a number alone '
                    "beside one --metric"
                )
            name = metrics[0]
        numbers = list(_numbers(value))
        if len(numbers) not in (1, 2) or None in numbers:
            raise UserError(f'--margin: found "{text}", allowed NAME=NUMBER or NAME=LOW..HIGH, as 0.02, 2% or -1..2')
        if name.strip() in found:
            raise UserError(f"--margin {name.strip()}: found it twice, allowed once")
        found[name.strip()] = numbers[0] if len(numbers) == 1 else tuple(numbers)
    return found or None


def _numbers(text: str) -> Iterator[float | None]:
    for part in text.split(".."):
        percent = part.strip().endswith("%")
        try:
            yield float(part.strip().removesuffix("%")) / (100 if percent else 1)
        except ValueError:
            yield None


def first(options: Mapping[str, object]) -> str:
    """Return the name of the first option that was given, or nothing."""
    return next((name for name, given in options.items() if given), "")


def alone(option: str, others: Mapping[str, object]) -> None:
    """Refuse options that would have no effect beside another.

    Raises
    ------
    UserError
        Naming the first of them.
    """
    if beside := first(others):
        raise UserError(f"{option}: found {beside} beside it, allowed one without the other")
