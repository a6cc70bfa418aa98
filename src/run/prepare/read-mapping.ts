import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { readFile, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { allColumnsAsText, findColumnUses } from "../../mapping/column-uses.ts";
import { lookupFiles } from "../../mapping/compile-lookup.ts";
import {
  type CompileResult,
  compileMapping,
  type ExplainRow,
  type Mapper,
} from "../../mapping/compile-mapping.ts";
import { compileModule, loadModule } from "../../mapping/compile-module.ts";
import { loadMapping } from "../../mapping/load-mapping.ts";
import type { NamedInput } from "../../mapping/mapped-event.ts";
import { readSmallFile } from "../../model/disk/read-small-file.ts";
import { refuseForeign } from "../../model/disk/refuse-foreign.ts";
import { CannotStartError, cannotStart, describeThrown, reasonOf } from "../../model/errors.ts";
import type { Json } from "../../model/event.ts";
import { type FileProblem, showFileProblem } from "../../model/file-problem.ts";
import type { ColumnUse } from "../../model/finding.ts";
import type { OnKeyFailure } from "../../model/outcome.ts";
import { grouped } from "../../model/quantities.ts";
import type { Reading } from "../../model/reading.ts";
import { writtenChars } from "../../model/row.ts";
import { isModule } from "../../model/run-files.ts";
import type { Fingerprint } from "../../model/run-record.ts";
import type { GivenMapping } from "../options/input.ts";
import { type LookupFile, readLookups } from "./read-lookups.ts";

/** A mapping of either kind, of the right form, with all that it needs beside an input. */
export interface ReadMapping {
  /** How the mapping says that inputs are read; a module says nothing. */
  readonly reading: Reading;
  /**
   * Binds the mapping to the columns of an input.
   *
   * @throws CannotStartError with all that is wrong with it
   */
  bind(columns: readonly string[], input: NamedInput): BoundMapping;
}

/** For the command that prints the schema, and for the page. */
export { mappingJsonSchema } from "../../mapping/schema.ts";
export { conversionKeys } from "../../mapping/value-schema.ts";

export interface BoundMapping {
  /** With the files that it looks things up in. */
  readonly mapping: {
    readonly path: string;
    readonly lookups: readonly LookupFile[];
  } & Fingerprint;
  readonly mapRow: Mapper;
  /** The ordering key of a row; undefined if the mapping has none. */
  readonly keyOf: ((cells: readonly string[]) => string | undefined) | undefined;
  /** The parts of the mapping's ordering key, with their transforms; empty if it has none. */
  readonly orderingKey: readonly Json[];
  /** The cells of a row of which nothing but its ordering key is known. */
  readonly cellsOfKey: (key: string) => readonly string[];
  readonly onKeyFailure: OnKeyFailure;
  readonly makesGoneEvents: boolean;
  /** The columns whose values are sent; of a module all, as text. */
  readonly columnUses: readonly ColumnUse[];
  /** The columns that the mapping reads, also those that only decide what is sent. */
  readonly columnsRead: readonly string[];
  readonly clearValues: readonly string[];
  /** The members of the mapping's events, by their index; undefined if a function makes them. */
  readonly memberNames: readonly (readonly string[])[] | undefined;
  /** Explains where the members of a row come from; undefined if a function makes them. */
  readonly explain: ExplainRow | undefined;
}

/** People write a few KiB; an input that was given for a mapping should not be read to its end. */
const maxFileBytes = 1024 * 1024;

/**
 * Reads a mapping, not yet against the columns of an input: a file of YAML, JSON, or a module.
 *
 * @param columnsOfInput asked for only where the mapping is wrong
 * @throws CannotStartError if it cannot be used, with all its problems in `details`
 */
export async function readMapping(
  given: GivenMapping,
  columnsOfInput: () => Promise<readonly string[] | undefined>,
): Promise<ReadMapping> {
  const path = typeof given === "string" ? given : given.path;
  const isProgram = typeof given === "string" && isModule(path);
  const bytes =
    typeof given === "string" ? await readMappingFile(path, isProgram) : Buffer.from(given.text);
  if (!isProgram && bytes.length > maxFileBytes)
    throw cannotStart("mapping_unreadable", path, tooLarge);
  if (!isUtf8(bytes)) {
    throw cannotStart("mapping_unreadable", path, "it is not UTF-8; save it as UTF-8");
  }
  // Of the bytes that count: the file may have changed since, or be a pipe.
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const fingerprint = { bytes: bytes.length, sha256 };
  const text = bytes.toString("utf8");
  if (isProgram) return readModule(path, text, fingerprint);

  const result = loadMapping(text);
  if (result.kind === "invalid") {
    const columns = await columnsOfInput();
    const { problems, problemsWith } = result;
    throw new MappingInvalidError(path, columns === undefined ? problems : problemsWith(columns));
  }
  const { mapping } = result;
  const { spec } = mapping;
  const { tables, files } = await readLookups(path, lookupFiles(spec));
  return {
    reading: { ...spec.reading, errorsAsText: spec.clearValues },
    bind(columns, input) {
      const columnUses = findColumnUses(spec, columns);
      return {
        mapping: { path, ...fingerprint, lookups: files },
        ...compiled(path, compileMapping(mapping, columns, input, tables)),
        columnUses,
        columnsRead: mapping.columnsRead(columns),
        clearValues: spec.clearValues,
        memberNames: [spec.gone, ...spec.events].map((block) => Object.keys(block?.members ?? {})),
        orderingKey: spec.orderingKey as readonly Json[],
        makesGoneEvents: spec.gone !== undefined,
      };
    },
  };
}

function compiled(path: string, result: CompileResult) {
  if (result.kind === "invalid") throw new MappingInvalidError(path, result.problems);
  const { kind: _, mapRow, ...others } = result;
  return { mapRow: withoutHugeEvents(mapRow), ...others };
}

/** A body is in memory several times over, and JSON writes six bytes for some characters. */
const maxBodyMiB = 8;
const longRowChars = 1024 * 1024;

/** A mapping by which a row that is very long is invalid if an event of it is larger than any service takes. */
function withoutHugeEvents(mapRow: Mapper): Mapper {
  return (row) => {
    const mapped = mapRow(row);
    if (mapped.kind !== "events" || writtenChars(row) < longRowChars) return mapped;
    const bytes = Math.max(...mapped.events.map((event) => Buffer.byteLength(event.data())));
    if (bytes <= maxBodyMiB * 1024 * 1024) return mapped;
    const message = `its event would be larger than ${maxBodyMiB} MiB: shorten its cells`;
    return { kind: "invalid", problems: [{ code: "event_too_large", message }] };
  };
}

async function readMappingFile(path: string, isProgram: boolean): Promise<Buffer> {
  const read = isProgram ? readFile(path) : readSmallFile(path, maxFileBytes);
  const bytes = await read.catch((error: NodeJS.ErrnoException) => {
    throw error.code === "ENOENT"
      ? cannotStart("mapping_not_found", path)
      : cannotStart("mapping_unreadable", path, reasonOf(error));
  });
  if (bytes === undefined) throw cannotStart("mapping_unreadable", path, tooLarge);
  return bytes;
}

const tooLarge = "it is larger than 1 MiB; put long lists of values into a CSV file (lookup)";

/** Matches `import x from "./x.mjs"`, `export … from`, `import "/x.mjs"`, `import("#x")`: what is no package. */
const importOfFile = /\b(?:from|import)\s*\(?\s*["'](?:\.{0,2}\/|#|file:)/;

async function readModule(
  path: string,
  text: string,
  fingerprint: Fingerprint,
): Promise<ReadMapping> {
  const itself = await refuseForeign(path, "The module");
  if (importOfFile.test(text)) {
    const why =
      "it imports another file, of which a resume would not notice a change: write all into one module";
    throw cannotStart("mapping_unreadable", path, why);
  }
  // As Node does, whichever links lead to it.
  const real = await realpath(itself);
  const url = pathToFileURL(real);
  // Node looks for packages in all folders above, and in the package.json that it finds first. Anybody can put some into
  // a folder like /tmp.
  for (let at = real; dirname(at) !== at; at = dirname(at)) {
    await refuseForeign(join(dirname(at), "node_modules"), "The folder of packages");
    await refuseForeign(join(dirname(at), "package.json"), "The description of a package");
  }
  // Node keeps what it has once loaded; another text under the same name is another module.
  url.searchParams.set("sha256", fingerprint.sha256);
  const exported = await import(url.href).catch((error: unknown) => {
    // Node keeps the place of these to itself, unless it is asked to check the file.
    const isSyntax = error instanceof SyntaxError;
    const asked = isSyntax ? "; node --check shows where" : "";
    throw cannotStart("mapping_unreadable", path, describeThrown(error) + asked);
  });
  const result = loadModule(exported as Record<string, unknown>);
  if (result.kind === "invalid") {
    const problems = result.problems.map((message) => ({ path: "", message }));
    throw new MappingInvalidError(path, problems);
  }
  const { module } = result;
  return {
    reading: {},
    bind: (columns, input) => ({
      mapping: { path, ...fingerprint, lookups: [] },
      ...compiled(path, compileModule(module, columns, input)),
      columnUses: allColumnsAsText(columns),
      columnsRead: columns,
      clearValues: [],
      memberNames: undefined,
      orderingKey: module.orderingColumns,
      makesGoneEvents: false,
    }),
  };
}

/** The first problems of a mapping file at once; as data, for whoever shows them in the file. */
export class MappingInvalidError extends CannotStartError {
  readonly problems: readonly FileProblem[];

  constructor(path: string, all: readonly FileProblem[]) {
    const { code, message } = cannotStart("mapping_invalid", basename(path), all.length);
    const problems = all.slice(0, maxProblems);
    const details = problems.map((problem) => showFileProblem(basename(path), problem));
    if (all.length > maxProblems) details.push(`and ${grouped(all.length - maxProblems)} more`);
    super(code, message, details);
    this.problems = problems;
  }
}

/** Nobody reads more problems, and the page would take seconds to show them. */
const maxProblems = 200;
