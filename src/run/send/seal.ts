import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { link, mkdir, open, rm } from "node:fs/promises";
import { basename, isAbsolute, join } from "node:path";
import { inRealFolder } from "../../model/disk/exists.ts";
import { hasModes, usualStateFolder } from "../../model/disk/platform.ts";
import { refuseForeign } from "../../model/disk/refuse-foreign.ts";
import { CannotStartError, cannotStart, reasonOf } from "../../model/errors.ts";
import type { Imported } from "../../model/manifest.ts";
import { makeFolderOf } from "../../model/run-files.ts";
import { shellWord } from "../../model/typed-command.ts";
import { readManifest } from "../../results/manifest.ts";

/**
 * The seal of what a file says of a run: an HMAC under a key that only this user can read. It proves that
 * this user's eventload wrote exactly that, and in that place: a file that is copied beside other results
 * would send their rows to another service.
 *
 * @param stateFolder where the key is; it is made at first use
 * @throws if there is no key and none can be made
 */
export async function sealOf(
  path: string,
  content: object,
  stateFolder: string | undefined,
): Promise<string> {
  const orMake = (folder: string) =>
    readKey(folder).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      await makeKey(folder);
      return readKey(folder);
    });
  const key = await useKey(orMake, stateFolder);
  return hmacOf(key, await inRealFolder(path), content).toString("hex");
}

/** Why what a file says proves nothing; undefined if its seal is good. */
export async function whyNotSealed(
  path: string,
  { seal, ...content }: object & { readonly seal?: string | undefined },
  stateFolder: string | undefined,
): Promise<string | undefined> {
  if (typeof seal !== "string") return "it has no seal";
  try {
    const key = await useKey(readKey, stateFolder);
    const good = hmacOf(key, await inRealFolder(path), content);
    const given = Buffer.from(seal, "hex");
    const isGood = given.length === good.length && timingSafeEqual(given, good);
    return isGood ? undefined : "its seal does not match";
  } catch (error) {
    return reasonOf(error);
  }
}

async function useKey(
  get: (folder: string) => Promise<Buffer>,
  stateFolder = usualStateFolder(),
): Promise<Buffer> {
  try {
    if (!isAbsolute(stateFolder)) throw new Error("there is no home folder");
    return await get(stateFolder);
  } catch (error) {
    throw new Error(`the key ${join(stateFolder, "key")} cannot be used: ${reasonOf(error)}`);
  }
}

/** Neither a path nor JSON holds the NUL between them. */
function hmacOf(key: Buffer, place: string, content: object): Buffer {
  const text = `${place}\0${JSON.stringify(content)}`;
  return createHmac("sha256", key).update(text).digest();
}

const keyBytes = 32;

async function readKey(folder: string): Promise<Buffer> {
  const file = await open(await refuseForeign(join(folder, "key"), "The key"));
  try {
    const isRead = hasModes && ((await file.stat()).mode & 0o077) !== 0;
    if (isRead) throw new Error(`others can read it; ${remedy}`);
    const key = Buffer.from(await file.readFile("latin1"), "hex");
    if (key.length !== keyBytes) throw new Error(`it is no key; ${remedy}`);
    return key;
  } finally {
    await file.close();
  }
}

const remedy = "remove it, and the next run makes another";

/** Whole from the first moment, and never in the place of another: two runs may be the first. */
async function makeKey(folder: string): Promise<void> {
  await makeFolderOf(folder);
  await mkdir(folder, { mode: 0o700 }).catch(unlessThere);
  const made = join(folder, `key.${randomBytes(8).toString("hex")}`);
  const file = await open(made, "wx", 0o600);
  try {
    await file.writeFile(`${randomBytes(keyBytes).toString("hex")}\n`);
    await file.sync();
    await link(made, join(folder, "key")).catch(unlessThere);
  } finally {
    await file.close();
    await rm(made, { force: true });
  }
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}

/** A manifest whose settings can be used again; undefined if it has no good seal, as then anybody may have written it. */
export async function readSealedManifest(path: string, stateFolder: string | undefined) {
  const read = await readManifest(path);
  if (read.kind !== "manifest") return undefined;
  const why = await whyNotSealed(path, read.written, stateFolder);
  return why === undefined ? read.manifest : undefined;
}

/**
 * Refuses to take from a file of a run what only its user may decide. Where it went, and by which mapping, can be
 * pasted by who knows that to be right.
 *
 * @param path of the manifest or journal
 * @param why it proves nothing; undefined if its seal is good
 * @param given what the user says
 * @throws CannotStartError if neither says where the rows go, and by which mapping
 */
export function refuseUnsealed(
  path: string,
  why: string | undefined,
  { base_url, target, mapping }: Pick<Imported, "base_url" | "target" | "mapping">,
  given: { readonly baseUrl?: unknown; readonly mapping?: unknown },
): void {
  if (why === undefined || (given.baseUrl !== undefined && given.mapping !== undefined)) return;
  const { code, message } = cannotStart("run_unsealed", basename(path), why);
  const flags = { target, "base-url": base_url, mapping: mapping.path };
  throw new CannotStartError(code, message, [
    // A value that a terminal does not show as it is cannot be judged, and so is not offered.
    Object.entries(flags)
      .flatMap(([name, value]) =>
        value === undefined ? [] : `--${name} ${shellWord(value) ?? "…"}`,
      )
      .join(" "),
  ]);
}
