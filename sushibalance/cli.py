"""The command line: the library's calls, for designers who like the shell."""

from __future__ import annotations

import io
import os
import shlex
import shutil
import signal
import sys
import textwrap
import tomllib
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext, suppress
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec

import typer

from sushibalance.__main__ import stop
from sushibalance.errors import UserError, nearest

if TYPE_CHECKING:
    from sushibalance.analysis.over import Questions
    from sushibalance.rules import Rules
    from sushibalance.simulation.request import Request

app = typer.Typer(
    name="sushibalance",
    help="Change a rule of a sushi card game, simulate, and see what moved and how sure we are.",
    epilog="Rule sets are TOML files; 'sushibalance rules' lists the shipped ones.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Given = ParamSpec("Given")
QUESTIONS = ("compare_variants", "card_values")  # reports on a question of their own

RuleSet = Annotated[
    str, typer.Argument(metavar="RULES", help="A shipped rule set (otter, otter/flush_8, ...) or a .toml file.")
]
Variant = Annotated[
    str | None, typer.Option("--variant", metavar="NAME", help="A shipped variant of the game, for example flush_8.")
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change one value: --set hands.flush.score=8. Repeatable."),
]
Players = Annotated[int, typer.Option("--players", "-p", help="Number of players.")]
Policies = Annotated[
    list[str] | None,
    typer.Option(
        "--policy",
        metavar="NAME",
        help="How seats play: once for all seats, or once for each seat. Parameters in brackets: "
        "'greedy(vp_weight=3)'. 'sushibalance policies RULES' lists them. Left out: random.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="Same seed, same games.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]


def _told(command: Callable[Given, None]) -> Callable[Given, None]:
    """Tell a user's mistake in words, without a traceback, and exit with code 2 (130 after Ctrl-C)."""

    @wraps(command)
    def wrapper(*args: Given.args, **kwargs: Given.kwargs) -> None:
        outside = signal.getsignal(signal.SIGINT)
        try:
            if callable(outside):  # not ignored
                signal.signal(signal.SIGINT, signal.default_int_handler)
            command(*args, **kwargs)
            sys.stdout.flush()
        except UserError as error:
            _fail(str(error))
        except BrokenPipeError:  # the reader, say `head`, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except OSError as error:
            _fail(": ".join(str(part) for part in (error.filename, error.strerror or error) if part))
        except MemoryError:
            _fail("not enough memory; ask for fewer games")
        except KeyboardInterrupt:
            stop()
        finally:
            if callable(outside):
                signal.signal(signal.SIGINT, outside)

    return wrapper


def _fail(message: str, code: int = 2) -> None:
    print(f"sushibalance: {message}", file=sys.stderr)
    raise typer.Exit(code) from None


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"sushibalance {version('sushibalance')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Hold the options of the command line as a whole."""


@app.command()
@_told
def rules(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="RULES", help="A shipped rule set or a .toml file; left out: list the shipped ones."),
    ] = None,
    variant: Variant = None,
    changes: Changes = None,
    assumed: Annotated[
        bool, typer.Option("--assumed", help="Only values that nobody has printed: vary these first.")
    ] = False,
    source: Annotated[
        str | None,
        typer.Option(help="Only values from this source: rulebook, example, public, assumed, variant."),
    ] = None,
    match: Annotated[str | None, typer.Option(help="Only values whose key contains this text.")] = None,
    differences: Annotated[
        bool, typer.Option("--differences", help="Only what differs from the game as shipped.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Only check the rule sets named, one or many, and say what is wrong.")
    ] = False,
    write_schema: Annotated[
        bool, typer.Option("--write-schema", help="Write the JSON Schemas that editors use (for developers).")
    ] = False,
) -> None:
    """List the rule sets; show one with the source of every value; check a rule file."""
    from sushibalance.games.registry import load_rules, rule_sets, schemas, shipped
    from sushibalance.rules import SOURCES

    if source is not None and source not in SOURCES:
        raise UserError(f'--source: found "{source}", allowed one of: {", ".join(SOURCES)}')
    changing = {"--variant": variant, "--set": changes}
    choosing = {"--assumed": assumed, "--source": source, "--match": match, "--differences": differences}
    if write_schema:
        _alone("--write-schema", {"a rule set": names, "--check": check, **changing, **choosing})
        for file, text in schemas().items():
            (shipped("data") / "schema" / file).write_text(text, encoding="utf-8")
        return
    if check:
        _alone("--check", {**changing, **choosing})
        _check([*(names or ())])
        return
    if not names:
        if aimless := _given({**changing, **choosing}):
            raise UserError(f"{aimless}: found no rule set, allowed one: rules otter {aimless} ...")
        _print_listing([(known, load_rules(known).description) for known in rule_sets()])
        return
    if assumed:
        _alone("--assumed", {"--source": source})
    if differences:
        _alone("--differences", {"--assumed": assumed, "--source": source})
    if len(names) > 1:
        raise UserError(f"rules: found {len(names)} rule sets, allowed one to show, or many with --check")
    chosen = _chosen(names[0], variant, changes)
    base = load_rules(chosen.game)
    moved = chosen.differences(base)
    print(f"# {chosen.name}: {_plain(chosen.description)}" if chosen.description else f"# {chosen.name}")
    if moved and not differences:
        print(f"# differs from {base.name} in {len(moved)} of {len(chosen.values())} values: see --differences")
    if differences:
        lines = [f"{key}: {_value(before)} -> {_value(after)}" for key, before, after in moved if (match or "") in key]
        print(*lines or ["# " + _nothing(f"differs from {base.name}", match, [key for key, *_ in moved])], sep="\n")
        return
    wanted = "assumed" if assumed else source
    kept = [value for value in chosen.values() if value.source == wanted or not wanted]
    fitting = [value for value in kept if (match or "") in value.key]
    note = ""
    for value in fitting:
        if value.note != note:  # an empty one ends what the last note was about
            print(f"# {_plain(value.note)}".rstrip())
        note = value.note
        print(f"{value.key} = {_value(value.value)}  # {value.source}")
    if not fitting:
        what = f"has the source {wanted}" if wanted else ""
        print(f"# {_nothing(what, match, [value.key for value in kept])}")


