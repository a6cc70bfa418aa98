const strip = `
.meter { width: 9rem; }
#said { flex: 1 1 0; text-align: right; }
.pane > header .button { padding-inline: var(--s2); }
#state[aria-busy="true"] :is(.meter, .dot) { opacity: 0.35; }
#state b { font-variant-numeric: tabular-nums; }
.broken :is(.columns, .lead, .pane > div) { opacity: 0.55; }
.commands { display: grid; gap: var(--s3); margin-top: var(--s3); }
.commands p { margin-bottom: var(--s1); }
#all-good { border-top: 4px solid var(--succeeded); }
#first > :last-child { margin-bottom: var(--s5); }
[popover] { inset: 4rem var(--s5) auto auto; margin: 0; width: min(34rem, calc(100vw - 2rem)); padding: var(--s4) var(--s5) var(--s5); border: 1px solid var(--line);
  border-radius: var(--round); background: var(--card); color: var(--text); box-shadow: 0 12px 32px rgb(0 0 0 / 0.25); }
`;

/** What is wrong at the left, what helps at the right; on a phone below it. */
const problemsStyle = `
.problems { margin-top: var(--s3); background: var(--card); border: 1px solid var(--line); border-radius: var(--round);
  & > li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 var(--s4); align-items: center;
    padding: var(--s2) var(--s3) var(--s2) var(--s4); border-top: 1px solid var(--line); }
  & > li:first-child { border-top: 0; }
  & p { grid-column: 1; }
  & .fixes { grid-area: 1 / 2 / span 2; display: flex; flex-wrap: wrap; justify-content: flex-end; align-items: center; gap: 0 var(--s1); max-width: 22rem; }
  & :is(.small, .done) .fixes { grid-row: 1; }
  & .fix { min-height: 1.875rem; }
  & .fix span { font-weight: 400; }
  & .button:not(.fix) { min-height: 1.625rem; padding: 0 var(--s2); font-size: var(--t2); }
  & .done { color: var(--quiet); }
}
`;

const columnsStyle = `
#columns, #file { margin-top: var(--s5); }
.lead { display: flex; flex-wrap: wrap; gap: var(--s2) var(--s4); align-items: center; margin-top: var(--s2); }
.lead label { display: inline-flex; align-items: center; gap: var(--s2); }
.columns { margin-top: var(--s3); background: var(--card); border: 1px solid var(--line); border-radius: var(--round); overflow: clip;
  & table { table-layout: fixed; }
  & :is(th, td) { vertical-align: middle; padding: var(--s2) var(--s3); }
  & :is(thead, .line) :first-child:is(th, td) { padding-right: 0; width: 2.25rem; }
  & thead :nth-child(3) { width: 9.75rem; }
  & thead :is(:nth-child(4), :nth-child(5)) { width: 11rem; }
  & :is(th, td):last-child:not([colspan]) { width: 3.25rem; padding-left: 0; }
  & .name { font-weight: 600; }
  & :is(.samples, .how) { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: var(--t1); color: var(--quiet); }
  & .samples { font-family: var(--mono); }
  & .line :is(input:not([type="checkbox"]), select) { width: 100%; border-color: var(--line); }
  & .line :is(input, select):hover { border-color: var(--edge); }
  & .becomes input { font-family: var(--mono); font-size: var(--t2); }
  & .off :is(.name, .samples) { color: var(--quiet); text-decoration: line-through; }
  & .line:is(:hover, .open) { background: var(--ground); }
  & .editor > td { padding: var(--s2) var(--s4) var(--s5) 3rem; border-top: 0; background: var(--ground); }
  & fieldset { border: 0; margin: 0 0 var(--s4); }
  & fieldset:last-child, & .editor p:last-child { margin-bottom: 0; }
  & legend { margin-bottom: var(--s2); font-weight: 600; }
}
.blanks::before { content: "· "; }
.more { min-width: var(--control); padding: 0; }
.more::after { content: "›"; font-size: var(--t5); line-height: 1; }
.more[aria-expanded="true"]::after { rotate: 90deg; }
.words { display: grid; grid-template-columns: minmax(4rem, max-content) max-content minmax(10rem, 18rem); gap: var(--s2) var(--s4); align-items: center; }
.words .seg { justify-self: start; }
.new { color: var(--warn); font-weight: 600; }
#text { margin-top: var(--s3); border: 1px solid var(--line); border-radius: var(--round); overflow: clip; background: var(--card); }
.cm-editor :is(.cm-scroller, .cm-gutters) { font-family: var(--mono); font-size: var(--t2); line-height: 1.55; }
.cm-editor :is(.cm-gutters, .cm-tooltip) { background: var(--sunk); color: var(--quiet); border-color: var(--line); }
.cm-editor :is(.cm-activeLine, .cm-activeLineGutter) { background: none; }
.cm-editor .cm-cursor { border-color: currentColor; }
.tok-comment { color: var(--quiet); }
.tok-propertyName { color: var(--accent); }
`;

