"""What is asked of `simulate`: a policy of the user's own plays, and what cannot be met is refused clearly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sushibalance import Policy, PolicyError, RulesError, SimulationError, load_rules, simulate, trace
from sushibalance.core.jit import kernel, lean
from sushibalance.games.registry import engine
from sushibalance.games.sushi_go.policies import KINDS, decision
from sushibalance.simulation import memory, request


@decision
def last_kind(rules, table, own, seat, params, rng, choice):
    """Take the kind that stands last in the hand."""
    for kind in range(KINDS):
        if own.hand[kind] > 0:
            choice[0] = kind


@decision
def cheat_in_the_last_turn(rules, table, own, seat, params, rng, choice):
    """Choose a card that is not there, but only where a certain kind is the last card of a hand."""
    for kind in range(KINDS):
        if own.hand[kind] > 0:
            choice[0] = kind
    if table.turn == table.turns and choice[0] == params[0]:
        choice[0] = KINDS


def max_of(rules, table, own, seat, params, rng, choice):
    """Choose nothing, and be no decision."""


def test_a_policy_of_the_users_own_plays():
    own = Policy("last_kind", {"choose": last_kind})
    run = simulate("sushi_go", players=2, policies=[own, "random"], games=20, progress=False)
    assert list(run.players["policy"].unique()) == ["last_kind", "random"]


# ------------------------------------------------------------------ requests that cannot be met


def test_a_decision_of_another_game_is_refused():
    from sushibalance.games.nightmares.policies import POLICIES

    name, function = next(iter(POLICIES["random"].decisions.items()))
    shuffled = Policy("astray", {"choose": function})
    with pytest.raises(PolicyError, match=f"choose is no decision of Sushi Go!.*{'sushi_go'}.policies"):
        simulate("sushi_go", policies=shuffled, games=1, progress=False)
    assert name in engine("nightmares").decisions


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"games": 0}, "games: found 0, allowed a whole number from 1 to 1,000,000,000"),
        ({"games": -5}, "games: found -5,"),
        ({"games": 10.0}, "games: found 10.0,"),
        ({"games": True}, "games: found true,"),
        ({"games": "10"}, 'games: found "10",'),
        ({"games": 10**5000}, "games: found a number of over 19 digits,"),
        ({"games": None}, "games: found None,"),
        ({"seed": -1}, "seed: found -1, allowed a whole number from 0 to 9,223,372,036,854,775,807"),
        ({"seed": 2**63}, "seed: found 9223372036854775808,"),
        ({"seed": 1.5}, "seed: found 1.5,"),
        ({"workers": 0}, "workers: found 0, allowed a whole number from 1 to 1,024"),
        ({"workers": 10**6}, "workers: found 1000000,"),
        ({"players": 1}, "players of Sushi Go!: found 1, allowed a whole number from 2 to 5"),
        ({"players": 6}, "players of Sushi Go!: found 6,"),
        ({"players": 2.0}, "players of Sushi Go!: found 2.0,"),
        ({"policies": ["random"] * 3}, "policies: found 3, allowed one for all or one for each of 4 seats"),
        ({"policies": []}, "policies: found 0,"),
        ({"policies": None}, "policies: found None, allowed a policy, or a list of one for each seat"),
        ({"policies": {"random"}}, "policies: found {'random'},"),
    ],
)
def test_numbers_that_cannot_be_played(request_, message):
    with pytest.raises(SimulationError) as caught:
        simulate("sushi_go", progress=False, **request_)
    assert str(caught.value).startswith(message)


IN_BRACKETS = (
    "allowed greedy, or name=number in one pair of brackets, e.g. greedy(hope=0.45); parameters: hope, maki_icon"
)


def test_empty_brackets_change_nothing():
    assert engine("sushi_go").policy("greedy ( )") == engine("sushi_go").policy("greedy")


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("gredy", 'Sushi Go! has no policy "gredy"; did you mean greedy? Known: random, greedy'),
        (7, 'Sushi Go! has no policy "7"; one of: random'),
        ("gredy(", 'Sushi Go! has no policy "gredy"; did you mean greedy?'),
        ("(pudding=1)", 'Sushi Go! has no policy "(pudding=1)"; one of: random'),
        ("greedy(", f'policy "greedy(": found "(" after greedy, {IN_BRACKETS}'),
        (" greedy(pudding=1 ", f'policy "greedy(pudding=1": found "(pudding=1" after greedy, {IN_BRACKETS}'),
        ("greedy(pudding=1))", f'policy "greedy(pudding=1))": found "(pudding=1))" after greedy, {IN_BRACKETS}'),
        ("greedy pudding=1", f'policy "greedy pudding=1": found "pudding=1" after greedy, {IN_BRACKETS}'),
        ("greedy(pudding)", f'policy "greedy(pudding)": found "pudding", {IN_BRACKETS}'),
        ("greedy(pudding=)", f'policy "greedy(pudding=)": found "pudding=", {IN_BRACKETS}'),
        ("random(x", 'policy "random(x": found "(x" after random, allowed random alone: it has no parameters'),
        ("greedy(puding=1)", 'policy "greedy" has no parameter "puding"; parameters: did you mean pudding?'),
        ("greedy(pudding=nan)", 'policy "greedy": pudding: found nan, allowed a number from'),
        ("greedy(pudding=1, pudding=2)", 'policy "greedy(pudding=1, pudding=2)": found pudding twice, allowed once'),
        ("random(x=1)", 'policy "random" has no parameter "x"; parameters: none'),
        (Policy("odd", {"chose": last_kind}), 'policy "odd": Sushi Go! has no decision "chose"; did you mean choose?'),
        (Policy("odd", {"choose": max}), 'policy "odd": choose is no decision of Sushi Go!; write @decision above'),
        (
            Policy("odd", {"choose": kernel(max_of)}),
            'policy "odd": choose is no decision of Sushi Go!; write @decision',
        ),
        (
            Policy("odd", {}, {"a": float("nan")}),
            'policy "odd": a: found nan, allowed a number from -1,000,000,000,000 to 1,000,000,000,000',
        ),
        (Policy("odd", {}, {"a": "much"}), 'policy "odd": a: found "much", allowed a number from'),
    ],
)
def test_policies_that_do_not_exist(policy, message):
    with pytest.raises(PolicyError) as caught:
        simulate("sushi_go", policies=[policy], games=1, progress=False)
    assert str(caught.value).startswith(message)


@decision
def misspelt(rules, table, own, seat, params, rng, choice):
    """Read a field that is none."""
    choice[0] = own.hnad[0]


@decision
def too_few(rules, table, own):
    """Take too few arguments."""


@decision
def too_many(rules, table, own, seat, params, rng, choice, more=0):
    """Take too many arguments."""


@decision
def any_number(*arguments):
    """Take any arguments."""


@decision
def returns(rules, table, own, seat, params, rng, choice):
    """Return the card instead of writing it."""
    return 3


@decision
def pays_itself(rules, table, own, seat, params, rng, choice):
    """Write what it may only read."""
    choice[0] = 0
    table.points[seat] += 100


@decision
def deals_itself(rules, table, mine, seat, numbers, rng, choice):
    """Do so by other names."""
    mine.hand[0] = 9


@decision
def returns_sometimes(rules, table, own, seat, params, rng, choice):
    """Return the card in some turns."""
    if table.turn > 2:
        return
    choice[0] = seat
    return choice[0]


@decision
def zeros(rules, table, own, seat, params, rng, choice):
    """Make an array of Python's whole numbers."""
    counts = np.zeros(KINDS, dtype=int)
    choice[0] = counts.argmax()


