"""The benchmark of answers asks what it says it asks, in small."""

import pytest

from benchmarks import answers
from sushibalance import simulate


@pytest.mark.parametrize("place", range(2))
def test_a_question_is_asked_and_measured(place, tmp_path, monkeypatch):
    folder = tmp_path / "stored"
    simulate("otter", games=60, out=folder, progress=False)
    taken = answers.measured(place, folder, 60)
    assert taken.wall > 0 and taken.cpu > 0 and taken.megabytes > 50 and taken.remark
    assert answers.ANSWERS[place].question in answers.row(answers.ANSWERS[place], taken)


def test_otters_question_has_its_margin(tmp_path, monkeypatch):
    monkeypatch.setattr(answers, "PLANNED", 40)
    _, answer = answers.otter(tmp_path, 0)
    assert answer().startswith("40 games: 4 undecided")


def test_what_is_too_slow_or_large_is_told():
    one = answers.ANSWERS[0]
    assert "TOO SLOW" not in answers.row(one, answers.Taken(4.9, 9.0, 999.0, "fine"))
    assert "TOO SLOW" in answers.row(one, answers.Taken(5.1, 1.0, 100.0, "late"))
    assert "TOO SLOW" in answers.row(one, answers.Taken(1.0, 1.0, 1_001.0, "large"))
