import type { Finding } from "../model/finding.ts";
import { type CellRuleMaker, feature } from "./cell-rule.ts";
import { cells, createOccurrences } from "./occurrences.ts";
import { type Suggestion, suggestMember } from "./suggestion.ts";

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
      const { column } = use;
      const findings: Finding[] = [];
      if (around.count > 0) {
        const { count, first } = around;
        const message = `${cells(count, "begins or ends", "begin or end")} with space, which is sent as part of the text`;
        findings.push({ kind: "surrounding_spaces", column, count, first, message, ...trim() });
      }
      if (within.count > 0) {
        const { count, first } = within;
        const message = `${cells(count, "holds", "hold")} a non-breaking space, which looks like a space but is another character: replace it in the file unless it is intended`;
        findings.push({ kind: "non_breaking_spaces", column, count, first, message });
      }
      return findings;
    },
  };

  function trim(): Suggestion {
    const transform = [use.member?.spec.transform ?? []].flat();
    if (transform.includes("trim")) return {};
    const added = { transform: transform.length === 0 ? "trim" : ["trim", ...transform] };
    return suggestMember(use, added, accepts);
  }
};

const noBreakSpace = /[\u00a0\u202f\u2007]/;
