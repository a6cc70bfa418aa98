import { compileConversion } from "../compile-conversion.ts";
import { hasTwoDigitYear, isOfBirth } from "../two-digit-years.ts";
import type { ConversionSpec } from "../value-schema.ts";
import { foldHeader } from "./recognise-header.ts";

/** Words of columns whose dates are before the run, in the languages of the headers that `init` knows. */
const past =
  /\b(created|updated|modified|changed|added|joined|registered|registration|subscribed|signup|sign up|signed up|hired?|entry|entered|opened|first|last|since|confirmed|graduat\w+|erstellt|angelegt|geandert|eintritt|seit|letzte\w?|creation|inscription|embauche|depuis|derniere?|alta|creacion|ingreso|ultim[oa]|creazione|iscrizione|assunzione|aangemaakt|inschrijfdatum|laatste|sinds|cadastro|criado|admissao|utworzono|rejestracji|skapad|oprettet|sidste|senaste)\b/;
/** Words of columns whose dates can be long after it. */
const future =
  /\b(expir\w*|valid|until|due|end|ends|renew\w*|next|maturity|ablauf|gultig|bis|fallig\w*|ende|kundigung|nachste\w?|echeance|fin|vencimiento|caducidad|hasta|scadenza|fino|vervaldatum|geldig|tot|validade|wazny|forfall|giltig|udlob)\b/;

/** A date so many years after this one is no plan of a column that says nothing about itself. */
const maxYearsAhead = 15;
/** A mapping is used for ten years or more, in which the past grows: to the end of a decade. */
function endOfUse(thisYear: number): number {
  return Math.ceil((thisYear + 10) / 10) * 10;
}

export interface YearGuess {
  readonly pivotYear?: number;
  readonly note: string;
}

/** How the two-digit years of a column are to be read; undefined if it has none. */
export function guessTwoDigitYears(
  { column, member }: { readonly column: string; readonly member: string },
  conversion: ConversionSpec,
  cells: readonly string[],
  thisYear: number | undefined,
): YearGuess | undefined {
  if (typeof conversion.format !== "string" || !hasTwoDigitYear(conversion.format)) {
    return undefined;
  }
  if (isOfBirth(member, { column })) {
    return { note: "years of two digits are never after the run, as nobody is born then" };
  }
  const usual = { note: "years of two digits are read as 1961 to 2060: pivot_year changes that" };
  const folded = foldHeader(column);
  if (thisYear === undefined || future.test(folded)) return usual;
  const convert = compileConversion(conversion, { unlessNull: (text) => text });
  const isPast = past.test(folded);
  const maxYear = isPast ? thisYear : thisYear + maxYearsAhead;
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (const cell of cells) {
    const date = convert(cell);
    const year = date.kind === "value" ? Number(String(date.value).slice(0, 4)) : 0;
    if (year <= maxYear) continue;
    first = Math.min(first, year);
    last = Math.max(last, year);
  }
  if (last === 0) return usual;
  // As early as it can be: other rows may have years between this one and those that are too far ahead.
  const pivotYear = Math.min(first - 1, isPast ? endOfUse(thisYear) : maxYear);
  const note = `years of two digits are read as ${pivotYear - 99} to ${pivotYear}, as ${last} is too far ahead`;
  return { pivotYear, note };
}