def _nothing(what: str, match: str | None, keys: list[str]) -> str:
    """Return the sentence that says that no value is shown, and what --match may have meant."""
    from sushibalance.rules.problems import shown

    if not keys or match is None:
        return f"no value {what}"
    near = nearest(match, dict.fromkeys(part for key in keys for part in key.split(".")))
    which = f"no value that {what} has" if what else "no value has"
    return f"{which} {shown(match)} in its key" + (f"; did you mean {near}?" if near else "")


def _given(options: Mapping[str, object]) -> str:
    """Return the first option that was given, or nothing."""
    return next((name for name, value in options.items() if value), "")


def _alone(option: str, others: Mapping[str, object]) -> None:
    """Refuse options that would have no effect beside another."""
    if beside := _given(others):
        raise UserError(f"{option}: found {beside} beside it, allowed one without the other")


def _check(names: list[str]) -> None:
    """Say of each rule set that it is good, or all that is wrong with all of them."""
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
        print(f"{name}: good, {len(found.values())} values, {len(found.assumed())} of them assumed")
    if problems:
        raise RulesError(problems)


@app.command()
@_told
def policies(name: RuleSet) -> None:
    """List the ways a seat can play a game, with their parameters."""
    from sushibalance.games.registry import engine, load_rules

    for policy in engine(load_rules(name).game).policies.values():
        parameters = ", ".join(f"{key}={value:g}" for key, value in policy.parameters.items())
        head = f"{policy.name}({parameters})" if parameters else policy.name
        print(_wrapped(head, len(policy.name) + 1), _wrapped("    " + policy.description, 4), sep="\n")