@lean
def first_of_new(n):
    """Make an array where none may be made."""
    return np.zeros(n)[0]


@decision
def zeros_in_helper(rules, table, own, seat, params, rng, choice):
    """Ask the helper."""
    choice[0] = first_of_new(3)


MIXED = (1, 2.5)


@kernel
def of_mixed(place):
    """Return what stands at a place in a tuple of different types."""
    return MIXED[place]


@decision
def mixed(rules, table, own, seat, params, rng, choice):
    """Ask the helper for what is not known beforehand."""
    choice[0] = of_mixed(seat)


def bare(x):
    """Stand there without a decorator."""
    return x


@decision
def asks_bare(rules, table, own, seat, params, rng, choice):
    """Ask the helper."""
    choice[0] = bare(seat)


@decision
def undefined(rules, table, own, seat, params, rng, choice):
    """Use a name that is none."""
    choice[0] = nonsense  # noqa: F821


@decision
def text(rules, table, own, seat, params, rng, choice):
    """Choose a text."""
    choice[0] = "tempura"


@decision
def generator(rules, table, own, seat, params, rng, choice):
    """Yield."""
    yield 1


@decision
def raises(rules, table, own, seat, params, rng, choice):
    """Raise in mid-game."""
    if table.turn == 2:
        raise ValueError("no idea")
    for kind in range(KINDS):
        if own.hand[kind] > 0:
            choice[0] = kind


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (misspelt, "misspelt cannot be compiled: found the field hnad, which neither rules nor table nor own has; did"),
        (too_few, "found too_few(rules, table, own), allowed the arguments (rules, table, own, seat, params, rng, "),
        (too_many, "found too_many(rules, table, own, seat, params, rng, choice, more=0), allowed the arguments"),
        (any_number, "found any_number(*arguments), allowed the arguments"),
        (
            returns,
            "returns cannot be compiled: found the result 3, allowed: return nothing, write into choice",
        ),
        (
            returns_sometimes,
            "returns_sometimes cannot be compiled: found the result int64, allowed: return nothing, write into choice",
        ),
        (
            zeros,
            "zeros cannot be compiled: found zeros(12, dtype=int), allowed: a dtype of numpy, as np.zeros(",
        ),
        (
            zeros_in_helper,
            "found a new array, or a slice, in a function with lean or inlined above it, allowed: kernel above it (in "
            "first_of_new, test_simulation_requests.py, line ",
        ),
        (
            mixed,
            "found Tuple(int64, float64), a tuple of different types, with a place that is computed, allowed: a "
            "constant as the place, or values of one type (1.0 and 2.5, not 1 and 2.5) (in of_mixed, ",
        ),
        (
            asks_bare,
            "found bare, a function without a decorator, allowed: @kernel above it (from sushibalance.core.jit) (in "
            "asks_bare, test_simulation_requests.py, line ",
        ),
        (pays_itself, "found pays_itself, which writes into table.points[seat]; allowed: write into choice alone"),
        (deals_itself, "found deals_itself, which writes into mine.hand[0]; allowed: write into choice alone"),
        (undefined, "undefined cannot be compiled: NameError: name 'nonsense' is not defined"),
        (
            text,
            "text cannot be compiled: found setitem(array(int64), 0, tempura), which numba does not know, allow",
        ),
        (generator, "found generator with yield or async, allowed a plain function"),
        (raises, "stopped with ValueError: no idea (games 0 to 0, seed 0)"),
    ],
    ids=lambda part: getattr(part, "__name__", ""),
)
def test_decisions_that_are_none(function, said):
    """The policy, the decision, what was found: in `simulate` and in `trace`, and no tail of the compiler's."""
    own = Policy("mine", {"choose": function})
    for call in (
        lambda: simulate("sushi_go", policies=own, games=9, progress=False),
        lambda: trace("sushi_go", policies=own),
    ):
        with pytest.raises(PolicyError) as caught:
            call()
        message = str(caught.value)
        assert message.startswith('policy "mine": choose') and said in message
        assert len(message) < 500 and "\n" not in message and "Failed in nopython" not in message


