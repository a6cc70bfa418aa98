import type { IncomingMessage, ServerResponse } from "node:http";
import { pageHeaders, refuseRequest } from "../model/local-page.ts";
import { copyableCommand, type Html, html } from "../model/look/html.ts";
import { inlineSource } from "../model/look/inline-source.ts";
import { look } from "../model/look/look.ts";
import { lookScript } from "../model/look/look-script.ts";
import { grouped } from "../model/quantities.ts";
import type { FoundRequests, GivenError, SeenRequest } from "./request-log.ts";
import { type SandboxCounts, tilesOf } from "./sandbox-counts.ts";

/** What the page shows, and `state.json` below it has for programs. */
export interface SandboxState extends FoundRequests {
  url: string;
  counts: SandboxCounts;
  errors: GivenError[];
  /** What the sandbox does wrong on purpose, a few words each. */
  faults: string[];
  example: string;
}

/** What the address of the page asks for: a text, a kind of answer, the number of the request to show, and all kinds. */
type Asked = Record<"find" | "answer" | "n" | "kinds", string>;

/** Serves the page, or what it shows as `state.json`. These are not requests to the service, so they are not counted. */
export function servePage(
  path: string,
  { method, url = "" }: IncomingMessage,
  response: ServerResponse,
  stateOf: (find: string, answer: string) => SandboxState,
): void {
  const send = (type: string, text: string) => {
    response.writeHead(200, { ...headers, "content-type": `${type}; charset=utf-8` });
    response.end(text);
  };
  const query = new URLSearchParams(url.split("?")[1]);
  const names = ["find", "answer", "n", "kinds"].map((name) => [name, query.get(name) ?? ""]);
  const asked: Asked = Object.fromEntries(names);
  const { find, answer } = asked;
  if (method !== "GET" || !["", "state.json"].includes(path)) refuseRequest(response, 404);
  else if (path !== "") send("application/json", JSON.stringify(stateOf(find, answer)));
  else send("text/html", pageOf(stateOf(find, answer), asked));
}

function pageOf(state: SandboxState, asked: Asked): string {
  const { url, counts, requests, faults } = state;
  const { find, answer, n } = asked;
  // A search shows its first hit, and else what went wrong is shown first.
  const isAll = find === "" && answer === "";
  const chosen =
    requests.find((one) => String(one.n) === n) ??
    (isAll ? requests.find(({ message }) => message !== "") : undefined) ??
    requests[0];
  const page = html`<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>eventload sandbox</title><link rel="icon" href="data:,"><style>${{ html: sandboxStyle }}</style>
</head>
<body>
<header class="strip"><h1>Sandbox</h1>
<span role="status"><span class="tag good" id="running">running</span><span class="tag bad" id="stopped" hidden>stopped: it does not answer</span></span>
<div class="address">${copyableCommand(url)}</div><span class="grow"></span>
<input id="find" type="search" aria-label="Find a request" placeholder="Find an id, a name, 422 …" value="${find}">
</header>
<div class="split"><main>
${faults.length > 0 && html`<p class="faults row quiet">On purpose it: ${faults.map((fault) => html`<span class="tag">${fault}</span> `)}</p>`}
<div id="list">${counts.requests === 0 ? nothingYet(state) : requestList(state, asked, chosen)}</div></main>
<aside class="card pane" aria-label="One request"><header><strong id="title">${chosen === undefined ? "None" : html`${statusOf(chosen)} #${chosen.n}`}</strong>
<span class="grow"></span><span id="steps" class="row">${stepsOf(state, asked, chosen)}</span>
<button class="button sheet-toggle" type="button" aria-expanded="false">Show</button></header>
<div id="request" data-n="${chosen?.n ?? ""}">${chosen !== undefined && requestOf(chosen, find)}</div></aside></div>
${sandboxScript}</body></html>
`;
  return `<!doctype html>\n${page.html}`;
}

function nothingYet({ example }: SandboxState): Html {
  return html`<div class="empty card"><h2>Nothing has arrived yet</h2>
<p>Send something, such as a file of yours in place of people.csv, and it appears here at once.</p>${copyableCommand(example)}</div>`;
}

function linkTo(asked: Asked, change: Partial<Asked>): string {
  return `?${new URLSearchParams({ ...asked, ...change })}`;
}

function requestList(state: SandboxState, asked: Asked, chosen: SeenRequest | undefined): Html {
  const { counts, errors, requests, found, kept } = state;
  const { find, answer, kinds } = asked;
  const link = (change: Partial<Asked>, isCurrent: boolean, look: string, text: Html | string) =>
    html`<a class="${look}" href="${linkTo(asked, change)}"${isCurrent && html` aria-current="true"`}>${text}</a>`;
  const tiles = tilesOf(counts).map((tile) =>
    link(
      { answer: tile.answer, n: "" },
      tile.answer === answer,
      "",
      `${tile.name} ${grouped(tile.count)}`,
    ),
  );
  const others = errors.length - maxAnswerKinds;
  const chips = (kinds === "" ? errors.slice(0, maxAnswerKinds) : errors).map(({ count, last }) => {
    const text = `${endingWord(last)} ${last.message}`;
    const isCurrent = find === text;
    const shown = html`<span>${statusOf(last)} ${last.message}</span> <b>${grouped(count)}</b>`;
    return link({ find: isCurrent ? "" : text, n: "" }, isCurrent, "chip", shown);
  });
  const [kindsToo, which] = kinds === "" ? ["all", `${grouped(others)} more`] : ["", "Fewer"];
  const more = others > 0 && link({ kinds: kindsToo }, false, "button bare", which);
  const all = `the last ${grouped(Math.min(counts.requests, kept))} requests`;
  const foundWords =
    find === "" && answer === ""
      ? `The last ${requests.length}, the newest first`
      : found === 0
        ? `None of ${all}. A row that is not sent makes none.`
        : `${grouped(found)} of ${all}${found > requests.length ? `, the newest ${requests.length}` : ""}`;
  const lines = requests.map((one) => {
    const why = one.message !== "" && html`<span class="why">${one.message}</span> `;
    const line = html`${statusOf(one)}<span class="n quiet num">#${one.n}</span><span class="what">${why}<span class="quiet">${valuesOf(one)}</span></span><time class="quiet num">${timeOf(one)}</time>`;
    return html`<li>${link({ n: String(one.n) }, one === chosen, "request", line)}</li>\n`;
  });
  return html`<div class="seg" id="tiles" role="group" aria-label="Show">${tiles}</div>
${chips.length > 0 && html`<div id="errors" role="group" aria-label="Answers that were no success">${chips}${more}</div>`}
<p class="quiet" id="found" role="status">${foundWords}</p>${lines.length > 0 && html`<ol id="requests">${lines}</ol>`}`;
}

