import { foldHeader } from "./fold-header.ts";
import type { Recognised } from "./recognise-column.ts";

interface Column {
  readonly column: string;
  readonly recognised: Recognised;
}

/** Words for the whole of a name that, beside the first one, are the usual ones for the last one. */
const lastBesideFirst = /^(nom|name|naam|namn|navn)$/;
/** And that, beside the last one, are the usual ones for the first one. */
const firstBesideLast = /^(nome)$/;
/** Beside these a "Name" is the whole. */
const english = /^(first name|firstname|forename|given name|fname)$/;

/** The same columns, where one that alone would be the name is a part of it beside the other part. */
export function tellNameParts<Given extends Column>(columns: readonly Given[]): Given[] {
  const of = (member: string) => columns.find(({ recognised }) => recognised.member === member);
  const [name, first, last] = [of("name"), of("first_name"), of("last_name")];
  if (name === undefined) return [...columns];
  const folded = foldHeader(name.column);
  const isLast =
    first !== undefined &&
    last === undefined &&
    lastBesideFirst.test(folded) &&
    !english.test(foldHeader(first.column));
  const isFirst = first === undefined && last !== undefined && firstBesideLast.test(folded);
  if (!isLast && !isFirst) return [...columns];
  const member = isLast ? "last_name" : "first_name";
  return columns.map((one) =>
    one === name ? { ...one, recognised: { ...one.recognised, member } } : one,
  );
}
