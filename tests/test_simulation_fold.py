"""Answers without rows, and other executors than threads: the same bits, whoever plays."""

from __future__ import annotations

import multiprocessing
import os
import threading
import weakref
from collections import Counter
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from sushibalance import Policy, PolicyError, Run, SimulationError, fold, load_rules, simulate
from sushibalance.games.registry import GAMES, engine
from sushibalance.games.sushi_go.policies import KINDS, POLICIES, decision
from sushibalance.simulation import by_name, executors, request, threads
from sushibalance.simulation.progress import Progress
from sushibalance.simulation.request import Request, received

WEIGHT = 3


@pytest.fixture
def small_parts(monkeypatch):
    """Make parts of 500 games, so that a few thousand have several."""
    monkeypatch.setattr(Request, "part_games", 500)


@pytest.fixture(scope="module")
def processes():
    """Two processes, started afresh."""
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


@decision
def first_kind(rules, table, own, seat, params, rng, choice):
    """Take the kind that stands first in the hand."""
    for kind in range(KINDS - 1, -1, -1):
        if own.hand[kind] > 0:
            choice[0] = kind


@decision
def cheat(rules, table, own, seat, params, rng, choice):
    """Choose a card that is not there, in a game that comes late."""
    for kind in range(KINDS):
        if own.hand[kind] > 0:
            choice[0] = kind
    if table.turn == table.turns and table.round_number == 3 and table.points[0] > 34:
        choice[0] = KINDS


def weighted(parameters, rules):
    """Return a parameter vector."""
    return [parameters["a"] * WEIGHT]


def winners(part: Run) -> Counter:
    """Count games by the number of winners, and add up the numbers of the games."""
    return Counter(part.games["winners"].tolist()) + Counter({"games": int(part.games["game"].sum())})


def decimals(part: Run) -> float:
    """Return a sum whose last bits depend on the order of adding."""
    return float((part.players["total"] * 0.1).sum())


def here(part: Run) -> Counter:
    """Count the parts by process."""
    return Counter({os.getpid(): 1})


def ends(part: Run) -> int:
    """End the process that is asked."""
    os._exit(3)


def fails(part: Run) -> int:
    """Fail at the second part."""
    return 1 // (part.first == 0)


def same(a: Run, b: Run) -> bool:
    return all(a.rows[name].tobytes() == b.rows[name].tobytes() for name in a.rows)


# ------------------------------------------------------------------ fold


@pytest.mark.parametrize("game", GAMES)
def test_the_sum_over_parts_is_the_answer_to_the_whole(game, small_parts):
    run = simulate(game, games=1700, seed=2, progress=False)
    assert fold(game, winners, games=1700, seed=2, progress=False) == winners(run)


def test_the_order_of_adding_is_the_order_of_the_games(small_parts, monkeypatch):
    """On any number of threads and for chunks of any size, to the last bit."""
    answers = [fold("sushi_go", decimals, games=1_300, workers=workers, progress=False) for workers in (1, 2, 4)]
    for seconds in (1e-9, 1e9):
        monkeypatch.setattr(threads, "CHUNK_SECONDS", seconds)
        answers.append(fold("sushi_go", decimals, games=1_300, workers=3, progress=False))
    assert len(set(answers)) == 1
    part = simulate("sushi_go", games=1_300, progress=False)
    assert answers[0] == sum(decimals(part.cut(start, min(start + 500, 1_300))) for start in range(0, 1_300, 500))


def test_few_parts_are_there_at_the_same_time(small_parts, monkeypatch):
    new_rows, made, most = Request.new_rows, [], []

    def watched(self, games):
        rows = new_rows(self, games)
        made.append(weakref.ref(rows["picks"]))
        most.append(sum(one() is not None for one in made))
        return rows

    monkeypatch.setattr(Request, "new_rows", watched)
    fold("sushi_go", winners, games=30_000, workers=2, progress=False)
    assert len(most) >= 60 and max(most) <= 2 + 2 + 2


def test_a_question_that_fails_says_so_itself(small_parts):
    with pytest.raises(ZeroDivisionError):
        fold("sushi_go", fails, games=2000, progress=False)


def test_requests_are_checked_as_simulate_does():
    with pytest.raises(SimulationError, match="games: found 0, allowed"):
        fold("sushi_go", winners, games=0)
    with pytest.raises(SimulationError, match="workers: found 0, allowed"):
        fold("sushi_go", winners, workers=0)


