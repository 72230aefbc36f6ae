"""A real Dask scheduler with real workers on this machine: same bits, workers that die, come late or differ."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from distributed import Client, LocalCluster

from sushibalance import Policy, PolicyError, Run, SimulationError, fold, simulate
from sushibalance.cli import main
from sushibalance.games.sushi_go.policies import KINDS, decision
from sushibalance.simulation import cluster as module
from sushibalance.simulation.cluster import DaskCrew, connected
from sushibalance.simulation.request import Request

pytestmark = [  # Dask warns of its own affairs
    pytest.mark.filterwarnings("default"),
    pytest.mark.filterwarnings("ignore::numba.core.errors.NumbaExperimentalFeatureWarning"),
]


@pytest.fixture(scope="module")
def dask():
    """A scheduler and two workers, processes of one thread each."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", host="127.0.0.1") as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def small_parts(monkeypatch):
    """Make parts of 500 games."""
    monkeypatch.setattr(Request, "part_games", 500)


def same(a: Run, b: Run) -> bool:
    return all(a.rows[name].tobytes() == b.rows[name].tobytes() for name in a.rows)


def winners(part: Run) -> Counter:
    """Count games by the number of winners, and parts by process."""
    return Counter(part.games["winners"].tolist()) + Counter({f"process {os.getpid()}": 1})


def decimals(part: Run) -> float:
    """Return a sum whose last bits depend on the order of adding."""
    return float((part.players["total"] * 0.1).sum())


def split(counts: Counter) -> tuple[Counter, set[str]]:
    """Return the answer of `winners`, and the processes."""
    names = {name for name in counts if isinstance(name, str)}
    return Counter({name: count for name, count in counts.items() if name not in names}), names


@decision
def ponder(rules, table, own, seat, params, rng, choice):
    """Take the kind that stands last in the hand, after a while: each step waits for the one before."""
    total = seat
    for step in range(int(params[0])):
        total = total * 6364136223846793005 + step
    for kind in range(KINDS):
        if own.hand[kind] > 0:
            choice[0] = kind
    if total == 1:
        choice[0] = 0


@decision
def cheat(rules, table, own, seat, params, rng, choice):
    """Choose a card that is not there."""
    choice[0] = KINDS


SLOW = Policy("slow", {"choose": ponder}, {"steps": 10_000})  # some 3,500 games a second


# ------------------------------------------------------------------ the same bits


def test_the_same_bits_as_on_one_thread(dask, small_parts, tmp_path):
    table = {"policies": ["greedy", "random", "denier", "greedy"], "games": 4_700, "seed": 6, "progress": False}
    one = simulate("sushi_go", **table, workers=1)
    assert same(simulate("sushi_go", **table, executor=dask), one)
    assert fold("sushi_go", decimals, **table, executor=dask) == fold("sushi_go", decimals, **table, workers=1)
    simulate("sushi_go", **table, out=tmp_path / "here")
    simulate("sushi_go", **table, out=tmp_path / "there", executor=dask)
    files = [sorted(path for path in (tmp_path / name).rglob("*") if path.is_file()) for name in ("here", "there")]
    assert [path.read_bytes() for path in files[0]] == [path.read_bytes() for path in files[1]]
    answer, processes = split(fold("sushi_go", winners, **table, executor=dask))
    assert answer == split(fold("sushi_go", winners, **table))[0]
    assert len(processes) == 2 and f"process {os.getpid()}" not in processes


def test_a_run_begun_on_threads_goes_on_in_a_cluster(dask, small_parts, tmp_path):
    simulate("nightmares", games=1_200, seed=1, progress=False, out=tmp_path / "run")
    more = simulate("nightmares", games=3_000, seed=1, progress=False, out=tmp_path / "run", executor=dask)
    assert same(more, simulate("nightmares", games=3_000, seed=1, progress=False))


