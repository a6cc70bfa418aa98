import type { IncomingMessage, ServerResponse } from "node:http";
import { pageHeaders, refuse } from "../model/local-page.ts";
import { command, type Html, html } from "../model/look/html.ts";
import { inlineSource } from "../model/look/inline-source.ts";
import { look } from "../model/look/look.ts";
import { lookScript } from "../model/look/look-script.ts";
import { grouped } from "../model/quantities.ts";
import type { FoundRequests, SeenRequest } from "./request-log.ts";
import { describeCounts, type SandboxCounts } from "./sandbox-counts.ts";

/** What the page shows, and `state.json` below it has for programs. */
export interface SandboxState extends FoundRequests {
  url: string;
  counts: SandboxCounts;
  takesAnyToken: boolean;
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
  else if (path !== "") send("application/json", JSON.stringify(stateOf(find)));
  else send("text/html", pageOf(stateOf(find), find));
}

/** @param find what was searched for */
function pageOf(state: SandboxState, find: string): string {
  const { url, counts } = state;
  const page = html`<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>eventload sandbox</title><link rel="icon" href="data:,"><style>${{ html: style }}</style>
</head>
<body>
<header class="strip"><h1>Sandbox</h1>
<span role="status"><span class="tag good" id="running">running</span><span class="tag bad" id="stopped" hidden>stopped: it does not answer</span></span>
<div class="address">${command(url)}</div><span class="grow"></span>
<input id="find" type="search" aria-label="Find a request" placeholder="Find an id, a name, 422 …" value="${find}">
</header>
<main id="list">${counts.requests === 0 ? nothingYet(state) : listOf(state)}</main>
${script}</body></html>
`;
  return `<!doctype html>\n${page.html}`;
}

function nothingYet({ url, takesAnyToken }: SandboxState): Html {
  const token = takesAnyToken ? " --token-command 'echo any'" : "";
  return html`<div class="empty card"><h2>Nothing has arrived yet</h2>
<p>Send something, and it appears here at once.${takesAnyToken && " Any token will do."}</p>${command(`eventload import people.csv --base-url ${url}${token}`)}</div>`;
}

function listOf({ counts, requests, found, kept }: SandboxState): Html {
  const all = `of the last ${grouped(Math.min(counts.requests, kept))} requests`;
  return html`<ul id="counts">${describeCounts(counts).map((line) => html`<li>${line}</li>`)}</ul>
<p class="quiet" id="found" role="status">${grouped(found)} ${all}${found > requests.length && `, the newest ${requests.length}`}</p>
<ol id="requests">${requests.map(requestOf)}</ol>`;
}

/** A line, which opens to show the request in full. */
function requestOf(request: SeenRequest): Html {
  const { n, ending, method, path, message, body } = request;
  const why = message !== "" && html`<span class="why">${message}</span> `;
  return html`<li><details><summary><span class="status${message !== "" && " bad"}">${ending}</span><span class="n quiet num">#${n}</span><span class="what">${why}<span class="quiet">${body}</span></span><time class="quiet num">${timeOf(request)}</time></summary>
<p class="${message === "" ? "" : "why"}">${message || "accepted"}</p>
<p class="quiet">${method} ${path}</p>${body !== "" && html`<pre tabindex="0" role="group" aria-label="Body">${pretty(body)}</pre>`}</details></li>\n`;
}

/** Whoever looks at it is on this machine, and in its zone. */
function timeOf({ at }: SeenRequest): string {
  return new Date(at).toLocaleTimeString("en-GB");
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

/** Asks anew each second, and shows what has changed, unless a request is open. */
const text = `${lookScript}
const at = (id) => document.getElementById(id);
at("find").addEventListener("change", ({ target }) => {
  location.search = new URLSearchParams({ find: target.value });
});
setInterval(async () => {
  const answer = await fetch(location.href).catch(() => undefined);
  at("running").hidden = !(at("stopped").hidden = answer !== undefined);
  if (answer === undefined || document.querySelector("details[open]")) return;
  const next = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("list");
  if (at("list").innerHTML !== next.innerHTML) at("list").replaceChildren(...next.childNodes);
}, 1000);
`;
// The bundler splits this end tag, which it cannot do within a tagged template.
const script = { html: `<script>${text}</script>` };

const style = `${look}
main { max-width: 76rem; margin: 0 auto; padding: var(--s5); }
.strip input { width: 18rem; }
.empty { display: grid; gap: var(--s3); max-width: 44rem; }
#counts { display: flex; flex-wrap: wrap; gap: var(--s1) var(--s4); }
#found { margin: var(--s2) 0 var(--s1); }
#requests { background: var(--card); border: 1px solid var(--line); border-radius: var(--round); overflow: clip; & li + li { border-top: 1px solid var(--line); } }
summary { display: grid; grid-template-columns: 3.25rem 3.5rem minmax(0, 1fr) auto; gap: var(--s3); align-items: baseline; padding: 0.4375rem var(--s4);
  &:hover { background: var(--ground); }
  &:focus-visible { outline-offset: -2px; }
  & .what { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
}
details > :not(summary) { margin: 0 var(--s4) var(--s3); }
.why, .status.bad { color: var(--bad); }
.status.bad { font-weight: 650; }
@media (max-width: 40rem) {
  main { padding: var(--s4); }
  .strip { position: static; }
  .strip input { width: 100%; }
  .strip .address { flex: 1 0 100%; }
  summary { grid-template-columns: 2.75rem minmax(0, 1fr) auto; gap: 0 var(--s2); padding: var(--s2) var(--s3); & .n { display: none; } }
}
`;

const headers = pageHeaders(inlineSource(text), inlineSource(style));