def test_a_fault_of_the_program_is_not_put_on_a_policy(monkeypatch):
    def broken(*given):
        raise ZeroDivisionError

    monkeypatch.setattr(request, "engine", lambda game: replace(engine(game), play=broken))
    with pytest.raises(ZeroDivisionError):
        simulate("sushi_go", policies="greedy", games=2, progress=False)


@pytest.mark.parametrize(
    ("vector", "found"),
    [
        (lambda parameters, rules: "x", '"x"'),
        (lambda parameters, rules: None, "None"),
        (lambda parameters, rules: 5.0, "5.0"),
        (lambda parameters, rules: ["a"], '["a"]'),
        (lambda parameters, rules: [float("nan")], "[nan]"),
        (lambda parameters, rules: np.array([1.0, np.inf]), "[ 1. inf]"),
        (lambda parameters, rules: [1 + 2j], "[(1+2j)]"),
        (lambda parameters, rules: np.ones((1, 2)), "[[1. 1.]]"),
        (lambda parameters, rules: [[1], [1, 2]], "[[1], [1, 2]]"),
        (lambda parameters, rules: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda parameters: [1], "TypeError: <lambda>() takes 1 positional argument but 2 were given"),
    ],
)
def test_vectors_that_are_no_list_of_numbers(vector, found):
    own = Policy("mine", {"choose": last_kind}, vector=vector)
    with pytest.raises(PolicyError) as caught:
        simulate("sushi_go", policies=own, games=1, progress=False)
    assert str(caught.value) == f'policy "mine": vector: found {found}, allowed a list of finite numbers'


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (("m", None), 'policy "m": decisions: found None, allowed a table from'),
        (("m", ["choose"]), 'policy "m": decisions: found ["choose"], allowed'),
        (("m", {}, None), 'policy "m": parameters: found None, allowed a table'),
        (("m", {}, {1: 2.0}), 'policy "m": parameters: found { 1 = 2.0 }, allowed'),
        (("m", {}, {}, 3), 'policy "m": description: found 3, allowed a text'),
        (("m", {}, {}, "", 3), 'policy "m": vector: found 3, allowed a function vector(parameters, rules)'),
        (("m", {}, {}, "", None, {"a": 3}), 'policy "m": limits of a: found 3, allowed its lowest and highest value'),
        (("m", {}, {}, "", None, {"a": (1, "b")}), 'policy "m": limits of a: found [1, "b"], allowed'),
    ],
)
def test_policies_made_of_other_things(parts, message):
    with pytest.raises(PolicyError) as caught:
        Policy(*parts)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("value", [1 + 2j, np.complex128(1), "1", None, float("inf"), 10**400, np.bool_(True)])
