import { grouped } from "../../model/quantities.ts";
import { type Member, setCode, setKeys } from "../mapping-table.ts";
import { button, byId, h } from "./dom.ts";
import type { PageState } from "./page-state.ts";

/** Shows a member's transforms and, for a column of codes, what each code becomes. */
export function openValues(page: PageState, now: () => Member): void {
  const { name, from, transforms } = now();
  const { conversionKeys } = page.description;
  const chosen = new Set(transforms);
  const steps = new Set(page.description.transforms);
  const counted = page.cells().find(({ column }) => column === from);
  const lines = h("tbody");
  const boxes = [...steps].map((step) => {
    const onchange = () => {
      if (box.checked) chosen.add(step);
      else chosen.delete(step);
      const transform = chosen.size > 1 ? [...chosen] : [...chosen][0];
      page.edit(setKeys(page.text(), now(), { transform }));
      showLines();
    };
    const box = h("input", { type: "checkbox", checked: chosen.has(step), onchange });
    // Of steps with arguments the text says more.
    box.disabled = transforms.some((one) => !steps.has(one));
    return h("label", {}, box, ` ${step.replaceAll("_", " ")} `);
  });

  /** Codes are compared after the changes of their text, so those that differ in case may be one. */
  function showLines(): void {
    const { values, otherwise, default: ofBlank } = now();
    const codes = new Map(Object.keys(values ?? {}).map((code) => [code, 0]));
    for (const [cell, count] of counted?.values ?? []) {
      const lower = chosen.has("lowercase") ? cell.toLowerCase() : cell;
      const code = chosen.has("uppercase") ? lower.toUpperCase() : lower;
      codes.set(code, (codes.get(code) ?? 0) + count);
    }
    lines.replaceChildren(
      ...[...codes].map(([code, count]) => {
        const edit = (to?: string) => setCode(page.text(), now(), code, to, conversionKeys);
        return line(code, grouped(count), values?.[code], edit);
      }),
      line("Any other cell", "", otherwise, (to) => setKeys(page.text(), now(), { otherwise: to })),
      line("A blank cell", "", ofBlank, (to) => setKeys(page.text(), now(), { default: to })),
    );
  }

  function line(cell: string, rows: string, value = "", edit: (to?: string) => string | undefined) {
    const input = h("input", { value, ariaLabel: `${cell} becomes` });
    input.onchange = () => page.edit(edit(input.value || undefined));
    return h("tr", {}, h("td", {}, cell), h("td", {}, rows), h("td", {}, input));
  }

  showLines();
  const heads = ["Cell", "Rows", "Becomes"].map((head) => h("th", { scope: "col" }, head));
  const explained = counted?.hasMore
    ? "There are too many different cells to list: see lookup in the mapping reference."
    : "As soon as one cell is mapped, every other cell is invalid, unless you say what all others become.";
  const dialog = byId<HTMLDialogElement>("dialog");
  dialog.replaceChildren(
    h("h2", { id: "dialog-title" }, `${name || "event"}, from column ${from}`),
    h("fieldset", {}, h("legend", {}, "Change the text of each cell"), ...boxes),
    h("h3", {}, "What each cell becomes"),
    h("p", { className: "note" }, explained),
    h("div", { className: "values" }, h("table", {}, h("thead", {}, h("tr", {}, ...heads)), lines)),
    button("Done", () => dialog.close()),
  );
  dialog.showModal();
}
