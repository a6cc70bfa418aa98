import { type Disk, writeWhole } from "../model/disk/disk.ts";
import { nodeDisk } from "../model/disk/node-disk.ts";
import { cannotStart, DiskError, reasonOf } from "../model/errors.ts";
import { type Manifest, manifestSchema } from "../model/manifest.ts";
import { describeWrong } from "../model/members.ts";

/** Writes the manifest atomically: another program sees all of it or nothing. @throws DiskError */
export async function writeManifest(
  path: string,
  manifest: Manifest,
  disk: Disk = nodeDisk,
): Promise<void> {
  // Indented for people, but with each list of numbers on one line. Strings in JSON have no line breaks.
  const text = JSON.stringify(manifest, null, 2).replaceAll(/\[\n[\s\d.,]+\]/g, (numbers) =>
    numbers.replaceAll(/\s+/g, ""),
  );
  await writeWhole(disk, path, [Buffer.from(`${text}\n`)]).catch((error: unknown) => {
    throw new DiskError(`${path} cannot be written: ${reasonOf(error)}`, { cause: error });
  });
}

type Written = object & { readonly seal?: string };

export type ManifestRead =
  | {
      readonly kind: "manifest";
      readonly manifest: Manifest;
      /** All that is in the file: the seal covers it. */
      readonly written: Written;
    }
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly message: string; readonly isOfDisk?: boolean };

const maxManifestChars = 8 * 1024 * 1024;

/** @throws CannotStartError if another program has it open, so that it cannot be read */
export async function readManifest(path: string, disk: Disk = nodeDisk): Promise<ManifestRead> {
  let text = "";
  try {
    for await (const chunk of disk.readChunks(path)) {
      text += chunk.toString("latin1");
      // A link to /dev/zero has no end.
      if (text.length > maxManifestChars) throw new Error("it is too long for a manifest");
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { kind: "absent" };
    if (code === "EBUSY") throw cannotStart("file_in_use", path);
    return { kind: "unreadable", message: reasonOf(error), isOfDisk: code !== undefined };
  }
  let written: Written;
  try {
    written = JSON.parse(Buffer.from(text, "latin1").toString("utf8"));
  } catch {
    return { kind: "unreadable", message: "it is not a manifest of eventload" };
  }
  const { data: manifest, error } = manifestSchema.safeParse(written);
  if (error !== undefined) return { kind: "unreadable", message: describeWrong(error) };
  return { kind: "manifest", manifest, written };
}
