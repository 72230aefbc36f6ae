"""The one place that lists the games, and finds their rule files."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import cast

from sushibalance.games.game import Engine
from sushibalance.rules.document import load_documents
from sushibalance.rules.model import Rules
from sushibalance.rules.problems import Problem, RulesError, one_of, shown
from sushibalance.rules.reading import like

GAMES = {"otter": "OtterRules", "nightmares": "NightmaresRules", "sushi_go": "SushiGoRules"}

_PACKAGE = Path(__file__).resolve().parent.parent
_SHIPPED = _PACKAGE / "_shipped"


def shipped(folder: str) -> Path:
    """Return the ``data`` or ``notebooks`` folder: the checkout's, or the wheel's copy."""
    installed = _SHIPPED / folder
    return installed if installed.is_dir() else _PACKAGE.parent / folder


def rules_model(game: str, file: str = "rules") -> type[Rules]:
    """Return the rules class of a game, named in ``file``."""
    if game not in GAMES:
        raise RulesError([Problem(file, "game", shown(game), one_of(game, GAMES))])
    return cast("type[Rules]", getattr(import_module(f"sushibalance.games.{game}.rules"), GAMES[game]))


def engine(game: str) -> Engine:
    """Return the compiled engine of a game (imports numba; the first use compiles)."""
    rules_model(game)
    return cast(Engine, import_module(f"sushibalance.games.{game}.engine").ENGINE)


def rule_sets() -> dict[str, Path]:
    """Return the shipped rule sets by name: ``otter``, ``otter/flush_8``, ..."""
    data = shipped("data")
    found = {game: data / f"{game}.toml" for game in GAMES}
    for game in GAMES:
        for path in sorted((data / "variants" / game).glob("*.toml")):
            found[f"{game}/{path.stem}"] = path
    return found


def find_rules(name: str, folder: Path | None = None) -> Path:
    """Return the file of a rule set: a shipped name, or a path (relative to ``folder``)."""
    known = rule_sets()
    if name in known:
        return known[name]
    if name.endswith(".toml"):
        return (folder or Path()) / name
    short = [path for key, path in known.items() if key.partition("/")[2] == name]
    if len(short) == 1:
        return short[0]
    own = like(name, folder or Path())
    allowed = f"a path ending in .toml, or a shipped rule set; {one_of(name, [*known, own] if own else known)}"
    raise RulesError([Problem("rules", "", shown(name), allowed)])


def load_rules(source: str | Path) -> Rules:
    """Return the rules of a shipped rule set or of a file.

    Parameters
    ----------
    source : str or Path
        ``"otter"``, a shipped variant (``"otter/flush_8"``, or ``"flush_8"`` where one game only has
        it), or the path of a TOML file.

    Raises
    ------
    RulesError
        With file, key, value found and what is allowed, for every fault.

    Examples
    --------
    >>> load_rules("sushi_go").name
    'sushi_go'
    """
    if not isinstance(source, str | Path):
        raise RulesError([Problem("rules", "", shown(source), "a rule set's name or the path of a rule file")])
    path = source if isinstance(source, Path) else find_rules(source)
    *below, document = load_documents(path, find_rules)
    return rules_model(document.game, str(path)).from_document(document, below)


def schemas() -> dict[str, str]:
    """Return the text of every JSON Schema file of ``data/schema`` by file name."""
    from sushibalance.rules.schema import texts

    return {name: text for game in GAMES for name, text in texts(rules_model(game)).items()}
