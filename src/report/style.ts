/** The style sheet of the page. Its Content-Security-Policy allows it by hash. */
export const style = `
:root { color-scheme: light dark;
  --ground: #f6f7f8; --card: #ffffff; --text: #1b1f24; --quiet: #56606b; --line: #d5dae0; --track: #eef0f2;
  --good: #14683f; --bad: #a5221b; --warn: #854400; --link: #1f5fae; --on-bad: #ffffff;
  --succeeded: #2e9566; --rejected: #d9541e; --failed: #b3261e; --unknown: #7b4fc0; --invalid: #a8780a; --blocked: #6d7783; --skipped: #9aa5b1; --not-sent: #c3cad1;
  --in-flight: #8fb5e2; --allowed: #5c6773; --attempts: #1b1f24; --mean: #6a45b8; --longest: #c08a4e; --asked: #e6c34d; --outage: #f0a29c; --mark: #fff0c2; }
@media screen and (prefers-color-scheme: dark) { :root {
  --ground: #121518; --card: #1b1f24; --text: #e7eaee; --quiet: #a4aeb9; --line: #363d46; --track: #252b32;
  --good: #5fd29b; --bad: #ff8f86; --warn: #ffb868; --link: #8bbcff; --on-bad: #2b0d0b;
  --succeeded: #3fae7c; --rejected: #ff8450; --failed: #ff6b62; --unknown: #b79bff; --invalid: #e0b23c; --blocked: #9aa5b1; --skipped: #66717d; --not-sent: #454d57;
  --in-flight: #3d6ea8; --allowed: #b4bec9; --attempts: #e7eaee; --mean: #b79bff; --longest: #b98a55; --asked: #6b5a1c; --outage: #7c2f2a; --mark: #4a3d12; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 1.5rem 1.25rem 3rem; background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; overflow-wrap: anywhere; }
h1, h2, h3, p, dl, ul, ol { margin: 0 0 .75rem; }
h1 { font-size: 1.75rem; line-height: 1.25; } h2 { font-size: 1.25rem; line-height: 1.3; } h3 { font-size: 1.0625rem; line-height: 1.4; margin: 1.25rem 0 .375rem; } h4 { font-size: 1rem; line-height: 1.4; margin: 0 0 .25rem; }
.kicker, .note, footer { color: var(--quiet); font-size: .9375rem; }
.verdict { border-left: .5rem solid; padding: .25rem 0 .25rem 1rem; margin-bottom: 1rem; } .verdict > :last-child { margin-bottom: 0; } .verdict p { color: var(--text); }
.verdict.good, .verdict.few, .good { color: var(--good); } .verdict.many, .warn { color: var(--warn); } .bad { color: var(--bad); }
.verdict.good h1, .verdict.many h1 { font-size: 2.125rem; } .verdict.few h1 { color: var(--text); } .verdict.few { border-color: var(--invalid); }
.verdict.bad { background: var(--bad); border-radius: .5rem; padding: 1rem 1.25rem; border-left: 0; } .verdict.bad h1 { font-size: 2.125rem; } .verdict.bad h1, .verdict.bad p { color: var(--on-bad); }
.remarks { padding-left: 1.25rem; }
code, pre, .hash { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .875em; }
.next code { display: block; width: fit-content; max-width: 100%; margin-top: .25rem; padding: .5rem .75rem; background: var(--card); border: 1px solid var(--line); border-radius: .375rem; user-select: all; white-space: pre-wrap; }
pre { white-space: pre-wrap; margin: 0 0 .75rem; padding: .5rem .75rem; background: var(--track); border-radius: .375rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .625rem; padding: 1.125rem 1.25rem; margin: 1.25rem 0 0; }
section > :last-child { margin-bottom: 0; }
.bar { display: block; width: 100%; height: 1.25rem; border-radius: .25rem; margin-bottom: .5rem; }
.legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; } .legend b { font-variant-numeric: tabular-nums; }
.key.asked, .key.outage { opacity: .55; } .key { display: inline-block; width: .75rem; height: .75rem; border-radius: .1875rem; margin: 0 .35rem 0 .5rem; } .legend .key { margin-left: 0; }
.parts { padding-left: 1.5rem; font-variant-numeric: tabular-nums; } .parts .when { color: var(--quiet); }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); }
footer { margin-top: 1rem; } thead th { overflow-wrap: normal; color: var(--quiet); font-weight: 600; font-size: .8125rem; vertical-align: bottom; } tbody th { font-weight: 500; }
#kinds + table { max-width: 36rem; } td.number + td, th.number + th { padding-left: 1.25rem; } .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.scroll { overflow-x: auto; max-width: 100%; max-height: 28rem; } .scroll td, .scroll th { overflow-wrap: normal; white-space: pre; max-width: 24rem; overflow: hidden; text-overflow: ellipsis; }
.scroll td, .scroll th { padding-left: .375rem; } .scroll thead th { position: sticky; top: 0; background: var(--card); } .scroll .why { white-space: normal; min-width: 14rem; }
mark, .off { background: var(--mark); color: inherit; border-radius: .1875rem; } mark { padding: 0 .25rem; }
.group { border-top: 1px solid var(--line); margin: 0; padding: .625rem 0; } .group p { margin-bottom: .5rem; }
.group > summary { color: inherit; } .group > summary h4 { display: inline; margin-right: .5rem; } .group[open] > summary { margin-bottom: .5rem; }
.badge { display: inline-block; font-size: .8125rem; font-weight: 600; border: 1px solid currentcolor; border-radius: 1rem; padding: 0 .5rem; color: var(--bad); }
.badge.own { color: var(--warn); }
.charts { --side: 3.5rem; position: relative; display: grid; grid-template-columns: var(--side) 1fr; margin-bottom: .75rem; }
.letters { grid-column: 2; position: relative; height: 1.5rem; } .no.letters { height: 0; } .letters span { position: absolute; transform: translateX(-50%); font-weight: 700; font-size: .875rem; }
.across { position: absolute; left: var(--side); bottom: 1.5rem; width: calc(100% - var(--side)); height: calc(100% - 3rem); } .no ~ .across { height: calc(100% - 1.5rem); }
.panel { grid-column: 2; margin: .5rem 0 .25rem; font-size: .875rem; position: relative; pointer-events: none; }
.side { grid-column: 1; position: relative; font-size: .75rem; color: var(--quiet); font-variant-numeric: tabular-nums; } .side span { position: absolute; right: .5rem; transform: translateY(50%); white-space: nowrap; }
.plot { grid-column: 2; display: block; width: 100%; height: 6.5rem; position: relative; pointer-events: none; overflow: visible; }
${Array.from({ length: 101 }, (_, share) => `.at-${share}{bottom:${share}%}.from-${share}{left:${share}%}`).join("")}
.foot { grid-column: 2; position: relative; height: 1.5rem; font-size: .75rem; color: var(--quiet); font-variant-numeric: tabular-nums; } .foot span { position: absolute; top: .25rem; transform: translateX(-50%); white-space: nowrap; }
.foot .from-0 { transform: none; } ${[96, 97, 98, 99, 100].map((share) => `.foot .from-${share}`).join(",")} { left: auto; right: 0; transform: none; }
rect.asked, rect.outage { fill-opacity: .55; } .entry { white-space: nowrap; }
.grid { stroke: var(--line); vector-effect: non-scaling-stroke; fill: none; }
.area { stroke: none; } .line { fill: none; stroke-width: 1.5; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
.resumed { stroke: var(--text); stroke-dasharray: 4 3; vector-effect: non-scaling-stroke; fill: none; }
${["succeeded", "in-flight"].map((name) => `.area.${name}{fill:var(--${name})}`).join("")} .area.not-succeeded { fill: var(--rejected); } .key.not-succeeded { background: var(--rejected); }
${["attempts", "allowed", "mean", "longest"].map((name) => `.line.${name}{stroke:var(--${name})}.key.${name}{height:.1875rem;vertical-align:.2rem;background:var(--${name})}`).join("")} .line.attempts { stroke-width: 1; }
${["succeeded", "rejected", "failed", "unknown", "invalid", "blocked", "skipped", "not-sent", "in-flight", "asked", "outage"].map((name) => `rect.${name}{fill:var(--${name})}.key.${name}{background:var(--${name})}`).join("")}
details { margin-top: .5rem; } summary { cursor: pointer; color: var(--link); margin-bottom: .25rem; }
@media (max-width: 40rem) { body { padding: 1rem .75rem 2rem; } section { padding: .875rem; }
  h1 { font-size: 1.375rem; } .verdict.good h1, .verdict.many h1, .verdict.bad h1 { font-size: 1.625rem; } .charts { --side: 3rem; } .foot span:nth-child(even) { display: none; } }
@page { margin: 15mm; }
@media print { :root { font-size: 80%; color-scheme: light; --ground: #fff; --card: #fff; --text: #000; --quiet: #444; --line: #bbb; }
  body { max-width: none; padding: 0; } section { border: 0; padding: .5rem 0; } .charts, .group, tr, .verdict { break-inside: avoid; } h2, h3, .note { break-after: avoid; }
  .last details::details-content, .group::details-content { content-visibility: visible; display: block; } .list { display: none; } summary { color: inherit; }
  svg, .key, .verdict, mark, .off { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
`;
