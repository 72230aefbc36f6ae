"""`sushibalance compare` as a designer meets it."""

import os
import re
import signal
import subprocess
import time

import pandas as pd
import pytest
from test_cli import COMMAND, bad, good, shell  # noqa: F401

from sushibalance import compare, load_rules
from sushibalance.analysis.saying import Said


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    """Let lines be as long as they are, wherever the tests run."""
    monkeypatch.setenv("COLUMNS", "120")


HUNT = ["--policy", "penalty_hunter", "-n", 2_000, "-q"]


def test_it_tells_what_was_played_what_moved_and_how_sure_it_is(good):  # noqa: F811
    text = good("compare", "nightmares", "--variant", "penalty_victory_8", *HUNT)
    row = compare("nightmares", "penalty_victory_8", policies="penalty_hunter", games=2_000, progress=False)
    row = row.frames["penalty_victories"].iloc[0]
    assert text.startswith(
        "nightmares against penalty_victory_8: 2,000 games with 4 players, all penalty_hunter, seed 0"
    )
    assert "Eight penalty points win." in text and "penalty_victory: 10 -> 8" in text
    assert re.search(rf"players 4 +{100 * row.base:.0f}% +{100 * row.variant:.0f}% +\+\d+ \(.*\) +above \+2", text)
    assert re.search(r"\d+ of \d+ differences are inside their margins", text) and "the same totals" in text
    assert "In brackets: 9" in text and "\x1b" not in text
    assert all(len(line) <= 120 for line in text.splitlines())


def test_everything_is_shown_and_written_as_csv(good, tmp_path):  # noqa: F811
    file = tmp_path / "found.csv"
    asked = ["compare", "nightmares", "--variant", "penalty_victory_8", *HUNT]
    text = good(*asked, "--all", "--csv", file)
    found = compare("nightmares", "penalty_victory_8", policies="penalty_hunter", games=2_000, progress=False)
    written = pd.read_csv(file, keep_default_na=False, na_values=[""])
    assert list(written.columns) == list(found.table().columns) and len(written) == len(found.table())
    assert written["estimate"].to_numpy() == pytest.approx(found.table()["estimate"].to_numpy())
    assert text.endswith(f"Written: {file}\n") and all(name.split()[0] in text for name in found.table()["name"])
    assert len(re.findall(r"(inside|undecided) ±|above \+|below \u2212|cannot move", text)) == len(found.table())
    assert [path.name for path in tmp_path.iterdir()] == ["found.csv"]
    file.write_text("old")
    assert good(*asked, "--csv", file) and file.read_text().startswith("change,")


@pytest.mark.parametrize("game", ["otter", "sushi_go"])
def test_what_all_do_alike_is_told_once(good, game):  # noqa: F811
    """Where all seats have one policy, numbers by policy are those without."""
    asked = ["compare", game, "--variant", {"otter": "flush_8", "sushi_go": "wasabi_next_turn"}[game], "-n", 60, "-q"]
    once = {"otter": "share of the hands that a policy plays", "sushi_go": "points of a policy by kind of card"}[game]
    assert once not in good(*asked) and once in good(*asked, "--all")
    seats = [word for policy in ("greedy", "random") for word in ("--policy", policy)]
    assert once in good(*asked, "-p", 2, *seats, "--all")


def test_values_that_come_and_go_are_told_so(good):  # noqa: F811
    asked = ["compare", "otter", "--metric", "picks", "-n", 20, "-q", "--set"]
    assert "  power_ups.50.when.rounds: new: [2, 4]\n" in good(*asked, "power_ups.50.when={rounds=[2, 4]}")
    rules = ["rules", "otter", "--differences", "--set"]
    assert "power_ups.50.when.rounds: new: [2, 4]" in good(*rules, "power_ups.50.when={rounds=[2, 4]}")
    card = '{type="score", text="Six.", score=6}'
    assert "power_ups.35.exactly: 5 -> taken out" in good(*rules, f"power_ups.35={card}")


ASKED = ["compare", "nightmares", "--variant", "penalty_victory_8", "--metric", "points", "-n", 20, "-q"]


def test_csv_follows_links_and_leaves_pipes_what_they_are(good, tmp_path):  # noqa: F811
    link, file = tmp_path / "link.csv", tmp_path / "file.csv"
    link.symlink_to(file)
    assert good(*ASKED, "--csv", link) and link.is_symlink() and file.read_text().startswith("change,")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True)
    assert good(*ASKED, "--csv", pipe) and pipe.is_fifo()
    assert reader.communicate(timeout=60)[0] == file.read_text()


def test_csv_may_be_where_the_table_is_printed(tmp_path):
    with (tmp_path / "all.txt").open("w") as out:
        words = map(str, [*COMMAND, *ASKED, "--csv", "/dev/stdout"])
        subprocess.run(words, stdout=out, check=True, timeout=120)
    text = (tmp_path / "all.txt").read_text()
    assert text.startswith("nightmares against penalty_victory_8") and "\nchange,metric," in text


