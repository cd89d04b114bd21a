# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The page of a demo: the table, diagrams of both heaps and the pauses over time, and commands to repeat it. It needs no network."""
import html
import json
import shlex
from pathlib import Path
from string import Template

from terrace.common import gclog, libraries, paths
from terrace.common.term import Failure, notice
from . import summary

GIB = 1 << 30
MIB = 1 << 20

COLOURS = {"h1": "#2b6cb0", "committed": "#a0aec0", "h2": "#2f855a", "minor": "#2b6cb0", "major": "#c53030",
           "transfer": "#dd6b20", "program": "#cbd5e0", "anonymous": "#805ad5"}


def register(add):
    parser = add(description="Regenerates the HTML page of the last demo from its stored results and logs.")
    parser.add_argument("--out", type=Path, default=paths.BUILD / "demo", metavar="DIR",
                        help="folder that the demo used as --out (default build/demo)")
    parser.set_defaults(run=run)


def run(arguments):
    stored = arguments.out / "results.json"
    if not stored.exists():
        raise Failure(f"{paths.relative(stored.absolute())} is not there: run ./terrace demo first")
    libraries.require("plotly")
    results = json.loads(stored.read_text())
    print(f"{summary.text(results)}\n")
    notice(f"wrote {paths.relative(write(results, arguments.out.absolute() / 'report.html'))}")


def write(results, path):
    libraries.require("plotly")
    from plotly.offline import get_plotlyjs
    figures = []
    for program in results["programs"]:
        medians = {side: summary.median_run(results, program, side) for side in summary.SIDES}
        if not all(medians.values()):
            figures.append((summary.NAMES[program], [], "One of the sides has no successful run."))
            continue
        logs = {side: gclog.parse_file(run["gc_log"]) for side, run in medians.items()}
        figures.append((summary.NAMES[program], [timeline(medians, logs), split(results, program)], ""))
    path.write_text(page(results, figures, get_plotlyjs()))
    return path


def timeline(runs, logs):
    """Draws heaps above and pauses below, with stock on the left and Terrace on the right. Both sides have the same scales."""
    from plotly.subplots import make_subplots
    figure = make_subplots(rows=2, cols=2, shared_xaxes="all", shared_yaxes="rows", vertical_spacing=0.11,
                           horizontal_spacing=0.04, row_heights=[0.6, 0.4],
                           column_titles=[f"{summary.NAMES[side]}, {runs[side]['wall']:.1f} s" for side in runs])
    for column, side in enumerate(runs, 1):
        log = logs[side]
        for trace in heap_traces(log, runs[side]["memory"], shown=side == "terrace"):
            figure.add_trace(trace, row=1, col=column)
        for trace in pause_traces(log, shown=side == "stock"):
            trace.legend = "legend2"
            figure.add_trace(trace, row=2, col=column)
    figure.update_yaxes(title_text="GiB", rangemode="tozero", row=1, col=1)
    figure.update_yaxes(title_text="pause, seconds", rangemode="tozero", row=2, col=1)
    figure.update_xaxes(title_text="seconds since the JVM started", row=2)
    style(figure, 660)
    legend = figure.layout.legend.to_plotly_json()
    lower = figure.layout.yaxis3.domain[1]
    figure.update_layout(legend=dict(legend, y=1.08), legend2=dict(legend, y=lower + 0.005))
    return figure


def heap_traces(log, memory, shown):
    from plotly import graph_objects as go
    times, used, committed = [], [], []
    for pause in log.pauses:
        times += [pause.start, pause.end]
        used += [pause.before / GIB, pause.after / GIB]
        committed += [None, pause.committed / GIB]
    yield go.Scatter(x=times, y=used, name="H1 used", mode="lines", legendgroup="h1", showlegend=shown,
                     line=dict(color=COLOURS["h1"], width=1), fill="tozeroy", fillcolor="rgba(43,108,176,0.12)",
                     hovertemplate="%{y:.2f} GiB at %{x:.1f} s")
    if log.max_heap and log.pauses:
        yield go.Scatter(x=[0, log.pauses[-1].end], y=[log.max_heap / GIB] * 2, name="-Xmx", mode="lines",
                         legendgroup="max", showlegend=shown, line=dict(color=COLOURS["committed"], width=1),
                         hovertemplate="-Xmx, %{y:.2f} GiB")
    yield go.Scatter(x=times, y=committed, name="H1 committed", mode="lines", legendgroup="committed",
                     showlegend=shown, connectgaps=True, line=dict(color=COLOURS["committed"], width=1.5, dash="dot"),
                     hovertemplate="%{y:.2f} GiB at %{x:.1f} s")
    if memory:
        yield go.Scatter(x=[at for at, _, _ in memory], y=[held / GIB for _, held, _ in memory],
                         name="anonymous memory", mode="lines", legendgroup="anonymous", showlegend=shown,
                         line=dict(color=COLOURS["anonymous"], width=1.2),
                         hovertemplate="%{y:.2f} GiB at %{x:.1f} s")
    if log.h2:
        points = log.h2 + [(log.pauses[-1].end, log.h2[-1][1])] if log.pauses else log.h2
        yield go.Scatter(x=[at for at, _ in points], y=[held / GIB for _, held in points], name="H2 used",
                         mode="lines", legendgroup="h2", showlegend=shown,
                         line=dict(color=COLOURS["h2"], width=2, shape="hv"),
                         hovertemplate="%{y:.2f} GiB at %{x:.1f} s")


