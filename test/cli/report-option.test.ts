import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { copyableCommand } from "../../src/model/look/html.ts";
import { sandboxUnderTest } from "../sandbox/sandbox-under-test.ts";
import { situation } from "./situation.ts";

it("a report says what to type next as the summary does", async () => {
  const { url } = await sandboxUnderTest();
  const { import: send, path, read, write } = await situation();
  await write("people.csv", "Email,First Name,Code\na@x,A,1\n,B,2\n");
  await write("other.yaml", "concurrency: 4\n");
  const results = path("people.results.csv");
  const typed = ["--config", path("other.yaml"), "--rate", "300/m", "--max-errors", "50%"];
  const to = ["--base-url", url, "--results", results, "--report", path("r.html")];
  const { stderr } = await send([...to, ...typed]);
  const said = /^Next: (fix .*, then run: )(eventload retry .*)$/m.exec(stderr);
  expect(said?.[2]).toBe(
    `eventload retry ${path("people.failed.csv")} --config ${path("other.yaml")}`,
  );
  // A report names files and no folders.
  expect(await read("r.html")).toContain(
    `Send the open rows again, with the token as before:${copyableCommand("eventload retry people.failed.csv --config other.yaml").html}`,
  );
});

it("of a run that left no files there is no report, and it is said why", async () => {
  const { url } = await sandboxUnderTest({ token: "another" });
  const { import: send, path } = await situation();
  const argv = ["--base-url", url, "--report", path("r.html"), "--json"];
  const { status, stderr, stdout } = await send(argv);
  expect(status).toBe(3);
  expect(stderr).toContain("Report:      none: nothing was delivered\n");
  expect(JSON.parse(stdout)).toMatchObject({ manifest: null, report: null });
  expect(existsSync(path("r.html"))).toBe(false);
});