@app.command()
@_told
def simulate(
    name: RuleSet,
    variant: Variant = None,
    changes: Changes = None,
    players: Players = 4,
    policy: Policies = None,
    games: Annotated[int, typer.Option("--games", "-n", help="Number of games.")] = 10_000,
    seed: Seed = 0,
    workers: Annotated[int | None, typer.Option(help="Threads; the result does not depend on it.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Store every game in this folder. After a stop the same command goes on from there."
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Let the Dask cluster of this scheduler play: tcp://host:port."),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Play many games and sum them up: who wins, how many points, with 95% intervals."""
    chosen = _chosen(name, variant, changes)
    from sushibalance.analysis.over import over
    from sushibalance.simulation.cluster import connected
    from sushibalance.simulation.fold import fold
    from sushibalance.simulation.request import Request
    from sushibalance.simulation.simulate import simulate as play

    request = Request.of(chosen, players, policy or "random", seed)
    asked = _summary_questions(request)
    table: dict[str, Any] = {"players": players, "policies": request.policies, "games": games, "seed": seed}
    with connected(cluster) if cluster else nullcontext() as executor:
        how: dict[str, Any] = {"workers": workers, "progress": not quiet, "executor": executor}
        if out is None:
            answers = fold(chosen, asked, **table, **how).frame()
        else:
            try:
                run = play(chosen, **table, **how, out=out)
            except KeyboardInterrupt:
                _tell_what_is_whole(out, games)
                raise
            answers = over(run, asked, workers=workers)
    listing = " ".join(["sushibalance rules", *_asked(name, variant, changes), "--assumed"])
    print(_summary(request, games, answers, listing))
    if out is not None:
        print(f"\nStored in {out}: {run.disk_bytes / 1e6:,.1f} MB, {run.disk_bytes / run.n:,.0f} bytes a game")


def _tell_what_is_whole(out: Path, games: int) -> None:
    """Tell after Ctrl-C how far a run has come that is stored."""
    from sushibalance.simulation.run import Run, RunError

    with suppress(RunError):
        whole = Run.load(out, unfinished=True).n
        print(
            f"sushibalance: {whole:,} of {games:,} games are whole in {out}; the same command plays the others",
            file=sys.stderr,
        )


@app.command()
@_told
def trace(
    name: RuleSet,
    variant: Variant = None,
    changes: Changes = None,
    players: Players = 4,
    policy: Policies = None,
    seed: Seed = 0,
    game: Annotated[int, typer.Option("--game", "-g", help="Which game of the run: 0 is the first.")] = 0,
) -> None:
    """Tell one game of a run, round by round."""
    chosen = _chosen(name, variant, changes)
    from sushibalance.simulation.trace import trace as tell

    print(tell(chosen, players=players, policies=policy or "random", seed=seed, game=game), end="")


@app.command()
@_told
def report(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[QUESTION] [RULES]...",
            help="Shipped rule sets or .toml files; left out: the three printed games. Before them a question of its "
            "own: compare_variants, or for Otter card_values.",
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every report there is, of the printed games.")] = False,
    variant: Variant = None,
    changes: Changes = None,
    players: Annotated[
        int,
        typer.Option(
            "--players",
            "-p",
            help="Players at each table. For Nightmares the page also tells how often the penalty victory comes with "
            "every other number, 2 to 6.",
        ),
    ] = 4,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            metavar="NAME",
            help="How seats play, as for 'simulate'. Left out: at several tables, from all random to different "
            "policies against each other; the page lists them.",
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            "--games",
            "-n",
            help="Games at each table; for card_values, pairs of games for each card. Left out: about a minute's "
            "worth.",
        ),
    ] = None,
    seed: Seed = 0,
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            "--parameter",
            "-P",
            metavar="NAME=VALUE",
            help="Another parameter of the notebook, as in its first cell: -P 'margin=[0.95, 1.05]'. Repeatable.",
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where the HTML pages go, and beside each its tables as CSV files.")
    ] = Path("reports"),
    quiet: Quiet = False,
) -> None:
    """Simulate and write a balance report for each rule set: an HTML page with findings, charts and tables."""
    from sushibalance.games.registry import GAMES, rule_sets

    if every and (names or variant or changes):
        raise UserError("--all: found rules beside it, allowed alone: it stands for every report of the printed games")
    asked: list[Any] = list(names or ())
    questions = asked[:1] if asked and asked[0] in QUESTIONS else []
    near = nearest(asked[0], [*QUESTIONS, *rule_sets()]) if asked and not asked[0].endswith(".toml") else None
    if near in QUESTIONS and not questions:
        raise UserError(f'report: found "{asked[0]}", allowed a question or a rule set; did you mean {near}?')
    chosen: list[Any] = [
        _chosen(name, variant, changes) for name in asked[len(questions) :] or (() if questions else GAMES)
    ]
    from sushibalance import reports

    if questions:
        known = [game for question, game in reports.every() if question == questions[0]]
        chosen = [(questions[0], rules) for rules in chosen or [_chosen(game, variant, changes) for game in known]]
    given: dict[str, Any] = {}
    for key, value in map(partial(_change, option="--parameter"), parameter or ()):
        if key in given:
            raise UserError(f"--parameter {key}: found it twice, allowed once")
        given[key] = value
    pages = reports.build_all(
        reports.every() if every else chosen, players=players, games=games, seed=seed, policies=policy,
        parameters=given, out=out, progress=not quiet,
    )  # fmt: skip
    print("Open in a browser:", *pages, sep="\n  ")


