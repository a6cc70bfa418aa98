import { execFileSync } from "node:child_process";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { curlCommand } from "../../../src/cli/terminal/render-preview.ts";
import { sandboxUnderTest } from "../../sandbox/sandbox-under-test.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { situation } from "../situation.ts";

const awkward = fc.string({
  unit: fc.oneof(
    fc.constantFrom("'", '"', "\\", "$", "`", "!", "\n", "\r", "%", "@", "\\0", "é", "汉", "😀"),
    fc.constantFrom("\u009b", "\u0085", "\u2028", "\u202e", "\u200f", "\u0000", "\ud800", "$(x)"),
    fc.string({ unit: "binary" }),
  ),
});

/** A folder with a `curl` that writes what it is given to files. */
async function fakeCurl() {
  const folder = await temporaryFolder();
  const curl = join(folder, "curl");
  await writeFile(
    curl,
    `#!${process.execPath}
const { writeFileSync } = require("node:fs");
const args = process.argv.slice(2);
writeFileSync(${JSON.stringify(join(folder, "args"))}, JSON.stringify(args));
`,
  );
  await chmod(curl, 0o755);
  return {
    async run(command: string) {
      const env = { PATH: [folder, process.env.PATH].join(delimiter), EVENTLOAD_TOKEN: "a 'b' $c" };
      execFileSync("sh", ["-c", command], { env });
      return JSON.parse(await readFile(join(folder, "args"), "utf8")) as string[];
    },
  };
}

const request = (body: string, url = "https://example.com/v1/users/events") => ({
  ...{ method: "POST" as const, url, body },
  headers: { authorization: "Bearer ********", "content-type": "application/json", "x-id": "it's" },
});

describe("a request as a curl command", () => {
  it("sends the same JSON, whatever is in it", async () => {
    const { run } = await fakeCurl();
    await fc.assert(
      fc.asyncProperty(fc.dictionary(awkward, awkward, { maxKeys: 3 }), async (members) => {
        const body = JSON.stringify(members);
        const command = curlCommand(request(body)).join("\n");
        expect(command).not.toMatch(/[\u0080-\u009f\u2028\u2029\u202a-\u202e\u200e\u200f]/);
        expect(JSON.parse((await run(command)).at(-1) ?? "")).toEqual(JSON.parse(body));
      }),
      { numRuns: 15 },
    );
  });

  it("has the address, the headers, and the token of the environment", async () => {
    const { run } = await fakeCurl();
    const args = await run(curlCommand(request("{}", "http://[::1]:80/it's/{x}")).join("\n"));
    expect(args).toEqual([
      ...["--include", "http://[::1]:80/it's/{x}", "--globoff"],
      ...["--header", "Authorization: Bearer a 'b' $c"],
      ...["--header", "content-type: application/json", "--header", "x-id: it's"],
      ...["--data-raw", "{}"],
    ]);
  });
});

describe("check --row --curl", () => {
  const mapping =
    "version: 1\nevents:\n" +
    "  - { resource: users, event: a, members: { email: { column: Email, required: true }, name: First Name } }\n" +
    "  - { resource: contacts, event: b, members: { email: Email } }\n";
  const curl = ["--row", "1", "--curl"];

  it("prints a command for each request, which the service accepts", async () => {
    const service = await sandboxUnderTest({ token: "a-token" });
    const { check, write } = await situation();
    await write("people.yaml", mapping);
    await write("people.csv", "Email,First Name\nada@example.com,O'Hara \u009b\n");
    const { status, stdout, stderr } = await check([...curl, "--base-url", service.url]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).not.toContain("a-token");
    const commands = stdout.split("\n\n");
    expect(commands).toHaveLength(2);
    expect(commands[1]).toBe(
      `curl --include '${service.url}/v1/contacts/events' \\\n  --header "Authorization: Bearer $EVENTLOAD_TOKEN" \\\n  --header 'content-type: application/json' \\\n  --header 'user-agent: eventload' \\\n  --data-raw '{"event":"b","email":"ada@example.com"}'\n`,
    );
    expect(commands[0]).toContain("O'\\''Hara \\u009b");
  });

  it("prints nothing that a shell could take for a command if there is no request", async () => {
    const { check, write } = await situation();
    await write("people.yaml", mapping);
    await write("people.csv", "Email,First Name\n,$(touch x)\n");
    const { status, stdout, stderr } = await check([...curl, "--base-url", "https://example.com"]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^row 1 \(line 2\), column "Email": is blank/);
  });

  it.each([
    [["--curl"], "--curl needs --row with it."],
    [curl, "--curl: it needs the address of the service: add --base-url."],
    [
      [...curl, "--json", "--base-url", "https://example.com"],
      "--curl and --json cannot be given together.",
    ],
  ])("is refused: %j", async (args, sentence) => {
    const { check } = await situation();
    const { status, stdout, stderr } = await check(args);
    expect(status).toBe(2);
    expect(stdout + stderr).toContain(sentence);
  });
});
