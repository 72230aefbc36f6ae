"""What makes a chart of a function: its own texts, which the caller's replace, and the axes it draws on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, Unpack

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from sushibalance.errors import nearest
from sushibalance.plots.style import STYLE, WIDTH
from sushibalance.plots.texts import Options

P = ParamSpec("P")
HEIGHT = 2.3  # inches of a plot that does not say how tall it is
TALL = 4.5  # a plot that is higher than this has its scale, or its heads, at the top too


def chart(**own: Unpack[Options]) -> Callable[[Callable[P, Axes]], Callable[P, Axes]]:
    """Give a function that draws its texts; the caller's take their place, label by label."""

    def made(draw: Callable[P, Axes]) -> Callable[P, Axes]:
        @wraps(draw)
        def drawn(*arguments: Any, **given: Any) -> Axes:
            options = {**own, **given}
            if own.get("labels") and given.get("labels"):
                options["labels"] = {**(own["labels"] or {}), **given["labels"]}
            return draw(*arguments, **options)

        return drawn

    return made


@contextmanager
def canvas(options: Options) -> Iterator[Axes]:
    """Yield the caller's axes, or new ones, which are drawn on in the style of the reports."""
    known = Options.__annotations__
    for name in options.keys() - known.keys():
        near = nearest(name, known)
        hint = f"did you mean {near}? " if near else ""
        raise TypeError(f"a chart has no {name}; {hint}Allowed besides its own keywords: {', '.join(known)}")
    ax = options.get("ax")
    if ax is not None:
        yield ax
        return
    with plt.rc_context(STYLE):
        figure, ax = plt.subplots(figsize=(WIDTH, HEIGHT), layout="constrained")
        try:
            yield ax
        except BaseException:
            plt.close(figure)
            raise


def scale_at_both_ends(ax: Axes, height: float) -> None:
    """Write what stands below the rows of a plot above them too, where it is out of sight from the first of them."""
    if height > TALL:
        ax.tick_params(axis="x", labeltop=True)


def noted(options: Options, *lines: str) -> str:
    """Return the lines below the title: the caller's, or which games these are and the chart's own lines."""
    note = options.get("note")
    return "\n".join(filter(None, (options.get("about"), *lines))) if note is None else note


def fit(ax: Axes, options: Options, height: float) -> None:
    """Make the plot of new axes so many inches high, texts around it not counted."""
    figure, outer = ax.get_figure(root=True), ax.get_tightbbox()
    if options.get("ax") is None and figure and outer:
        figure.set_figheight(height + (outer.height - ax.bbox.height) / figure.dpi + 0.1)
