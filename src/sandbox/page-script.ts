/**
 * Asks each second what has come, and shows it. What has not changed stays as it is, so that it can be selected; the
 * request that is shown stays until another is chosen, or a search finds one.
 */
export const pageScript = `
const at = (id) => document.getElementById(id);
const make = (name, of = {}, ...within) => {
  const made = Object.assign(document.createElement(name), of);
  made.append(...within);
  return made;
};
const grouped = (number) => number.toLocaleString("en-US");
const wordOf = ({ ending }) => (ending === "hang" ? "none" : String(ending));
const statusOf = (request) => make("span", { className: request.message === "" ? "status" : "status bad" }, wordOf(request));
const timeOf = ({ at }) => new Date(at).toLocaleTimeString("en-GB");
let requests = [];
let chosen;
let answer = "";
let shown = "";

function cellsOf({ body }) {
  const values = [];
  try {
    JSON.parse(body, (name, value) => {
      if (name !== "event" && value !== "" && typeof value !== "object") values.push(value);
      return value;
    });
  } catch {
    return body;
  }
  return values.slice(0, 6).join(" · ");
}

/** As it came if it is cut off, or has a number that would change. */
function pretty(body) {
  try {
    const value = JSON.parse(body);
    return JSON.stringify(value) === body ? JSON.stringify(value, null, 2) : body;
  } catch {
    return body === "" ? "" : body + " …";
  }
}

function choose(request, isToSee) {
  chosen = request;
  for (const button of document.querySelectorAll("#requests button")) {
    const isIt = button.dataset.n === String(request?.n);
    button.ariaCurrent = String(isIt);
    if (isIt && isToSee) button.scrollIntoView({ block: "nearest" });
  }
  if (request === undefined) return;
  at("title").replaceChildren(statusOf(request), " #" + request.n);
  at("answer").textContent = request.message || "accepted";
  at("answer").className = request.message === "" ? "" : "why";
  at("path").textContent = request.method + " " + request.path + " at " + timeOf(request);
  const wanted = at("find").value.toLowerCase();
  at("body").replaceChildren(...pretty(request.body).split("\\n").map((line) => {
    const [, space, member, rest] = /^( *)("(?:[^"\\\\]|\\\\.)*")(?=:)(.*)$/.exec(line) ?? [line, line, "", ""];
    const isHit = wanted !== "" && line.toLowerCase().includes(wanted);
    return make("span", { className: isHit ? "hit" : "" }, space, make("span", { className: "member" }, member), rest, "\\n");
  }));
  at("body").hidden = request.body === "";
}

function show(state, isAnew) {
  document.body.classList.toggle("none", state.counts.requests === 0);
  const focused = document.activeElement?.dataset;
  const find = at("find").value;
  at("tiles").replaceChildren(...state.tiles.map(({ name, answer: one, count }) => {
    const tile = make("button", { type: "button", ariaPressed: String(one === answer) }, name + " " + grouped(count));
    tile.dataset.answer = one;
    return tile;
  }));
  at("errors").replaceChildren(...state.errors.slice(0, 8).map(({ count, last }) => {
    const text = wordOf(last) + " " + last.message;
    const chip = make("button", { type: "button", className: "chip", ariaPressed: String(find === text) },
      make("span", {}, statusOf(last), " " + last.message), make("b", {}, grouped(count)));
    chip.dataset.find = text;
    return chip;
  }));
  requests = state.requests;
  at("requests").replaceChildren(...requests.map((request) => {
    const why = request.message === "" ? [] : [make("span", { className: "why" }, request.message), " "];
    const cells = make("span", { className: "quiet" }, cellsOf(request));
    const button = make("button", { type: "button" }, statusOf(request), make("span", { className: "n quiet num" }, "#" + request.n),
      make("span", { className: "what" }, ...why, cells), make("time", { className: "quiet num" }, timeOf(request)));
    button.dataset.n = request.n;
    return make("li", {}, button);
  }));
  const all = "the last " + grouped(Math.min(state.counts.requests, state.kept));
  at("found").textContent =
    find === "" && answer === ""
      ? "The last " + requests.length + ", the newest first"
      : state.found === 0
        ? "None of " + all + " requests. A row that is not sent makes none."
        : grouped(state.found) + " of " + all + (state.found > requests.length ? ", the newest " + requests.length : "");
  const first = isAnew || chosen === undefined ? requests.find(({ message }) => isAnew || message !== "") ?? requests[0] : chosen;
  choose(first, isAnew);
  for (const name of ["n", "answer", "find"]) {
    if (focused?.[name] !== undefined) document.querySelector("[data-" + name + "=" + CSS.escape(focused[name]) + "]")?.focus();
  }
}

async function ask(isAnew) {
  try {
    const query = new URLSearchParams({ find: at("find").value, answer });
    const text = await (await fetch("state.json?" + query)).text();
    if (text !== shown) show(JSON.parse(text), isAnew);
    shown = text;
    at("running").hidden = false;
    at("stopped").hidden = true;
  } catch {
    at("running").hidden = true;
    at("stopped").hidden = false;
  }
}

const step = (by, isFocused) => {
  const next = requests[requests.findIndex(({ n }) => n === chosen?.n) + by];
  if (next === undefined) return;
  choose(next, true);
  if (isFocused) document.querySelector("[aria-current=true]").focus();
};
document.addEventListener("click", ({ target }) => {
  const { id, dataset = {} } = target.closest("button") ?? {};
  if (id === "newer") step(-1);
  if (id === "older") step(1);
  if (dataset.n !== undefined) {
    choose(requests.find(({ n }) => n === Number(dataset.n)));
    const toggle = document.querySelector(".sheet-toggle");
    if (toggle.checkVisibility() && toggle.ariaExpanded === "false") toggle.click();
  }
  if (dataset.answer !== undefined) answer = dataset.answer;
  if (dataset.find !== undefined) at("find").value = at("find").value === dataset.find ? "" : dataset.find;
  if (dataset.answer !== undefined || dataset.find !== undefined) ask(true);
});
document.addEventListener("keydown", (event) => {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by === undefined || event.target.dataset?.n === undefined) return;
  event.preventDefault();
  step(by, true);
});
at("find").addEventListener("input", () => ask(true));
setInterval(ask, 1000);
ask();
`;
