"""The command line: the library's calls, for designers who like the shell."""

from __future__ import annotations

import io
import os
import shlex
import signal
import sys
from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, ParamSpec

import typer

from sushibalance.__main__ import stop
from sushibalance.console.command import Command
from sushibalance.console.options import alone, chosen, first, margins, reports, values, words
from sushibalance.errors import UserError

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

RuleSet = Annotated[
    str, typer.Argument(metavar="RULES", help="A shipped rule set (otter, otter/flush_8, ...) or a .toml file.")
]
Variant = Annotated[
    str | None, typer.Option("--variant", metavar="NAME", help="A shipped variant of the game, for example flush_8.")
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change one value: --set hands.flush.score=8. Nothing after the = takes it out. Repeatable.",
    ),
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


@app.command(cls=Command)
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
    from sushibalance.console import listings
    from sushibalance.games.registry import load_rules, rule_sets, schemas, shipped
    from sushibalance.rules import SOURCES

    if source is not None and source not in SOURCES:
        raise UserError(f'--source: found "{source}", allowed one of: {", ".join(SOURCES)}')
    changing = {"--variant": variant, "--set": changes}
    choosing = {"--assumed": assumed, "--source": source, "--match": match, "--differences": differences}
    if write_schema:
        alone("--write-schema", {"a rule set": names, "--check": check, **changing, **choosing})
        for file, text in schemas().items():
            (shipped("data") / "schema" / file).write_text(text, encoding="utf-8")
        return
    if check:
        alone("--check", {**changing, **choosing})
        for line in listings.good(names or []):
            print(line)
        return
    if not names:
        if aimless := first({**changing, **choosing}):
            raise UserError(f"{aimless}: found no rule set, allowed one: rules otter {aimless} ...")
        print(listings.rule_sets({known: load_rules(known).description for known in rule_sets()}))
        return
    if assumed:
        alone("--assumed", {"--source": source})
    if differences:
        alone("--differences", {"--assumed": assumed, "--source": source})
    if len(names) > 1:
        raise UserError(f"rules: found {len(names)} rule sets, allowed one to show, or many with --check")
    asked = chosen(names[0], variant, changes)
    base = load_rules(asked.game)
    if differences:
        print(listings.differences(asked, base, match))
    else:
        print(listings.values(asked, base, "assumed" if assumed else source, match))


@app.command(cls=Command)
@_told
def policies(name: RuleSet) -> None:
    """List the ways a seat can play a game, with their parameters."""
    from sushibalance.console import listings
    from sushibalance.games.registry import engine, load_rules

    print(listings.policies(engine(load_rules(name).game).policies.values()))


@app.command(cls=Command)
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
    asked = chosen(name, variant, changes)
    from sushibalance.analysis.over import over
    from sushibalance.console import summary
    from sushibalance.simulation.cluster import connected
    from sushibalance.simulation.fold import fold
    from sushibalance.simulation.request import Request
    from sushibalance.simulation.simulate import simulate as play

    request = Request.of(asked, players, policy or "random", seed)
    questions = summary.questions(request)
    table: dict[str, Any] = {"players": players, "policies": request.policies, "games": games, "seed": seed}
    with connected(cluster) if cluster else nullcontext() as executor:
        how: dict[str, Any] = {"workers": workers, "progress": not quiet, "executor": executor}
        if out is None:
            answers = fold(asked, questions, **table, **how).frame()
        else:
            try:
                run = play(asked, **table, **how, out=out)
            except KeyboardInterrupt:
                if whole := summary.whole(out, games):
                    print(whole, file=sys.stderr)
                raise
            answers = over(run, questions, workers=workers)
    listing = " ".join(["sushibalance rules", *words(name, variant, changes), "--assumed"])
    print(summary.summary(request, games, answers, listing))
    if out is not None:
        print(f"\n{summary.stored(run, out)}")


@app.command(cls=Command)
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
    asked = chosen(name, variant, changes)
    from sushibalance.simulation.trace import trace as tell

    print(tell(asked, players=players, policies=policy or "random", seed=seed, game=game), end="")


@app.command(cls=Command)
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
    variant: Annotated[
        list[str] | None,
        typer.Option(
            "--variant",
            metavar="NAME",
            help="A shipped variant of the game. For compare_variants what is compared with the base, also a .toml "
            "file, repeatable; left out: every shipped variant.",
        ),
    ] = None,
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
            help="Games at each table; for card_values, pairs of games for each card. Left out: so many that a page "
            "takes a minute to three.",
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
    if every and (names or variant or changes):
        raise UserError("--all: found rules beside it, allowed alone: it stands for every report of the printed games")
    own = values(parameter or (), "--parameter")
    asked, own = (None, own) if every else reports(names or [], variant or [], changes, own)
    from sushibalance import reports as pages

    built = pages.build_all(
        asked or pages.every(), players=players, games=games, seed=seed, policies=policy,
        parameters=own, out=out, progress=not quiet,
    )  # fmt: skip
    print("Open in a browser:", *built, sep="\n  ")


@app.command(cls=Command)
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
    base = chosen(name)
    variants: list[Any] = [*(variant or ()), *([chosen(name, None, changes)] if changes else ())]
    if not variants:
        raise UserError("compare: found no variant, allowed --variant NAME, a .toml file after --variant, or --set")
    if games != "auto" and not games.isdecimal():
        raise UserError(f'--games: found "{games}", allowed a number of games, or auto')
    from sushibalance.console.comparison import Told
    from sushibalance.console.sheet import Sheet

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
    called = [*map(shlex.quote, variant or ()), *([" ".join(words(name, None, changes))] if changes else ())]
    Told(found, everything, dict(zip(found.variants, called, strict=True))).show()
    if sheet:
        sheet.write(found.table())
        print(f"Written: {sheet.path}")


@app.command(cls=Command)
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

    asked = [chosen(name) for name in names or GAMES]
    from sushibalance.analysis.checks import checks
    from sushibalance.console import summary

    for rules in asked:
        found = checks(rules, players=players, games=games, seed=seed, workers=workers, progress=not quiet)
        print(summary.sound(rules, found, games))


def main() -> None:
    """Run the command line; see also ``__main__``."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # letters that the terminal does not have
        sys.stdout.reconfigure(errors="backslashreplace")
    app()
