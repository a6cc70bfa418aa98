/** What the name of a column tells of postal codes: of any country, or of one that it names. */
export type PostalName = "any_country" | "one_country" | undefined;

/** Knows `Zip`, `postal_code`, `MailingPostalCode`, `code postal`, `PLZ` and their like. */
export function postalName(column: string): PostalName {
  if (anyCountry.test(column) || zipAfterWord.test(column)) return "any_country";
  return oneCountry.test(column) ? "one_country" : undefined;
}

const anyCountry = /(?:^|[^a-z])zip(?:[^a-z]|$)|zip[ _-]?code|postal|post[ _-]?code/i;
const zipAfterWord = /[a-z]Z(?:ip|IP)(?![a-z])/;
const oneCountry = /(?:^|[^a-z])(?:plz|postleitzahl|cap)(?:[^a-z]|$)/i;
