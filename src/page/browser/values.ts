import { grouped } from "../../model/quantities.ts";
import { type Member, setCode, setKeys } from "../mapping-table.ts";
import { wordsAt } from "./completion.ts";
import { h, openDialog } from "./dom.ts";
import type { PageState } from "./page-state.ts";

/** Shows a member's transforms and, for a column of codes, what each code becomes. */
export function openValues(page: PageState, now: () => Member): void {
  const { name, from, transforms, values = {}, otherwise, default: ofBlank } = now();
  const { schema, conversionKeys } = page.description;
  const chosen = new Set(transforms);
  const steps = new Set(wordsAt(schema, ["members", "x", "transform"]));
  const boxes = [...steps].map((step) => {
    const onchange = () => {
      if (box.checked) chosen.add(step);
      else chosen.delete(step);
      const [first, ...more] = chosen;
      const transform = more.length > 0 ? [...chosen] : first;
      page.edit(setKeys(page.text(), now(), { transform }));
    };
    const box = h("input", { type: "checkbox", checked: chosen.has(step), onchange });
    // Of steps with arguments the text says more.
    box.disabled = transforms.some((one) => !steps.has(one));
    return h("label", {}, box, ` ${step.replaceAll("_", " ")}`);
  });

  /** A text that says what a cell becomes. */
  const becomes = (
    ariaLabel: string,
    value: string,
    edit: (to: string | undefined) => string | undefined,
  ) => {
    const input = h("input", { value, ariaLabel });
    input.onchange = () => page.edit(edit(input.value || undefined));
    return input;
  };
  const line = (cell: string, count: number | undefined, input: HTMLElement) => {
    const rows = count === undefined ? "" : grouped(count);
    return h("tr", {}, h("td", {}, cell), h("td", {}, rows), h("td", {}, input));
  };
  const counted = page.cells().find(({ column }) => column === from);
  const codes = new Map(counted?.values);
  for (const code of Object.keys(values)) codes.set(code, codes.get(code) ?? 0);
  const lines = [...codes].map(([code, count]) => {
    const edit = (to: string | undefined) => setCode(page.text(), now(), code, to, conversionKeys);
    return line(code, count, becomes(`${code} becomes`, values[code] ?? "", edit));
  });
  for (const [key, label, value] of [
    ["otherwise", "All other cells", otherwise],
    ["default", "A blank cell", ofBlank],
  ] as const) {
    const edit = (to: string | undefined) => setKeys(page.text(), now(), { [key]: to });
    lines.push(line(label, undefined, becomes(`${label} become`, value, edit)));
  }
  const heads = ["Cell", "Rows", "Becomes"].map((head) => h("th", { scope: "col" }, head));
  const explained = counted?.hasMore
    ? "There are too many different cells to list: see lookup in the mapping reference."
    : "As soon as one cell is mapped, every other cell is invalid, unless you say what all others become. Cells are compared after the changes above.";
  const content = [
    h("fieldset", {}, h("legend", {}, "Change the text of each cell"), ...boxes),
    h("h3", {}, "What each cell becomes"),
    h("p", { className: "note" }, explained),
    h("div", { className: "values" }, h("table", {}, h("tr", {}, ...heads), ...lines)),
  ];
  openDialog(`${name || "event"}, from column ${from}`, content, "Done");
}