def test_a_policy_of_ones_own_goes_by_name_in_a_file_of_ones_own(dask, small_parts, tmp_path, monkeypatch):
    text = Path(__file__).read_text()
    start, end = text.index("@decision"), text.index("@decision\ndef cheat")
    (tmp_path / "of_my_own.py").write_text(
        "from sushibalance.games.sushi_go.policies import KINDS, decision\n" + text[start:end]
    )
    monkeypatch.syspath_prepend(tmp_path)
    import of_my_own

    table = {"policies": Policy("mine", {"choose": of_my_own.ponder}, {"steps": 1}), "games": 1_100, "progress": False}
    with pytest.raises(PolicyError, match=r'"mine": choose: worker .* cannot import of_my_own .*client.upload_file'):
        simulate("sushi_go", **table, executor=dask)
    dask.upload_file(str(tmp_path / "of_my_own.py"))
    assert same(simulate("sushi_go", **table, executor=dask), simulate("sushi_go", **table))
    text = (tmp_path / "of_my_own.py").read_text()
    (tmp_path / "of_my_own.py").write_text(text.replace("choice[0] = kind", "choice[0] = kind + 0"))
    dask.upload_file(str(tmp_path / "of_my_own.py"))  # which loads it here as well
    with pytest.raises(
        PolicyError, match=r"found of_my_own:ponder as it was before it was edited; allowed: the policy"
    ):
        simulate("sushi_go", **table, executor=dask)
    monkeypatch.setattr(of_my_own, "ponder", table["policies"].decisions["choose"])
    with pytest.raises(PolicyError, match=r"worker .* has another of_my_own:ponder than the machine that asks"):
        simulate("sushi_go", **{**table, "seed": 1}, executor=dask)


def test_progress_is_told_as_on_one_machine(dask, monkeypatch, capsys):
    """Also from inside a task, which is some parts long."""
    monkeypatch.setattr("sushibalance.simulation.progress.SECONDS", 0.3)
    monkeypatch.setattr(module, "REPORT_SECONDS", 0.1)
    monkeypatch.setattr(Request, "part_games", 8_000)
    fold("sushi_go", winners, players=2, policies=SLOW, games=16_000, executor=dask)
    lines = capsys.readouterr().err.splitlines()
    done = [
        int(found[1].replace(",", "")) for line in lines if (found := re.search(r": ([\d,]+) of 16,000 games", line))
    ]
    assert done == sorted(done) and done[-1] == 16_000
    assert [games for games in done if games % 8_000] and all(
        line.startswith("Sushi Go!: sushi_go: ") for line in lines
    )


def test_what_goes_wrong_in_a_cluster_is_told_as_on_threads(dask):
    seats = {"policies": Policy("cheat", {"choose": cheat}), "games": 300, "progress": False}
    told = []
    for executor in (None, dask):
        with pytest.raises(PolicyError, match="it takes a card that is not in its hand") as caught:
            simulate("sushi_go", **seats, executor=executor)
        told.append(str(caught.value))
    assert told[0] == told[1]
    with pytest.raises(ZeroDivisionError):
        fold("sushi_go", lambda part: 1 // 0, games=100, executor=dask, progress=False)


# ------------------------------------------------------------------ what is refused


def of_another_version(name: str | None) -> None:
    """Make a worker another version than it is; None: what it is."""
    from sushibalance.simulation import request

    request.received.cache_clear()
    request.__dict__.setdefault("true_versions", request.versions)
    request.versions = (lambda game: {**request.true_versions(game), name: "9.9"}) if name else request.true_versions


def test_workers_of_another_version_are_told(dask):
    worker = next(iter(dask.scheduler_info()["workers"]))
    for name in ("sushibalance", "numba"):
        dask.run(of_another_version, name, workers=[worker])
        with pytest.raises(
            SimulationError, match=rf"worker .*: found {name} 9.9 \(asked .*; allowed: the same versions"
        ):
            simulate("sushi_go", games=200_000, executor=dask, progress=False)
        dask.run(of_another_version, None, workers=[worker])
    simulate("sushi_go", games=100_000, executor=dask, progress=False)


def test_workers_and_a_cluster_are_one_too_many(dask):
    with pytest.raises(SimulationError, match="workers: found 3 beside a cluster, allowed one without the other"):
        simulate("sushi_go", games=10, executor=dask, workers=3)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "http://127.0.0.1:1", "tcp://:::", ""])
