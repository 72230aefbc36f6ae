"""The JSON Schemas that ship with the data: up to date, and right about good and bad rule files."""

from __future__ import annotations

import copy
import json
import tomllib
from pathlib import Path

import jsonschema
import pytest

from sushibalance.games.registry import GAMES, rule_sets, schemas, shipped

FOLDER = shipped("data") / "schema"


def checker(name: str) -> jsonschema.Draft7Validator:
    game, _, variant = name.partition("/")
    text = (FOLDER / f"{game}{'.variant' if variant else ''}.schema.json").read_text(encoding="utf-8")
    return jsonschema.Draft7Validator(json.loads(text))


def tables(name: str) -> dict:
    return tomllib.loads(rule_sets()[name].read_text(encoding="utf-8"))


def test_the_shipped_schemas_are_those_of_the_models():
    """To mend: ``sushibalance rules --write-schema``."""
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(schemas())
    for name, text in schemas().items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, name
        jsonschema.Draft7Validator.check_schema(json.loads(text))


@pytest.mark.parametrize("name", rule_sets())
def test_every_shipped_rule_file_fits_its_schema_and_names_it(name):
    path = rule_sets()[name]
    faults = [f"{list(error.absolute_path)}: {error.message}" for error in checker(name).iter_errors(tables(name))]
    assert faults == []
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("#:schema ")
    named = (path.parent / first.removeprefix("#:schema ")).resolve()
    assert named == (FOLDER / named.name).resolve() and named.is_file()
    assert named.name == f"{name.partition('/')[0]}{'.variant' if '/' in name else ''}.schema.json"


def spots(value, path=()):
    """Yield the path of every table of a rule file, also of those in lists."""
    if isinstance(value, dict):
        yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if key != "source":
            yield from spots(inner, (*path, key))


@pytest.mark.parametrize("game", GAMES)
def test_a_misspelt_key_is_refused_wherever_it_stands(game):
    check, good = checker(game), tables(game)
    places = list(spots(good))
    assert len(places) >= 8
    for path in places[:: 1 + len(places) // 50]:
        bad = copy.deepcopy(good)
        table = bad
        for key in path:
            table = table[key]
        table["Misspelt-key"] = 1
        assert not check.is_valid(bad), path


@pytest.mark.parametrize("game", GAMES)
def test_a_complete_file_lacks_nothing_and_a_variant_may(game):
    check, good = checker(game), tables(game)
    for key in set(good) - {"name", "description", "source", "note"}:
        assert not check.is_valid({name: value for name, value in good.items() if name != key}), key
    variant = checker(f"{game}/x")
    assert variant.is_valid({"extends": game, "note": "n", "source": "assumed", "remove": ["a.b"]})
    assert not variant.is_valid({"note": "n"})
    assert not variant.is_valid({"extends": game, "source": "guess"})
    assert not variant.is_valid({"extends": 5})
    assert not variant.is_valid({"extends": game, "extend": "x"})


def test_wrong_values_are_refused():
    bad = tables("sushi_go")
    for value in (-1, 1.5, True, "four", [4]):
        bad["rounds"] = value
        assert not checker("sushi_go").is_valid(bad), value


def test_a_variant_may_change_one_key_of_an_entry():
    check = checker("otter/x")
    assert check.is_valid({"extends": "otter", "hands": {"flush": {"score": 8, "source": "assumed"}}})
    assert check.is_valid({"extends": "otter", "power_ups": {"7": {"score_each": 2}, "source": "variant"}})
    assert not check.is_valid({"extends": "otter", "hands": {"flush": {"scor": 8}}})
    assert not check.is_valid({"extends": "otter", "power_ups": {"7": {"score_eech": 2}}})


def test_editors_show_what_the_models_say():
    hand = json.loads(schemas()["otter.schema.json"])["$defs"]["Hand"]
    assert hand["properties"]["groups"]["description"].startswith("Sizes of the groups of equal numbers")
    assert "----" not in json.dumps(schemas())


def test_paths_are_plain():
    assert all(Path(name).name == name for name in schemas())
