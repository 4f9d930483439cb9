"""Pictures: as SVG or PNG, or as one HTML file that needs no network. Needs the extra `plot`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from shoal.core.errors import ParameterError, ReleaseError, Unsupported, cannot_write
from shoal.core.pictures import MOST_DRAWN, DrawnNode, lattice_edges, lattice_places

ENDINGS = (".svg", ".png", ".html")
PACKAGES = ("altair", "vl_convert")
BAR, BOUND, FAINT = "#0f766e", "#c2410c", "#6b7280"
ROW_HEIGHT = 30


def check_plot(path: Path) -> None:
    """Refuse a picture that cannot be made, before any work is done."""
    if path.suffix.lower() not in ENDINGS:
        raise ParameterError(
            f"cannot write a picture to {path.name!r}", expected=f"a name that ends in {', '.join(ENDINGS)}"
        )
    if not path.absolute().parent.is_dir():
        raise ReleaseError(f"there is no folder {str(path.parent)!r}", hint="make it, or name another")
    check_packages()


def check_packages() -> None:
    """Raise `Unsupported` where the packages that draw are not installed."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise Unsupported(
            f"a picture needs the packages altair and vl-convert-python; not installed: {', '.join(missing)}",
            hint="pip install 'shoal[plot]'",
        )


def _altair() -> Any:
    check_packages()
    import altair  # of the extra `plot`

    return altair


def write_plot(chart: Any, path: Path) -> None:
    """Write a chart in the form its file's ending names."""
    check_plot(path)
    options: dict[str, Any] = {"scale_factor": 2}
    if path.suffix.lower() == ".html":
        options = {"inline": True, "embed_options": {"actions": False}}  # scripts inside; nothing leads outside
    try:
        chart.save(str(path), format=path.suffix.lower()[1:], **options)
    except OSError as error:
        raise cannot_write(path, error) from error


def method_chart(rows: Sequence[Mapping[str, Any]], *, cost: str, bound: float | None, about: str) -> Any:
    """Return cost and time of methods side by side, the best lower bound as a line.

    A row holds `method`, `cost` and `seconds` (None where there is no release) and `status`.
    """
    alt = _altair()
    values = [{**row, "said": _number(row["cost"]) or row["status"]} for row in rows]
    for value in values:
        value["lasted"] = _seconds(value["seconds"])
    data = alt.InlineData(values=values)
    widest = max([value["cost"] or 0.0 for value in values] + [bound or 0.0])
    longest = max(value["seconds"] or 0.0 for value in values)
    order = [row["method"] for row in rows]
    where = alt.Y("method:N", sort=order, title=None, axis=alt.Axis(labelLimit=260, labelPadding=8, ticks=False))
    costs = _bars(alt, data, where, ("cost", "said"), f"cost ({cost}): less is better", widest)
    if bound is not None:
        costs = costs + _line(alt, bound)
    bare = alt.Y("method:N", sort=order, title=None, axis=None)
    times = _bars(alt, data, bare, ("seconds", "lasted"), "seconds", longest)
    title = alt.TitleParams(
        "Methods side by side", subtitle=[_harmless(about), _below(bound)], anchor="start", offset=12
    )
    height = ROW_HEIGHT * len(order)
    chart = alt.hconcat(costs.properties(width=420, height=height), times.properties(width=180, height=height))
    return (
        chart.properties(title=title, padding=16, background="white")
        .configure_view(stroke=None)
        .configure_axis(labelFontSize=12, titleFontSize=12, titleFontWeight="normal", gridColor="#e5e7eb")
        .configure_title(fontSize=16, subtitleFontSize=12, subtitleColor=FAINT)
    )


def frontier_chart(rows: Sequence[Mapping[str, Any]], *, varied: str, cost: str, about: str) -> Any:
    """Return cost, risk and error over the values of a model, a line a method; lower bounds as dashed lines.

    A row holds `value`, `method`, and None where there is no release: `cost`, `lower_bound`, `average_risk`,
    `query_error`.
    """
    alt = _altair()
    data = alt.InlineData(values=[dict(row) for row in rows])
    panels = [
        _curve(alt, data, varied, "cost", f"cost ({cost})") + _bound_curve(alt, data, varied),
        _curve(alt, data, varied, "average_risk", "average risk of a row"),
    ]
    if any(row["query_error"] is not None for row in rows):
        panels.append(_curve(alt, data, varied, "query_error", "median error of counts"))
    said = "Dashed: no release costs less." if any(row["lower_bound"] is not None for row in rows) else _below(None)
    title = alt.TitleParams(
        "What privacy costs", subtitle=[_harmless(about), said], anchor="start", offset=12, fontSize=16
    )
    chart = alt.hconcat(*(panel.properties(width=250, height=220) for panel in panels))
    return (
        chart.properties(title=title, padding=16, background="white")
        .configure_view(stroke=None)
        .configure_axis(labelFontSize=12, titleFontSize=12, titleFontWeight="normal", gridColor="#e5e7eb")
        .configure_title(subtitleFontSize=12, subtitleColor=FAINT)
    )