def test_a_full_disk_is_told(shell):  # noqa: F811
    code, _, said = shell(*ASKED, "--csv", "/dev/full")
    assert code == 2 and "--csv: /dev/full cannot be written: No space left on device" in said


def test_a_place_that_takes_no_file_is_told_before_a_game_is_played(bad):  # noqa: F811
    many = [10**9 if word == 20 else word for word in ASKED]
    assert "--csv: /proc/found.csv cannot be written" in bad(*many, "--csv", "/proc/found.csv")


def test_what_cannot_differ_is_shown_when_it_is_asked(good):  # noqa: F811
    text = good("compare", "sushi_go", "--variant", "pudding_every_round", "--metric", "win_points", "-n", 20, "-q")
    assert re.search(r"policy greedy +1.00 +1.00 +0.00 \(0.00 to 0.00\) +cannot move", text)
    assert "Cannot move: win points. All seats play greedy" in text and "There is no difference to judge." in text


def test_rules_that_are_the_same_ask_for_no_more_games(good, write):  # noqa: F811
    copy = write('extends = "sushi_go"\nname = "copy"\ndescription = "Like the other."\n', "copy.toml")
    for more in ([], ["--all"]):
        text = " ".join(good("compare", "sushi_go", "--variant", copy, "-n", 20, "-q", *more).split())
        assert "copy: Like the other. no value is other than in sushi_go. The rules are the same, so every game" in text
        assert not re.search(r"undecided|more games|settle", text) and ("inside" in text) == bool(more)


def test_what_is_new_is_told_beside_what_moved(good, write):  # noqa: F811
    """A new power-up has a part of its own, with its text, its interval and n, and where to read more."""
    metrics = ["--metric", "picks_by_round", "--metric", "picks"]
    asked = ["compare", "otter", "-n", 60, "-q", "--policy", "random"]
    found = compare("otter", "inventions", metrics=metrics[1::2], policies="random", games=60, progress=False)
    new = found.alone[found.alone["under"] == "variant"]
    text = good(*asked, *metrics, "--variant", "inventions")
    assert "Came up only under inventions, with nothing to compare" in text and "not compared" not in text
    assert re.search(r"power-up 65: 2 score per odd shrimp +\d\.\d+ times \(\d.* to \d.*\) +n = \d+", text)
    assert f"and {len(new) - 10} more: --all shows them" in text
    assert "More about these rules: sushibalance report inventions\n" in text
    text = good(*asked, *metrics, "--variant", "inventions", "--all")
    assert "shows them" not in text and len(re.findall("power-up 6[56]:", text)) == len(new) > 10
    path = write('extends = "inventions"\nplay.rounds = 7\n', "my own.toml")
    text = good(*asked, "--metric", "picks", "--metric", "vp", "--variant", path)
    assert f"sushibalance report '{path}'" in " ".join(text.split()) and "Came up only under otter" in text


def test_variants_are_shipped_names_files_and_changes(good, write):  # noqa: F811
    path = write('extends = "nightmares"\npenalty_victory = 9\n', "nine.toml")
    text = good(
        "compare", "nightmares", "--variant", path, "--variant", "penalty_victory_12", "--set", "penalty_victory=7",
        "--metric", "penalty_victories", "--margin", "5%", *HUNT,
    )  # fmt: skip
    assert re.findall(r"penalty_victory: 10 -> (\d+)", text) == ["9", "12", "7"] and "above +5" in text
    assert "win points" not in text


def test_until_it_is_decided(good):  # noqa: F811
    words = ["--policy", "penalty_hunter", "--policy", "honest", "-p", 2, "-q", "--metric", "penalty_victories"]
    text = good("compare", "nightmares", "--variant", "penalty_victory_8", *words)
    assert "500 deals" in text and "2 rotations" in text and "stopped because all is decided" in text
    text = good("compare", "nightmares", "--variant", "penalty_victory_8", *words, "--most", 600, "--margin", "1e-6")
    assert "600 deals" in text or "500 deals" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "compare: found no variant, allowed --variant NAME, a .toml file after --variant, or --set"),
        (["--variant", "flush_8"], "a rule set of otter, allowed one of nightmares"),
        (["--variant", "nowhere.toml"], "nowhere.toml"),
        (
            ["--variant", "penalty_victory_8", "--games", "some"],
            '--games: found "some", allowed a number of games, or auto',
        ),
        (["--variant", "penalty_victory_8", "--games", "1"], "games: found 1"),
        (["--variant", "penalty_victory_8", "--margin", "0.02"], "a number alone beside one --metric"),
        (["--variant", "penalty_victory_8", "--margin", "wins=a"], "allowed NAME=NUMBER or NAME=LOW..HIGH"),
        (["--variant", "penalty_victory_8", "--margin", "wins=1..2..3"], "allowed NAME=NUMBER or NAME=LOW..HIGH"),
        (["--variant", "penalty_victory_8", "--margin", "wins=1", "--margin", "wins=2"], "found it twice"),
        (["--variant", "penalty_victory_8", "--margin", "win=1"], "did you mean wins"),
        (["--variant", "penalty_victory_8", "--metric", "win"], "did you mean wins"),
        (["--variant", "penalty_victory_8", "--level", "95"], "level: found 95"),
        (["--variant", "penalty_victory_8", "--policy", "greed"], "did you mean greedy"),
        (["--variant", "penalty_victory_8", "--csv", "no/such/folder.csv"], "no folder no/such"),
        (["--variant", "penalty_victory_8", "--csv", "."], "--csv: found a folder"),
    ],
)
def test_mistakes_are_told_in_words(bad, words, said):  # noqa: F811
    assert said in " ".join(bad("compare", "nightmares", *words, "-q").split())


