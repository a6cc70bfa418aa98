import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const majors = [20, 22, 24, 26];
const longestDownloadMs = 120_000;

/** A registry that is not there is given up soon. */
export const npmInstall = [
  ...["install", "--no-audit", "--no-fund", "--prefer-offline"],
  ...[
    "--loglevel=error",
    "--fetch-timeout=60000",
    "--fetch-retries=1",
    "--fetch-retry-mintimeout=1000",
  ],
];

/**
 * The Node versions to try the package on, each as the folder of its `node`; the present one is always
 * among them, and of the others those that can be had.
 *
 * @param folder where they are put
 * @param say told of each that cannot be had, and why
 */
export function* nodeVersions(folder, say) {
  const present = Number(process.versions.node.split(".")[0]);
  yield { major: present, bin: dirname(process.execPath) };
  for (const major of majors.filter((one) => one !== present)) {
    const bin = fetchNode(major, join(folder, `node-${major}`), (why) =>
      say(`Node ${major} is skipped: ${why}`),
    );
    if (bin !== undefined) yield { major, bin };
  }
}

/**
 * Fetches a build of Node, as npm has it.
 *
 * @param system `linux` or `win`
 * @returns the folder of its program; undefined if it cannot be had
 */
export function fetchNode(major, folder, say, system = "linux") {
  const { platform, arch } = process;
  if (platform !== "linux" || arch !== "x64") {
    say(`other versions are fetched on linux on x64 only, and this is ${platform} on ${arch}`);
    return undefined;
  }
  const name = `node-${system}-x64`;
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  try {
    // npm would not install a program for another system.
    const options = ["--ignore-scripts", ...(system === platform ? [] : ["--force"])];
    execFileSync("npm", [...npmInstall, ...options, `${name}@${major}`], {
      cwd: folder,
      stdio: "pipe",
      timeout: longestDownloadMs,
    });
  } catch (error) {
    say(reasonOf(error));
    return undefined;
  }
  return join(folder, `node_modules/${name}/bin`);
}

/** npm's own word for it, without its advice. */
export function reasonOf(error) {
  const lines = String(error.stderr ?? "").split("\n");
  const told = lines.find((line) => /^npm (error|ERR!) (?!A complete log)/.test(line));
  return told ?? error.code ?? error.message;
}
