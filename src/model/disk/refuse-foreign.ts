import { access, constants, lstat, readlink, realpath, stat, statfs } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname, resolve } from "node:path";
import { cannotStart } from "../errors.ts";
import { hasModes } from "./platform.ts";

const [everybodyWrites, sticky] = [0o002, 0o1000];
/** The type of the file system `/proc`: the system knows where its links lead, whatever they say. */
const proc = 0x9fa0;

/**
 * Refuses a file (or folder) that gives authority if somebody else decides what is in it. The file, each link on the way
 * to it, and the folder of each have to belong to this user or to root, and not everybody may write them. A
 * group may: that is how this user set it up (umask 002).
 *
 * @param what it is, as a sentence begins
 * @param willBe whether it is made where nothing is: then its folder counts already
 * @returns the file itself if the path is a link; otherwise the path, also if nothing is there
 * @throws CannotStartError
 */
export async function refuseForeign(path: string, what: string, willBe = false): Promise<string> {
  if (!hasModes) return path;
  const user = await thisUser();
  const refuseOthers = (uid: number, part: string) => {
    if (uid !== 0 && uid !== user)
      throw cannotStart("file_of_others", `${what} ${path}${part}`, uid);
  };
  const judgeFolder = async (folder: string) => {
    const { uid, mode } = await stat(folder);
    const part = `: its folder ${folder}`;
    refuseOthers(uid, part);
    // In a folder such as /tmp nobody replaces what is not theirs.
    if ((mode & (everybodyWrites | sticky)) !== everybodyWrites) return;
    // Kubernetes mounts folders that only look open.
    if (await isMountedReadOnly(folder)) return;
    throw cannotStart("file_writable", `${what} ${path}${part}`, folder);
  };

  let isLink = false;
  const rest = path.split("/");
  // The system follows no more than 40 links either.
  for (
    let at = path.startsWith("/") ? "/" : resolve(), links = 0;
    rest.length > 0 && links < 41;
  ) {
    const folder = at;
    at = resolve(folder, rest.shift() || ".");
    const about = await lstat(at).catch(() => undefined);
    if (about === undefined) break;
    if (!about.isSymbolicLink() || (await statfs(folder)).type === proc) continue;
    refuseOthers(about.uid, `: the link ${at}`);
    await judgeFolder(folder);
    isLink ||= rest.length === 0;
    links += 1;
    const to = await readlink(at);
    rest.unshift(...to.split("/"));
    at = to.startsWith("/") ? "/" : folder;
  }
  const about = await stat(path).catch(() => undefined);
  const folder = await realpath(dirname(path)).catch(() => undefined);
  if (willBe && about === undefined && folder !== undefined) await judgeFolder(folder);
  // Where nothing is, reading it says so. Nobody else opens a pipe of the shell, or decides what a device says.
  const isOnDisk = about?.isFile() || about?.isFIFO() || about?.isDirectory();
  if (about === undefined || isOnDisk !== true) return path;
  refuseOthers(about.uid, "");
  if ((about.mode & everybodyWrites) !== 0)
    throw cannotStart("file_writable", `${what} ${path}`, path);
  const real = await realpath(path).catch(() => path);
  await judgeFolder(dirname(real));
  return isLink ? real : path;
}

/** The user of this process. One without a name, as in some containers, is known to the system alone. */
export async function thisUser(): Promise<number> {
  try {
    return userInfo().uid;
  } catch {
    return (await stat("/proc/self")).uid;
  }
}

export function isMountedReadOnly(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === "EROFS",
  );
}
