import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { describeOnWindows, preload, startNode } from "./on-windows.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const needed = ["src", "bundle.js", "package.json", "package-lock.json", "tsconfig.build.json"];

/** The files of a folder, with what is in them. */
function filesIn(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const read = files.map(({ parentPath, name }): [string, string] => {
    const path = join(parentPath, name);
    return [path.slice(folder.length), readFileSync(path, "utf8")];
  });
  return new Map(read.toSorted());
}

describeOnWindows("on Windows", () => {
  it("the build makes the same files as elsewhere, byte by byte", async () => {
    const folder = await temporaryFolder();
    for (const name of [...needed, "tsconfig.json"]) {
      cpSync(join(root, name), join(folder, name), { recursive: true });
    }
    const quickly = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
    const install = ["ci", ...quickly, "--os=win32", "--cpu=x64"];
    execFileSync("npm", install, { cwd: folder, stdio: "pipe" });
    // The steps of `npm run build`: npm itself is not there.
    const run = async (...args: readonly string[]) => {
      const { status, stdout, stderr } = await startNode(args, folder).ended;
      expect(status, stderr).toBe(0);
      return stdout;
    };
    await run("node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json");
    await run("bundle.js");
    for (const [name, ...of] of [["mapping"], ["eventload", "config"]]) {
      const schema = await run("dist/cli/bin.js", "schema", ...of);
      writeFileSync(join(folder, `dist/${name}.schema.json`), schema);
    }
    const made = filesIn(join(folder, "dist"));
    const expected = filesIn(join(root, "dist"));
    expect([...made.keys()]).toEqual([...expected.keys()]);
    for (const [name, text] of made) expect(text === expected.get(name), name).toBe(true);

    // And what the README has next, `npm start`: an import, a fix and a retry with the sandbox there.
    cpSync(join(root, "fixtures/demo"), join(folder, "fixtures/demo"), { recursive: true });
    const ofChildren = { NODE_OPTIONS: `--import file:///Z:${preload}` };
    const demo = await startNode(["fixtures/demo/start.mjs"], folder, ofChildren).ended;
    expect(demo).toMatchObject({ status: 0, stderr: expect.stringContaining("240 rows") });
  });
});