@app.command()
@_told
def compare(
    name: RuleSet,
    variant: Annotated[
        list[str] | None,
        typer.Option(
            "--variant",
            metavar="NAME",
            help="A shipped variant (flush_8), or a .toml file of the same game. Repeatable.",
        ),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="A variant without a file: hands.flush.score=8. Repeated: all at once."
        ),
    ] = None,
    players: Players = 4,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            metavar="NAME",
            help="How seats play, as for 'simulate'. Different ones change seats until each had every seat. Left out: "
            "greedy, who reacts to what things are worth.",
        ),
    ] = None,
    games: Annotated[
        str, typer.Option("--games", "-n", help="Number of games, or auto: until the main numbers are decided.")
    ] = "auto",
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", metavar="NAME", help="Only this number: win_points, hands, ... Repeatable."),
    ] = None,
    margin: Annotated[
        list[str] | None,
        typer.Option(
            "--margin",
            metavar="NAME=NUMBER",
            help="A difference up to this does not matter: win_points=0.02, hands=1%. Repeatable.",
        ),
    ] = None,
    level: Annotated[float, typer.Option(help="How sure verdicts must be.")] = 0.95,
    most: Annotated[int, typer.Option(help="With auto: stop after so many games.")] = 1_000_000,
    seconds: Annotated[float, typer.Option(help="With auto: stop after so many seconds.")] = 60.0,
    seed: Seed = 0,
    workers: Annotated[int | None, typer.Option(help="Threads; the result does not depend on it.")] = None,
    cluster: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Let the Dask cluster of this scheduler play: tcp://host:port."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show every number, not just the main ones.")] = False,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write every number to this CSV file.")] = None,
    quiet: Quiet = False,
) -> None:
    """Play the same shuffles with changed rules and tell what moves, how far, and how sure that is."""
    base = _chosen(name, None, None)
    variants: list[Any] = [*(variant or ()), *([_chosen(name, None, changes)] if changes else ())]
    if not variants:
        raise UserError("compare: found no variant, allowed --variant NAME, a .toml file after --variant, or --set")
    if games != "auto" and not games.isdecimal():
        raise UserError(f'--games: found "{games}", allowed a number of games, or auto')
    from sushibalance.console import Sheet, Told, margins

    sheet = Sheet(csv) if csv else None
    from sushibalance.analysis.compare import compare as judge
    from sushibalance.simulation.cluster import connected

    number = games if games == "auto" else int(games)
    with connected(cluster) if cluster else nullcontext() as executor:
        found = judge(
            base, variants, players=players, policies=policy or "greedy", games=number,
            seed=seed, margin=margins(margin or [], metric or []), metrics=metric or None, level=level, most=most,
            seconds=seconds, workers=workers, executor=executor, progress=not quiet,
        )  # fmt: skip
    words = [*map(shlex.quote, variant or ()), *([" ".join(_asked(name, None, changes))] if changes else ())]
    Told(found, everything, dict(zip(found.variants, words, strict=True))).show()
    if sheet:
        sheet.write(found.table())
        print(f"Written: {sheet.path}")


