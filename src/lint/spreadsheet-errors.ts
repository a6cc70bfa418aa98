import type { CellRuleMaker } from "../model/finding.ts";
import { sign } from "./glance.ts";
import { cells, createSightings } from "./sightings.ts";

/** What spreadsheet programs write where a formula failed, or a number did not fit in its column. */
export const spreadsheetErrors: CellRuleMaker = (use) => {
  if (!use.asText) return undefined;
  const seen = createSightings();
  const found = new Set<string>();
  return {
    signs: sign.standIn | sign.edge,
    see(cell, place, isSent) {
      if (!isSent || cell.length > longest) return;
      const text = cell.trim();
      if (!failed.test(text) || use.knownCells.has(text)) return;
      seen.add(place, cell);
      found.add(text.startsWith("##") ? "####" : text);
    },
    found() {
      const { count, first } = seen;
      if (count === 0) return [];
      const message = `${cells(count, "holds", "hold")} what a spreadsheet program shows in place of a value (${[...found].join(", ")}): get the value from where the file came from`;
      return [{ kind: "spreadsheet_errors", column: use.column, count, first, message }];
    },
  };
};

const longest = 255;
const failed =
  /^(?:#{3,}|#(?:NAME\?|REF!|VALUE!|DIV\/0!|NUM!|NULL!|SPILL!|CALC!|FIELD!|BLOCKED!|CONNECT!|UNKNOWN!|GETTING_DATA|ERROR!)|Err:5\d\d)$/;
