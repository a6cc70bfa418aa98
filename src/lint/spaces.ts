import { type CellRuleMaker, feature } from "./cell-rule.ts";
import { cells, createOccurrences } from "./occurrences.ts";
import { suggestMember } from "./suggestion.ts";

/** Space around a cell that is sent with it, and no-break spaces within a cell. */
export const spaces: CellRuleMaker = (use, accepts) => {
  if (!use.asText && !use.keepsSpace) return undefined;
  const around = createOccurrences();
  const within = createOccurrences();
  return {
    features: feature.edgeSpace | feature.noBreakSpace,
    see(cell, place, isSent) {
      if (!isSent) return;
      const trimmed = cell.trim();
      if (trimmed === "") return;
      if (use.keepsSpace && trimmed.length < cell.length) around.add(place, cell);
      else if (noBreakSpace.test(trimmed)) within.add(place, cell);
    },
    found() {
      const { column, member } = use;
      const transform = [member?.spec.transform ?? []].flat();
      return [
        ...(around.count === 0
          ? []
          : [
              {
                kind: "surrounding_spaces" as const,
                column,
                count: around.count,
                first: around.first,
                message: `${cells(around.count, "begins or ends", "begin or end")} with space, which is sent as part of the text`,
                ...(transform.includes("trim")
                  ? {}
                  : suggestMember(
                      use,
                      { transform: transform.length === 0 ? "trim" : ["trim", ...transform] },
                      accepts,
                    )),
              },
            ]),
        ...(within.count === 0
          ? []
          : [
              {
                kind: "non_breaking_spaces" as const,
                column,
                count: within.count,
                first: within.first,
                message: `${cells(within.count, "holds", "hold")} a non-breaking space, which looks like a space but is another character: replace it in the file unless it is intended`,
              },
            ]),
      ];
    },
  };
};

const noBreakSpace = /[\u00a0\u202f\u2007]/;