/** Of answers that were no success, without a click. */
const maxAnswerKinds = 6;

function stepsOf({ requests }: SandboxState, asked: Asked, chosen: SeenRequest | undefined): Html {
  const at = chosen === undefined ? 0 : requests.indexOf(chosen);
  const step = (to: SeenRequest | undefined, label: string, sign: string) =>
    to !== undefined &&
    html`<a class="button" aria-label="${label}" href="${linkTo(asked, { n: String(to.n) })}">${sign}</a>`;
  return html`${step(requests[at - 1], "Newer", "‹")}${step(requests[at + 1], "Older", "›")}`;
}

/** A request in full. Lines of its body that have the text that was searched for stand out. */
function requestOf(request: SeenRequest, find: string): Html {
  const { method, path, message, body } = request;
  const lines = pretty(body)
    .split("\n")
    .map((line) => {
      const [, space = "", member = "", rest = line] =
        /^( *)("(?:[^"\\]|\\.)*")(:.*)$/.exec(line) ?? [];
      const isHit = find !== "" && line.toLowerCase().includes(find.toLowerCase());
      return html`<span${isHit && html` class="hit"`}>${space}<span class="member">${member}</span>${rest}\n</span>`;
    });
  return html`<p class="${message === "" ? "" : "why"}">${message || "accepted"}</p>
<p class="quiet">${method} ${path} at ${timeOf(request)}</p>${body !== "" && html`<pre id="body" tabindex="0" role="group" aria-label="Body">${lines}</pre>`}`;
}

function endingWord({ ending }: SeenRequest): string {
  return ending === "hang" ? "none" : String(ending);
}

function statusOf(request: SeenRequest): Html {
  return html`<span class="status${request.message !== "" && " bad"}">${endingWord(request)}</span>`;
}

/** In the zone of this machine: whoever looks at the page is on it. */
function timeOf({ at }: SeenRequest): string {
  return new Date(at).toLocaleTimeString("en-GB");
}

/** The first values of an event, by which people know it. */
function valuesOf({ body }: SeenRequest): string {
  const values: unknown[] = [];
  try {
    JSON.parse(body, (name, value) => {
      if (name !== "event" && value !== "" && typeof value !== "object") values.push(value);
      return value;
    });
  } catch {
    return body.slice(0, 200);
  }
  return values.slice(0, 6).join(" · ");
}

