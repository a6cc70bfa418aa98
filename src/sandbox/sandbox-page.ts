import type { IncomingMessage, ServerResponse } from "node:http";
import { pageHeaders, refuse } from "../model/local-page.ts";
import { command, html } from "../model/look/html.ts";
import { inlineSource } from "../model/look/inline-source.ts";
import { look } from "../model/look/look.ts";
import { lookScript } from "../model/look/look-script.ts";
import { pageScript } from "./page-script.ts";
import type { FoundRequests, GivenError } from "./request-log.ts";
import type { SandboxCounts, Tile } from "./sandbox-counts.ts";

/** What the page shows, and `state.json` below it has for programs. */
export interface SandboxState extends FoundRequests {
  url: string;
  counts: SandboxCounts;
  tiles: Tile[];
  errors: GivenError[];
}

/** What the page says of a sandbox from its start. */
export interface StartedSandbox {
  url: string;
  /** What it was started with, a few words each. */
  settings: string[];
  takesAnyToken: boolean;
}

/**
 * Serves the page, or what it shows as `state.json`. These are not requests to the service, so they are not counted.
 *
 * @param stateOf what has come, with the requests that have a text and were answered in a way
 */
export function servePage(
  path: string,
  { method, url = "" }: IncomingMessage,
  response: ServerResponse,
  started: StartedSandbox,
  stateOf: (find: string, answer: string) => SandboxState,
): void {
  const send = (type: string, text: string) => {
    response.writeHead(200, { ...headers, "content-type": `${type}; charset=utf-8` });
    response.end(text);
  };
  const asked = new URLSearchParams(url.split("?")[1]);
  const state = () => stateOf(asked.get("find") ?? "", asked.get("answer") ?? "");
  if (method !== "GET" || !["", "state.json"].includes(path)) refuse(response, 404);
  else if (path === "") send("text/html", `<!doctype html>\n${pageOf(started).html}`);
  else send("application/json", JSON.stringify(state()));
}

const token = "--token-command 'echo any'";

/** The page before anything has come: its script fills it. */
function pageOf({ url, settings, takesAnyToken }: StartedSandbox) {
  const trial = `eventload import people.csv --base-url ${url}${takesAnyToken ? ` ${token}` : ""}`;
  return html`<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>eventload sandbox</title><link rel="icon" href="data:,"><style>${{ html: style }}</style>
</head>
<body class="none">
<header class="strip"><h1>Sandbox</h1>
<span role="status"><span class="tag good" id="running">running</span><span class="tag bad" id="stopped" hidden>stopped: it does not answer</span></span>
<div class="address">${command(url)}</div><span class="grow"></span>
<input id="find" type="search" aria-label="Find a request" placeholder="Find an id, a name, 422 …">
</header>
<div class="split"><main>
<p class="settings row quiet">Started with: ${settings.map((one) => html`<span class="tag">${one}</span> `)}</p>
<div class="empty card"><h2>Nothing has arrived yet</h2>
<p>Send something, and it appears here at once.${takesAnyToken && " Any token will do."}</p>${command(trial)}</div>
<div class="full"><div class="seg" id="tiles" role="group" aria-label="Show"></div>
<div id="errors" role="group" aria-label="Answers that were no success"></div>
<p class="quiet" id="found" role="status"></p><ol id="requests"></ol></div>
</main>
<aside class="card pane full" aria-label="One request"><header><strong id="title"></strong><span class="grow"></span>
<button class="button" type="button" id="newer" aria-label="Newer">‹</button><button class="button" type="button" id="older" aria-label="Older">›</button>
<button class="button sheet-toggle" type="button" aria-expanded="false">Show</button></header>
<div><p id="answer"></p><p class="quiet" id="path"></p><pre id="body" tabindex="0" aria-label="Body"></pre></div></aside></div>
${script}</body></html>
`;
}

const text = lookScript + pageScript;
// The bundler splits this end tag, which it cannot do within a tagged template.
const script = { html: `<script>${text}</script>` };

const style = `${look}
.none .full, body:not(.none) .empty { display: none; }
.none .split { grid-template-columns: minmax(0, 1fr); }
.strip input { width: 18rem; }
.settings { gap: var(--s1) var(--s2); margin-bottom: var(--s3); & .tag { font-weight: 400; white-space: normal; } }
.empty { display: grid; gap: var(--s3); max-width: 44rem; }
#errors { display: flex; flex-wrap: wrap; gap: var(--s2); margin: var(--s3) 0; & .chip { font-size: var(--t2); max-width: 100%; }
  & .chip span { max-width: 22rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } &:empty { display: none; } }
#found { margin: var(--s2) 0 var(--s1); }
#requests { background: var(--card); border: 1px solid var(--line); border-radius: var(--round); overflow: clip;
  & li + li { border-top: 1px solid var(--line); }
  & button { display: grid; grid-template-columns: 3.25rem 3.5rem minmax(0, 1fr) auto; gap: var(--s3); align-items: baseline; width: 100%;
    padding: 0.4375rem var(--s4); border: 0; background: none; text-align: left; cursor: pointer; }
  & button:hover { background: var(--ground); }
  & button:focus-visible { outline-offset: -2px; }
  & [aria-current="true"] { background: var(--accent-soft); box-shadow: inset 3px 0 var(--accent); }
  & .what { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  &:empty { display: none; }
}
.why, .status.bad { color: var(--bad); }
.status { font-weight: 650; font-variant-numeric: tabular-nums; color: var(--good); }
#requests .status:not(.bad) { color: var(--quiet); font-weight: 400; }
#body { margin-top: var(--s3); max-height: none; & .member { color: var(--accent); } & .hit { background: var(--accent-soft); } }
@media (max-width: 40rem) {
  .strip { position: static; }
  .strip input { width: 100%; }
  .strip .address { flex: 1 0 100%; }
  #tiles { display: grid; grid-template-columns: 1fr 1fr; }
  #errors { flex-wrap: nowrap; overflow-x: auto; margin-inline: calc(-1 * var(--s4)); padding: 2px var(--s4); scrollbar-width: none; & > * { flex: none; } }
  #requests button { grid-template-columns: 2.75rem minmax(0, 1fr) auto; gap: 0 var(--s2); padding: var(--s2) var(--s3); & .n { display: none; } }
}
`;

const headers = pageHeaders(inlineSource(text), inlineSource(style));