def test_where_no_scheduler_is(address, monkeypatch):
    monkeypatch.setattr(module, "CONNECT_SECONDS", 0.5)
    told = pytest.raises(SimulationError, match=r"cluster: no scheduler answers at .*, allowed the address that dask")
    with told, connected(address):
        pass


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    told = pytest.raises(SimulationError, match=r'not installed: pip install "sushibalance\[cluster\]"')
    with told, connected("tcp://127.0.0.1:1"):
        pass


def test_the_command_line_takes_a_cluster(dask, monkeypatch, capsys, tmp_path):
    words = ["sushibalance", "simulate", "nightmares", "-n", "1000", "-q"]
    told = []
    for more in (
        [],
        ["--cluster", dask.scheduler.address],
        ["--cluster", dask.scheduler.address, "--out", tmp_path / "x"],
    ):
        monkeypatch.setattr(sys, "argv", [*words, *map(str, more)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        assert (ended.value.code or 0, err) == (0, "")
        told.append(out.partition("\n\nStored")[0].rstrip())
    assert len(set(told)) == 1 and Run.load(tmp_path / "x").n == 1000


# ------------------------------------------------------------------ workers that come and go


def in_background(function) -> tuple[threading.Thread, list]:
    """Start a call on a thread, and return the thread and the list that will hold its result or error."""
    came: list = []

    def call():
        try:
            came.append(function())
        except BaseException as error:
            came.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    return thread, came


def test_a_worker_that_joins_late_plays_and_one_that_is_killed_is_made_up_for(monkeypatch, small_parts):
    """Begin with one worker, add another, kill the first: the answer is that of one thread."""
    monkeypatch.setattr("sushibalance.simulation.executors.TASK_SECONDS", 0.3)
    table = {"players": 2, "policies": SLOW, "games": 15_000, "seed": 3, "progress": False}
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0", host="127.0.0.1") as cluster,
        Client(cluster) as client,
    ):
        (first,) = client.run(os.getpid).values()
        thread, came = in_background(lambda: fold("sushi_go", winners, **table, executor=client))
        cluster.scale(2)
        client.wait_for_workers(2, timeout=60)
        (second,) = set(client.run(os.getpid).values()) - {first}
        time.sleep(0.5)
        assert thread.is_alive(), came
        os.kill(first, signal.SIGKILL)
        thread.join(120)
        answer, processes = split(came[0])
    assert f"process {second}" in processes
    assert answer == split(fold("sushi_go", winners, **table))[0]


def test_a_scheduler_that_goes_away_is_told_and_what_is_whole_stays(small_parts, tmp_path, monkeypatch):
    monkeypatch.setattr("sushibalance.simulation.executors.TASK_SECONDS", 0.3)
    table = {"players": 2, "policies": SLOW, "seed": 3, "progress": False}
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0", host="127.0.0.1")
    client = Client(cluster)
    out = tmp_path / "run"
    thread, came = in_background(lambda: simulate("sushi_go", **table, games=60_000, out=out, executor=client))
    while not (out / "parts.jsonl").exists() or not (out / "parts.jsonl").read_text().count("\n"):
        time.sleep(0.1)
    cluster.close()
    thread.join(60)
    client.close()
    assert isinstance(came[0], SimulationError) and "the workers stopped before the run was whole" in str(came[0])
    whole = Run.load(out, unfinished=True)
    assert whole.n >= 500 and same(whole, simulate("sushi_go", **table, games=whole.n))


def test_an_address_that_is_none_is_told_at_once():
    """Without a client that is still being closed when the program ends."""
    code = "from sushibalance.simulation.cluster import connected\nwith connected('nonsense'): pass"
    began = time.monotonic()
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert "no scheduler answers at nonsense" in found.stderr and "ignored" not in found.stderr
    assert time.monotonic() - began < 30


def test_a_client_that_looks_for_its_scheduler_has_room_for_one_task(dask):
    """It has nobody to ask while it does, and what came back of the tasks tells the rest."""
    crew = DaskCrew(dask, None)
    scheduler, dask.scheduler = dask.scheduler, None
    try:
        assert crew.width() == 1
    finally:
        dask.scheduler = scheduler
    assert crew.width() >= 1
    crew.close()
