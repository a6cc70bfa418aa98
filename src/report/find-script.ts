/**
 * The only script of the page: it finds a row among the failed rows by its number or a cell. It is allowed by its
 * hash, and never changes. Without it the field is hidden, and the rest of the page is the same.
 */
export const findScript = `
const field = document.getElementById("find-field");
const said = document.getElementById("find-said");
const rows = [...document.querySelectorAll("tr[data-row]")].map((line) => ({
  line,
  number: line.dataset.row,
  text: [...line.cells].map((cell) => cell.textContent).join("\\n").toLowerCase(),
}));
const groups = [...document.querySelectorAll(".group")];
const folds = [...document.querySelectorAll("#problems-part details")];
const wereOpen = folds.map((fold) => fold.open);
const find = () => {
  const wanted = field.value.trim().toLowerCase();
  const digits = wanted.replace(/^row\\s+|,/g, "");
  const byNumber = rows.filter(({ number }) => number === digits);
  const found = wanted === "" ? [] : byNumber.length > 0 ? byNumber : rows.filter(({ text }) => text.includes(wanted));
  const shown = new Set(found.map(({ line }) => line));
  for (const { line } of rows) line.hidden = wanted !== "" && !shown.has(line);
  folds.forEach((fold, at) => { fold.open = wanted === "" && wereOpen[at]; });
  for (const line of shown) {
    for (let fold = line.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  }
  for (const group of groups) {
    group.hidden = wanted !== "" && ![...group.querySelectorAll("tr[data-row]")].some((line) => shown.has(line));
  }
  const lines = found.length + (found.length === 1 ? " line" : " lines");
  const noRow = /^[1-9]\\d*$/.test(digits) && byNumber.length === 0 ? said.dataset.noRow : "";
  said.textContent = wanted === "" ? "" : found.length > 0 ? (noRow && noRow + " In a cell: ") + lines : noRow || said.dataset.noCell;
};
if (field !== null) {
  field.addEventListener("input", find);
  document.getElementById("find").hidden = false;
}
`;