@app.command()
@_told
def check(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RULES]...", help="Shipped rule sets or .toml files; left out: the three games."),
    ] = None,
    players: Annotated[int | None, typer.Option("--players", "-p", help="Number of players; left out: 4.")] = None,
    games: Annotated[int, typer.Option("--games", "-n", help="Number of games of each.")] = 20_000,
    seed: Seed = 0,
    workers: Annotated[int | None, typer.Option(help="Threads; the result does not depend on it.")] = None,
    quiet: Quiet = False,
) -> None:
    """Hold deals and random choices against what can be calculated; anything too far off is an error."""
    from sushibalance.games.registry import GAMES

    chosen = [_chosen(name, None, None) for name in names or GAMES]
    from sushibalance.analysis.checks import checks

    for rules in chosen:
        found = checks(rules, players=players, games=games, seed=seed, workers=workers, progress=not quiet)
        known = found[found["z"].notna()]
        worst = known.loc[known["z"].abs().idxmax()]
        sound = (
            f"{rules.name}: {len(known)} frequencies in {_games(games)} agree with what can be calculated. Farthest "
            f"off, by {abs(worst['z']):.1f} standard errors: {worst['what']}, {worst['case']} "
            f"({worst['estimate']:.5g} instead of {worst['exact']:.5g}). More than 4 would be an error; by chance that "
            f"happens in {100 * found.attrs['false_alarm']:.2g} of 100 such checks."
        )
        print(_wrapped(sound, 2))


def _asked(name: str, variant: str | None, changes: list[str] | None) -> list[str]:
    """Return the words of a shell command that name the same rules again."""
    words = [name, *(["--variant", variant] if variant else [])]
    for change in changes or ():
        words += ["--set", change]
    return [shlex.quote(word) for word in words]


def _summary_questions(request: Request) -> Questions:
    """Return what the summary of a run asks: wins and totals by policy, where several play, and by seat; endings."""
    from sushibalance.analysis import win_rates
    from sushibalance.analysis.over import question, questions
    from sushibalance.stats import shares

    keys = {"policy": ["policy"]} if len({policy.name for policy in request.policies}) > 1 else {}
    asked = {}
    for name, by in {**keys, "seat": ["seat", "policy"]}.items():
        asked[f"wins {name}"] = question(win_rates.of, "players", by=by)
        asked[f"points {name}"] = question(win_rates.points, "players", by=by)
    if len(request.engine.endings) > 1:
        asked["endings"] = question(shares, "games", by=(), category="ended_by")
    return questions(**asked)


def _summary(request: Request, games: int, answers: Mapping[str, Any], listing: str) -> str:
    """Return the answers as a few lines.

    ``listing`` is the command that lists the assumed values.
    """
    engine, rules = request.engine, request.rules
    lines = [f"{engine.title}, {rules.name}: {_games(games)}, {len(request.policies)} players, seed {request.seed}"]
    assumed = len(rules.assumed())
    if assumed:
        lines.append(f"These numbers rest on {assumed} assumed values: {listing}")
    if all(policy.name == "random" for policy in request.policies):
        lines.append("All seats play at random, whatever things are worth; see --policy (greedy, ...).")
    for name, by in (("policy", ["policy"]), ("seat", ["seat", "policy"])):
        if f"wins {name}" not in answers:
            continue
        wins, points = (answers[f"{what} {name}"].to_dict("records") for what in ("wins", "points"))
        rows = [[*by, "wins (95% interval)", "mean total (95% interval)", "n"]]
        for win, point in zip(wins, points, strict=True):
            rows.append([*(str(win[key]) for key in by), _percent(win), _number(point), f"{win['n']:,}"])
        lines += ["", *_columns(rows)]
    if "endings" in answers:
        ends = answers["endings"].to_dict("records")
        rows = [[str(end["ended_by"]), _percent(end), f"{end['n']:,}"] for end in ends]
        lines += ["", *_columns([["ended by", "games (95% interval)", "n"], *rows])]
    return "\n".join(lines)


