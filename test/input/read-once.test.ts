import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toInput } from "../../src/run/options/input.ts";
import { prepareInput } from "../../src/run/prepare/prepare-input.ts";
import { checkWithState } from "../../src/run/state/check-with-state.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const text = "Email,Age\nann@example.com,41\nbo@example.com,old\n";
const mapping = `version: 1
resource: users
event: user.updated
members: { email: Email, age: { column: Age, type: integer }, file: { meta: input_name } }
`;

/** A file with a mapping, and named pipes through which a text comes once. */
async function given() {
  const folder = await temporaryFolder();
  const file = join(folder, "people.yaml");
  await writeFile(file, mapping);
  return {
    file,
    folder,
    pipe(name: string, content: string) {
      const path = join(folder, name);
      execFileSync("mkfifo", [path]);
      void writeFile(path, content);
      return path;
    },
  };
}

test("what can be read only once is checked in one pass", async () => {
  const { pipe, file } = await given();
  const report = await checkWithState({ input: pipe("people.fifo", text), mapping: file });
  expect(report).toMatchObject({ rows: 2, events: 1, invalidRows: 1 });
});

test("and prepared as a stream, which has no fingerprint and another id each time", async () => {
  const { pipe, file, folder } = await given();
  const prepare = async (path: string) => {
    const { input, inputName } = await toInput({ input: path });
    const prepared = await prepareInput({
      ...{ input, inputName, kind: "import", mapping: file, warn: () => {} },
    });
    await prepared.close();
    return { ...prepared, ...(await prepared.identify()) };
  };
  const first = await prepare(pipe("a", text));
  const second = await prepare(pipe("b", text));
  expect(first).toMatchObject({ name: "a", called: "a", files: [], fingerprint: undefined });
  expect(first.id).toMatch(/^[0-9a-f]{16}$/);
  expect(second.id).not.toBe(first.id);

  await writeFile(join(folder, "people.csv"), text);
  expect(await prepare(join(folder, "people.csv"))).toMatchObject({
    name: "people.csv",
    files: [{ path: join(folder, "people.csv") }],
    fingerprint: { bytes: text.length },
  });
});

test("and a file is known by its hash, if it stays as it is", async () => {
  const { file, folder } = await given();
  const path = join(folder, "people.csv");
  await writeFile(path, text);
  const sha256 = createHash("sha256").update(text).digest("hex");
  const prepare = () => prepareInput({ input: path, mapping: file, hold: true, warn: () => {} });
  const prepared = await prepare();
  expect(await prepared.identify()).toMatchObject({
    id: sha256.slice(0, 16),
    files: [{ path, sha256 }],
    fingerprint: { bytes: text.length, sha256 },
  });
  await prepared.close();
  const changed = await prepare();
  await writeFile(path, `${text}x,1\n`);
  await expect(changed.identify()).rejects.toMatchObject({ code: "input_changing" });
  await changed.close();
});

test("a name that was given stays, and what is no pipe is left as it is", async () => {
  const { file, folder } = await given();
  expect(await toInput({ input: "/dev/null", inputName: "mine" })).toMatchObject({
    inputName: "mine",
  });
  for (const input of [file, folder, join(folder, "nothing")]) {
    expect(await toInput({ input })).toEqual({ input });
  }
});

test("a mapping is read once, and known by the bytes that were read", async () => {
  const { pipe, folder } = await given();
  await writeFile(join(folder, "people.csv"), text);
  const prepared = await prepareInput({
    ...{ input: join(folder, "people.csv"), kind: "import", mapping: pipe("m", mapping) },
    warn: () => {},
  });
  await prepared.close();
  expect(prepared.mapping).toMatchObject({
    bytes: mapping.length,
    sha256: createHash("sha256").update(mapping).digest("hex"),
  });
});
