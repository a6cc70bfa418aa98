/** The style sheet of the page. Its Content-Security-Policy allows it by hash. */
export const style = `
:root { color-scheme: light dark;
  --ground: #f6f7f8; --card: #ffffff; --text: #1b1f24; --quiet: #56606b; --line: #d5dae0; --track: #e8ebee;
  --good: #17774a; --bad: #b3261e; --warn: #8f4a00; --link: #1f5fae;
  --succeeded: #2e9566; --not-succeeded: #d9541e; --in-flight: #3f7fca; --allowed: #5c6773; --attempts: #1b1f24;
  --mean: #6a45b8; --longest: #b5651d; --asked: #c79a00; --outage: #c5221f; --throttled: #a8780a;
  --rejected: #d9541e; --failed: #b3261e; --unknown: #7b4fc0; --invalid: #a8780a; --blocked: #6d7783; --skipped: #7d8a97; --not-sent: #56606b; }
@media screen and (prefers-color-scheme: dark) { :root {
  --ground: #121518; --card: #1b1f24; --text: #e7eaee; --quiet: #a4aeb9; --line: #363d46; --track: #2b3138;
  --good: #5fd29b; --bad: #ff8f86; --warn: #ffb868; --link: #8bbcff;
  --succeeded: #3fae7c; --not-succeeded: #ff8450; --in-flight: #5b9df0; --allowed: #b4bec9; --attempts: #e7eaee;
  --mean: #b79bff; --longest: #f0a35e; --asked: #e9c03a; --outage: #ff6b62; --throttled: #e9c03a;
  --rejected: #ff8450; --failed: #ff6b62; --unknown: #b79bff; --invalid: #e0b23c; --blocked: #9aa5b1; --skipped: #77838f; --not-sent: #a4aeb9; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 1.5rem 1.25rem 3rem; background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .75rem; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 0 0 .75rem; }
h3 { font-size: 1rem; line-height: 1.4; margin: 0; }
p { margin: 0 0 .75rem; }
.kicker { color: var(--quiet); font-size: .875rem; margin: 0 0 .25rem; }
.note, .rows, footer { color: var(--quiet); font-size: .9375rem; }
.verdict { font-size: 1.125rem; font-weight: 600; padding: .625rem .875rem; border-left: .3rem solid; background: var(--card); border-radius: .375rem; }
.good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
.message { padding: .625rem .875rem; background: var(--card); border-radius: .375rem; }
.lost { border-left: .3rem solid var(--warn); }
.next code { display: inline-block; padding: .25rem .5rem; background: var(--card); border: 1px solid var(--line); border-radius: .375rem; user-select: all; }
code, .hash { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .875em; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .625rem; padding: 1.125rem 1.25rem; margin: 1.25rem 0 0; }
section > :last-child, article > :last-child { margin-bottom: 0; }
.skip { position: absolute; left: -100rem; color: var(--link); } .skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: 1rem; margin: 0; }
.cards dt { color: var(--quiet); font-size: .875rem; }
.cards dd { margin: 0; font-size: 1.5rem; font-weight: 600; font-variant-numeric: tabular-nums; line-height: 1.25; }
.cards small { display: block; font-size: .8125rem; font-weight: 400; color: var(--quiet); line-height: 1.35; }
.unit { font-size: 1rem; font-weight: 400; color: var(--quiet); }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); }
thead th, thead td { color: var(--quiet); font-weight: 600; font-size: .8125rem; vertical-align: bottom; }
tbody th { font-weight: 500; } tfoot th { font-weight: 600; } tfoot th, tfoot td, tbody:last-child tr:last-child > * { border-bottom: 0; }
.number, .numbers td, .numbers tbody th { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.numbers thead th { text-align: right; } th:last-child, td:last-child { padding-right: 0; }
.scroll { overflow-x: auto; max-width: 100%; } .scroll td, .scroll th { overflow-wrap: normal; } .scroll td:last-child { overflow-wrap: anywhere; min-width: 12rem; }
.numbers td:last-child { min-width: 0; white-space: nowrap; }
.file { font-size: .8125rem; color: var(--quiet); display: block; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.share { display: block; width: 100%; min-width: 4rem; height: .75rem; margin-top: .375rem; } .track { fill: var(--track); }
.outcomes td:nth-child(4) { width: 30%; } .bars:not(.outcomes) td:last-child { width: 55%; }
.outcomes tbody th, .outcomes tfoot th, .files tbody th { white-space: nowrap; } .meaning { color: var(--quiet); }
.group { border-top: 1px solid var(--line); padding: .875rem 0; } .group:last-child { padding-bottom: 0; }
.group .number { width: 1%; } .group p { margin: .25rem 0 .375rem; } .todo { color: var(--text); } .group .said { font-size: .9375rem; padding-left: .75rem; border-left: .2rem solid var(--line); }
.checks th, .checks td, .bars th { overflow-wrap: break-word; } .checks td:last-child { white-space: nowrap; }
.badge { font-size: .8125rem; padding: 0 .5rem; border: 1px solid; border-radius: 1rem; white-space: nowrap; }
.badge.status-rejected, .badge.status-failed, .badge.status-unknown, .badge.status-invalid, .badge.status-blocked, .badge.status-skipped { color: var(--text); }
.badge.status-rejected { border-color: var(--rejected); } .badge.status-failed { border-color: var(--failed); } .badge.status-unknown { border-color: var(--unknown); }
.badge.status-invalid { border-color: var(--invalid); } .badge.status-blocked { border-color: var(--blocked); } .badge.status-skipped { border-color: var(--skipped); }
.chart { margin: 1.25rem 0 1.75rem; }
.legend { display: flex; flex-wrap: wrap; gap: .125rem 1rem; list-style: none; margin: .25rem 0 .5rem; padding: 0; font-size: .875rem; color: var(--quiet); }
.key { display: inline-block; width: .875rem; height: .625rem; margin-right: .375rem; border-radius: .125rem; }
.plot { display: grid; grid-template-columns: 4rem 1fr; }
.plot svg { width: 100%; height: 11rem; display: block; overflow: visible; }
.side { position: relative; font-size: .75rem; color: var(--quiet); font-variant-numeric: tabular-nums; }
.side span { position: absolute; right: .5rem; transform: translateY(50%); white-space: nowrap; }
${Array.from({ length: 101 }, (_, share) => `.at-${share}{bottom:${share}%}`).join("")}
.foot { grid-column: 2; position: relative; height: 1.375rem; font-size: .75rem; color: var(--quiet); font-variant-numeric: tabular-nums; }
.foot span { position: absolute; top: .25rem; transform: translateX(-50%); white-space: nowrap; }
${Array.from({ length: 101 }, (_, share) => `.from-${share}{left:${share}%}`).join("")}
.foot .from-0 { transform: none; } ${[96, 97, 98, 99, 100].map((share) => `.foot .from-${share}`).join(",")} { left: auto; right: 0; transform: none; }
.pause-asked, .pause-outage, rect.throttled { shape-rendering: crispEdges; }
.grid { stroke: var(--line); vector-effect: non-scaling-stroke; fill: none; }
.area { stroke: none; } .line { fill: none; stroke-width: 1.75; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
.hover { fill: transparent; } .hover:hover { fill: var(--text); fill-opacity: .08; }
.resumed { stroke: var(--text); stroke-dasharray: 4 3; vector-effect: non-scaling-stroke; fill: none; }
.key.resumed { width: 0; height: .875rem; border-left: 2px dashed var(--text); border-radius: 0; vertical-align: -.125rem; }
.area.succeeded { fill: var(--succeeded); } .area.not-succeeded { fill: var(--not-succeeded); } .area.in-flight { fill: var(--in-flight); }
.line.attempts { stroke: var(--attempts); stroke-width: 1; } .line.allowed { stroke: var(--allowed); } .line.mean { stroke: var(--mean); } .line.longest { stroke: var(--longest); }
.key.succeeded { background: var(--succeeded); } .key.not-succeeded { background: var(--not-succeeded); } .key.in-flight { background: var(--in-flight); }
.key.attempts, .key.allowed, .key.mean, .key.longest { height: 0; border-radius: 0; vertical-align: .25rem; border-top: 2px solid; }
.key.attempts { border-color: var(--attempts); } .key.allowed { border-color: var(--allowed); } .key.mean { border-color: var(--mean); } .key.longest { border-color: var(--longest); }
rect.mean { fill: var(--mean); }
rect.throttled { fill: var(--throttled); } .key.throttled { background: var(--throttled); height: .3rem; vertical-align: .2rem; }
.pause-asked { fill: var(--asked); } .pause-outage { fill: var(--outage); }
.key.pause-asked { background: var(--asked); } .key.pause-outage { background: var(--outage); } .key[class*="pause-"] { opacity: .6; }
rect.status-succeeded { fill: var(--succeeded); } rect.status-rejected { fill: var(--rejected); } rect.status-failed { fill: var(--failed); } rect.status-unknown { fill: var(--unknown); }
rect.status-invalid { fill: var(--invalid); } rect.status-blocked { fill: var(--blocked); } rect.status-skipped { fill: var(--skipped); } rect.status-not_sent { fill: var(--not-sent); }
details { margin-top: .5rem; } summary { cursor: pointer; color: var(--link); margin-bottom: .5rem; }
.settings { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .25rem 1.5rem; margin: 0; font-size: .9375rem; }
.settings div { display: flex; justify-content: space-between; gap: 1rem; border-bottom: 1px solid var(--line); padding: .25rem 0; }
.settings dt { color: var(--quiet); } .settings dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums; }
footer { margin-top: 1.5rem; }
@media (max-width: 40rem) {
  body { padding: 1rem .75rem 2rem; } section { padding: .875rem; } h1 { font-size: 1.375rem; }
  .cards { grid-template-columns: repeat(2, 1fr); } .cards dd { font-size: 1.25rem; }
  .plot { grid-template-columns: 3rem 1fr; } .plot svg { height: 9rem; } .foot span:nth-child(even) { display: none; }
  .outcomes td:nth-child(4), .outcomes thead td { display: none; } .outcomes .meaning { font-size: .8125rem; } th, td { padding-right: .5rem; } }
@page { margin: 15mm; }
@media print {
  :root { font-size: 80%; color-scheme: light; --ground: #fff; --card: #fff; --text: #000; --quiet: #444; --line: #bbb; }
  body { max-width: none; padding: 0; } section { border: 0; padding: .5rem 0; } .chart, .group, .whole, tr, .cards div { break-inside: avoid; } h2, h3, .note { break-after: avoid; }
  details::details-content { content-visibility: visible; display: block; } summary { color: inherit; } .scroll { overflow: visible; } .scroll table { font-size: .6875rem; } .numbers th, .numbers td, .numbers thead th { padding: .1rem .3rem .1rem 0; font-size: .5625rem; }
  svg, .key { print-color-adjust: exact; -webkit-print-color-adjust: exact; } .hover, .skip { display: none; } }
`;
