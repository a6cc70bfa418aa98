import type { Ending, SandboxState } from "../request-log.ts";
import { namedCounts } from "../sandbox-counts.ts";

/** Shows what the sandbox has done, anew each second. Texts are put in as texts: nothing is read as HTML. */

const pollMs = 1000;
const byId = (id: string) => document.getElementById(id)!;
const find = byId("find") as HTMLInputElement;
let shown = "";

function h(tag: string, ...children: (Node | string)[]): HTMLElement {
  const element = document.createElement(tag);
  element.append(...children);
  return element;
}

function show({ url, counts, errors, requests }: SandboxState): void {
  byId("url").textContent = url;
  byId("counts").replaceChildren(
    ...namedCounts(counts).map(([name, count, what]) =>
      h("div", h("dt", name), h("dd", grouped(count)), h("dd", what)),
    ),
  );
  const lines = errors.map(({ ending, message, count, lastAt, lastN }) => {
    const last = `#${lastN} at ${timeOf(lastAt)}`;
    const what = h("td", h("strong", wordOf(ending)), ` ${message}`);
    return bad(h("tr", h("td", `${grouped(count)} ×`), what, h("td", last)));
  });
  const none = h("tr", h("td", "None so far: every request succeeded."));
  const head = h("tr", h("th", "Times"), h("th", "Answer"), h("th", "Last one"));
  byId("errors").replaceChildren(...(lines.length === 0 ? [none] : [head, ...lines]));
  const nothing =
    find.value === ""
      ? "Nothing has arrived yet. Send something to the address above, and it appears here."
      : "None of the last 1,000 requests has this text. A row that is invalid or left out sends none.";
  byId("none").textContent = requests.length === 0 ? nothing : "";
  byId("requests").replaceChildren(
    ...requests.map(({ n, at, path, ending, message, body }) => {
      const head = [h("strong", wordOf(ending)), `#${n}`, h("code", path), h("time", timeOf(at))];
      const item = h("li", h("p", ...head.map((part) => h("span", part))), h("p", message));
      if (body !== "") item.append(h("pre", pretty(body)));
      return message === "" ? item : bad(item);
    }),
  );
}

function bad(element: HTMLElement): HTMLElement {
  element.className = "bad";
  return element;
}

function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

function wordOf(ending: Ending): string {
  return ending === "hang" ? "no answer" : String(ending);
}

function timeOf(iso: string): string {
  return new Date(iso).toLocaleTimeString("en-GB");
}

/** As it came if it is cut off, or has a number that a browser would change. */
function pretty(body: string): string {
  try {
    const value = JSON.parse(body);
    return JSON.stringify(value) === body ? JSON.stringify(value, null, 2) : body;
  } catch {
    return `${body} …`;
  }
}

async function poll(): Promise<void> {
  try {
    const answer = await fetch(`state.json?find=${encodeURIComponent(find.value)}`);
    const text = await answer.text();
    byId("status").textContent = "";
    // What has not changed stays, so that it can be selected and copied.
    if (text !== shown) show(JSON.parse(text));
    shown = text;
  } catch {
    byId("status").textContent = "The sandbox does not answer: it has been stopped.";
  }
}

find.addEventListener("input", () => void poll());
setInterval(() => void poll(), pollMs);
void poll();
