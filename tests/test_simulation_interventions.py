"""Requests with an intervention: they travel, they are stored, and are never taken for others."""

import json
from dataclasses import replace

import numpy as np
import pytest

from sushibalance import Run, RunError, simulate
from sushibalance.errors import UserError
from sushibalance.games.intervention import Intervention
from sushibalance.simulation.request import Request, received
from sushibalance.simulation.simulate import _into_folder

FORCED = Intervention("ability", "fortune_cat")


def request(intervention=None):
    return replace(Request.of("nightmares", 4, "random", 1), intervention=intervention)


def played(asked, games=300):
    rows = asked.new_rows(games)
    assert not asked.play(0, rows).any()
    return asked.run(0, rows)


def same(one, other):
    return all(np.array_equal(one.rows[name], other.rows[name]) for name in one.rows)


def test_a_parcel_carries_it():
    arrived = received(request(FORCED).parcel())
    assert arrived.intervention == FORCED
    assert same(played(arrived), played(request(FORCED)))
    assert not same(played(arrived), played(request()))
    assert received(request().parcel()).intervention is None


def test_a_run_keeps_it(tmp_path):
    run = played(request(FORCED))
    assert run.cut(10, 20).intervention == FORCED
    stored = Run.load(run.save(tmp_path / "run"))
    assert stored.intervention == FORCED and same(stored, run)
    assert [part.intervention for part in stored.parts()] == [FORCED]
    assert stored.save(tmp_path / "again") and Run.load(tmp_path / "again").intervention == FORCED


def test_a_stored_run_is_not_taken_for_another(tmp_path):
    asked = {"workers": 1, "executor": None, "progress": False}
    run = _into_folder(request(FORCED), 100, tmp_path / "run", **asked)
    assert run.intervention == FORCED
    assert same(_into_folder(request(FORCED), 100, tmp_path / "run", **asked), run)
    with pytest.raises(RunError, match=r"intervention: found .*fortune_cat.*, asked nothing"):
        simulate("nightmares", games=100, seed=1, out=tmp_path / "run", progress=False)
    with pytest.raises(RunError, match=r"intervention: found .*given = true.*, asked .*given = false"):
        _into_folder(request(replace(FORCED, given=False)), 100, tmp_path / "run", **asked)
    simulate("nightmares", games=100, seed=1, out=tmp_path / "plain", progress=False)
    with pytest.raises(RunError, match=r"intervention: found nothing, asked .*fortune_cat"):
        _into_folder(request(FORCED), 100, tmp_path / "plain", **asked)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("fortune_cat", 'intervention: found "fortune_cat", allowed kind, card, given'),
        ({"kind": "ability", "card": "fortune_cat"}, "allowed kind, card, given"),
        ({"kind": "ability", "card": "fortune_cat", "given": 1}, "allowed kind, card, given"),
        ({"kind": "ability", "card": "no_cat", "given": True}, "one of: fortune_cat"),
        ({"kind": "magic", "card": "fortune_cat", "given": True}, "one of: grade, ability"),
    ],
)
def test_a_damaged_one_is_told(words, said, tmp_path):
    folder = played(request(FORCED)).save(tmp_path / "run")
    manifest = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(manifest | {"intervention": words}))
    with pytest.raises(UserError, match=said):
        Run.load(folder)
