"""The command line as a designer meets it: what it prints, and what it says when something is wrong."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sushibalance import Run, load_rules, rule_sets, simulate, trace
from sushibalance.cli import main
from sushibalance.console.options import value as read
from sushibalance.errors import UserError
from sushibalance.games.registry import GAMES, engine

COMMAND = [sys.executable, "-m", "sushibalance"]
COMMANDS = ("rules", "policies", "simulate", "trace", "report", "compare", "check")


@pytest.fixture
def shell(monkeypatch, capsys):
    """Return ``shell(*words) -> (exit code, stdout, stderr)``."""

    def shell(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["sushibalance", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return shell


@pytest.fixture
def good(shell):
    """Return ``good(*words) -> stdout`` of a command that must succeed and say nothing on stderr."""

    def good(*words: object) -> str:
        code, out, err = shell(*words)
        assert (code, err) == (0, "")
        return out

    return good


@pytest.fixture
def bad(shell):
    """Return ``bad(*words) -> stderr`` of a command that must end with code 2, no traceback, no output."""

    def bad(*words: object) -> str:
        code, out, err = shell(*words)
        assert (code, out) == (2, "") and "Traceback" not in err and err
        return err

    return bad


# ------------------------------------------------------------------ help


def test_help_tells_every_command_in_plain_words(good):
    text = good("--help")
    for command in COMMANDS:
        assert re.search(rf"^  {command}  +\w", text, re.M)
        page = good(command, "--help")
        options = re.findall(r"^  (?:-\w, )?(--[\w-]+)(?: [A-Z<][\w<>=]*)?(.*)", page, re.M)
        assert options and all(what.strip() or re.search(rf"{name} .*\n   +\w", page) for name, what in options)
    assert "numba" not in text and "kernel" not in text


def test_help_is_quick_and_loads_neither_numba_nor_pandas(python):
    code = (
        "import sys, sushibalance.cli as c\nsys.argv = ['sushibalance', '--help']\ntry:\n    c.main()\n"
        "except SystemExit: pass\nprint([m for m in ('numba', 'pandas', 'numpy', 'pydantic') if m in sys.modules])"
    )
    assert python(code).splitlines()[-1] == "[]"
    began = time.monotonic()
    subprocess.run([*COMMAND, "--help"], check=True, capture_output=True)
    assert time.monotonic() - began < 2  # 0.3 s on a machine with nothing else to do


def test_version_and_no_command(good, shell):
    assert re.fullmatch(r"sushibalance \d+\.\d+\.\d+\S*\n", good("--version"))
    code, out, err = shell()
    assert code == 2 and "sushibalance [OPTIONS] COMMAND" in out + err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["cook"], "No such command 'cook'"),
        (["simulate"], "Missing argument 'RULES'"),
        (["simulate", "sushi_go", "--games", "many"], "--games"),
        (["simulate", "sushi_go", "--gamse", "5"], "--gamse"),
        (["trace", "sushi_go", "--game", "1.5"], "--game"),
    ],
)
def test_misused_options(bad, words, said):
    assert said in bad(*words)


# ------------------------------------------------------------------ rules


def test_rules_lists_the_rule_sets(good, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    lines = good("rules").splitlines()
    assert [line.split()[0] for line in lines] == list(rule_sets())
    assert all(len(line.split()) > 2 for line in lines)


def test_rules_shows_every_value_with_its_source(good):
    text = good("rules", "sushi_go")
    for value in load_rules("sushi_go").values():
        assert f"\n{value.key} = " in text
    assert text.startswith("# sushi_go: ")
    assert "\npudding.most = 6  # rulebook\n" in text and "\ndeck.pudding = 10  # public\n" in text


def test_a_note_is_shown_beside_its_own_values_only(good):
    lines = good("rules", "otter/inventions", "--match", "key_clients.learn").splitlines()
    mine = lines.index('key_clients.learn_four_suits.type = "new_hand"  # variant')
    assert lines[mine - 1] == "#" and any(line.startswith("# Nine upgrades") for line in lines[:mine])


def test_rules_shows_only_what_is_asked_for(good):
    rules = load_rules("otter")
    lines = [line for line in good("rules", "otter", "--assumed").splitlines() if not line.startswith("#")]
    assert len(lines) == len(rules.assumed()) > 50 and all(line.endswith("# assumed") for line in lines)
    assert lines == [line for line in good("rules", "otter", "--source", "assumed").splitlines() if line[0] != "#"]
    lines = [line for line in good("rules", "otter", "--match", "hands.flush.").splitlines() if line[0] != "#"]
    assert len(lines) >= 5 and all(line.startswith("hands.flush.") for line in lines)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["otter", "--match", "zzz"], '# no value has "zzz" in its key'),
        (["otter", "--match", "fluhs"], '# no value has "fluhs" in its key; did you mean flush?'),
        (["otter", "--source", "public"], "# no value has the source public"),
        (["otter", "--assumed", "--match", "x y"], '# no value that has the source assumed has "x y" in its key'),
        (["otter", "--differences"], "# no value differs from otter"),
        (["flush_8", "--differences", "--match", "zz"], '# no value that differs from otter has "zz" in its key'),
    ],
)
def test_rules_says_when_there_is_nothing_to_show(good, words, said):
    assert good("rules", *words).splitlines()[-1] == said


def test_rules_shows_what_a_variant_changes(good):
    text = good("rules", "otter", "--variant", "flush_8", "--differences")
    assert text.splitlines()[0].startswith("# flush_8: ") and "hands.flush.score: 10 -> 8" in text.splitlines()
    assert text == good("rules", "otter/flush_8", "--differences") == good("rules", "flush_8", "--differences")
    assert "differs from otter in 1 of 498 values: see --differences" in good("rules", "flush_8", "--match", "flush")
    assert text == good("rules", "otter", "--variant", "otter/flush_8", "--differences")


def test_values_set_on_the_command_line(good):
    text = good("rules", "sushi_go", "--set", "pudding.most=8", "--set", "pudding.scored=every_round", "--differences")
    assert text.splitlines()[1:] == ["pudding.most: 6 -> 8", 'pudding.scored: "end_of_game" -> "every_round"']
    assert "pudding.most = 8  # variant" in good("rules", "sushi_go", "--set", "pudding.most = 8")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a=8", 8),
        ("a = -1.5", -1.5),
        ("a=true", True),
        ("a=[1, 2]", [1, 2]),
        ('a="x y"', "x y"),
        ("a=word", "word"),
        ("a={ b = 1 }", {"b": 1}),
        ("a='='", "="),
    ],
)
def test_how_a_value_is_read(text, value):
    assert read(text) == ("a", value)


@pytest.mark.parametrize("text", ["a", "=8", "a=1 2", "a=two words", "a=1\nb=2", "a=[1", "a=" + "[" * 9999])
def test_how_a_value_is_not_read(text):
    with pytest.raises(UserError, match=r"^--set"):
        read(text)


def test_checking_files(good, bad, write):
    path = write('extends = "sushi_go"\n[pudding]\nmost = 8\n')
    assert good("rules", "--check", path) == f"{path}: good, 42 values, 0 of them assumed\n"
    other = write('extends = "sushi_go"\n[puding]\nmost = 8\n', "other.toml")
    assert bad("rules", "--check", other).startswith(
        f"sushibalance: {other}: puding\n  found:   unknown key puding\n  allowed: did you mean pudding? Known: rounds,"
    )


def test_checking_many_files_tells_every_fault(bad, good, shell, write):
    fine = write('extends = "otter"\n', "fine.toml")
    one = write('extends = "otter"\n[hands.flush]\nscor = 8\n', "one.toml")
    two = write('extends = "sushi_go"\n[pudding]\nmosst = 8\n', "two.toml")
    told = bad("rules", "--check", one, two)
    assert fine.name in shell("rules", "--check", fine, one)[1]
    assert "one.toml" in told and "scor" in told and "two.toml" in told and "mosst" in told
    assert good("rules", "--check", fine, "otter/flush_8").count(": good, ") == 2
    assert "found 2 rule sets" in bad("rules", "otter", "nightmares")
    assert "found no file" in bad("rules", "--check")


def test_the_summary_names_the_command_that_lists_its_assumed_values(good):
    text = good("simulate", "otter", "--variant", "flush_8", "--games", 20, "--quiet")
    listing = re.search(r"rest on (\d+) assumed values: sushibalance (.*)", text)
    listed = good(*listing[2].split()).splitlines()
    assert sum(line.endswith("# assumed") for line in listed) == int(listing[1])
    assert "All seats play at random" in text


def test_writing_the_schemas(good, monkeypatch, tmp_path):
    (tmp_path / "schema").mkdir()
    monkeypatch.setattr("sushibalance.games.registry.shipped", lambda folder: tmp_path)
    good("rules", "--write-schema")
    assert len(list((tmp_path / "schema").glob("*.schema.json"))) == 6
    json.loads((tmp_path / "schema" / "otter.schema.json").read_text())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rules", "oter"], 'found:   "oter"\n  allowed: a path ending in .toml, or a shipped rule set; did you mean'),
        (["rules", "otter", "--variant", "flush_9"], '"flush_9", allowed a variant of otter: did you mean flush_8?'),
        (["rules", "oter", "--variant", "flush_8"], '"oter"'),
        (["rules", "flush_8", "--variant", "flush_8"], '--variant: found it beside "flush_8", allowed beside a game'),
        (["rules", "otter", "--variant", "mine.toml"], "a file of yours goes in place of otter"),
        (["rules", "otter", "--assumed", "--source", "public"], "--assumed: found --source beside it, allowed one"),
        (["rules", "otter", "--differences", "--assumed"], "--differences: found --assumed beside it"),
        (["rules", "--check", "otter", "--set", "a=1"], "--check: found --set beside it, allowed one without"),
        (["rules", "--check", "otter", "--match", "a"], "--check: found --match beside it"),
        (["rules", "--write-schema", "otter"], "--write-schema: found a rule set beside it"),
        (["rules", "--assumed"], "--assumed: found no rule set, allowed one"),
        (["rules", "otter", "--set", "source=public"], "--set: source\n  found:   the word source\n  allowed: the key"),
        (["rules", "otter", "--set", "hands.flush.note=x"], "--set: hands.flush.note\n  found:   the word note"),
        (["rules", "otter", "--set", "hands.source=x"], "--set: hands.source\n  found:   the word source"),
        (["rules", "otter", "--set", "hands.flush={ source = 1 }"], "found:   the word source"),
        (["rules", "otter", "--set", "play.rounds=5", "--set", "play.rounds = 6"], "--set play.rounds: found it twice"),
        (["rules", "gone.toml"], "no such file"),
        (["rules", "otter", "--source", "guess"], '--source: found "guess", allowed one of: rulebook, example'),
        (["rules", "sushi_go", "--set", "pudding"], '--set: found "pudding", allowed KEY=VALUE'),
        (["rules", "sushi_go", "--set", "puding.most=8"], "no puding in these rules"),
        (["rules", "sushi_go", "--set", "pudding.most=many"], "pudding.most\n  found:   \"many\"\n  allowed: a whole"),
        (["simulate", "sushi_go", "--games", "0"], "games: found 0, allowed a whole number from 1 to"),
        (["simulate", "sushi_go", "--players", "9"], "players of Sushi Go!: found 9, allowed a whole number from 2"),
        (["simulate", "sushi_go", "--policy", "gredy"], 'no policy "gredy"; did you mean greedy?'),
        (["simulate", "sushi_go", "--policy", "random", "--policy", "greedy"], "policies: found 2, allowed one for"),
        (["simulate", "sushi_go", "--seed", "-1"], "seed: found -1"),
        (["simulate", "sushi_go", "--out", "/dev/null"], "/dev/null: found something that is not a stored run"),
        (["simulate", "sushi_go", "--out", "/dev/null/x"], "/dev/null/x: cannot be written"),
        (["simulate", "sushi_go", "-n", "1000000", "--out", "x" * 300], "cannot be written (File name too long)"),
        (["trace", "sushi_go", "--game", "-1"], "game: found -1"),
        (["policies", "chess"], '"chess"'),
        (["report", "chess"], '"chess"'),
    ],
)  # fmt: skip
def test_mistakes_are_told_in_words(bad, words, said):
    message = bad(*words)
    assert message.startswith("sushibalance: ") and said in message


def test_no_memory_and_a_disk_that_fails_are_told_in_words(bad, monkeypatch):
    def fail(error):
        def load(name):
            raise error

        monkeypatch.setattr("sushibalance.games.registry.load_rules", load)

    fail(MemoryError())
    assert bad("rules", "otter") == "sushibalance: not enough memory; ask for fewer games\n"
    fail(OSError(28, "No space left on device", "/some/file"))
    assert bad("rules", "otter") == "sushibalance: /some/file: No space left on device\n"


def test_a_fault_of_the_program_itself_is_not_hidden(monkeypatch):
    def load(name):
        raise ZeroDivisionError

    monkeypatch.setattr("sushibalance.games.registry.load_rules", load)
    monkeypatch.setattr(sys, "argv", ["sushibalance", "rules", "otter"])
    with pytest.raises(ZeroDivisionError):
        main()


# ------------------------------------------------------------------ simulate, trace, policies


def test_simulate_sums_up_with_intervals_and_saves(good, tmp_path):
    folder = tmp_path / "run"
    words = ["--players", 3, "--policy", "greedy", "--policy", "random", "--policy", "random", "--games", 400]
    text = good("simulate", "sushi_go", *words, "--seed", 5, "--quiet", "--out", folder)
    run = Run.load(folder)
    assert (run.n, run.seed, run.seats) == (400, 5, 3)
    assert text.startswith("Sushi Go!, sushi_go: 400 games, 3 players, seed 5\n")
    assert f"\n\nStored in {folder}: " in text
    interval = r"\d+\.\d% \(\d+\.\d% to \d+\.\d%\)  +-?\d+\.\d\d \(-?\d+\.\d\d to -?\d+\.\d\d\)"
    assert re.search(rf"^greedy  {interval}  +400$", text, re.M) and re.search(
        rf"^random  {interval}  +800$", text, re.M
    )
    assert re.search(rf"^0     greedy  {interval}  +400$", text, re.M)
    wins = run.players[run.players["policy"] == "greedy"]["win"].mean()
    assert f"greedy  {wins:.1%} (" in text
    assert re.search(r"^points +\d", text, re.M) and "ended by" in text


def test_a_summary_names_the_assumed_values_that_it_rests_on(good):
    assumed = len(load_rules("nightmares").assumed())
    text = good("simulate", "nightmares", "--games", 20, "-q")
    assert f"rest on {assumed} assumed values: sushibalance rules nightmares --assumed" in text
    assert "assumed" not in good("simulate", "sushi_go", "--games", 20, "-q")


def test_simulate_plays_what_the_library_plays(good, tmp_path):
    good("simulate", "sushi_go", "--set", "pudding.most=9", "-n", 30, "-q", "--workers", 1, "--out", tmp_path / "run")
    rules = load_rules("sushi_go").vary({"pudding.most": 9})
    same = simulate(rules, games=30, progress=False)
    assert Run.load(tmp_path / "run").rows["players"].tobytes() == same.rows["players"].tobytes()


def test_the_same_summary_with_and_without_a_folder_and_the_same_again(good, tmp_path):
    words = ["simulate", "nightmares", "-n", 300, "-q", "--policy", "greedy"]
    stored = good(*words, "--out", tmp_path / "run")
    summary, _, where = stored.rstrip("\n").rpartition("\n\n")
    assert good(*words) == good(*words, "--workers", 1) == summary + "\n"
    assert re.fullmatch(rf"Stored in {re.escape(str(tmp_path / 'run'))}: 0\.\d MB, \d+ bytes a game", where)
    assert good(*words, "--out", tmp_path / "run") == stored


def test_a_folder_with_another_run_is_refused(good, bad, tmp_path):
    words = ["simulate", "sushi_go", "-n", 30, "-q", "--out", tmp_path / "run"]
    good(*words)
    assert "found another run than the one asked for: seed: found 0, asked 1; allowed" in bad(*words, "--seed", 1)
    assert Run.load(tmp_path / "run").seed == 0


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_folder_whose_name_is_no_text(tmp_path):
    folder = tmp_path / "\udcff"
    command = [*COMMAND, "simulate", "sushi_go", "-n", "30", "-q", "--out", str(folder)]
    for encoding in ("utf-8", "ascii"):
        environment = {**os.environ, "PYTHONIOENCODING": encoding}
        done = subprocess.run(command, capture_output=True, env=environment, check=True)
        assert b"\\udcff: 0.0 MB, " in done.stdout
    assert Run.load(folder).n == 30


def test_progress_goes_to_stderr(shell):
    code, out, err = shell("simulate", "sushi_go", "--games", 50)
    assert code == 0 and "50 of 50 games" in err and "a second" not in out


def test_trace_tells_a_game(good):
    text = good("trace", "sushi_go", "--players", 2, "--policy", "greedy", "--seed", 3, "--game", 7)
    assert text == trace("sushi_go", players=2, policies="greedy", seed=3, game=7)
    assert len(text.splitlines()) > 60


def test_policies_lists_parameters_and_what_they_do(good):
    lines = good("policies", "sushi_go").splitlines()
    assert lines[0] == "random" and lines[-1].endswith(".")
    assert any(re.match(r"greedy\(.*pudding=", line) for line in lines)


@pytest.mark.parametrize("columns", [40, 80, 200])
@pytest.mark.parametrize("words", [["rules"], *(["policies", game] for game in GAMES)])
def test_lists_fit_the_terminal(good, monkeypatch, words, columns):
    """Names stand at the left edge, what belongs to them is indented, and nothing is lost."""
    monkeypatch.setenv("COLUMNS", str(columns))
    text = good(*words)
    assert max(map(len, text.splitlines())) <= max(columns, 60)
    names = rule_sets() if words == ["rules"] else engine(words[1]).policies
    assert [re.split(r"[ (]", line)[0] for line in text.splitlines() if line[0] != " "] == list(names)
    monkeypatch.setenv("COLUMNS", "1000")
    assert text.split() == good(*words).split()


def test_policies_that_keep_their_seats_are_told_so(good):
    asked = ["simulate", "sushi_go", "-p", 2, "-n", 20, "-q", "--policy", "greedy"]
    assert "keeps its seat" in good(*asked, "--policy", "random") and "keeps its seat" not in good(*asked)


HOOK = """
import os, signal, sys
wanted = sys.argv.pop(1)
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == wanted:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
from sushibalance.__main__ import main
main()
"""


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("typer", ["rules"]),
        ("sushibalance.errors", ["trace", "sushi_go"]),
        ("numba", ["trace", "sushi_go"]),
        ("sushibalance.games.sushi_go.engine", ["trace", "sushi_go"]),
        ("pandas", ["simulate", "sushi_go", "-q", "-n", "10"]),
        ("nbconvert", ["report", "sushi_go", "-q"]),
        ("zmq", ["report", "sushi_go", "-q"]),
    ],
)
def test_ctrl_c_while_modules_are_imported(module, words):
    done = subprocess.run([sys.executable, "-c", HOOK, module, *words], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "sushibalance: stopped\n")


def test_ctrl_c_that_the_shell_has_ignored_stays_ignored():
    code = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)" + HOOK
    done = subprocess.run([sys.executable, "-c", code, "numba", "trace", "sushi_go"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "" and "Sushi Go!" in done.stdout


def test_a_rule_file_does_nothing_to_the_terminal(good, write):
    text = 'extends = "sushi_go"\ndescription = "a\\u001b[31m\\nb"\n[pudding]\nmost = 8\nnote = "c\\u001b[2J"\n'
    shown = good("rules", write(text))
    assert "\x1b" not in shown and "a?[31m b" in shown and "# c?[2J" in shown


def test_a_reader_that_leaves_early_is_no_error():
    head = subprocess.run(
        f"{sys.executable!r} -m sushibalance rules otter | head -n 1",
        shell=True,
        capture_output=True,
        text=True,
        check=True,
    )
    assert head.stdout.startswith("# otter") and head.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_output_that_cannot_be_written_is_told():
    with open("/dev/full", "w") as full:
        done = subprocess.run([*COMMAND, "rules", "otter"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and done.stderr.startswith("sushibalance: No space left on device")
