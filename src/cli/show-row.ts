import { cannotStart } from "../model/errors.ts";
import type { Input } from "../run/input.ts";
import { previewRow } from "../run/preview.ts";
import type { Arguments } from "./arguments.ts";
import { exitStatus, type Host } from "./host.ts";
import { readingOf } from "./reading-of.ts";
import { previewJson, renderPreview } from "./render-preview.ts";
import { headerName } from "./send-options.ts";
import { writeLine } from "./write-line.ts";

const choosesRows = "it chooses rows, and so does --row; give one of them";

const notWithRow = {
  skip: choosesRows,
  limit: choosesRows,
  problems: "it is for a check of all rows, and --row shows one; give one of them",
  baseline: "it compares all rows of a key, and --row shows one as it would be sent; leave it out",
};

/**
 * What `check --row` does: shows the requests of one row.
 *
 * @returns the exit status
 */
export async function showRow(
  row: number,
  input: Input,
  mapping: string,
  args: Arguments,
  { stdout }: Host,
): Promise<number> {
  for (const [name, why] of Object.entries(notWithRow)) {
    const setting = args.setting(name);
    if (setting?.origin !== "command line") continue;
    throw cannotStart("option_invalid", setting.place, why);
  }
  const baseUrl = args.text("base-url");
  const idempotencyHeader = headerName(args);
  const preview = await previewRow({
    input,
    mapping,
    row,
    reading: readingOf(args),
    allowHttp: args.flag("allow-http"),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(idempotencyHeader === undefined ? {} : { idempotencyHeader }),
  });
  if (preview.kind === "no_such_row") {
    throw cannotStart("option_invalid", "--row", `the input has no row ${row}`);
  }
  const lines = args.flag("json") ? [JSON.stringify(previewJson(preview))] : renderPreview(preview);
  for (const line of lines) writeLine(stdout, line);
  return preview.kind === "invalid" ? exitStatus.someNotSucceeded : exitStatus.ok;
}