def roc_chart(rows: Sequence[Mapping[str, Any]], *, about: str) -> Any:
    """Return ROC curves of classifiers, a panel each: what is learnt from the original, and from the release.

    A row is a point and holds `target`, `model`, `learnt_from`, `false_alarms`, `found` and `auc`.
    """
    alt = _altair()
    colour = alt.Color(
        "learnt_from:N",
        title="learnt from",
        scale=alt.Scale(domain=["original", "release"], range=[BOUND, BAR]),
        legend=alt.Legend(orient="bottom"),
    )
    panels = []
    for target, model in dict.fromkeys((row["target"], row["model"]) for row in rows):
        held = [dict(row) for row in rows if (row["target"], row["model"]) == (target, model)]
        area = {row["learnt_from"]: row["auc"] for row in held}
        said = ", ".join(f"{side} {value:.3f}" for side, value in area.items())
        share = alt.Scale(domain=[0, 1])
        lines = (
            alt.Chart(alt.InlineData(values=held))
            .mark_line(strokeWidth=2)
            .encode(
                x=alt.X("false_alarms:Q", title="false positive rate", scale=share),
                y=alt.Y("found:Q", title="true positive rate", scale=share),
                color=colour,
                strokeDash=alt.StrokeDash("learnt_from:N", legend=None),
                order="false_alarms:Q",
            )
        )
        ends = alt.InlineData(values=[{"x": 0, "y": 0}, {"x": 1, "y": 1}])
        guess = alt.Chart(ends).mark_line(color=FAINT, strokeWidth=1, strokeDash=[2, 3]).encode(x="x:Q", y="y:Q")
        title = alt.TitleParams(_harmless(f"{target}, {model}"), subtitle=f"AUC: {said}", anchor="start", fontSize=13)
        panels.append((guess + lines).properties(width=220, height=220, title=title))
    title = alt.TitleParams(
        "What can still be learnt", subtitle=_harmless(about), anchor="start", offset=12, fontSize=16
    )
    return (
        alt.concat(*panels, columns=3)
        .properties(title=title, padding=16, background="white")
        .configure_view(stroke=None)
        .configure_axis(labelFontSize=12, titleFontSize=12, titleFontWeight="normal", gridColor="#e5e7eb")
        .configure_title(subtitleFontSize=12, subtitleColor=FAINT)
    )


def lattice_chart(nodes: Sequence[DrawnNode], *, columns: Sequence[str], cost: str, about: str) -> Any:
    """Return the nodes of a lattice, the highest levels on top; of a large one points by cost and suppressed rows."""
    alt = _altair()
    places = lattice_places(nodes)
    values = [
        {
            "levels": node.name,
            "across": places[node.levels][0],
            "height": places[node.levels][1],
            "cost": node.cost,
            "suppressed": node.suppressed,
            "outcome": node.outcome,
        }
        for node in nodes
    ]
    outcomes = {"the cheapest release": BOUND, "release": BAR, "no release": FAINT}
    scale = alt.Scale(domain=list(outcomes), range=list(outcomes.values()))
    colour = alt.Color("outcome:N", title=None, scale=scale, legend=alt.Legend(orient="bottom"))
    told = ["levels:N", alt.Tooltip("cost:Q", format=",.6g"), "suppressed:Q", "outcome:N"]
    base = alt.Chart(alt.InlineData(values=values)).encode(color=colour, tooltip=told)
    drawn = _as_lattice(alt, base, nodes) if len(nodes) <= MOST_DRAWN else _as_points(alt, base, cost)
    said = f"Levels of {', '.join(columns)}; cost {cost}."
    title = alt.TitleParams("The lattice of levels", subtitle=[_harmless(about), _harmless(said)], anchor="start")
    return (
        drawn.properties(title=title, padding=16, background="white", width=640)
        .configure_view(stroke=None)
        .configure_axis(labelFontSize=12, titleFontSize=12, titleFontWeight="normal", gridColor="#e5e7eb")
        .configure_title(fontSize=16, subtitleFontSize=12, subtitleColor=FAINT, offset=12)
    )


