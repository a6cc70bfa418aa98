import { basename } from "node:path";
import { openResultsFile } from "../../input/open-results-file.ts";
import { type Arrivals, createArrivals } from "../../journal/arrivals.ts";
import { fileState, fingerprintFile, fingerprintOn, inputId } from "../../journal/fingerprint.ts";
import { selectedRows } from "../../journal/read-journal.ts";
import { isSamePath } from "../../model/disk/platform.ts";
import { cannotStart } from "../../model/errors.ts";
import type { Manifest } from "../../model/manifest.ts";
import { resultsColumnsOf, sourceColumn } from "../../model/results-columns.ts";
import { quote, type Row } from "../../model/row.ts";
import type { ImportNotice } from "../../model/run-events.ts";
import {
  type InputIdentity,
  type PreparedInput,
  withoutBlankKeys,
} from "../prepare/prepare-input.ts";
import { type BoundMapping, readMapping } from "../prepare/read-mapping.ts";
import type { RunContext } from "../send/run-context.ts";
import { openResults, refuseChangedResults, rowsOfAccount, rowsOfGiven } from "./account-rows.ts";
import { type GivenLines, openGivenLines } from "./given-lines.ts";
import { selectLines } from "./select-lines.ts";

/**
 * Binds the mapping to the columns of an account whose rows are sent again, or of failed rows whose account is gone.
 *
 * @throws CannotStartError
 */
export async function prepareSelected(context: RunContext): Promise<PreparedInput> {
  const { settings, before, files, given, unfinished } = context;
  if (given === undefined) throw new Error("no file selects rows");
  const { reading } = settings;
  const { account: whole } = unfinished?.run ?? {};
  if (whole !== undefined) await refuseChangedResults(context, whole);
  const name = basename(given);
  const spec = { kind: "file", path: given, name } as const;
  const header = await columnsOfResults();
  const columns = header.slice(0, header.lastIndexOf("import_row"));
  const hasSources = header.includes(sourceColumn);
  const input = before?.input ?? unfinished?.run.imported.input;
  const identity =
    input === undefined
      ? await identityOfFile(given, name)
      : { files: [], id: input.id, fingerprint: { bytes: input.bytes, sha256: input.sha256 } };
  const { id } = identity;
  const called = input?.called ?? name;
  const mapping = await readMapping(context.mapping, async () => columns);
  const fits = mapping.bind(columns, { name: called, id });
  const bound = before?.state === undefined ? fits : withoutBlankKeys(fits);
  const arrivals = unfinished?.record.arrivals ?? createArrivals();
  const source = {
    ...{ name, columns, hasSources, warnings: [], totalBytes: undefined },
    dialect: { encoding: "utf-8", delimiter: ",", quote: '"' },
    bytesRead: () => 0,
    blankLines: () => ({ all: 0, between: 0 }),
    close: async () => {},
  };
  return {
    name,
    called,
    ...bound,
    columns,
    hasSources,
    reading: {},
    readAs: [],
    identify: async () => identity,
    async select(put) {
      if (before !== undefined) await refuseEdits(context, before, given);
      const known = () =>
        before === undefined ? noRows() : rowsOfAccount(context, undefined, true);
      const isOwn = isSamePath(given, files.results);
      const lines = isOwn ? undefined : await openGivenLines(spec, reading, columns, known);
      for (const notice of noticesOf(lines)) settings.onNotice(notice);
      const isLost = before === undefined && lines !== undefined;
      const rowsOf = () =>
        isLost
          ? rowsOfGiven(lines, id, hasSources)
          : rowsOfAccount(context, lines, bound.keyOf !== undefined);
      const isAll = isOwn || isLost;
      const selecting = { ...bound, columns, name, isAll, inputId: id, arrivals };
      return selectLines(context, selecting, rowsOf, put);
    },
    open: async () => ({
      ...source,
      batches: rowsForOnePass(),
    }),
    async close() {},
  };

  async function* rowsForOnePass(): AsyncGenerator<readonly Row[]> {
    for await (const records of selectedRows(context.ports.disk, files.journal)) {
      yield records.map(({ row }) => withArrivals(row, bound.keyOf, arrivals));
    }
  }

  async function columnsOfResults(): Promise<readonly string[]> {
    if (unfinished === undefined && before === undefined) {
      const source = await openResultsFile(spec, reading);
      await source.close();
      return [...source.columns, ...resultsColumnsOf(source.hasSources)];
    }
    if (unfinished !== undefined) return unfinished.run.columns;
    const reader = await openResults(context);
    await reader.close();
    return reader.columns;
  }
}

/** Nothing is known of failed rows whose account is gone. */
async function* noRows(): AsyncGenerator<never> {}

/** How a given file is read where it is not as eventload wrote it. */
function noticesOf(lines: GivenLines | undefined): ImportNotice[] {
  const { name = "", encoding, lacks = [], leftOut = [] } = lines ?? {};
  const columns = lacks.map((column) => quote(column)).join(", ");
  const message = `${name} has lost the columns ${columns}: their cells are those of the account.`;
  return [
    ...(encoding === undefined ? [] : [{ kind: "opened", name, dialect: { encoding } } as const]),
    ...[...(lacks.length === 0 ? [] : [message]), ...leftOut].map(
      (said) => ({ kind: "warning", message: said }) as const,
    ),
  ];
}

/** Failed rows whose account is gone are an input. */
async function identityOfFile(path: string, name: string): Promise<InputIdentity> {
  const fingerprint = await fingerprintFile(path);
  const file = { path, name, ...fingerprint, state: await fileState(path) };
  return { files: [file], id: inputId(fingerprint), fingerprint };
}

/** Refuses failed rows that were edited and are not the given file: what was fixed in them would be overwritten. */
async function refuseEdits(context: RunContext, account: Manifest, given: string): Promise<void> {
  const { files, ports } = context;
  if (isSamePath(given, files.failed)) return;
  const now = await fingerprintOn(ports.disk, files.failed);
  if (now === undefined || now.sha256 === account.failed_rows_file?.sha256) return;
  throw cannotStart("failed_rows_edited", files.failed, basename(given));
}

/** A selected row with what has arrived, or may have, behind it: that was known once all rows were selected. */
function withArrivals(row: Row, keyOf: BoundMapping["keyOf"], arrivals: Arrivals): Row {
  const { lines = [] } = row;
  if (keyOf === undefined) return row;
  return {
    ...row,
    lines: lines.map((line) => {
      const key = line.use === "send" ? keyOf(line.cells) : undefined;
      const supersededBy = key === undefined ? undefined : arrivals.behind(row.row, key);
      return supersededBy === undefined ? line : { ...line, supersededBy };
    }),
  };
}
