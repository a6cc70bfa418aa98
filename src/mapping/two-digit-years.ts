import { foldHeader } from "./infer/recognise-header.ts";
import type { MappingSpec, MemberSpec } from "./schema.ts";

/** Whether a format of dates has a year of two digits. */
function hasTwoDigitYear(format: string): boolean {
  return /(?<!y)yy(?!y)/.test(format.replaceAll(/'[^']*'/g, " "));
}

/** Whether a member, or a column that it is made of, is called like a date of birth. */
export function isOfBirth(
  member: string,
  { column = "", columns = [], template = "" }: MemberSpec,
): boolean {
  return [member, column, ...columns, template].some((name) => birth.test(foldHeader(name)));
}

/** How words for it begin, or all of such a word, in the languages of the headers that `init` knows. */
const birth =
  /\b(?:birth|(?:b ?day|dob|born|geb)\b|gebor|geburt|naissance|anniversaire|nacimiento|cumpleanos|nascita|compleanno|geboorte|verjaardag|nascimento|aniversario|urodz|fod(?:els|sels))/;

/** A sentence for each member whose dates have years of two digits: what they are taken for. */
export function describeTwoDigitYears({ events }: MappingSpec, runDay: string): string[] {
  return events.flatMap(({ members }) =>
    Object.entries(members).flatMap(([name, member]) => {
      const spec: MemberSpec = typeof member === "string" ? { column: member } : member;
      const formats = [spec.format ?? [], spec.items?.format ?? []].flat();
      if (!formats.some(hasTwoDigitYear)) return [];
      const years = `member ${JSON.stringify(name)}: years of two digits are read as`;
      return isOfBirth(name, spec)
        ? `${years} those from ${firstBirth(runDay)} to ${runDay}, as nobody is born after the run.`
        : `${years} 1961 to 2060: where that is wrong, write four digits in the file.`;
    }),
  );
}

/** The day after the same one a century before. */
function firstBirth(runDay: string): string {
  const date = new Date(runDay);
  date.setUTCFullYear(date.getUTCFullYear() - 100);
  date.setUTCDate(date.getUTCDate() + 1);
  return date.toISOString().slice(0, runDay.length);
}
