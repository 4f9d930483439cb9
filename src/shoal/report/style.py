"""How a report looks: light or dark as the reader's system is, and on paper."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --ink: #1f2933; --faint: #5f6b7a; --paper: #ffffff; --soft: #f3f5f7; --line: #d9dfe5;
  --before: #b45309; --after: #0f766e; --open: #e7b98a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ec; --faint: #9aa7b4; --paper: #14191f; --soft: #1d242c;
  --line: #35404c; --before: #f0a35a; --after: #3fb8a9; --open: #7a5430; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
main, header, footer { max-width: 60rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2rem; } footer { padding-bottom: 3rem; color: var(--faint); }
h1 { font-size: 1.7rem; margin: 0 0 .25rem; } h2 { font-size: 1.3rem; margin: 0 0 .5rem; } h3 { font-size: 1rem; }
section { padding: 1.6rem 0 .6rem; border-top: 1px solid var(--line); margin-top: 1.4rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; list-style: none; padding: 0; margin: .8rem 0 0; }
a { color: var(--after); } .faint { color: var(--faint); }
table { border-collapse: collapse; width: 100%; margin: .6rem 0 1rem; font-size: .92rem; display: block;
  overflow-x: auto; }
thead, tbody { width: 100%; } th, td { text-align: left; vertical-align: top; padding: .35rem .8rem .35rem 0;
  border-bottom: 1px solid var(--line); overflow-wrap: break-word; max-width: 26rem; }
th { font-weight: 600; } tbody th { white-space: nowrap; } .n { text-align: right; font-variant-numeric: tabular-nums; }
pre, code { font: .86rem/1.5 ui-monospace, monospace; background: var(--soft); border-radius: 4px; }
code { padding: .1rem .35rem; overflow-wrap: anywhere; } pre { padding: .7rem .9rem; white-space: pre-wrap;
  overflow-wrap: anywhere; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .8rem; margin: 1rem 0; }
.card { background: var(--soft); border-radius: 8px; padding: .8rem 1rem; }
.card strong { display: block; font-size: 1.6rem; } .card span { color: var(--faint); font-size: .88rem; }
div.open { border-left: 4px solid var(--before); padding: .1rem 1rem; background: var(--soft); border-radius: 4px; }
svg.bar { display: block; width: 14rem; max-width: 100%; height: .6rem; margin-top: .45rem; }
svg.wide { width: 100%; height: .9rem; margin: .8rem 0; } svg.chart { width: 100%; height: auto; }
svg text { fill: var(--faint); font: 12px system-ui, sans-serif; } .rule { stroke: var(--line); }
rect.track { fill: var(--line); } rect.before { fill: var(--before); } rect.after { fill: var(--after); }
rect.open { fill: var(--open); } .key span { margin-right: 1.2rem; }
.key i { display: inline-block; width: .8rem; height: .8rem; border-radius: 2px; }
i.before { background: var(--before); } i.after { background: var(--after); }
i.open { background: var(--open); padding: 0; border: 0; }
.blank { display: inline-block; width: 22rem; max-width: 100%; height: 1.4em; border-bottom: 1px solid var(--ink); }
summary { cursor: pointer; color: var(--faint); } .paper { display: none; }
@page { size: A4; margin: 18mm 16mm 20mm; @bottom-right { content: counter(page) " / " counter(pages);
  font: 9px system-ui, sans-serif; color: #444; } }
@media print { :root { --ink: #000; --faint: #444; --paper: #fff; --soft: #f3f3f3; --line: #bbb; --before: #b45309;
  --after: #0f766e; --open: #e7b98a; color-scheme: light; } nav, summary { display: none; } :root { font-size: 70%; }
  .paper { display: block; break-inside: avoid; } .paper td { height: 3.2em; vertical-align: bottom; }
  .line { display: inline-block; width: 9rem; border-bottom: 1px solid var(--ink); }
  a { color: inherit; text-decoration: none; }
  table { display: table; overflow: visible; } .sheet { break-before: page; }
  section { break-inside: auto; } h2, h3 { break-after: avoid; } tr, svg, .card { break-inside: avoid; }
  main, header, footer { max-width: none; padding: 0; } svg, rect, i, .card, .open { print-color-adjust: exact; } }
"""