def test_parameters_that_are_no_numbers(value):
    own = Policy("mine", {}, {"a": value}, limits={"a": (0, float("inf"))})
    with pytest.raises(PolicyError, match=r'^policy "mine": a: found .*, allowed a number from 0 to inf'):
        simulate("sushi_go", policies=own, games=1, progress=False)


@pytest.mark.parametrize("rules", ["otters", 5, None, "gone.toml"])
def test_rules_that_do_not_exist(rules):
    with pytest.raises(RulesError):
        simulate(rules, games=1, progress=False)


def refusal(seats: list[str | Policy], workers: int) -> str:
    with pytest.raises(PolicyError) as caught:
        simulate("sushi_go", policies=seats, games=5000, seed=2, workers=workers, progress=False)
    return str(caught.value)


def test_an_illegal_choice_names_policy_seat_game_and_seed_alike_on_any_threads():
    for kind in range(KINDS):  # one whose last turn is rare enough that some games are played before
        seats = ["random", Policy("cheat", {"choose": cheat_in_the_last_turn}, {"kind": kind})] * 2
        message = refusal(seats, 1)
        index = int(message.partition(", game ")[2].partition(",")[0])
        if index >= 3:
            break
    assert {refusal(seats, workers) for workers in (2, 4, 2, 4)} == {message}
    assert message.startswith('policy "cheat" made an illegal choice: it takes a card that is not in its hand (seat ')
    assert message.endswith("seed 2)")
    simulate("sushi_go", policies=seats, games=index, seed=2, progress=False)
    assert message in trace("sushi_go", policies=seats, seed=2, game=index)


def test_more_rows_than_memory_are_refused_before_they_are_made(monkeypatch):
    each = memory.row_bytes(engine("sushi_go").rows(load_rules("sushi_go"), 4, 1))
    monkeypatch.setattr(memory, "free_bytes", lambda: 100 * each)
    with pytest.raises(
        SimulationError, match=r"^games: found 101, allowed at most 100: a game takes .* are free. More go"
    ):
        simulate("sushi_go", games=101, progress=False)
    assert simulate("sushi_go", games=100, progress=False).n == 100


def test_the_memory_of_this_machine_is_known():
    assert 10**7 < memory.free_bytes() < 10**15


def test_policies_of_one_name_that_decide_otherwise_are_refused():
    """What is counted by policy would be a mixture of both."""
    other = Policy("greedy", {"choose": last_kind})
    for table in (other, [other, "greedy"], [Policy("mine", {"choose": last_kind}), Policy("mine", {})]):
        with pytest.raises(
            PolicyError, match=r'policy "(greedy|mine)": found two that decide otherwise under this name'
        ):
            simulate("sushi_go", players=2, policies=table, games=1, progress=False)
    run = simulate("sushi_go", players=2, policies=[Policy("mine", {"choose": last_kind}), "greedy"], games=3)
    assert run.players["policy"].tolist() == ["mine", "greedy"] * 3