def _as_lattice(alt: Any, base: Any, nodes: Sequence[DrawnNode]) -> Any:
    """Return nodes by the sum of their levels, with lines one level up."""
    places = lattice_places(nodes)
    lines = [
        {"x": places[a][0], "y": places[a][1], "x2": places[b][0], "y2": places[b][1]} for a, b in lattice_edges(nodes)
    ]
    rule = alt.Chart(alt.InlineData(values=lines)).mark_rule(color="#d1d5db")
    across = alt.X("across:Q", axis=None, scale=alt.Scale(domain=[0, 1]))
    up = alt.Y("height:Q", title="sum of the levels", axis=alt.Axis(tickMinStep=1, grid=False))
    edges = rule.encode(x=alt.X("x:Q", axis=None), y="y:Q", x2="x2:Q", y2="y2:Q")
    dots = base.mark_circle(size=140, opacity=1).encode(x=across, y=up)
    names = base.mark_text(align="left", dx=10, fontSize=10).encode(
        x=across, y=up, text="levels:N", color=alt.value(FAINT)
    )
    rows = {row for _, row in places.values()}
    return (edges + dots + names).properties(height=max(60 * len(rows), 120))


def _as_points(alt: Any, base: Any, cost: str) -> Any:
    """Return nodes by what they cost, and by the rows that they suppress."""
    across = alt.X("cost:Q", title=f"cost ({cost})", scale=alt.Scale(zero=False))
    return base.mark_circle(size=40).encode(x=across, y=alt.Y("suppressed:Q", title="rows suppressed"))


def _curve(alt: Any, data: Any, varied: str, field: str, title: str) -> Any:
    """Return a line a method through its values."""
    across = alt.X("value:Q", title=_harmless(varied), scale=alt.Scale(zero=False))
    colour = alt.Color("method:N", title=None, scale=alt.Scale(scheme="dark2"), legend=alt.Legend(orient="bottom"))
    base = alt.Chart(data).transform_filter(f"isValid(datum.{field})")
    return base.mark_line(point=True).encode(x=across, y=alt.Y(f"{field}:Q", title=title), color=colour)


def _bound_curve(alt: Any, data: Any, varied: str) -> Any:
    across = alt.X("value:Q", title=_harmless(varied))
    line = alt.Chart(data).transform_filter("isValid(datum.lower_bound)").mark_line(color=FAINT, strokeDash=[6, 3])
    return line.encode(x=across, y="max(lower_bound):Q")


def _bars(alt: Any, data: Any, where: Any, fields: tuple[str, str], title: str, most: float) -> Any:
    """Return one bar a method from 0, with its number written at its end, where there is room for it."""
    value, text = fields
    scale = alt.Scale(domain=[0, most * 1.2 or 1], nice=False)
    across = alt.X(f"{value}:Q", title=title, scale=scale, axis=alt.Axis(tickCount=4))
    base = alt.Chart(data).encode(y=where)
    bars = base.mark_bar(color=BAR, size=16).encode(x=across)
    drawn = f"isValid(datum.{value})"
    ends = base.transform_filter(drawn).mark_text(align="left", dx=5, fontSize=12).encode(x=across, text=f"{text}:N")
    none = (
        base.transform_filter(f"!{drawn}")
        .mark_text(align="left", dx=5, fontSize=12, fontStyle="italic", color=FAINT)
        .encode(x=alt.datum(0), text=f"{text}:N")
    )
    return bars + ends + none


def _line(alt: Any, bound: float) -> Any:
    """Return the lower bound as a line through all methods."""
    data = alt.InlineData(values=[{"bound": bound}])
    return alt.Chart(data).mark_rule(color=BOUND, strokeWidth=2, strokeDash=[6, 3]).encode(x="bound:Q")


def _harmless(text: str) -> str:
    """Return a text that cannot end the script it stands in: columns may have any name, and HTML pages run scripts.

    >>> _harmless("l(</script>)=2")
    'l(‹/script>)=2'
    """
    return text.replace("<", "‹")


def _below(bound: float | None) -> str:
    if bound is None:
        return "No lower bound is known."
    return f"Dashed line: lower bound {_number(bound)}. It holds for every method; no release can cost less."


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.6g}"


def _seconds(value: float | None) -> str:
    """Write a time: two or three digits are enough.

    >>> _seconds(0.01234), _seconds(2.5), _seconds(99.9), _seconds(1234.5), _seconds(None)
    ('0.012', '2.5', '100', '1,234', '')
    """
    if value is None:
        return ""
    return f"{value:.3f}" if value < 1 else f"{value:.1f}" if value < 10 else f"{value:,.0f}"
