import { createHash } from "node:crypto";
import { readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, sep } from "node:path";
import { writeAtomically } from "../model/disk/atomic-file.ts";
import { CannotStartError, cannotStart, reasonOf } from "../model/errors.ts";
import { MappingDraft } from "../run/options/input.ts";
import { readMapping } from "../run/prepare/read-mapping.ts";
import type { SaveAnswer, SaveRequest } from "./contract.ts";

/** The mapping file that the page shows, and the only one that it writes. */
export interface MappingDocument {
  readonly name: string;
  read(): Promise<{ readonly text: string; readonly version: string }>;
  /** What a text would be in its place. */
  draft(text: string): MappingDraft;
  save(request: SaveRequest): Promise<SaveAnswer>;
}

/** @throws CannotStartError if the page cannot edit it */
export async function openMappingDocument(given: string): Promise<MappingDocument> {
  if (!/\.ya?ml$/i.test(given)) {
    throw cannotStart(
      "option_invalid",
      "--mapping",
      `${given} is not a .yaml file, which the page edits`,
    );
  }
  // Through a link, so that a save replaces the file and not the link.
  const path = await realpath(given).catch(() => {
    throw cannotStart("mapping_not_found", given);
  });
  const folder = dirname(path);
  const known = await readMapping(path, async () => undefined).catch((error: unknown) => {
    // What is wrong with its content is shown on the page.
    if (error instanceof CannotStartError && error.code === "mapping_invalid") return { files: [] };
    throw error;
  });
  const namedBefore = new Set(known.files.map((file) => file.path));
  const read = async () => {
    const bytes = await readFile(path);
    const version = createHash("sha256").update(bytes).digest("hex");
    const written = bytes.toString("utf8");
    return {
      text: written.replaceAll("\r\n", "\n"),
      version,
      hasReturns: written.includes("\r\n"),
    };
  };
  return {
    name: basename(path),
    read,
    draft: (text) =>
      new MappingDraft(
        path,
        text,
        // What a page writes may not read any file of this machine.
        (file) => namedBefore.has(file) || file.startsWith(folder + sep),
      ),
    async save({ text, version }) {
      try {
        const found = await read();
        const { hasReturns, ...onDisk } = found;
        if (found.version !== version) return { kind: "changed", ...onDisk };
        const { mode } = await stat(path);
        const written = hasReturns ? text.replaceAll("\n", "\r\n") : text;
        await writeAtomically(path, written, { mode: mode & 0o777 });
        return { kind: "saved", version: (await read()).version };
      } catch (error) {
        return {
          kind: "failed",
          message: `${basename(path)} cannot be written: ${reasonOf(error)}`,
        };
      }
    },
  };
}