def test_a_margin_may_be_lopsided(good):  # noqa: F811
    words = ["--metric", "points", "--margin", "points=-3..0.5", *HUNT]
    assert "\N{MINUS SIGN}3 to +0.5" in good("compare", "nightmares", "--variant", "penalty_victory_8", *words)


def test_ctrl_c_stops_soon_and_leaves_nothing_behind(tmp_path):
    words = ["compare", "nightmares", "--variant", "penalty_victory_8", "-n", "100000000", "--csv", "found.csv", "-q"]
    process = subprocess.Popen(
        [*COMMAND, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        time.sleep(4)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert time.monotonic() - began < 5  # a second or two on a machine with nothing else to do
    assert process.returncode == 130 and out == "" and "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_numbers_stay_whole_on_a_narrow_terminal():
    words = map(
        str,
        [*COMMAND, "compare", "sushi_go", "--set", "rounds=1", "--metric", "points_by_kind", "-n", 60, "-q", "--all"],
    )
    narrow = {**os.environ, "COLUMNS": "60"}
    text = subprocess.run(words, capture_output=True, text=True, env=narrow, check=True).stdout
    found = compare("sushi_go", load_rules("sushi_go").vary({"rounds": 1}), metrics="points_by_kind", games=60,
                    progress=False)  # fmt: skip
    told = Said(found.table())
    for row in found.table().itertuples():
        numbers = rf"{told.before(row, unit=False)} +{told.after(row, unit=False)} "
        assert re.search(rf"kind.* {numbers}".replace("-", "."), text), numbers
    assert all(len(line) <= 60 for line in text.splitlines())


def rows_of(text, words):
    """Return the names of the metrics whose rows begin with words, in the order they are printed."""
    found, heading = [], ""
    for line in text.splitlines():
        heading = line.strip() if line[:1].strip() else heading
        if line.startswith(f"  {words}"):
            found.append(heading)
    return found


def test_what_was_changed_is_shown_first_though_it_moves_nothing(good, write):  # noqa: F811
    asked = ["compare", "otter", "-n", 60, "-q"]
    text = good(*asked, "--set", "power_ups.35.score=7")
    found = compare("otter", load_rules("otter").vary({"power_ups.35.score": 7}), games=60, progress=False)
    table = found.table()
    (row,) = table[(table["metric"] == "picks") & table["of"].str.startswith("power-up 35:")].itertuples()
    texts = Said.texts(found.base)
    assert rows_of(text, f"power-up 35: {texts['35'][:12]}") == [
        "how often a power-up is taken, against chance",
        "power-ups on offer that are taken",
    ]
    before, after = Said.before(row, unit=False), Said.after(row, unit=False)
    assert re.search(rf"power-up 35: .* {before} +{after} ", text)
    assert text.index("power-up 35:") < text.index("games won by seat")
    assert "power-up 34:" not in text and len(re.findall("round \\d, power-up 35:", text)) == 7
    file = write('extends = "otter"\npower_ups.35.score = 7\n', "c35.toml")
    of_file = good(*asked, "--variant", file)
    assert re.findall("^  .*power-up 35:.*$", of_file, re.M) == re.findall("^  .*power-up 35:.*$", text, re.M)


@pytest.mark.parametrize(
    ("name", "changes", "expected"),
    [
        (
            "otter",
            {"hands.flush.score": 12},
            {("hands", "hand flush"), ("hands_by_policy", "policy greedy, hand flush")},
        ),
        ("otter", {"key_clients.learn_low.hands": ["all_low"]}, {("key_clients", "key client learn low")}),
        ("sushi_go", {"pudding.most": 7}, {("points_by_kind", "kind pudding")}),
        ("nightmares", {"penalty_victory": 8}, {("penalty_victories", "players 4")}),
    ],
)
def test_rows_that_name_what_was_changed(name, changes, expected):
    base = load_rules(name)
    metrics = {metric for metric, _ in expected}
    found = compare(base, base.vary(changes), metrics=sorted(metrics), games=60, progress=False)
    table, keys = found.table(), found.named()
    rows = table[keys > 0]
    assert set(zip(rows["metric"], rows["of"], strict=True)) == expected
    assert list(keys[keys > 0]) == [of.count(",") + 1 for of in rows["of"]]
