import { tokens } from "./tokens.ts";

const textStyle = `
* { box-sizing: border-box; min-width: 0; }
html { scroll-padding-top: 5rem; }
body { margin: 0; background: var(--ground); color: var(--text); font: var(--t3)/1.5 var(--sans); overflow-wrap: anywhere; }
h1, h2, h3, p, ul, ol, dl, dd, pre, table, fieldset, legend { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h1 { font-size: var(--t4); line-height: 1.3; font-weight: 650; }
h2 { font-size: var(--t5); line-height: 1.3; font-weight: 650; letter-spacing: -0.01em; }
h3 { font-size: var(--t3); font-weight: 650; }
a { color: var(--accent); text-underline-offset: 0.2em; }
code, pre, mark { font-family: var(--mono); font-size: 0.93em; }
pre { padding: var(--s3); background: var(--sunk); border-radius: 0.375rem; white-space: pre-wrap; line-height: 1.55; }
small, .quiet { color: var(--quiet); font-size: var(--t2); font-weight: 400; }
summary { cursor: pointer; }
.num { font-variant-numeric: tabular-nums; text-align: right; white-space: nowrap; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: var(--s2); }
.grow { flex: 1; }
[hidden] { display: none !important; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 0.25rem; }
`;

/** One filled button at most (\`primary\`); what repairs something is tinted (\`fix\`); all else is plain or \`bare\`. */
const controlsStyle = `
button, select, input { font: inherit; color: inherit; }
.button, select, input:not([type="checkbox"]) { min-height: var(--control); padding: var(--s1) var(--s3);
  border: 1px solid var(--edge); border-radius: 0.375rem; background-color: var(--card); }
.button { display: inline-flex; align-items: center; justify-content: center; gap: var(--s2);
  color: inherit; font-weight: 550; line-height: 1.3; text-decoration: none; white-space: nowrap; cursor: pointer;
  &:hover { background-color: var(--sunk); }
  &.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
  &.primary:hover { background: var(--accent-strong); }
  &.fix { background: var(--accent-soft); border-color: transparent; color: var(--accent); }
  &.fix:hover { border-color: currentcolor; }
  &.bare { background: none; border-color: transparent; color: var(--quiet); font-weight: 400; }
  &.bare:hover { background: var(--sunk); color: var(--text); }
  &:disabled { background: var(--sunk); border-color: var(--line); color: var(--quiet); cursor: default; }
}
.link { border: 0; background: none; padding: 0; color: var(--accent); text-decoration: underline; text-underline-offset: 0.2em; cursor: pointer; }
select { appearance: none; padding-right: 1.75rem; cursor: pointer; background-repeat: no-repeat; background-size: 0.3rem 0.3rem;
  background-position: right 0.75rem center, right 0.45rem center;
  background-image: linear-gradient(45deg, transparent 50%, var(--quiet) 50%), linear-gradient(-45deg, transparent 50%, var(--quiet) 50%); }
input[type="checkbox"] { width: 1.0625rem; height: 1.0625rem; margin: 0; vertical-align: middle; accent-color: var(--accent); }
.seg { display: inline-flex; border: 1px solid var(--edge); border-radius: 0.375rem; background: var(--card); overflow: clip;
  & > * { display: inline-grid; place-content: center; min-height: calc(var(--control) - 0.25rem); padding: 0 var(--s3); border: 0;
    background: none; color: inherit; text-decoration: none; cursor: pointer; }
  & > * + * { border-left: 1px solid var(--line); }
  & > :focus-visible { outline-offset: -2px; }
}
.chip { display: inline-flex; align-items: center; gap: var(--s2); min-height: calc(var(--control) - 0.25rem); padding: 0 var(--s3);
  border: 1px solid var(--edge); border-radius: 1.25rem; background: var(--card); color: inherit; text-align: left; text-decoration: none; cursor: pointer;
  &:hover { background: var(--sunk); }
  & b { color: var(--quiet); font-weight: 400; font-variant-numeric: tabular-nums; white-space: nowrap; }
  &.would b { color: var(--warn); font-weight: 650; }
  &:is([aria-pressed="true"], [aria-current]) { border-color: var(--accent); & b { color: inherit; } &::before { content: "✓"; } }
}
:is(.seg > *, .chip):is([aria-pressed="true"], [aria-current]) { background: var(--accent-soft); color: var(--accent); font-weight: 600; }
`;