def _games(games: int) -> str:
    return "1 game" if games == 1 else f"{games:,} games"


def _percent(row: dict[str, Any]) -> str:
    return f"{row['estimate']:.1%} ({row['low']:.1%} to {row['high']:.1%})"


def _number(row: dict[str, Any]) -> str:
    if row["n"] < 2:
        return f"{row['estimate']:.2f} (no interval from one game)"
    return f"{row['estimate']:.2f} ({row['low']:.2f} to {row['high']:.2f})"


def _chosen(name: str, variant: str | None, changes: Iterable[str] | None) -> Rules:
    """Return the rules that the options ask for."""
    from sushibalance.games.registry import load_rules

    found = load_rules(name if variant is None else _variant(name, variant))
    if not changes:
        return found
    values: dict[str, Any] = {}
    for key, value in map(_change, changes):
        if key in values:
            raise UserError(f"--set {key}: found it twice, allowed once")
        values[key] = value
    return found.vary(values, name=_plain(f"{found.name}, {', '.join(changes)}")[:100], label="--set")


def _variant(name: str, variant: str) -> str:
    """Return the name of a game's variant among all rule sets."""
    from sushibalance.games.registry import GAMES, load_rules, rule_sets
    from sushibalance.rules.problems import one_of, shown

    if variant.endswith(".toml"):
        raise UserError(
            f"--variant: found {shown(variant)}, allowed a shipped variant; a file of yours goes in place of {name}"
        )
    if name not in GAMES:
        load_rules(name)  # a name that is none is the greater mistake
        raise UserError(f"--variant: found it beside {shown(name)}, allowed beside a game: {', '.join(GAMES)}")
    known = [key.removeprefix(f"{name}/") for key in rule_sets() if key.startswith(f"{name}/")]
    short = variant.removeprefix(f"{name}/")
    if short not in known:
        raise UserError(f"--variant: found {shown(variant)}, allowed a variant of {name}: {one_of(short, known)}")
    return f"{name}/{short}"


def _change(text: str, option: str = "--set") -> tuple[str, Any]:
    """Return the name and the value of ``NAME=VALUE``; a bare word is a text."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        example = (
            "KEY=VALUE, for example hands.flush.score=8" if option == "--set" else "NAME=VALUE, for example seed=1"
        )
        raise UserError(f'{option}: found "{text}", allowed {example}')
    try:
        parsed = tomllib.loads(f"value = {value}")
    except (ValueError, RecursionError):
        parsed = {}
    if list(parsed) == ["value"]:
        return key.strip(), parsed["value"]
    if value.strip().isidentifier():
        return key.strip(), value.strip()
    raise UserError(f'{option} {key.strip()}: found {value}, allowed a number, true, false, "text" or a [list]')


def _value(value: Any) -> str:
    from sushibalance.rules.problems import shown

    return "nothing" if value is None else shown(value, 1000)


def _columns(rows: list[list[str]]) -> list[str]:
    """Return rows as aligned lines."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _print_listing(rows: list[tuple[str, str]]) -> None:
    """Print names and what they are, side by side, within the width of the terminal."""
    width = max(len(name) for name, _ in rows) + 2
    print(*(_wrapped(name.ljust(width) + _plain(text), width) for name, text in rows), sep="\n")


def _wrapped(text: str, indent: int) -> str:
    """Return a text as lines that fit the terminal, all but the first indented."""
    columns = max(shutil.get_terminal_size().columns - 1, indent + 20)
    return textwrap.fill(text, columns, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)


def _plain(text: str) -> str:
    """Return a text of a rule file as one line that does nothing to the terminal."""
    from sushibalance.rules.reading import plain_text

    return plain_text(" ".join(text.split()), 2000)


def main() -> None:
    """Run the command line; see also ``__main__``."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # letters that the terminal does not have
        sys.stdout.reconfigure(errors="backslashreplace")
    app()
