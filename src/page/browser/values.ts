import { type Member, setCode, setMemberKey } from "../mapping-table.ts";
import { wordsAt } from "./completion.ts";
import { copyOf, h, openDialog } from "./dom.ts";
import type { PageState } from "./page-state.ts";

/** Shows a member's transforms and, for a column of codes, what each code becomes. */
export function openValues(page: PageState, now: () => Member): void {
  const { name, from, transforms, values = {}, otherwise, default: ofBlank } = now();
  const content = copyOf("values");
  const chosen = new Set(transforms);
  const steps = new Set(wordsAt(page.description.schema, ["members", "x", "transform"]));
  for (const step of steps) {
    const box = Object.assign(h("input"), { type: "checkbox", checked: chosen.has(step) });
    box.disabled = chosen.has("…");
    box.onchange = () => {
      if (box.checked) chosen.add(step);
      else chosen.delete(step);
      const [first, ...more] = chosen;
      const list = more.length > 0 ? [...chosen] : first;
      page.edit(setMemberKey(page.text(), now(), "transform", list));
    };
    content.querySelector("fieldset")?.append(h("label", "", box, ` ${step.replaceAll("_", " ")}`));
  }
  const cells = page.cells().find(({ column }) => column === from);
  content.querySelector<HTMLElement>(".warning")!.hidden = cells?.hasMore !== true;
  const codes = new Map(cells?.values);
  for (const code of Object.keys(values)) codes.set(code, codes.get(code) ?? 0);
  for (const [code, count] of codes) {
    const input = Object.assign(h("input"), {
      value: values[code] ?? "",
      ariaLabel: `${code} becomes`,
    });
    input.onchange = () => page.edit(setCode(page.text(), now(), code, input.value || undefined));
    const line = h(
      "tr",
      "",
      h("td", "", code),
      h("td", "number", String(count)),
      h("td", "", input),
    );
    content.querySelector("tbody")?.append(line);
  }
  for (const [key, value = ""] of [
    ["otherwise", otherwise],
    ["default", ofBlank],
  ] as const) {
    const input = content.querySelector(`[name=${key}]`) as HTMLInputElement;
    input.value = value;
    input.onchange = () =>
      page.edit(setMemberKey(page.text(), now(), key, input.value || undefined));
  }
  openDialog(`${name || "event"}, from column ${from}`, content);
}
