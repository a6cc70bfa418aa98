import { describe, expect, it } from "vitest";
import { situation } from "./situation.ts";

const text = "Email,First Name,Code\nada@example.com,NULL,00172\n bob@example.com,B,172\n";

describe("what is odd in the rows", () => {
  it("is shown to people, with a line for the mapping, and changes no exit status", async () => {
    const { check, write } = await situation();
    await write("people.csv", text);
    const { status, stdout, stderr } = await check();
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
    expect(stderr.split("\n")).toEqual([
      'finding: column "Email": 1 cell begins or ends with space, which is sent as part of the text. Seen in row 2 (line 3) " bob@example.com".',
      "         perhaps in the mapping: email: { column: Email, required: true, transform: trim }",
      'finding: column "Code": 1 cell has fewer digits than the 5 of others such as 00172: leading zeros seem to be lost, as spreadsheet programs do. Get the codes from the source of the file. Seen in row 2 (line 3) "172".',
      'finding: column "First Name": 1 cell holds text that may mean a missing value (NULL): clear it if so. Seen in row 1 (line 2) "NULL".',
      '         perhaps in the mapping: null_values: [ "NULL" ]',
      'Events: 2 × "user.imported" (users)',
      "Members always present: email, first_name, code",
      'Row 1 becomes: email "ada@example.com", first_name "NULL", code "00172"',
      "2 rows give 2 events, no row is invalid. Nothing was sent.",
      "",
    ]);
    expect((await check("--quiet")).stderr).toBe("");
  });

  it("is not sought in a row whose cells may belong to other columns", async () => {
    const { check, write } = await situation();
    await write("people.csv", "Email,First Name,Code\nada@example.com,A,00172\nNULL,NULL\n");
    const { stdout, stderr } = await check();
    expect(stdout).toContain("has 2 cells where the header has 3");
    expect(stderr).not.toContain("finding:");
  });

  it("is said with --quiet too, if an integer loses zeros", async () => {
    const { check, write } = await situation();
    await write("people.csv", "No\n007\n12\n5\n");
    await write(
      "people.yaml",
      "version: 1\nresource: users\nevent: e\nmembers: { a: { column: No, type: integer } }\n",
    );
    const { stderr } = await check("--quiet");
    expect(stderr).toContain('column "No": 1 cell begins with a zero');
  });

  it("stands in the JSON too, and is shown with a mapping that is a function", async () => {
    const { write, run, path } = await situation();
    await write("people.csv", text);
    await write(
      "people.mjs",
      'export default (row) => ({ resource: "users", body: { event: "e", mail: row.Email.trim() } });',
    );
    const check = `check ${path("people.csv")} --mapping ${path("people.mjs")}`;
    const { findings } = JSON.parse((await run(`${check} --json`)).stdout);
    expect(findings).toMatchObject([
      { kind: "lost_leading_zeros", column: "Code", first: [{ row: 2, line: 3, value: "172" }] },
      { kind: "null_values", column: "First Name", count: 1, suggestion: null },
    ]);
    expect((await run(check)).stderr).not.toContain("perhaps in the mapping");
  });
});