def pause_traces(log, shown):
    """Yields a vertical line for each pause. Transfers are the part of a major collection that moves objects to H2."""
    from plotly import graph_objects as go
    kinds = [("minor", "minor collection", [p for p in log.pauses if not p.major]),
             ("major", "major collection", [p for p in log.pauses if p.major])]
    for key, name, pauses in kinds:
        x, y, texts = [], [], []
        for pause in pauses:
            x += [pause.start, pause.start, None]
            y += [0, pause.seconds, None]
            texts += [pause.cause, pause.cause, ""]
        yield go.Scatter(x=x or [None], y=y or [None], text=texts, name=name, mode="lines", legendgroup=key,
                         showlegend=shown, line=dict(color=COLOURS[key], width=1.6),
                         hovertemplate="%{y:.3f} s, %{text}")
    x, y = [], []
    for transfer in log.transfers:
        x += [transfer.at, transfer.at, None]
        y += [0, transfer.seconds, None]
    yield go.Scatter(x=x or [None], y=y or [None], name="of it moving to H2", mode="lines", legendgroup="transfer",
                     showlegend=shown, line=dict(color=COLOURS["transfer"], width=3),
                     hovertemplate="%{y:.3f} s of moving")


def split(results, program):
    """Draws the parts of the wall time of every run."""
    from plotly import graph_objects as go
    figure = go.Figure()
    shown = [run for side in reversed(summary.SIDES) for run in reversed(summary.runs(results, program, side))]
    names = [f"{summary.NAMES[run['side']]} {run['repeat']}" for run in shown]
    parts = {
        "program and input/output": ("program", lambda run: run["wall"] - run["gc"]["minor_seconds"]
                                     - run["gc"]["major_seconds"]),
        "minor collections": ("minor", lambda run: run["gc"]["minor_seconds"]),
        "major collections": ("major", lambda run: run["gc"]["major_seconds"] - run["gc"]["transfer_seconds"]),
        "moving to H2": ("transfer", lambda run: run["gc"]["transfer_seconds"]),
    }
    for name, (colour, value) in parts.items():
        figure.add_trace(go.Bar(y=names, x=[value(run) for run in shown], name=name, orientation="h",
                                marker_color=COLOURS[colour], hovertemplate="%{x:.2f} s " + name))
    figure.update_layout(barmode="stack", bargap=0.35)
    figure.update_xaxes(title_text="wall time, seconds")
    style(figure, 150 + 34 * len(shown))
    return figure


def style(figure, height):
    figure.update_layout(
        template="plotly_white", height=height, margin=dict(l=70, r=20, t=70, b=50),
        font=dict(family="system-ui, sans-serif", size=13, color="#2d3748"), hovermode="closest",
        legend=dict(orientation="h", yanchor="bottom", y=1.02, xanchor="left", x=0, traceorder="normal"))


def page(results, figures, plotly_js):
    sections = []
    for name, charts, remark in figures:
        sections.append(f"<h2>{html.escape(name[0].upper() + name[1:])}</h2>")
        if remark:
            sections.append(f"<p>{html.escape(remark)}</p>")
        captions = ["The run with the median wall time of each side.", "Where the wall time of every run went."]
        for chart, caption in zip(charts, captions):
            sections.append(chart.to_html(full_html=False, include_plotlyjs=False,
                                          config={"displayModeBar": False, "responsive": True}))
            sections.append(f'<p class="caption">{caption}</p>')
    return Template(PAGE).substitute(
        plotly=plotly_js, setting=html.escape(setting(results)), table=table(results), figures="\n".join(sections),
        facts=facts(results), commands=commands(results))


