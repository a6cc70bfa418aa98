import { execFileSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { chmod, chown, lchown, link, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { refuseForeign } from "../../../src/model/disk/refuse-foreign.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const somebody = 54_321;
const give = (path: string) => chown(path, somebody, somebody);

/** A folder with a file in it, both this user's. */
async function place() {
  const folder = join(await temporaryFolder(), "place");
  const path = (name: string) => join(folder, name);
  await mkdir(folder);
  await writeFile(path("file"), "");
  return { folder, path };
}

type Place = Awaited<ReturnType<typeof place>>;

/** What somebody has done, and the path that is then used, which is that of the file where nothing is said. */
type Case = readonly [name: string, make: (place: Place) => Promise<unknown>];

async function linkOf(owner: "mine" | "theirs", to: string, at: string) {
  await symlink(to, at);
  if (owner === "theirs") await lchown(at, somebody, somebody);
  return at;
}

const foreign: readonly Case[] = [
  ["the file is theirs", ({ path }) => give(path("file"))],
  ["its folder is theirs", ({ folder }) => give(folder)],
  ["a link is theirs", ({ path }) => linkOf("theirs", path("file"), path("link"))],
  ["a relative link is theirs", ({ path }) => linkOf("theirs", "../place/./file", path("link"))],
  ["a link that leads nowhere is theirs", ({ path }) => linkOf("theirs", "none", path("link"))],
  [
    "the last link of two is theirs",
    async ({ path }) => linkOf("mine", await linkOf("theirs", "file", path("last")), path("link")),
  ],
  [
    "what a link of mine leads to is theirs",
    async ({ path }) => {
      await give(path("file"));
      return linkOf("mine", "file", path("link"));
    },
  ],
  [
    "a link to a folder on the way is theirs",
    async ({ path }) => join(await linkOf("theirs", ".", path("way")), "file"),
  ],
  [
    "a link to a folder on the way is theirs, and leads out of it again",
    async ({ folder, path }) =>
      `${await linkOf("theirs", dirname(folder), path("way"))}/place/file`,
  ],
  [
    "a hard link to my file is in a folder of theirs",
    async ({ path }) => {
      await mkdir(path("theirs"));
      await link(path("file"), path("theirs/file"));
      await give(path("theirs"));
      return path("theirs/file");
    },
  ],
  [
    "a link of mine is in a folder of theirs",
    async ({ path }) => {
      await mkdir(path("theirs"));
      await linkOf("mine", path("file"), path("theirs/link"));
      await give(path("theirs"));
      return path("theirs/link");
    },
  ],
  [
    "a named pipe is theirs",
    async ({ path }) => {
      execFileSync("mkfifo", [path("pipe")]);
      await give(path("pipe"));
      return path("pipe");
    },
  ],
  [
    "an open file is theirs",
    async ({ path }) => {
      await give(path("file"));
      return `/proc/self/fd/${openSync(path("file"), "r")}`;
    },
  ],
  [
    "a link behind one of /proc is theirs",
    async ({ path }) => `/proc/self/root${await linkOf("theirs", "file", path("link"))}`,
  ],
];

const open: readonly Case[] = [
  ["the file", ({ path }) => chmod(path("file"), 0o602)],
  ["its folder", ({ folder }) => chmod(folder, 0o777)],
  [
    "the folder of a link",
    async ({ path }) => {
      await mkdir(path("all"));
      await linkOf("mine", path("file"), path("all/link"));
      await chmod(path("all"), 0o777);
      return path("all/link");
    },
  ],
];

const fine: readonly Case[] = [
  ["it is mine", async () => {}],
  ["a relative path leads there", async ({ path }) => relative(process.cwd(), path("file"))],
  [
    "a group may write file and folder",
    async ({ folder, path }) => {
      await chmod(path("file"), 0o664);
      await chmod(folder, 0o2775);
    },
  ],
  ["the folder is one like /tmp", ({ folder }) => chmod(folder, 0o1777)],
  ["nothing is there", async ({ path }) => path("none/file")],
  ["a link of mine leads nowhere", ({ path }) => linkOf("mine", "none", path("link"))],
  ["links of mine lead in a circle", ({ path }) => linkOf("mine", "link", path("link"))],
  ["it is a device", async () => "/dev/null"],
  ["it is a pipe of the shell", async () => "/dev/stdin"],
];

describe.skipIf(process.platform === "win32")("a file that gives authority", () => {
  const asRoot = process.getuid?.() === 0;
  const refusal = async ([, make]: Case) => {
    const there = await place();
    const made = await make(there);
    const path = typeof made === "string" ? made : there.path("file");
    const why = await refuseForeign(path, "The file").then(
      () => undefined,
      (error: Error) => error.message,
    );
    const [, , , fd] = /^\/proc\/self\/fd\/(\d+)/.exec(path) ?? [];
    if (fd !== undefined) closeSync(Number(fd));
    return { path, why };
  };

  it.skipIf(!asRoot).each(foreign)("is refused if %s", async (...one) => {
    const { path, why } = await refusal(one);
    expect(why).toContain(`The file ${path}`);
    expect(why).toContain(`belongs to another user (${somebody})`);
  });

  it.each(open)("is refused if everybody can write %s", async (...one) => {
    const { path, why } = await refusal(one);
    expect(why).toContain(`The file ${path}`);
    const [, name = ""] =
      /can be written by everybody, .* run chmod o-w (\S+)$/.exec(why ?? "") ?? [];
    await chmod(name, 0o755);
    expect(await refuseForeign(path, "The file")).toBe(path.replace("all/link", "file"));
  });

  it.each(fine)("is used if %s", async (...one) => {
    expect((await refusal(one)).why).toBeUndefined();
  });

  it("is the file itself, where a link of one's own leads there", async () => {
    const { path } = await place();
    const one = await linkOf("mine", path("file"), path("link"));
    expect(await refuseForeign(await linkOf("mine", "link", path("another")), "")).toBe(
      path("file"),
    );
    expect(await refuseForeign(one, "")).toBe(path("file"));
  });
});
