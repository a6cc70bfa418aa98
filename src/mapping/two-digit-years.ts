import { foldHeader } from "./fold-header.ts";
import { blocksOfSpec, type MappingSpec, type MemberSpec } from "./schema.ts";

/** Whether a date format has a two-digit year. */
export function hasTwoDigitYear(format: string): boolean {
  return /(?<!y)yy(?!y)/.test(format.replaceAll(/'[^']*'/g, " "));
}

/** Whether a member, or a column of it, has a name like a date of birth. */
export function isOfBirth(
  member: string,
  { column = "", columns = [], template = "" }: MemberSpec,
): boolean {
  return [member, column, ...columns, template].some((name) => birth.test(foldHeader(name)));
}

/** Words for birth, or how they begin, in the languages of the headers that `init` knows. */
const birth =
  /\b(?:birth|(?:b ?day|dob|born|geb)\b|gebor|geburt|naissance|anniversaire|nacimiento|cumpleanos|nascita|compleanno|geboorte|verjaardag|nascimento|aniversario|urodz|fod(?:els|sels))/;

/** How two-digit years are read: a sentence for each member that has them. */
export function describeTwoDigitYears(mapping: MappingSpec, runDay: string): string[] {
  return blocksOfSpec(mapping).flatMap(({ spec: { members } }) =>
    Object.entries(members).flatMap(([name, member]) => {
      const spec: MemberSpec = typeof member === "string" ? { column: member } : member;
      const formats = [spec.format ?? [], spec.items?.format ?? []].flat();
      if (!formats.some(hasTwoDigitYear)) return [];
      const years = `member ${JSON.stringify(name)}: years of two digits are read as`;
      const pivot = spec.pivot_year ?? spec.items?.pivot_year;
      if (pivot !== undefined) return `${years} ${pivot - 99} to ${pivot}, as pivot_year says.`;
      return isOfBirth(name, spec)
        ? `${years} those from ${firstBirth(runDay)} to ${runDay}, as nobody is born after the run.`
        : `${years} 1961 to 2060: where that is wrong, set pivot_year.`;
    }),
  );
}

/** The day after the same day a century earlier. */
function firstBirth(runDay: string): string {
  const date = new Date(runDay);
  date.setUTCFullYear(date.getUTCFullYear() - 100);
  date.setUTCDate(date.getUTCDate() + 1);
  return date.toISOString().slice(0, runDay.length);
}