/** The body with line breaks; as it came if it is cut off, or has a number that would change. */
function pretty(body: string): string {
  try {
    const value = JSON.parse(body);
    return JSON.stringify(value) === body ? JSON.stringify(value, null, 2) : body;
  } catch {
    return `${body} …`;
  }
}

/**
 * Asks anew each second, and shows what has changed. The request that is shown stays until another is chosen, or a
 * search finds one.
 */
const scriptText = `${lookScript}
const at = (id) => document.getElementById(id);
let query = new URLSearchParams(location.search);
let latest = "";
async function ask() {
  try {
    const text = await (await fetch("?" + query)).text();
    if (text !== latest) {
      const next = new DOMParser().parseFromString(text, "text/html");
      const focused = document.activeElement?.getAttribute("href");
      for (const id of ["list", "title", "steps", "request"]) at(id).replaceChildren(...next.getElementById(id).childNodes);
      query.set("n", next.getElementById("request").dataset.n);
      if (focused) document.querySelector("a[href='" + CSS.escape(focused) + "']")?.focus();
      latest = text;
    }
    at("running").hidden = !(at("stopped").hidden = true);
  } catch {
    at("running").hidden = !(at("stopped").hidden = false);
  }
}
const chosen = () => document.querySelector("#requests [aria-current]");
async function follow(link) {
  query = new URLSearchParams(link.getAttribute("href"));
  at("find").value = query.get("find");
  await ask();
  chosen()?.scrollIntoView({ block: "nearest" });
  const toggle = document.querySelector(".sheet-toggle");
  if (link.matches(".request") && toggle.checkVisibility() && toggle.ariaExpanded === "false") toggle.click();
}
document.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (link === null || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  follow(link);
});
document.addEventListener("keydown", async (event) => {
  const to = { ArrowDown: "next", ArrowUp: "previous" }[event.key];
  const link = event.target.matches(".request") && event.target.parentElement[to + "ElementSibling"]?.firstChild;
  if (!to || !link) return;
  event.preventDefault();
  link.focus();
  follow(link);
});
at("find").addEventListener("input", ({ target }) => {
  query.set("find", target.value);
  query.delete("n");
  ask();
});
setInterval(ask, 1000);
`;
// The bundler splits this end tag, which it cannot do within a tagged template.
const sandboxScript = { html: `<script>${scriptText}</script>` };

const sandboxStyle = `${look}
.split:not(:has(#tiles)) { grid-template-columns: minmax(0, 1fr); & .pane { display: none; } }
.strip input { width: 18rem; }
.faults { margin-bottom: var(--s3); }
.empty { display: grid; gap: var(--s3); max-width: 44rem; }
#errors { display: flex; flex-wrap: wrap; gap: var(--s2); margin: var(--s3) 0; & .chip { max-width: 100%; font-size: var(--t2); }
  & .chip > span { max-width: 22rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } }
#found { margin: var(--s2) 0 var(--s1); }
#requests { background: var(--card); border: 1px solid var(--line); border-radius: var(--round); overflow: clip; & li + li { border-top: 1px solid var(--line); } }
.request { display: grid; grid-template-columns: 3.25rem 3.5rem minmax(0, 1fr) auto; gap: var(--s3); align-items: baseline; padding: 0.4375rem var(--s4); color: inherit; text-decoration: none;
  &:hover { background: var(--ground); }
  &:focus-visible { outline-offset: -2px; }
  &[aria-current] { background: var(--accent-soft); box-shadow: inset 3px 0 var(--accent); }
  & .what { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
}
.why, .status.bad { color: var(--bad); }
.status { color: var(--good); font-weight: 650; font-variant-numeric: tabular-nums; }
.request .status:not(.bad) { color: var(--quiet); font-weight: 400; }
#body { margin-top: var(--s3); & .member { color: var(--accent); } & .hit { background: var(--accent-soft); } }
@media (max-width: 40rem) {
  .strip { position: static; }
  .strip input { width: 100%; }
  .strip .address { flex: 1 0 100%; }
  #tiles { display: grid; grid-template-columns: 1fr 1fr; }
  #errors { flex-wrap: nowrap; overflow-x: auto; margin-inline: calc(-1 * var(--s4)); padding: 2px var(--s4); scrollbar-width: none; & > * { flex: none; } }
  .request { grid-template-columns: 2.75rem minmax(0, 1fr) auto; gap: 0 var(--s2); padding: var(--s2) var(--s3); & .n { display: none; } }
}
`;

const headers = pageHeaders(inlineSource(scriptText), inlineSource(sandboxStyle));