# ------------------------------------------------------------------ executors


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_any_executor_gives_the_same_bits(kind, small_parts, processes, tmp_path, monkeypatch):
    table = {"players": 3, "policies": ["greedy", "random", "denier"], "games": 1700, "seed": 6, "progress": False}
    run = simulate("sushi_go", **table)
    pool = processes if kind == "processes" else ThreadPoolExecutor(2)
    assert same(simulate("sushi_go", **table, executor=pool), run)
    assert same(simulate("sushi_go", **table, executor=pool, out=tmp_path / "there"), run)
    simulate("sushi_go", **table, out=tmp_path / "here")
    files = [sorted(path for path in (tmp_path / name).rglob("*") if path.is_file()) for name in ("here", "there")]
    assert [path.read_bytes() for path in files[0]] == [path.read_bytes() for path in files[1]]
    assert fold("sushi_go", decimals, **table, executor=pool) == fold("sushi_go", decimals, **table)
    if kind == "threads":
        pool.shutdown()


def test_every_process_plays(small_parts, processes):
    parts = fold("nightmares", here, games=20_000, executor=processes, progress=False)
    assert parts.total() == 40 and len(parts) == 2 and os.getpid() not in parts


def test_progress_counts_each_game_once(small_parts, processes, monkeypatch):
    told = []

    class Told(Progress):
        def advance(self, games):
            told.append(games)

    asked = Request.of("nightmares", 4, "random", 0)
    crew = executors.crew(processes, None)
    list(executors.in_executor(asked, asked.spans(5_200), winners, crew, Told()))
    assert sum(told) == 5_200 and all(games > 0 for games in told)


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_a_policy_of_ones_own_goes_by_name(kind, small_parts, processes):
    own = Policy("mine", {"choose": first_kind}, {"a": 2.0}, vector=weighted)
    borrowed = POLICIES["greedy"].with_decisions("borrowed", choose=first_kind)
    seats = {"players": 2, "policies": [own, borrowed], "games": 700, "progress": False}
    pool = processes if kind == "processes" else ThreadPoolExecutor(2)
    assert same(simulate("sushi_go", **seats, executor=pool), simulate("sushi_go", **seats))
    if kind == "threads":
        pool.shutdown()


def test_the_shipped_vector_of_a_borrowed_policy_goes_by_name(processes):
    otter = engine("otter").policies["greedy"]
    mine = otter.with_decisions("mine", reveal=otter.decisions["reveal"])
    table = {"policies": [mine, "random"], "players": 2, "games": 20, "progress": False}
    assert same(simulate("otter", **table, executor=processes), simulate("otter", **table))


def test_an_illegal_choice_is_told_as_on_threads(small_parts, processes):
    """One in a later part, so that others have been played before it and after it."""
    for seed in range(20):
        table = {"policies": ["greedy", Policy("cheat", {"choose": cheat}), "greedy", "greedy"], "seed": seed}
        with pytest.raises(PolicyError) as caught:
            simulate("sushi_go", **table, games=20_000, progress=False)
        message = str(caught.value)
        if int(message.split("game ")[1].split(",")[0]) > 500:
            break
    assert message.startswith('policy "cheat" made an illegal choice: it takes a card that is not in its hand (seat 1')
    with pytest.raises(PolicyError) as caught:
        simulate("sushi_go", **table, games=20_000, progress=False, executor=processes)
    assert str(caught.value) == message


def nested():
    @decision
    def inside(rules, table, own, seat, params, rng, choice):
        choice[0] = 0

    return inside


@pytest.mark.parametrize(
    ("policy", "place"),
    [
        (Policy("mine", {"choose": nested()}), "test_simulation_fold:nested.<locals>.inside"),
        (Policy("mine", {}, {"a": 1}, vector=lambda parameters, rules: [1.0]), "test_simulation_fold:<lambda>"),
    ],
)
def test_a_policy_that_no_other_process_finds_is_refused(policy, place, processes):
    with pytest.raises(PolicyError) as caught:
        simulate("sushi_go", policies=policy, games=10, progress=False, executor=processes)
    assert f"found {place}, which no other process can find; allowed: a function at the top of a" in str(caught.value)


def test_a_policy_typed_at_a_prompt_is_refused(processes, monkeypatch):
    monkeypatch.setattr(getattr(first_kind, "py_func", first_kind), "__module__", "__main__")
    with pytest.raises(PolicyError, match="found __main__:first_kind, which no other process can find"):
        simulate(
            "sushi_go", policies=Policy("mine", {"choose": first_kind}), games=9, progress=False, executor=processes
        )


