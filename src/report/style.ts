import { look } from "../model/look/look.ts";

const verdict = `
.page { display: grid; gap: var(--s5); max-width: 68rem; margin: 0 auto; padding: var(--s5); }
.page section > h2 { margin-bottom: var(--s3); }
.verdict { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: var(--s4) var(--s6); border-top: 4px solid var(--invalid);
  &.delivered { border-top-color: var(--succeeded); }
  &.stopped, &.not_reconciled { border-top-color: var(--failed); }
  & h1 { margin: var(--s1) 0 var(--s2); font-size: var(--t6); line-height: 1.2; letter-spacing: -0.015em; text-wrap: balance; }
  & .bar { height: 1rem; margin: var(--s4) 0 var(--s3); }
  & .remarks { margin-top: var(--s3); padding-left: var(--s3); border-left: 3px solid var(--line); }
}
.next { & h2 { font-size: var(--t3); } & p, & .cmd { margin-top: var(--s1); } }
.next ol { display: grid; gap: var(--s3); margin-top: var(--s2); counter-reset: step; }
.next li { position: relative; padding-left: 1.75rem; counter-increment: step;
  &::before { content: counter(step); position: absolute; left: 0; width: 1.25rem; border-radius: 50%; background: var(--accent-soft); color: var(--accent);
    font-size: var(--t1); font-weight: 700; line-height: 1.25rem; text-align: center; }
}
.next .only { padding-left: 0; &::before { content: none; } }
`;

const problemGroupsStyle = `
.groups { margin: 0 calc(-1 * var(--s5)); }
.groups > h3 { padding: var(--s3) var(--s5) var(--s2); border-top: 1px solid var(--line); }
.group { border-top: 1px solid var(--line);
  & > summary { display: grid; grid-template-columns: 3.5rem minmax(0, 1fr) 1rem; gap: 0 var(--s4); align-items: baseline; padding: var(--s2) var(--s5); list-style: none; }
  & > summary::-webkit-details-marker { display: none; }
  & > summary::after { content: "›"; color: var(--quiet); font-size: var(--t5); line-height: 1; }
  & > summary:hover { background: var(--ground); }
  & > summary:focus-visible { outline-offset: -2px; }
  &[open] > summary::after { rotate: 90deg; }
  & .count { font-size: var(--t5); font-weight: 650; }
  & .body { display: grid; gap: var(--s2); padding: 0 var(--s5) var(--s4) calc(3.5rem + var(--s5) + var(--s4)); }
  & .body:not(:has(.all:checked)) .other { display: none; }
}
.scroll { max-height: 15rem; overflow: auto; border: 1px solid var(--line); border-radius: 0.375rem;
  & table { width: auto; min-width: 100%; font-size: var(--t2); }
  & :is(th, td) { max-width: 20rem; padding: 0.3125rem var(--s3); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  & thead th { position: sticky; top: 0; background: var(--sunk); }
  & thead th.refused { background: var(--warn-soft); }
  & td.refused { font-family: var(--mono); }
  & .why { min-width: 16rem; white-space: normal; }
}
`;

const sendingStyle = `
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: var(--s3);
  & dt { color: var(--quiet); font-size: var(--t2); }
  & dd { font-size: var(--t5); font-weight: 650; font-variant-numeric: tabular-nums; }
}
.chart { display: grid; grid-template-columns: 3.5rem minmax(0, 1fr); gap: 0 var(--s2); margin-top: var(--s4); color: var(--quiet); font-size: var(--t1); font-variant-numeric: tabular-nums;
  & .legend { grid-column: 2; margin-bottom: var(--s1); color: var(--text); font-size: var(--t2); }
  & .y { display: flex; flex-direction: column; justify-content: space-between; line-height: 1; text-align: right; white-space: nowrap; }
  & svg { display: block; width: 100%; height: 6.5rem; border-bottom: 1px solid var(--edge); }
  & svg.x { grid-column: 2; height: 1.25rem; border: 0; overflow: visible; fill: currentcolor; text-anchor: middle; }
  & .x text:first-child { text-anchor: start; }
  & :is(.grid, .part, .line) { fill: none; vector-effect: non-scaling-stroke; }
  & .grid { stroke: var(--line); }
  & .part { stroke: var(--text); stroke-dasharray: 4 3; }
  & .line { stroke-width: 1.5; }
}
:is(path.area, .dot).in-flight { fill: light-dark(#8fb5e2, #3d6ea8); background: light-dark(#8fb5e2, #3d6ea8); }
path.area.succeeded { fill: var(--succeeded); } path.area.rejected { fill: var(--rejected); }
:is(rect, .dot).outage { fill: var(--failed); background: var(--failed); opacity: 0.2; }
:is(rect, .dot).asked { fill: var(--invalid); background: var(--invalid); opacity: 0.3; }
${Object.entries({ allowed: "quiet", mean: "unknown", longest: "invalid" })
  .map(
    ([name, colour]) =>
      `.line.${name} { stroke: var(--${colour}); } .dot.${name} { height: 0.1875rem; border-radius: 0; background: var(--${colour}); vertical-align: 0.2rem; }`,
  )
  .join("\n")}
.events { display: grid; gap: var(--s2); margin-top: var(--s4); }
.dashed { display: inline-block; height: 1em; margin: 0 0.6875rem 0 0.25rem; border-left: 1px dashed; vertical-align: -0.125em; }
.tables { display: grid; grid-template-columns: 4fr 3fr; gap: var(--s4) var(--s6); align-items: start; margin-top: var(--s4); overflow-wrap: break-word; }
.last details + details { margin-top: var(--s2); }
.last :is(pre, table, ul) { margin-top: var(--s2); }
`;

const media = `
@media (max-width: 40rem) {
  .page { padding: var(--s4); gap: var(--s4); }
  .verdict, .tables { grid-template-columns: minmax(0, 1fr); }
  .verdict h1 { font-size: 1.4375rem; }
  .groups { margin: 0 calc(-1 * var(--s4)); }
  .groups > h3 { padding-inline: var(--s4); }
  .group > summary { grid-template-columns: 2.25rem minmax(0, 1fr) 1rem; gap: 0 var(--s2); padding-inline: var(--s4); }
  .group .body { padding: 0 var(--s4) var(--s4); }
  .chart { grid-template-columns: 2.75rem minmax(0, 1fr); }
  .x text:nth-child(even) { display: none; }
}
@media (max-width: 22rem) { .tables { overflow-wrap: anywhere; } }
@page { margin: 15mm; }
@media print {
  :root { font-size: 80%; }
  .page { max-width: none; padding: 0; gap: var(--s3); }
  .card { padding-inline: 0; border-width: 0; } .groups { margin-inline: 0; } .groups > h3, .group > summary { padding-inline: 0; }
  .verdict, .chart, .group > summary, tr { break-inside: avoid; } h2, h3 { break-after: avoid; }
  .last details::details-content, .group::details-content { content-visibility: visible; display: block; }
  .group:not([open]) .scroll, .group .body .row, .group > summary::after { display: none; }
  .scroll { max-height: none; overflow: visible; }
  path.area { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
`;

/** The style sheet of the page. Its Content-Security-Policy allows it by hash. */
export const reportStyle = look + verdict + problemGroupsStyle + sendingStyle + media;
