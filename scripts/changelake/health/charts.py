"""Charts as inline SVG: drawn by Vega-Lite, coloured by the page's own style."""

from datetime import datetime
from typing import Any

from markupsafe import Markup

from changelake.core.errors import UserError
from changelake.health.figures import Rows

Span = tuple[datetime, datetime]
# As wide as a phone shows without shrinking the text; a larger page has several side by side.
_WIDTH, _HEIGHT = 296, 150
_COLORS = [f"var(--series-{number})" for number in range(1, 9)]
_CONFIG = {
    "font": "system-ui, sans-serif",
    "axis": {
        "labelColor": "var(--muted)", "gridColor": "var(--line)", "domain": False, "ticks": False,
        "labelFontSize": 11, "labelPadding": 5,
    },
    "axisX": {"grid": False, "labelFlush": True, "tickCount": 4},
    "axisY": {"tickCount": 4, "tickMinStep": 1, "minExtent": 42, "maxExtent": 42},
    "legend": {
        "labelColor": "var(--text)", "labelFontSize": 11, "orient": "bottom", "columns": 2,
        "title": None, "symbolType": "square", "labelLimit": 130,
    },
    "range": {"category": _COLORS},
    "view": {"stroke": None},
}  # fmt: skip


def bars_by_day(rows: Rows, day: str, value: str, kind: str, span: Span) -> Markup:
    """Return a chart with a bar per day and a part per kind; empty if there are no rows.

    Args:
        rows: what is shown; one per day and kind.
        day: the column that places the bar.
        value: the column for the height of a part.
        kind: the column for the colour of a part.
        span: the time range of the chart.
    """
    mark = {"type": "bar", "width": {"band": 0.8}}
    return _svg(rows, mark, day, value, kind, span, timeUnit="utcyearmonthdate")


def lines(rows: Rows, day: str, value: str, kind: str, span: Span) -> Markup:
    """Return a chart with a line per kind. Arguments are those of bars_by_day()."""
    return _svg(rows, {"type": "line", "point": True}, day, value, kind, span)


def points(rows: Rows, moment: str, value: str, kind: str, span: Span) -> Markup:
    """Return a chart with a point per row, whose kind is `failed` or `success`.

    Arguments are those of bars_by_day().
    """
    mark = {"type": "point", "filled": True, "size": 22, "opacity": 0.8}
    colors = {"domain": ["failed", "success"], "range": ["var(--bad)", "var(--series-1)"]}
    return _svg(rows, mark, moment, value, kind, span, colors)


def _svg(
    rows: Rows, mark: dict[str, Any], moment: str, value: str, kind: str, span: Span,
    colors: dict[str, Any] | None = None, **x: Any,
) -> Markup:  # fmt: skip
    if not rows:
        return Markup()
    try:
        import vl_convert
    except ImportError:
        raise UserError("the report needs vl-convert: run `make setup`") from None
    domain = [int(one.timestamp() * 1000) for one in span]
    x |= {"field": moment, "type": "temporal", "title": None, "axis": {"format": "%b %-d"}}
    x["scale"] = {"type": "utc", "domain": domain}
    y = {"field": value, "type": "quantitative", "title": None, "axis": {"format": "~s"}}
    color = {"field": kind, "type": "nominal", "scale": colors or {}}
    svg = vl_convert.vegalite_to_svg({
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "data": {"values": rows}, "mark": mark, "config": _CONFIG, "background": None,
        "encoding": {"x": x, "y": y, "color": color},
        "width": _WIDTH, "height": _HEIGHT,
    })  # fmt: skip
    # Vega escapes the texts in it
    return Markup(svg)