@pytest.mark.parametrize("executor", [5, "tcp://127.0.0.1:1", object(), ThreadPoolExecutor])
def test_what_is_no_executor_is_refused(executor):
    with pytest.raises(SimulationError, match=r"executor: found .*, allowed a concurrent.futures.Executor or a Dask"):
        simulate("sushi_go", games=10, progress=False, executor=executor)


def test_processes_that_die_are_told_and_what_is_whole_stays(small_parts, tmp_path):
    told = pytest.raises(SimulationError, match=r"the workers stopped before the run was whole \(BrokenProcessPool")
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool, told:
        fold("nightmares", ends, games=5000, executor=pool, progress=False)


def locked(part: Run) -> object:
    """Answer with what cannot be sent."""
    return threading.Lock()


@pytest.mark.parametrize("question", [lambda part: 1, locked])
def test_a_question_that_cannot_be_sent_is_told(question, processes):
    with pytest.raises(SimulationError, match=r"a question, or its answer, cannot be sent to another process .*pickle"):
        fold("nightmares", question, games=10, executor=processes, progress=False)


class Later(Executor):
    """An executor that does a task when it is asked for the result, or that fails."""

    def __init__(self, error: BaseException | None = None):
        self.error = error

    def submit(self, function, /, *arguments):
        future: Future = Future()
        if self.error:
            future.set_exception(self.error)
        else:
            future.set_result(function(*arguments))
        return future


@pytest.mark.parametrize(
    ("error", "raised", "said"),
    [
        (
            BrokenExecutor("gone"),
            SimulationError,
            "the workers stopped before the run was whole (BrokenExecutor: gone)",
        ),
        (
            ModuleNotFoundError("No module named 'sushibalance'"),
            SimulationError,
            "a worker cannot take the task (ModuleNotFoundError: No module named 'sushibalance'); allowed: sushi",
        ),
        (
            AttributeError("Can't get attribute 'work' on <module 'sushibalance.simulation.executors'>"),
            SimulationError,
            "a worker cannot take the task (AttributeError: Can't get attribute 'work' on",
        ),
        (AttributeError("module 'sushibalance' has no attribute 'x'"), AttributeError, "module 'sushibalance' has"),
        (ModuleNotFoundError("No module named 'mine'"), ModuleNotFoundError, "No module named 'mine'"),
        (ZeroDivisionError("x"), ZeroDivisionError, "x"),
    ],
)
def test_what_stops_a_task_is_told(error, raised, said, small_parts):
    with pytest.raises(raised) as caught:
        fold("nightmares", winners, games=5000, executor=Later(error), progress=False)
    assert type(caught.value) is raised and str(caught.value).startswith(said)


def test_any_executor_that_keeps_the_promise_serves(small_parts):
    assert fold("nightmares", winners, games=5000, executor=Later(), progress=False) == fold(
        "nightmares", winners, games=5000, progress=False
    )


# ------------------------------------------------------------------ requests as text


@pytest.mark.parametrize("game", GAMES)
def test_a_request_comes_back_from_its_text(game):
    rules = load_rules(game).vary({}, name="mine")
    shipped = list(engine(game).policies.values())
    asked = Request.of(rules, 2, [shipped[-1], shipped[0]], 7)
    other = received(asked.parcel())
    assert other.rules.document == rules.document and other.policies == asked.policies and other.seed == 7
    assert other.parcel() == asked.parcel() and received(asked.parcel()) is other


@pytest.mark.parametrize("name", ["sushibalance", "python", "numba", "numpy", "engine"])
def test_a_worker_of_another_version_says_so(name, monkeypatch):
    parcel = Request.of("sushi_go", 2, "random", 0).parcel()
    versions = request.versions("sushi_go")
    monkeypatch.setattr(request, "versions", lambda game: {**versions, name: "9.9"})
    received.cache_clear()
    with pytest.raises(SimulationError) as caught:
        received(parcel)
    said = "other code of the game, of the same version" if name == "engine" else f"{name} 9.9 (asked {versions[name]})"
    assert f": found {said}; allowed: the same versions everywhere" in str(caught.value)
    assert str(caught.value).startswith("worker ")


def module(folder: Path, text: str) -> None:
    (folder / "my_policies.py").write_text(
        "from sushibalance.games.sushi_go.policies import KINDS, decision\nimport math\n" + text
    )


