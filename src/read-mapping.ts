import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { CannotStartError, cannotStart, reasonOf } from "./domain/errors.ts";
import type { Fingerprint } from "./journal/fingerprint.ts";
import { type LoadedMapping, loadMapping } from "./mapping/load-mapping.ts";
import { describeMappingProblem, type MappingProblem } from "./mapping/mapping-problem.ts";

/**
 * Reads a mapping file, not yet against the columns of an input.
 *
 * @param columnsOfInput asked for only where the mapping is wrong
 * @throws CannotStartError with all its problems in `details`
 */
export async function readMapping(
  path: string,
  columnsOfInput: () => Promise<readonly string[] | undefined>,
): Promise<{ mapping: LoadedMapping; fingerprint: Fingerprint }> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "ENOENT"
      ? cannotStart("mapping_not_found", path)
      : cannotStart("mapping_unreadable", path, reasonOf(error));
  });
  if (!isUtf8(bytes)) {
    throw cannotStart("mapping_unreadable", path, "it is not UTF-8; save it as UTF-8");
  }
  const text = bytes.toString("utf8");
  const result = loadMapping(text);
  if (result.kind === "invalid") {
    const columns = await columnsOfInput();
    const { problems, problemsWith } = result;
    throw mappingInvalid(path, columns === undefined ? problems : problemsWith(columns));
  }
  // Of the bytes that count: the file may have changed since, or be a pipe.
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { mapping: result.mapping, fingerprint: { bytes: bytes.length, sha256 } };
}

/** What says that a mapping cannot be used, with every reason. */
export function mappingInvalid(
  path: string,
  problems: readonly MappingProblem[],
): CannotStartError {
  const { code, message } = cannotStart("mapping_invalid", basename(path), problems.length);
  const details = problems.map((problem) => describeMappingProblem(basename(path), problem));
  return new CannotStartError(code, message, details);
}
