import { z } from "zod";
import { type Imported, importedSchema, sendingSettings } from "../model/manifest.ts";
import {
  amount,
  fileName,
  fingerprint,
  longText,
  moment,
  ordinal,
  sha256,
} from "../model/members.ts";
import { differingSettings, sendingOf } from "../model/run-settings.ts";

/** Increases with every change of the format. */
export const journalVersion = 11;

export const runIdentitySchema = z.object({
  /** A journal of another version is not resumed. */
  version: z.literal(journalVersion),
  /** The version of eventload that began the part: a journal of another format is resumed with that. */
  eventload: longText.exactOptional(),
  kind: z.enum(["import", "retry"]),
  imported: importedSchema,
  /** The number of the part that this journal is of. */
  part: ordinal,
  /** The results that the part begins with; undefined in the first part. */
  account: fingerprint.exactOptional(),
  /** The name of the file that selected the rows, which are beside the part; undefined for an input. */
  given: fileName.exactOptional(),
  /** SHA-256 of the failed rows when a retry began: what somebody edits later is not overwritten. */
  failedRows: sha256.exactOptional(),
  /** When the part began, when it was resumed, and how it was sent then. */
  parts: z.array(z.object({ startedAt: moment, sending: z.object(sendingSettings) })).readonly(),
  /** Null if no check has counted them. */
  rowsTotal: amount.nullable(),
  /** The columns of the results: those of the input and then our own. */
  columns: z.array(z.string()).readonly(),
  /** HMAC of everything above. */
  seal: sha256.optional(),
});

/** What a run was started with. A resume continues only with the same. */
export type RunIdentity = Readonly<z.infer<typeof runIdentitySchema>>;

/** A run in its next process, which sends as the last one did. @param startedAt an ISO 8601 instant */
export function nextProcess({ seal: _, ...run }: RunIdentity, startedAt: string): RunIdentity {
  const sending = run.parts.at(-1)?.sending ?? sendingOf(run.imported.options);
  return { ...run, parts: [...run.parts, { startedAt, sending }] };
}

/** Whether a run reads the copy of an input that came from standard input. */
export function readsCopy({ imported, given }: RunIdentity): boolean {
  return imported.input.path === null && imported.inputs === undefined && given === undefined;
}

/** What keeps a run from being resumed: how it differs from the one before, a part of a sentence each. */
export function differences(before: Imported, now: Imported): string[] {
  const found = inputDifferences(before, now);
  if (before.mapping.sha256 !== now.mapping.sha256) {
    found.push(`the mapping ${now.mapping.path} has changed`);
  }
  for (const { path, sha256 } of before.mapping.lookups) {
    const known = now.mapping.lookups.find((one) => one.path === path);
    if (known?.sha256 !== sha256) {
      found.push(`the file ${path} that the mapping uses has changed`);
    }
  }
  if (before.base_url !== now.base_url) {
    found.push(`the base URL was ${before.base_url} and is ${now.base_url}`);
  }
  return [...found, ...differingSettings(before.options, now.options)];
}

function inputDifferences(before: Imported, now: Imported): string[] {
  const [were, are] = [before.inputs ?? [before.input], now.inputs ?? [now.input]];
  const namesOf = (files: readonly { readonly name: string }[]) =>
    files.map(({ name }) => name).join(", ");
  const isOne = were.length === 1 && are.length === 1;
  if (!isOne && namesOf(were) !== namesOf(are)) return [`it read ${namesOf(were)} in this order`];
  return are.flatMap(({ path, name, sha256 }, at) =>
    were[at]?.sha256 === sha256 ? [] : [`the input ${path ?? name} has changed`],
  );
}