MINE = """
TOP = 12
def better(kind): return TOP - kind
@decision
def mine(rules, table, own, seat, params, rng, choice):
    best = -1
    for kind in range(KINDS):
        if own.hand[kind] > 0 and better(kind) > best:
            best = better(kind)
            choice[0] = kind
"""


@pytest.mark.parametrize(
    ("change", "same_key"),
    [
        (lambda text: text, True),
        (lambda text: "\n\n# a remark\n" + text, True),
        (lambda text: text.replace("best = -1", "best = -2"), False),
        (lambda text: text.replace("own.hand", "own.seen[0]"), False),
        (lambda text: text.replace("TOP = 12", "TOP = 13"), False),
        (lambda text: text.replace("TOP - kind", "TOP + kind"), False),
    ],
)
def test_the_key_of_a_function_is_that_of_its_code_and_of_what_it_uses(change, same_key):
    def key(text):
        names: dict = {"__name__": "my_policies", "decision": lambda function: function, "KINDS": KINDS}
        exec(compile(text, "my_policies.py", "exec"), names)
        return by_name.code_key(names["mine"])

    assert (key(MINE) == key(change(MINE))) is same_key


def test_a_module_that_a_function_reads_counts_with_its_file(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "my_numbers.py").write_text("TOP = 1\n")
    import my_numbers

    names: dict = {"__name__": "mine", "my_numbers": my_numbers, "np": np}
    exec("def f(x): return np.minimum(x, my_numbers.TOP)", names)
    before = by_name.code_key(names["f"])
    assert by_name.code_key(names["f"]) == before
    (tmp_path / "my_numbers.py").write_text("TOP = 2\n")
    assert by_name.code_key(names["f"]) != before


def test_a_worker_with_another_file_of_that_name_says_so(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    module(tmp_path, MINE)
    import my_policies

    words = by_name.described(Policy("bold", {"choose": my_policies.mine}), engine("sushi_go"))
    assert words["functions"]["choose"][0] == "my_policies:mine"
    assert by_name.found(words, engine("sushi_go"), "worker x").decisions == {"choose": my_policies.mine}
    words["functions"]["choose"][1] = "0" * 16
    with pytest.raises(
        PolicyError, match='policy "bold": choose: worker x has another my_policies:mine than the machine'
    ):
        by_name.found(words, engine("sushi_go"), "worker x")
    words["functions"]["choose"][0] = "my_policies:gone"
    with pytest.raises(
        PolicyError, match='policy "bold": choose: worker x has another my_policies:gone than the machine'
    ):
        by_name.found(words, engine("sushi_go"), "worker x")
    words["functions"]["choose"][0] = "my_policy:mine"
    with pytest.raises(PolicyError, match=r'worker x cannot import my_policy .*client.upload_file\("my_policy.py"\)'):
        by_name.found(words, engine("sushi_go"), "worker x")


class Slowly(Executor):
    """An executor that begins late."""

    def submit(self, function, /, *arguments):
        future: Future = Future()
        threading.Timer(0.4, lambda: future.set_result(function(*arguments))).start()
        return future


def test_workers_that_let_one_wait_are_told(small_parts, monkeypatch, capsys):
    monkeypatch.setattr(executors, "PATIENCE", 0.1)
    monkeypatch.setattr(executors, "TICK", 0.05)
    fold("nightmares", winners, games=400, executor=Slowly())
    told = capsys.readouterr().err.splitlines()
    head = "Nightmares of Sushi: nightmares: "
    assert told[0] == f"{head}waiting for the workers (each machine compiles the engine once)"
    assert told[-1].startswith(f"{head}400 of 400 games") and len(told) == 2


def test_without_the_compiler_the_files_and_answers_are_the_same(python, tmp_path):
    code = """
import sys
from hashlib import sha256
from pathlib import Path
from sushibalance import fold, simulate
from sushibalance.simulation.request import Request
Request.part_games = 4
simulate("nightmares", players=3, games=10, seed=9, out=sys.argv[1], progress=False)
files = sorted(path for path in Path(sys.argv[1]).rglob("*") if path.is_file())
print([sha256(path.read_bytes()).hexdigest() for path in files])
print(fold("nightmares", lambda part: part.players["total"].sum(), players=3, games=10, seed=9, progress=False))
"""
    assert python(code, str(tmp_path / "a"), NUMBA_DISABLE_JIT="1") == python(code, str(tmp_path / "b"))
