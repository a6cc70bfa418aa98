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
  const query = new URLSearchParams(url.split("?")[1]);
  const find = query.get("find") ?? "";
  if (method !== "GET" || !["", "state.json"].includes(path)) refuse(response, 404);
  else if (path !== "") send("application/json", JSON.stringify(stateOf(find)));
  else send("text/html", pageOf(stateOf(find), find, query.get("n")));
}

/**
 * @param find what was searched for
 * @param n the number of the request that was chosen
 */
function pageOf(state: SandboxState, find: string, n: string | null): string {
  const { url, requests } = state;
  // A search shows its first hit, and else what went wrong is shown first.
  const chosen =
    requests.find((one) => String(one.n) === n) ??
    (find === "" ? requests.find(({ message }) => message !== "") : undefined) ??
    requests[0];
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
<div class="split"><main id="list">${state.counts.requests === 0 ? nothingYet(state) : listOf(state, find, chosen)}</main>
<aside class="card pane" aria-label="One request"><header><strong id="title">${chosen === undefined ? "None" : html`${statusOf(chosen)} #${chosen.n}`}</strong>
<button class="button sheet-toggle" type="button" aria-expanded="false">Show</button></header>
<div id="request">${chosen !== undefined && requestOf(chosen)}</div></aside></div>
${script}</body></html>
`;
  return `<!doctype html>\n${page.html}`;
}

function nothingYet({ url, takesAnyToken }: SandboxState): Html {
  const token = takesAnyToken ? " --token-command 'echo any'" : "";
  return html`<div class="empty card"><h2>Nothing has arrived yet</h2>
<p>Send something, and it appears here at once.${takesAnyToken && " Any token will do."}</p>${command(`eventload import people.csv --base-url ${url}${token}`)}</div>`;
}

function listOf(
  { counts, requests, found, kept }: SandboxState,
  find: string,
  chosen: SeenRequest | undefined,
): Html {
  const all = `of the last ${grouped(Math.min(counts.requests, kept))} requests`;
  const lines = requests.map((one) => {
    const href = `?${new URLSearchParams({ find, n: String(one.n) })}`;
    const why = one.message !== "" && html`<span class="why">${one.message}</span> `;
    return html`<li><a class="request" href="${href}"${one === chosen && html` aria-current="true"`}>${statusOf(one)}<span class="n quiet num">#${one.n}</span><span class="what">${why}<span class="quiet">${valuesOf(one)}</span></span><time class="quiet num">${timeOf(one)}</time></a></li>\n`;
  });
  return html`<ul id="counts">${describeCounts(counts).map((line) => html`<li>${line}</li>`)}</ul>
<p class="quiet" id="found" role="status">${grouped(found)} ${all}${found > requests.length && `, the newest ${requests.length}`}</p>
<ol id="requests">${lines}</ol>`;
}

function requestOf(request: SeenRequest): Html {
  const { method, path, message, body } = request;
  return html`<p class="${message === "" ? "" : "why"}">${message || "accepted"}</p>
<p class="quiet">${method} ${path} at ${timeOf(request)}</p>${body !== "" && html`<pre id="body" tabindex="0" role="group" aria-label="Body">${pretty(body)}</pre>`}`;
}

function statusOf({ ending, message }: SeenRequest): Html {
  return html`<span class="status${message !== "" && " bad"}">${ending}</span>`;
}

/** Whoever looks at it is on this machine, and in its zone. */
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

/** As it came if it is cut off, or has a number that would change. */
function pretty(body: string): string {
  try {
    const value = JSON.parse(body);
    return JSON.stringify(value) === body ? JSON.stringify(value, null, 2) : body;
  } catch {
    return `${body} …`;
  }
}

/** Asks anew each second, and shows what has changed; the request that is shown stays. */
const text = `${lookScript}
const at = (id) => document.getElementById(id);
at("find").addEventListener("change", ({ target }) => {
  location.search = new URLSearchParams({ find: target.value });
});
setInterval(async () => {
  const answer = await fetch(location.href).catch(() => undefined);
  at("running").hidden = !(at("stopped").hidden = answer !== undefined);
  if (answer === undefined) return;
  const next = new DOMParser().parseFromString(await answer.text(), "text/html");
  const isChosen = new URLSearchParams(location.search).has("n");
  for (const id of isChosen ? ["list"] : ["list", "title", "request"]) {
    if (at(id).innerHTML !== next.getElementById(id).innerHTML) at(id).replaceChildren(...next.getElementById(id).childNodes);
  }
}, 1000);
`;
// The bundler splits this end tag, which it cannot do within a tagged template.
const script = { html: `<script>${text}</script>` };

const style = `${look}
.split:not(:has(#requests)) { grid-template-columns: minmax(0, 1fr); & .pane { display: none; } }
.strip input { width: 18rem; }
.empty { display: grid; gap: var(--s3); max-width: 44rem; }
#counts { display: flex; flex-wrap: wrap; gap: var(--s1) var(--s4); }
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
#body { margin-top: var(--s3); }
@media (max-width: 40rem) {
  .strip { position: static; }
  .strip input { width: 100%; }
  .strip .address { flex: 1 0 100%; }
  .request { grid-template-columns: 2.75rem minmax(0, 1fr) auto; gap: 0 var(--s2); padding: var(--s2) var(--s3); & .n { display: none; } }
}
`;

const headers = pageHeaders(inlineSource(text), inlineSource(style));
