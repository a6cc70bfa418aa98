import type { IncomingMessage, ServerResponse } from "node:http";
import { pageHeaders, refuse } from "../model/local-page.ts";
import { inlineSource } from "../model/look/inline-source.ts";
import { grouped } from "../model/quantities.ts";
import type { GivenError, SeenRequest } from "./request-log.ts";
import { namedCounts, type SandboxCounts } from "./sandbox-counts.ts";

/** What the page shows, and `state.json` below it has for programs. */
export interface SandboxState {
  url: string;
  counts: SandboxCounts;
  errors: GivenError[];
  requests: SeenRequest[];
}

/** Serves the page, or what it shows as `state.json`. These are not requests to the service, so they are not counted. */
export function servePage(
  path: string,
  { method, url = "" }: IncomingMessage,
  response: ServerResponse,
  stateOf: (find: string) => SandboxState,
): void {
  const send = (type: string, text: string) => {
    response.writeHead(200, { ...headers, "content-type": `${type}; charset=utf-8` });
    response.end(text);
  };
  const find = new URLSearchParams(url.split("?")[1]).get("find") ?? "";
  if (method !== "GET" || !["", "state.json"].includes(path)) refuse(response, 404);
  else if (path === "") send("text/html", pageOf(stateOf(find), find));
  else send("application/json", JSON.stringify(stateOf(find)));
}

function pageOf({ url, counts, errors, requests }: SandboxState, find: string): string {
  const numbers = namedCounts(counts).map(
    ([name, count, what]) =>
      `<div><dt>${name}</dt><dd>${grouped(count)}</dd><dd>${what}</dd></div>`,
  );
  const given = errors.map(({ count, last: { n, at, ending, message } }) => {
    const last = `<td>#${n} at ${timeOf(at)}</td>`;
    return `<tr class="bad"><td>${grouped(count)} ×</td><td>${wordOf(ending)} ${escaped(message)}</td>${last}</tr>`;
  });
  const none = "<tr><td>None so far: every request succeeded.</td></tr>";
  const head = "<tr><th>Times</th><th>Answer</th><th>Last one</th></tr>";
  const nothing =
    find === ""
      ? "Nothing has arrived yet. Send something to the address above, and it appears here."
      : "None of the last 1,000 requests has this text. A row that is invalid or left out sends none.";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>eventload sandbox</title><link rel="icon" href="data:,"><style>${style}</style>
</head>
<body>
<h1>eventload sandbox</h1>
<p>Send to <code>${escaped(url)}</code> <strong class="bad" id="status" role="status"></strong></p>
<input id="find" type="search" aria-label="Find a text" placeholder="Find an id, a name, 422 …">
<main>
<dl>${numbers.join("\n")}</dl>
<h2>Errors given</h2>
<table>${given.length === 0 ? none : head + given.join("\n")}</table>
<h2>Last requests</h2>
<p>${requests.length === 0 ? nothing : ""}</p>
<ol>${requests.map(itemOf).join("\n")}</ol>
</main>
<script>${script}</script>
</body></html>
`;
}

function itemOf({ n, at, path, ending, message, body }: SeenRequest): string {
  const head = `${wordOf(ending)} <span>#${n}</span> <code>${escaped(path)}</code> <time>${timeOf(at)}</time>`;
  const shown = body === "" ? "" : `<pre>${escaped(pretty(body))}</pre>`;
  return `<li class="${message === "" ? "" : "bad"}"><p>${head}</p><p>${escaped(message)}</p>${shown}</li>`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function wordOf(ending: SeenRequest["ending"]): string {
  return `<strong>${ending === "hang" ? "no answer" : ending}</strong>`;
}

/** Whoever looks at it is on this machine, and in its zone. */
function timeOf(iso: string): string {
  return new Date(iso).toLocaleTimeString("en-GB");
}

/** As it came if it is cut off, or has a number that would change. */
function pretty(body: string): string {
  try {
    const value = JSON.parse(body);
    return JSON.stringify(value) === body ? JSON.stringify(value, null, 2) : body;
  } catch {
    return `${body} …`;
  }
}

/** Asks anew each second. What has not changed stays, so that it can be selected and copied. */
const script = `
const find = document.getElementById("find");
const status = document.getElementById("status");
const main = document.querySelector("main");
let shown = "";
async function poll() {
  try {
    const text = await (await fetch("?find=" + encodeURIComponent(find.value))).text();
    const next = new DOMParser().parseFromString(text, "text/html").querySelector("main");
    if (text !== shown) main.replaceChildren(...next.childNodes);
    shown = text;
    status.textContent = "";
  } catch {
    status.textContent = "The sandbox does not answer: it has been stopped.";
  }
}
find.addEventListener("input", poll);
setInterval(poll, 1000);
`;

const style = `
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }
:root { --panel: light-dark(#f5f6f8, #1c2127); --quiet: light-dark(#57606a, #a3acb6); }
:root { --good: light-dark(#0b6b3a, #8fd6a8); --bad: light-dark(#b3261e, #ff9d94); }
body { max-width: 1100px; margin: 0 auto; padding: 16px; }
p, dd, pre { margin: 0; }
dt, dd + dd, th, time { color: var(--quiet); }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 8px; }
dl div, li { padding: 8px 12px; background: var(--panel); }
dt + dd { font-size: 24px; }
th, td { padding: 4px 16px 4px 0; text-align: left; vertical-align: top; }
input { width: 100%; max-width: 360px; margin-top: 8px; font: inherit; }
ol { padding: 0; list-style: none; }
li { margin-bottom: 8px; border-left: 3px solid var(--good); }
li.bad { border-color: var(--bad); }
li p > * { margin-right: 16px; }
strong { color: var(--good); }
.bad strong, strong.bad { color: var(--bad); }
pre, code { white-space: pre-wrap; overflow-wrap: anywhere; }
`;

const headers = pageHeaders(inlineSource(script), inlineSource(style));