def setting(results):
    cap = (f"the same memory cap of {results['cap_bytes'] // MIB} MB, page cache included" if results["cap_bytes"]
           else f"no memory cap ({results['no_cap']}), so times are not comparable and no ratios are given")
    graph = results["graph"]
    return (f"Spark on the distribution's OpenJDK 17 with ParallelGC (“stock”) and on Terrace, with the same heap of "
            f"{results['heap_bytes'] // MIB} MB and {cap}. {results['repeats']} runs each, alternating; median and "
            f"range. PageRank runs on the {graph['title']}: {graph['vertices']:,} vertices, {graph['edges']:,} "
            f"edges. {results['started']}.")


def table(results):
    programs = list(results["programs"])
    with_ratio = bool(results["cap_bytes"])
    span = 3 if with_ratio else 2
    lines = ["<table><thead><tr><th></th>"
             + "".join(f'<th colspan="{span}" class="group">{html.escape(summary.NAMES[p])}</th>' for p in programs)
             + "</tr><tr><th></th>"
             + "".join('<th class="first">stock</th><th>Terrace</th>' + ("<th>ratio</th>" if with_ratio else "")
                       for _ in programs)
             + "</tr></thead><tbody>"]
    for row in summary.rows(results):
        inner = row.label.startswith(" ")
        cells = ""
        for program in programs:
            cell = row.cells[program]
            cells += f'<td class="first">{html.escape(cell.stock)}</td><td>{html.escape(cell.terrace)}</td>'
            cells += f"<td>{html.escape(cell.ratio)}</td>" if with_ratio else ""
        lines.append(f'<tr class="{"inner" if inner else ""}"><th>{html.escape(row.label.strip())}</th>{cells}</tr>')
    return "\n".join(lines) + "</tbody></table>"


def facts(results):
    items = dict(results["facts"])
    for side in summary.SIDES:
        items[f"{summary.NAMES[side].capitalize()} JVM"] = "\n".join(results["versions"][side])
    spark = next((run["report"]["setup"]["spark"] for run in results["runs"] if not run["failure"]), None)
    if spark:
        items["Spark"] = spark
    return "\n".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd>" for name, value in items.items())


def commands(results):
    blocks = [f"<p>The whole demo:</p><pre>{html.escape(results['again'])}</pre>"]
    settings = "\n".join(f"{summary.NAMES[program]}: {shlex.join(words)}" for program, words in results["settings"].items())
    blocks.append(f"<p>What the programs were told, on both sides:</p><pre>{html.escape(settings)}</pre>")
    for program in results["programs"]:
        for side in summary.SIDES:
            run = next((r for r in results["runs"] if (r["program"], r["side"]) == (program, side)), None)
            if run:
                title = f"{summary.NAMES[program]}, {summary.NAMES[side]}"
                blocks.append(f"<details><summary>{html.escape(title)}</summary>"
                              f"<pre>{html.escape(shlex.join(run['command']))}</pre></details>")
    return "\n".join(blocks)


PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Terrace demo</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; color: #1a202c; max-width: 1180px; margin: 2.5em auto; padding: 0 1.5em; }
h1 { font-size: 1.9em; margin-bottom: 0.2em; }
h2 { margin-top: 2.2em; border-bottom: 1px solid #e2e8f0; padding-bottom: 0.2em; }
p { max-width: 75ch; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums; }
th, td { padding: 0.22em 0.8em; text-align: right; white-space: nowrap; }
tbody th { text-align: left; font-weight: 600; padding-left: 0; }
tbody tr.inner th { font-weight: 400; padding-left: 1.3em; color: #4a5568; }
tbody tr:not(.inner) { border-top: 1px solid #edf2f7; }
thead th { border: none; color: #4a5568; font-weight: 600; }
thead th.group { text-align: center; color: #1a202c; border-bottom: 2px solid #cbd5e0; }
.first { border-left: 12px solid #fff; }
.caption { color: #4a5568; font-size: 0.92em; margin-top: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.3em 1.2em; }
dt { font-weight: 600; }
dd { margin: 0; white-space: pre-line; }
pre { background: #f7fafc; border: 1px solid #e2e8f0; border-radius: 4px; padding: 0.7em 0.9em; font-size: 12.5px;
      white-space: pre-wrap; overflow-wrap: anywhere; }
summary { cursor: pointer; margin: 0.4em 0; }
</style>
<script>$plotly</script>
</head>
<body>
<h1>Terrace demo</h1>
<p>$setting</p>
<h2>Summary</h2>
<div class="scroll">
$table
</div>
$figures
<h2>The machine</h2>
<dl>
$facts
</dl>
<h2>Do it again</h2>
$commands
</body>
</html>
"""