const partsStyle = `
.strip { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; align-items: center; gap: var(--s2) var(--s4);
  min-height: 3.5rem; padding: var(--s2) var(--s5); background: var(--card); border-bottom: 1px solid var(--line); }
.card { padding: var(--s4) var(--s5); background: var(--card); border: 1px solid var(--line); border-radius: var(--round); }
.tag { display: inline-block; padding: 0 var(--s2); border-radius: 1rem; background: var(--sunk); color: var(--quiet);
  font-size: var(--t2); font-weight: 600; font-variant-numeric: tabular-nums; white-space: nowrap;
  &.good { background: var(--good-soft); color: var(--good); }
  &.warn { background: var(--warn-soft); color: var(--warn); }
  &.bad { background: var(--bad-soft); color: var(--bad); }
}
.fits { color: var(--quiet); font-variant-numeric: tabular-nums; white-space: nowrap; &::before { content: "✓ "; color: var(--good); } }
mark, .refused { background: var(--warn-soft); color: var(--warn); }
mark { padding: 0.0625rem 0.25rem; border-radius: 0.1875rem; -webkit-box-decoration-break: clone; box-decoration-break: clone; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: var(--s2) var(--s3) var(--s2) 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; }
th.num, td.num { text-align: right; }
thead :is(th, td) { border-top: 0; }
thead th { color: var(--quiet); font-size: var(--t1); font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 500; }
.cmd { display: flex; align-items: flex-start; gap: var(--s2); padding: var(--s1) var(--s1) var(--s1) var(--s3); background: var(--sunk); border-radius: 0.375rem;
  & code { flex: 1; padding: 0.3125rem 0; }
  & code span { display: inline-block; max-width: 100%; }
  & .button { min-height: calc(var(--control) - 0.25rem); font-size: var(--t2); }
}
.bar { display: block; width: 100%; height: 0.625rem; border-radius: 0.3125rem; }
.legend { display: flex; flex-wrap: wrap; gap: var(--s1) var(--s3); & b { font-variant-numeric: tabular-nums; } }
.dot { display: inline-block; width: 0.625rem; height: 0.625rem; margin-right: 0.375rem; border-radius: 50%; }
${["succeeded", "rejected", "failed", "unknown", "invalid", "blocked", "skipped", "not-sent"]
  .map((name) => `:is(rect, .dot).${name} { fill: var(--${name}); background: var(--${name}); }`)
  .join("\n")}
`;

/** A list with a pane beside it: at the side it stays in view, on a phone it is a sheet from below. */
const paneStyle = `
.split { display: grid; grid-template-columns: minmax(0, 1fr) 24rem; gap: var(--s5); align-items: start; max-width: 100rem; margin: 0 auto; padding: var(--s5); }
.pane { position: sticky; top: 5rem; max-height: calc(100vh - 6.5rem); overflow: auto; padding: 0; scrollbar-width: thin;
  & > header { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; align-items: center; gap: var(--s2);
    padding: var(--s3) var(--s4); background: var(--card); border-bottom: 1px solid var(--line); }
  & > div { padding: var(--s2) var(--s4) var(--s4); }
}
.sheet-toggle { display: none; }
@media (max-width: 79rem) { .split { grid-template-columns: minmax(0, 1fr) 22rem; } }
@media (max-width: 70rem) {
  .split { grid-template-columns: minmax(0, 1fr); padding: var(--s4) var(--s4) 5rem; }
  .pane { position: fixed; inset: auto 0 0; z-index: 3; max-height: 4rem; overflow: hidden; border-width: 1px 0 0;
    border-radius: var(--round) var(--round) 0 0; box-shadow: 0 -4px 16px rgb(0 0 0 / 0.18);
    &.open { max-height: 75vh; overflow: auto; }
    &:not(.open) > div { visibility: hidden; }
  }
  .sheet-toggle { display: inline-flex; margin-left: auto; }
}
@media (max-width: 40rem) {
  .strip { padding: var(--s2) var(--s4); }
  .card:not(.pane) { padding: var(--s4); }
}
@media (scripting: none) { .copy { display: none; } }
@media print {
  .strip, .pane { position: static; }
  .pane { max-height: none; }
  .copy, .sheet-toggle { display: none; }
  svg, mark, .refused, .dot, .tag { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
`;

/** The style that all pages share. A page adds its own behind it. */
export const look = tokens + textStyle + controlsStyle + partsStyle + paneStyle;
