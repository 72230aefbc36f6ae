"""What there is, listed: rule sets, the values of one, what it changes, and the policies of a game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from sushibalance.console.lines import plain, wrapped
from sushibalance.errors import UserError, nearest

if TYPE_CHECKING:
    from sushibalance.games.game import Policy
    from sushibalance.rules import Rules


def rule_sets(descriptions: Mapping[str, str]) -> str:
    """Return names and what they are, side by side, within the width of the terminal."""
    width = max(map(len, descriptions)) + 2
    return "\n".join(wrapped(name.ljust(width) + plain(text), width) for name, text in descriptions.items())


def values(rules: Rules, base: Rules, source: str | None = None, match: str | None = None) -> str:
    """Return the values of a rule set with their sources and notes.

    Parameters
    ----------
    rules, base : Rules
        The rule set, and the game as shipped.
    source : str, optional
        Only values from this source.
    match : str, optional
        Only values with this text in their key.
    """
    from sushibalance.rules.problems import shown

    lines = [_head(rules)]
    if moved := rules.differences(base):
        lines.append(f"# differs from {base.name} in {len(moved)} of {len(rules.values())} values: see --differences")
    kept = [value for value in rules.values() if value.source == source or not source]
    fitting = [value for value in kept if (match or "") in value.key]
    note = ""
    for value in fitting:
        if value.note != note:  # an empty one ends what the last note was about
            lines.append(f"# {plain(value.note)}".rstrip())
        note = value.note
        lines.append(f"{value.key} = {shown(value.value, 1000)}  # {value.source}")
    if not fitting:
        what = f"has the source {source}" if source else ""
        lines.append(f"# {_nothing(what, match, [value.key for value in kept])}")
    return "\n".join(lines)


def differences(rules: Rules, base: Rules, match: str | None = None) -> str:
    """Return the values that differ from the game as shipped; parameters are those of `values`."""
    moved = rules.differences(base)
    from sushibalance.rules.problems import changed

    lines = [f"{key}: {changed(before, after)}" for key, before, after in moved if (match or "") in key]
    none = "# " + _nothing(f"differs from {base.name}", match, [key for key, *_ in moved])
    return "\n".join([_head(rules), *(lines or [none])])


def _head(rules: Rules) -> str:
    return f"# {rules.name}: {plain(rules.description)}" if rules.description else f"# {rules.name}"


def _nothing(what: str, match: str | None, keys: list[str]) -> str:
    """Return the sentence that says that no value is shown, and what --match may have meant."""
    from sushibalance.rules.problems import shown

    if not keys or match is None:
        return f"no value {what}"
    near = nearest(match, dict.fromkeys(part for key in keys for part in key.split(".")))
    which = f"no value that {what} has" if what else "no value has"
    return f"{which} {shown(match)} in its key" + (f"; did you mean {near}?" if near else "")


def good(names: list[str]) -> Iterator[str]:
    """Yield a line for each rule set that has no mistake.

    Raises
    ------
    UserError
        After the last, all that is wrong with the others; at once without any name.
    """
    from sushibalance.games.registry import load_rules
    from sushibalance.rules import Problem, RulesError

    if not names:
        raise UserError("rules --check: found no file, allowed one or more .toml files")
    problems: list[Problem] = []
    for name in names:
        try:
            found = load_rules(name)
        except RulesError as error:
            problems += error.problems
            continue
        yield f"{name}: good, {len(found.values())} values, {len(found.assumed())} of them assumed"
    if problems:
        raise RulesError(problems)


def policies(known: Iterable[Policy]) -> str:
    """Return the ways a seat can play, with their parameters and what they do."""
    lines = []
    for policy in known:
        parameters = ", ".join(f"{key}={value:g}" for key, value in policy.parameters.items())
        head = f"{policy.name}({parameters})" if parameters else policy.name
        lines += [wrapped(head, len(policy.name) + 1), wrapped("    " + policy.description, 4)]
    return "\n".join(lines)
