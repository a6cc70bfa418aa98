import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

/** Uses an installed package as a person does, on one version of Node. */
export async function tryPackage({ installed, folder, bin, node, fixtures, version }) {
  mkdirSync(folder);
  cpSync(join(fixtures, "readme"), folder, { recursive: true });
  const env = {
    PATH: `${join(installed, "node_modules/.bin")}:${bin}:/usr/bin:/bin`,
    EVENTLOAD_TOKEN: "any",
    SHELL: "/bin/bash",
  };
  /** Runs a program to its end; nothing may be deprecated or experimental for it. */
  const run = async (program, args, expected = 0) => {
    const { stdout, stderr, code } = await promisify(execFile)(program, args, { cwd: folder, env })
      .then((said) => ({ ...said, code: 0 }))
      .catch((error) => error);
    assert.equal(code, expected, `${program} ${args.join(" ")} ended with ${code}: ${stderr}`);
    assert.doesNotMatch(stderr, /deprecat|experimental|\(node:\d+\)/i);
    return stdout;
  };

  assert.equal(await run("node", ["--version"]), `${node}\n`);
  assert.equal(await run("eventload", ["--version"]), `${version}\n`);
  assert.match(await run("eventload", ["import", "--help"]), /Examples:/);
  assert.match(await run("eventload", ["completion"]), /get-yargs-completions/);

  const sandbox = spawn("eventload", ["sandbox"], { cwd: folder, env });
  try {
    const [url] = await once(createInterface(sandbox.stdout), "line");
    const mapping = ["--mapping", "people.yaml"];
    await run("eventload", ["check", "people.csv", ...mapping], 1);
    const results = ["--results", "out/{input}.{date}.results.csv"];
    const to = [...mapping, "--base-url", url];
    const sent = await run("eventload", ["import", "people.csv", ...to, ...results, "--json"], 1);
    const summary = JSON.parse(sent);
    assert.equal(summary.succeeded, 2);
    assert.equal(summary.invalid, 1);

    const failed = join(folder, summary.failed_rows);
    writeFileSync(failed, readFileSync(failed, "utf8").replace(",eighty,", ",80,"));
    const again = await run("eventload", ["retry", summary.failed_rows, "--json"]);
    assert.equal(JSON.parse(again).succeeded, 3); // of the account

    symlinkSync(join(installed, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "library.mjs"), library);
    assert.equal(await run("node", ["library.mjs", url]), "2 complete\n");
  } finally {
    sandbox.kill("SIGINT");
    await once(sandbox, "exit");
  }
}

const library = `
import { runImport } from "eventload";
const [input, mapping, results] = ["people.csv", "people.yaml", "library.results.csv"];
const summary = await runImport({
  ...{ input, mapping, results, baseUrl: process.argv[2] },
  token: "any",
});
console.log(summary.counts.succeeded, summary.exitReason);
`;
