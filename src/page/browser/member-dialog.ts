import { type Member, setCode, setMemberKey } from "../mapping-table.ts";
import { wordsAt } from "./completion.ts";
import { button, h, openDialog } from "./dom.ts";
import { cellsOf, isSameColumn, type View } from "./view.ts";

/** Shows a member's transforms and, for a column of codes, what each code becomes. */
export function openMember(view: View, now: () => Member): void {
  const { name, from, transforms, values = {}, otherwise, default: ofBlank } = now();
  const called = name || "event";
  const edit = (change: (text: string, member: Member) => string | undefined) =>
    view.edit(change(view.text(), now()));
  const cells = cellsOf(view).find(({ column }) => isSameColumn(column, from));
  const codes = new Map(cells?.values);
  for (const code of Object.keys(values)) if (!codes.has(code)) codes.set(code, 0);

  const steps = wordsAt(view.description.schema, ["members", "x", "transform"]);
  const chosen = new Set(transforms);
  const setSteps = () =>
    edit((text, one) => {
      const list = steps.filter((step) => chosen.has(step));
      return setMemberKey(text, one, "transform", list.length > 1 ? list : list[0]);
    });
  const boxes = [...new Set(steps)].map((step) => {
    const box = h("input", {
      type: "checkbox",
      checked: chosen.has(step),
      disabled: transforms.includes("…"),
      onchange() {
        if (box.checked) chosen.add(step);
        else chosen.delete(step);
        setSteps();
      },
    });
    return h("label", {}, box, ` ${step.replaceAll("_", " ")}`);
  });

  const field = (
    label: string,
    value: string | undefined,
    change: (given: string | undefined) => void,
  ) => {
    const input = h("input", { value: value ?? "", ariaLabel: label });
    input.onchange = () => change(input.value === "" ? undefined : input.value);
    return input;
  };
  const lines = [...codes].map(([code, count]) =>
    h(
      "tr",
      {},
      h("th", { scope: "row", textContent: code }),
      h("td", { className: "number", textContent: String(count) }),
      h(
        "td",
        {},
        field(`${code} becomes`, values[code], (to) =>
          edit((text, one) => setCode(text, one, code, to)),
        ),
      ),
    ),
  );
  const head = h(
    "tr",
    {},
    ...["Cell", "Rows", "Becomes"].map((textContent) => h("th", { textContent, scope: "col" })),
  );
  const tooMany = cells?.hasMore === true;
  const close = openDialog(
    `${called}, from column ${from}`,
    h("fieldset", {}, h("legend", { textContent: "Change the text of each cell" }), ...boxes),
    h("h3", { textContent: "What each cell becomes" }),
    h("p", {
      className: "note",
      textContent: tooMany
        ? "The column has too many different cells to map them one by one. A lookup file may help: see lookup in the mapping reference."
        : "As soon as one cell is mapped, every other cell is invalid, unless you say what the others become.",
    }),
    (!tooMany || lines.length > 0) &&
      h(
        "div",
        { className: "values" },
        h("table", {}, h("thead", {}, head), h("tbody", {}, ...lines)),
      ),
    h(
      "p",
      {},
      h(
        "label",
        {},
        "All other cells become ",
        field("All other cells become", otherwise, (to) =>
          edit((text, one) => setMemberKey(text, one, "otherwise", to)),
        ),
      ),
    ),
    h(
      "p",
      {},
      h(
        "label",
        {},
        "A blank cell becomes ",
        field("A blank cell becomes", ofBlank, (to) =>
          edit((text, one) => setMemberKey(text, one, "default", to)),
        ),
      ),
    ),
    h(
      "div",
      { className: "buttons" },
      button("Done", () => close()),
    ),
  );
}