/** A row: each cell beside the value that it becomes. */
const rowPaneStyle = `
#pairs { margin-top: var(--s2);
  & > div { display: grid; grid-template-columns: 1fr 1fr; gap: 0 1.125rem; padding: 0.3125rem 0; border-bottom: 1px solid var(--line); }
  & :is(dt, .field) { color: var(--quiet); font: var(--t1)/1.35 var(--sans); }
  & dd { font: var(--t2)/1.4 var(--mono); }
  & .to { position: relative; }
  & .to::before { content: "→"; position: absolute; left: -1.0625rem; color: var(--quiet); font-family: var(--sans); }
  & .not { color: var(--quiet); font-family: var(--sans); }
  & .wrong { background: var(--warn-soft); margin: 0 calc(-1 * var(--s2)); padding: 0.3125rem var(--s2); border-radius: 0.25rem; }
  & .wrong :is(dt, .field, .why) { color: var(--warn); font-family: var(--sans); }
}
#number { width: 3.75rem; padding-right: var(--s1); }
#request > * { margin-top: var(--s2); }
`;

const narrow = `
@media (max-width: 79rem) { .columns thead :nth-child(3) { width: 8.5rem; } }
@media (max-width: 60rem) { .meter { width: 100%; } }
@media (max-width: 40rem) {
  .strip { gap: var(--s2); }
  .strip :is(small, .wide) { display: none; }
  #state { order: 3; flex-basis: 100%; }
  #do { margin-left: auto; }
  #said { order: 4; flex-basis: auto; text-align: left; }
  #said:empty { display: none; }
  .strip .button { padding-inline: var(--s3); }
  .pane > header { padding: var(--s3); }
  .pane > header .quiet { display: none; }
  #number { padding-left: var(--s2); }
  [popover] { inset: 5.75rem 1rem auto; }
  .problems > li:not(.done) { grid-template-columns: minmax(0, 1fr); }
  .problems li:not(.done) .fixes { grid-area: auto; justify-content: flex-start; max-width: none; margin-top: var(--s1); }
  .problems .fix { flex-basis: 100%; min-height: var(--control); white-space: normal; }
  .problems .button:not(.fix) { min-height: 2.25rem; }
  .columns :is(.how, .blanks, thead) { display: none; }
  .columns :is(table, tbody, .editor, .editor > td) { display: block; }
  .columns .line { display: grid; grid-template-columns: 2rem minmax(0, 1fr) auto auto; column-gap: var(--s2); align-items: center; border-top: 1px solid var(--line); padding: var(--s1) var(--s3); }
  .columns .line :is(td, th):not([colspan]) { width: auto; border: 0; padding: var(--s1) 0; }
  .columns .line > :is(.becomes, .type) { display: none; }
  .columns .line.open > :is(.becomes, .type) { display: block; grid-column: 2 / -1; order: 1; }
  .columns .editor > td { padding: var(--s2) var(--s4) var(--s4); }
  .columns .seg { display: flex; flex-wrap: wrap; }
  .words { grid-template-columns: minmax(0, 1fr) auto auto; gap: var(--s2) var(--s3); }
  .words > :is(input, select) { grid-column: 1 / -1; }
}
@media print { .split { display: block; } [popover], #add, .more, .sheet-toggle { display: none; } }
`;

export const pageStyle = strip + problemsStyle + columnsStyle + rowPaneStyle + narrow;
