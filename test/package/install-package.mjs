import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { npmInstall, reasonOf } from "./node-versions.mjs";

const noConnection =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT|E50\d/;

/**
 * Installs a packed package into an empty folder, as a user does.
 *
 * @param root of the project, whose own dependencies are taken where the registry cannot be reached
 */
export function installPackage(tarball, folder, root, say) {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}');
  try {
    execFileSync("npm", [...npmInstall, tarball], { cwd: folder, stdio: "pipe" });
  } catch (error) {
    if (!noConnection.test(`${error.stderr}`)) throw new Error(String(error.stderr ?? error));
    say(
      `The registry cannot be reached (${reasonOf(error)}): dependencies are those of this folder.`,
    );
    unpack(tarball, folder, root);
  }
}

function unpack(tarball, folder, root) {
  const target = join(folder, "node_modules/eventload");
  mkdirSync(target, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", target]);
  const list = ["ls", "--omit=dev", "--all", "--parseable"];
  const paths = execFileSync("npm", list, { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
  const dependencies = String(paths)
    .split("\n")
    .filter((path) => path.includes("node_modules"));
  for (const path of dependencies) {
    cpSync(path, join(folder, relative(root, path)), { recursive: true });
  }
  mkdirSync(join(folder, "node_modules/.bin"));
  symlinkSync("../eventload/dist/cli/bin.js", join(folder, "node_modules/.bin/eventload"));
  execFileSync("chmod", ["+x", join(target, "dist/cli/bin.js")]);
}
