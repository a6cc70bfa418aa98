import type { Manifest } from "../../src/model/manifest.ts";
import type { RunFigures } from "../../src/model/run-figures.ts";
import { openService, type Reply } from "../delivery/service-under-test.ts";
import { openWorkspace, type Workspace } from "../run/import-under-test.ts";

const mapping = `
version: 1
resource: contacts
event: contact.imported
when: { column: Note, not_in: [test] }
members: { name: Name, age: { column: Age, type: integer } }
`;

/** Would run if it were taken for HTML, wherever it stands. */
export const hostile = `</script></title><script>hacked = 1</script>"'><img src=x onerror="hacked=1">`;

export interface RunToReport {
  readonly workspace: Workspace;
  readonly url: string;
  manifest(): Promise<Manifest & { readonly figures: RunFigures }>;
}

/** Some of its rows are invalid or skipped. */
export async function runToReport(
  replyTo: (request: number, body: string) => Reply,
  length = 40,
): Promise<RunToReport> {
  const rows = Array.from({ length }, (_, at) => [
    `Ann ${at}`,
    at % 10 === 3 ? `${hostile}${at}` : "40",
    at % 20 === 5 ? "test" : "",
  ]);
  const workspace = await openWorkspace([["Name", "Age", "Note"], ...rows], mapping);
  let requests = 0;
  const service = await openService(({ body }) => replyTo(++requests, body));
  return {
    workspace,
    url: service.url,
    manifest: async () => JSON.parse(await workspace.text("people.run.json")),
  };
}

/** Throttles, fails, refuses with hostile messages, and does not answer. */
export function troubledReplies(request: number): Reply {
  if (request === 4) return { status: 429, headers: { "retry-after": "2" }, body: hostile };
  if (request === 6) return { status: 500, body: hostile };
  if (request === 12) return "cut";
  if (request % 8 === 0) {
    return { status: 422, body: JSON.stringify({ message: `${hostile} ${request}` }) };
  }
  return { status: 200 };
}
