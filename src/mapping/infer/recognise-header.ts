import { normalized } from "../../model/normalized.ts";
import { type Kind, knownHeader } from "./known-headers.ts";

export interface Recognised {
  /** The name of the member, before duplicates get numbers; blank if the header has no letters. */
  readonly member: string;
  readonly kind: Kind | undefined;
}

/** Words that say which one of several, but not what it is. */
const qualifiers = new Set(
  (
    "home work business other primary secondary main personal private mailing billing shipping company assistant " +
    "contact account owner address custom privat dienstlich geschaftlich domicile professionnel"
  ).split(" "),
);

/** Words anywhere in a header that say what its cells are. */
const kindWords: readonly (readonly [Kind, RegExp])[] = [
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

/** Recognises what a column is about by its header alone. */
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
  const kind = kindWords.find(([, pattern]) => pattern.test(plain))?.[0];
  return { member, kind };
}

function withoutQualifiers(folded: string): string {
  const words = folded.split(" ");
  const first = words.findIndex((word) => !qualifiers.has(word));
  return first < 0 ? folded : words.slice(first).join(" ");
}

interface Column {
  readonly column: string;
  readonly recognised: Recognised;
}

/** Words for a name that mean the last name beside a column of first names. */
const lastNameBesideFirst = /^(nom|name|naam|namn|navn)$/;
/** Words for a name that mean the first name beside a column of last names. */
const firstNameBesideLast = /^(nome)$/;
/** Beside these, "Name" is the full name. */
const englishFirstName = /^(first name|firstname|forename|given name|fname)$/;

/** The same columns, with a "name" corrected to the first or last name if the other one has its own column. */
export function recogniseNameParts<Given extends Column>(columns: readonly Given[]): Given[] {
  const of = (member: string) => columns.find(({ recognised }) => recognised.member === member);
  const [name, first, last] = [of("name"), of("first_name"), of("last_name")];
  if (name === undefined) return [...columns];
  const folded = foldHeader(name.column);
  const isLast =
    first !== undefined &&
    last === undefined &&
    lastNameBesideFirst.test(folded) &&
    !englishFirstName.test(foldHeader(first.column));
  const isFirst = first === undefined && last !== undefined && firstNameBesideLast.test(folded);
  if (!isLast && !isFirst) return [...columns];
  const member = isLast ? "last_name" : "first_name";
  return columns.map((one) =>
    one === name ? { ...one, recognised: { ...one.recognised, member } } : one,
  );
}

/** Words of German, French, Spanish, Italian, Portuguese and Dutch headers that English does not have. */
const dayFirstWords =
  /(^|\s)(vorname|nachname|geburtsdatum|geburtstag|geb|datum|strasse|ort|plz|anschrift|eintritt|erstellt|geandert|prenom|nom|naissance|inscription|courriel|adresse|ville|telephone|cree|nombre|apellidos?|fecha|nacimiento|alta|correo|direccion|ciudad|telefono|cognome|nome|nascita|iscrizione|indirizzo|citta|sobrenome|apelido|nascimento|cadastro|registo|endereco|morada|cidade|telefone|voornaam|achternaam|naam|geboortedatum|inschrijfdatum|straat|plaats|woonplaats|aangemaakt)(\s|$)/;

/** Whether a header is in a language whose countries write the day before the month. */
export function isDayFirstHeader(header: string): boolean {
  return dayFirstWords.test(foldHeader(header));
}

/** Letters that Unicode does not decompose. */
const foldings: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ł: "l",
  ı: "i",
};

/** The words of a header without case, accents and punctuation, for comparison. */
export function foldHeader(header: string): string {
  const words = header
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})(?<!\p{Lu}s(?!\p{L}))/gu, "$1 $2");
  return normalized(words, "NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[ßæœøđðłı]/g, (letter) => foldings[letter] ?? letter)
    .replaceAll(/['’]/g, "")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .replaceAll(/\be ?mail(s\b)?/g, "email")
    .replaceAll(/\bmail address\b/g, "email address");
}

const maxNameLength = 60;

/** A folded header in snake_case; blank if nothing is left of it. */
function snakeCase(folded: string): string {
  return [...folded.replaceAll(" ", "_")].slice(0, maxNameLength).join("").replace(/_+$/, "");
}
