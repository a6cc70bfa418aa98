import type { CellRuleMaker } from "../model/finding.ts";
import { sign } from "./glance.ts";
import { cells, createSightings } from "./sightings.ts";
import { suggestMember } from "./suggest-line.ts";

/**
 * Codes with zeros in front that the mapping takes for numbers, as `00172`. Nothing but zeros stands for
 * nothing as often as for a code.
 */
export const droppedZeros: CellRuleMaker = (use, accepts) => {
  if (use.asNumber === undefined) return undefined;
  const seen = createSightings();
  return {
    signs: sign.digits | sign.edge,
    see(cell, place, isSent, shown) {
      if (!isSent || cell.length > longest) return;
      const code = (shown & sign.edge) === 0 ? cell : cell.trim();
      if (code.charCodeAt(0) === zero && zerosBefore.test(code)) seen.add(place, cell);
    },
    found() {
      const { count, first } = seen;
      if (count === 0) return [];
      const code = first[0]?.value?.trim() ?? "";
      const becomes = `${code} becomes ${code.replace(/^0+/, "")}`;
      const message = `${cells(count, "begins", "begin")} with a zero, which the number made of ${count === 1 ? "it" : "them"} does not keep: ${becomes}. If it is a code, map it as text`;
      const { column, member } = use;
      const isNumber = member?.spec.type !== undefined && member.spec.type !== "string";
      return [
        {
          ...{ kind: "dropped_leading_zeros" as const, column, count, first, message },
          ...(isNumber ? suggestMember(use, { type: "string" }, accepts) : {}),
        },
      ];
    },
  };
};

/** No code is longer. */
const longest = 40;
const zero = 0x30;
const zerosBefore = /^0+[1-9]\d*$/;
