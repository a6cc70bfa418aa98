import { stat } from "node:fs/promises";
import { platform, userInfo } from "node:os";
import { dirname, resolve } from "node:path";
import { cannotStart } from "../../model/errors.ts";

const groupOrOthersWrite = 0o022;

/**
 * Refuses a file that others can write, where it says where the token goes or what is run. Others are its
 * group, also where nobody else is in it, as no file tells that; everybody; and an owner who is neither this
 * user nor root nor the owner of the folder, as where somebody has put it into a folder for all. Whether
 * the folder itself is safe is not looked at.
 *
 * @param what it is, as a sentence begins
 * @throws CannotStartError
 */
export async function refuseWritable(what: string, path: string): Promise<void> {
  // Windows has no such modes.
  if (platform() === "win32") return;
  // Where there is none, reading it says so; what is no file (a pipe of the shell) nobody else can open.
  const about = await stat(path).catch(() => undefined);
  if (about?.isFile() !== true) return;
  if ((about.mode & groupOrOthersWrite) !== 0) throw cannotStart("file_writable", what, path);
  const owners = [0, thisUser(), (await stat(dirname(resolve(path)))).uid];
  if (!owners.includes(about.uid)) throw cannotStart("file_of_others", what, path, about.uid);
}

/** A user whom the system has no name of has no number here. */
function thisUser(): number | undefined {
  try {
    return userInfo().uid;
  } catch {
    return undefined;
  }
}
