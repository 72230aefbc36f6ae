"""Names beside points, so placed that none covers another name or a point."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from sushibalance.plots.style import QUIET

# Where a name may go, seen from its point: the nearest first, to the right before the left, above before below.
AWAY = (6, 11, 18, 26, 36, 48, 62)  # points
AROUND = ((1, 0), (1, 0.7), (1, -0.7), (-1, 0), (-1, 0.7), (-1, -0.7), (0, 1), (0, -1), (0.5, 1), (0.5, -1))
NEAR = 8  # points: a name farther off is tied to its point by a line
SPOT = 3  # points around a point that stay free


def name_points(
    ax: Axes, at: Sequence[tuple[float, float]], names: Sequence[str], size: float, *, inside: Bbox | None = None
) -> None:
    """Write a name beside each point; points of one place share their names.

    Call it when the axes have their final limits and size. A name for which there is no room at all stands where it
    covers least.

    Parameters
    ----------
    ax : Axes
    at : sequence of (x, y)
        Points, in data coordinates.
    names : sequence of str
    size : float
        Of the letters, in points.
    inside : Bbox, optional
        Where names may stand, in pixels; by default in the axes.
    """
    figure = ax.get_figure(root=True)
    assert figure is not None
    together: dict[tuple[float, float], list[str]] = {}
    for place, name in zip(at, names, strict=True):
        together.setdefault((float(place[0]), float(place[1])), []).append(name)
    unit = figure.dpi / 72
    frame = inside or ax.bbox
    spots = {place: ax.transData.transform(place) for place in together}
    points = [Bbox.from_extents(x - SPOT * unit, y - SPOT * unit, x + SPOT * unit, y + SPOT * unit)
              for x, y in spots.values()]  # fmt: skip
    taken: list[Bbox] = []
    for place in sorted(together, key=lambda spot: (-spots[spot][1], spots[spot][0])):
        x, y = spots[place]
        written = ax.annotate(
            ", ".join(together[place]), place, xytext=(0, 0), textcoords="offset points", ha="center", va="center",
            fontsize=size, annotation_clip=False,
        )  # fmt: skip
        box = written.get_window_extent()
        width, height = box.width, box.height
        best: tuple[float, Bbox, float] | None = None
        for away in AWAY:
            for right, up in AROUND:
                centre_x = x + right * (away * unit + width / 2)
                centre_y = y + up * (away * unit + height / 2)
                spot = Bbox.from_bounds(centre_x - width / 2, centre_y - height / 2, width, height)
                cost = _covered(spot, [*taken, *points]) + 4 * (width * height - _common(spot, frame))
                if best is None or cost < best[0] - 1e-9:
                    best = (cost, spot, away)
            if best is not None and best[0] <= 1e-9:
                break
        assert best is not None
        taken.append(best[1])
        middle = (best[1].x0 + best[1].x1) / 2, (best[1].y0 + best[1].y1) / 2
        written.set_position(((middle[0] - x) / unit, (middle[1] - y) / unit))
        if best[2] > NEAR:
            _tie(ax, (x, y), best[1])


def _tie(ax: Axes, spot: tuple[float, float], box: Bbox) -> None:
    """Draw a line from a point to the nearest edge of its name."""
    edge = np.clip(spot[0], box.x0, box.x1), np.clip(spot[1], box.y0, box.y1)
    (x0, y0), (x1, y1) = ax.transData.inverted().transform([spot, edge])
    ax.annotate("", (x0, y0), (x1, y1), arrowprops={"arrowstyle": "-", "color": QUIET, "linewidth": 0.6, "shrinkA": 0,
                "shrinkB": 2}, annotation_clip=False)  # fmt: skip


def _covered(box: Bbox, others: Sequence[Bbox]) -> float:
    return sum(_common(box, other) for other in others)


def _common(box: Bbox, other: Bbox) -> float:
    width = min(box.x1, other.x1) - max(box.x0, other.x0)
    height = min(box.y1, other.y1) - max(box.y0, other.y0)
    return width * height if width > 0 and height > 0 else 0.0
