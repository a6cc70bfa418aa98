import { foldHeader, snakeCase } from "./fold-header.ts";
import { type Kind, knownHeader } from "./known-headers.ts";

export interface Recognised {
  /** What the member would be called, were it the only one of that name; blank where it has no name. */
  readonly member: string;
  readonly kind: Kind | undefined;
}

/** Words that say which of several, and nothing of what it is. */
const qualifiers = new Set(
  (
    "home work business other primary secondary main personal private mailing billing shipping company assistant " +
    "contact account owner address custom privat dienstlich geschaftlich domicile professionnel"
  ).split(" "),
);

/** A word anywhere in a header that says what its cells are. */
const telling: readonly (readonly [Kind, RegExp])[] = [
  ["email", /\b(e?mail|courriel|correo|epost)\b/],
  ["phone", /\b(phone|telephone|tel|fax|mobile|pager|telefon\w*|handy|mobil|cell|whats ?app)\b/],
  ["phone", /(^|\s)(телефон|мобильный|тел)(\s|$)/],
  ["postal_code", /\b(zip|postal code|postcode|plz|postleitzahl|postnummer|cep)\b/],
  [
    "date",
    /\b(date|datum|fecha|data|time|timestamp|birthday|anniversary|dato|dag)\b|\b(at|on|am|since|seit)$/,
  ],
  ["list", /\b(tags|labels|categories|groups|interests|keywords|ids|lists|list memberships?)$/],
  [
    "id",
    /(^|\b)(id|ids|uid|guid|uuid|code|nr|no|number|num|nummer|numero|numer|euid|leid|sku|iban|vat|ssn|social security|barcode|ean|gtin|upc|isbn|card|account|pin|serial|passport|bsn|dni|nif|cpf|cnpj|konto|karte|compte|carte|cuenta|tarjeta|conto|carta|rekening|kaart|conta)$/,
  ],
  [
    "flag",
    /^(is|has|do|does|can|opt|accepts|wants)\b|\b(opt ?in|opt ?out|active|aktiv|enabled|subscribed|flag|newsletter)\b/,
  ],
  ["coordinate", /\b(latitude|longitude|lat|lon|lng)$/],
  [
    "money",
    /\b(amount|price|total|revenue|balance|betrag|preis|umsatz|montant|prix|importe|precio|importo|prezzo|bedrag|prijs|valor|kwota|cena|belopp|pris)\b/,
  ],
];

/** What a column is about, by its header alone. */
export function recogniseColumn(header: string): Recognised {
  const folded = foldHeader(header);
  const whole = knownHeader(folded);
  if (whole !== undefined) return whole;
  const words = folded.split(" ");
  const number = words.find((word, at) => at > 0 && /^\d{1,2}$/.test(word));
  // Google writes "E-mail 2 - Value", Outlook "E-mail 2 Address".
  const unnumbered = words.filter((word) => word !== number).join(" ");
  const plain = unnumbered.replace(/ value$/, "");
  const suffix = number === undefined || number === "1" ? "" : `_${number}`;
  const known = knownHeader(plain);
  if (known !== undefined) return { ...known, member: `${known.member}${suffix}` };
  const name = snakeCase(plain);
  const member = name === "" ? "" : `${/^\d/.test(name) ? "column_" : ""}${name}${suffix}`;
  const rest = withoutQualifiers(plain);
  const qualified = rest === plain ? undefined : knownHeader(rest);
  if (qualified !== undefined) return { member, kind: qualified.kind };
  const kind = telling.find(([, pattern]) => pattern.test(plain))?.[0];
  return { member, kind };
}

function withoutQualifiers(folded: string): string {
  const words = folded.split(" ");
  const first = words.findIndex((word) => !qualifiers.has(word));
  return first < 0 ? folded : words.slice(first).join(" ");
}
