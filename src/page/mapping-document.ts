import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, sep } from "node:path";
import { writeAtomically } from "../model/disk/atomic-file.ts";
import { cannotStart, reasonOf } from "../model/errors.ts";
import { MappingDraft } from "../run/options/input.ts";
import { readMapping } from "../run/prepare/read-mapping.ts";
import type { SaveAnswer, Version } from "./contract.ts";

/** The mapping file that the page shows, and the only one that it writes. */
export interface MappingDocument {
  readonly name: string;
  read(): Promise<Version>;
  /** What a text would be in its place. */
  draft(text: string): MappingDraft;
  /** Puts a text in the place of a version. */
  save(request: Version): Promise<SaveAnswer>;
}

/** @throws CannotStartError if the page cannot edit it */
export async function openMappingDocument(given: string): Promise<MappingDocument> {
  // Through a link, so that a save replaces the file and not the link.
  const path = await realpath(given).catch(() => {
    throw cannotStart("mapping_not_found", given);
  });
  // What a page writes may not read any file of this machine, also not through a link.
  const mayRead = (file: string) =>
    (existsSync(file) ? realpathSync(file) : file).startsWith(dirname(path) + sep);
  const read = async () => {
    const written = await readFile(path, "utf8");
    const version = createHash("sha256").update(written).digest("hex");
    return {
      text: written.replaceAll("\r\n", "\n"),
      version,
      hasReturns: written.includes("\r\n"),
    };
  };
  // What is wrong with its content is shown on the page; what is no text would be damaged by a save.
  await readMapping(path, async () => undefined).catch((error: { readonly code?: string }) => {
    if (error.code !== "mapping_invalid") throw error;
  });
  return {
    name: basename(path),
    read,
    draft: (text) => new MappingDraft(path, text, mayRead),
    async save({ text, version }) {
      try {
        const { hasReturns, version: found } = await read();
        if (found !== version) return { kind: "changed", version: found };
        const { mode } = await stat(path);
        const written = hasReturns ? text.replaceAll("\n", "\r\n") : text;
        await writeAtomically(path, written, mode & 0o777);
        return { kind: "saved", version: (await read()).version };
      } catch (error) {
        return { kind: "failed", message: `The mapping cannot be written: ${reasonOf(error)}` };
      }
    },
  };
}
