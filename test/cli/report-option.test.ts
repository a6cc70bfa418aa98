import { expect, it } from "vitest";
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
  const said = /^Next: (mend .*, then type: )(eventload retry .*)$/m.exec(stderr);
  expect(said?.[2]).toBe(
    `eventload retry ${path("people.failed.csv")} --config ${path("other.yaml")} --rate 300/m --max-errors '50%'`,
  );
  const shown = said?.[2]?.replaceAll("'", "&#39;");
  expect(await read("r.html")).toContain(`<bdi>${said?.[1]}</bdi><code>${shown}</code>`);
});
