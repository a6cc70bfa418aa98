import { normalized } from "../../model/escape-text.ts";
import { type Kind, knownHeader } from "./known-headers.ts";
import type { DayOrder } from "./recognise-date.ts";
import { areYesAndNo } from "./recognise-type.ts";

export interface Recognised {
  /** The name of the member, before duplicates get numbers; blank if the header has no letters. */
  readonly member: string;
  readonly kind: Kind | undefined;
  /** The words of the header themselves, for columns that would have one name. */
  readonly ownMember: string;
  /** Whether a prefix of the header was left out. */
  readonly isShortened?: true;
  /** Why the member is not named after what the header says. */
  readonly doubt?: string;
}

/** A column of a table, with its cells that are not blank. */
export interface RecognisedColumn {
  readonly column: string;
  readonly cells: readonly string[];
  readonly recognised: Recognised;
}

/** Words that say which one of several, but not what it is. */
const qualifiers = new Set(
  (
    "home work business other primary secondary main personal private mailing billing shipping company assistant " +
    "contact account owner address custom privat dienstlich geschaftlich domicile professionnel"
  ).split(" "),
);

/** Words anywhere in a header that say what its cells are. Of several kinds, the first here counts. */
const kindWords: readonly (readonly [Kind, RegExp])[] = [
  [
    "date",
    /\b(at|on|am|since|seit|seen|date|datum|timestamp|epoch|(epoch|timestamp|ts) ms)$|(年月日|日付|日時|日期)$/,
  ],
  [
    "flag",
    /^(is|has|do|does|can|opt|accepts|wants|disable|enable|allow|exclude)\b|\b(opt ?in|opt ?out|opted (in|out)|enabled|disabled|subscribed|unsubscribed|flag|flg|yn|newsletter|do not|dont|dnc|no (?:call|mail|email|sms|contact)|bounced|suppressed|valid$|deceased|blocked|banned|locked|suspended|verified|confirmed|deleted|archived|consent|(tax )?exempt|active|inactive)\b/,
  ],
  [
    "flag",
    /\b(gesperrt|blockiert|sperre|\w+sperre|aktiv|inaktiv|bestatigt|verifiziert|geloscht|abgemeldet|verboten|ungultig|verstorben|einwilligung|actif|inactif|bloque|verifie|confirme|supprime|desabonne|desinscrit|consentement|activo|inactivo|bloqueado|verificado|confirmado|eliminado|desuscrito|dado de baja|consentimiento|attivo|inattivo|bloccato|verificato|confermato|cancellato|disiscritto|consenso|actief|inactief|geblokkeerd|geverifieerd|bevestigd|afgemeld|uitgeschreven|opgezegd|toestemming|ativo|inativo|descadastrado|consentimento|aktywny|nieaktywny|zablokowany|zweryfikowany|potwierdzony|wypisany|zgoda|blockerad|sparrad|verifierad|bekraftad|avregistrerad|samtycke|blokeret|spaerret|verificeret|bekraeftet|afmeldt|samtykke)\b/,
  ],
  [
    "flag",
    /^(ne pas|nicht|keine|niet|geen|nie|non|nao|inte|ikke) |^no (contactar|llamar|enviar|molestar)\b| (inte|ikke)$/,
  ],
  ["email", /\b(e?mail|courriel|correo|epost)\b/],
  ["text", / (address|adresse|anschrift|direccion|indirizzo|adres|endereco|adress)$/],
  ["phone", /\b(phone|ph|telephone|tel|fax|mobile|pager|telefon\w*|handy|mobil|cell|whats ?app)\b/],
  ["phone", /^(phone )?(ext|extension)$|\bdurchwahl$/],
  ["phone", /(^|\s)(телефон|мобильный|тел)(\s|$)/],
  ["postal_code", /\b(zip ?(code)?|postal ?code|post ?code|plz|postleitzahl|postnummer|cep)\b/],
  ["date", /\b(date|datum|fecha|data|time|timestamp|birthday|anniversary|dato|dag)\b/],
  [
    "list",
    /\b(tags|labels|categories|groups|interests|keywords|ids|lists|list memberships?|skills|languages|roles|topics|hobbies|fahigkeiten|kenntnisse|sprachen|rollen|competences|langues|habilidades|idiomas|competenze|lingue)$/,
  ],
  [
    "id",
    /\w\w\w(nummer|number|nr)($| de[rs] )|\b(po box|postfach|nip|pesel|regon|rut|ruc|cuit|curp|rfc|siret|cedula|folio)$|(番号|コード|编号|编码|번호)$|\w{4}(?<!pa|val|cov|hybr)id$|^(numero?|nummer)(?!ic|at)|^(id|cod|code|codigo|codice|kod)\b/,
  ],
  [
    "id",
    /(^|\b)(id|ids|uid|guid|uuid|code|nr|no|number|num|nummer|numero|numer|euid|leid|sku|iban|bankleitzahl|blz|vat|ssn|social security|barcode|ean|gtin|upc|isbn|card|account|pin|serial|passport|bsn|dni|nif|cpf|cnpj|konto|karte|compte|carte|cuenta|tarjeta|conto|carta|rekening|kaart|conta)$/,
  ],
  ["coordinate", /\b(latitude|longitude|lat|lon|lng)$/],
  [
    "amount",
    /\b(amount|price|total|revenue|balance|betrag|preis|umsatz|montant|prix|importe|precio|importo|prezzo|bedrag|prijs|valor|kwota|cena|belopp|pris|counts?|limit|years?|jahr|annee|anno|quantity|qty|(number|no) of|age|salary|wages?|income|budget|costs?|population|points|scores?|visits|views|clicks|orders|purchases|spent|sales|profit|size|weight|height|distance|anzahl|menge|alter|gehalt|einkommen|kosten|summe|quantite|salaire|cantidad|edad|salario|ingresos?|saldo|quantita|eta|stipendio|aantal|leeftijd|salaris|quantidade|idade|renda|ilosc|liczba|wiek|dochod|obrot|pensja|wynagrodzenie|antal|lon)\b/,
  ],
];

/** How the cells are to be written, in parentheses: a date, a flag, a list, and whether they may be blank. */
const formatHint =
  /\((?:[ymdtj]{1,4}[-/. ][ymdtj]{1,4}[-/. ][ymdtj]{2,4}|0\s?[/|]\s?1|x, ?y[^()]*|optional|required)\)\s*$/i;

/** What database columns end with, and the word that it stands for; blank for none. */
const endings: Readonly<Record<string, string>> = Object.fromEntries(
  "addr:address amt:amount cd:code dt:date dte:date flg:flag nbr:number nm:name ts:timestamp txt:"
    .split(" ")
    .map((pair) => pair.split(":")),
);

/** What the columns of dumps and exports begin with, although the rows are about nothing else. */
const prefixes = ["cust", "user", "usr", "fld", "tbl", "default address", "mailing"];

/**
 * Recognises what a column is about by its header alone.
 *
 * @param shared the `sharedPrefix` of the file
 */
export function recogniseColumn(header: string, shared = ""): Recognised {
  // Salesforce ends the columns that its users have added so.
  const folded = foldHeader(header.replace(/__c\s*$/i, "").replace(formatHint, ""));
  return { ...recogniseFolded(folded, shared), ownMember: memberOf(folded) };
}

type Meaning = Omit<Recognised, "ownMember">;

function recogniseFolded(folded: string, shared: string): Meaning {
  const whole = recogniseWords(folded);
  if (whole.isKnown) return whole.recognised;
  const prefix = [...prefixes, shared].find((one) => folded.startsWith(`${one} `));
  if (prefix === undefined) return whole.recognised;
  const rest = folded.slice(prefix.length + 1);
  if (/^(id|no|nr|nbr|num|number|key)$/.test(rest)) {
    return prefix === "cust" ? { member: "customer_id", kind: "id" } : whole.recognised;
  }
  // What stands before a number is what is counted.
  if (/^\d/.test(rest)) return whole.recognised;
  const { recognised } = recogniseWords((Object.hasOwn(endings, rest) && endings[rest]) || rest);
  return recognised.member === "" ? whole.recognised : { ...recognised, isShortened: true };
}

/**
 * A column called "Email ID" holds addresses or numbers of something else, one called "url" may hold the
 * address of the record in an API, which is nobody's website, and one called "Cargo" with numbers no job.
 */
export function recogniseByCells(recognised: Recognised, cells: readonly string[]): Recognised {
  const [first = ""] = cells;
  const { member, ownMember, kind } = recognised;
  if (member === "website" && /^https?:\/\/[^/]+\/api\//.test(first)) {
    return { ...recognised, member: ownMember };
  }
  if (member === "email_id") {
    const isAddress = first.includes("@");
    return { ...recognised, ...(isAddress ? { member: "email", kind: "email" } : { kind: "id" }) };
  }
  const words = new Set(cells.map((cell) => cell.trim().toLowerCase()));
  const areFlags = kind === "text" && words.size > 1 && areYesAndNo([...words]);
  if (kind !== "text" || (member === ownMember && !areFlags) || first === "") return recognised;
  const areNumbers = cells.every((cell) => /^\s*-?[\d.,]+\s*$/.test(cell));
  // "Estado" is a state, or whether somebody is active.
  const areStatus =
    member === "state" && cells.some((cell) => /^\s*(in)?a(c?ti?[vf]|kty)[a-z]*\b/i.test(cell));
  const mayBe = !areStatus && !areFlags && (!areNumbers || mayBeNumbers.test(member));
  if (mayBe) return recognised;
  const doubt = `the header suggests ${member}, but the cells do not`;
  return { member: ownMember, ownMember, kind: undefined, doubt };
}

const mayBeNumbers = /^(address|address_line_2|house_number|notes)$/;

function recogniseWords(folded: string): { recognised: Meaning; isKnown: boolean } {
  const known = (recognised: Meaning) => ({ recognised, isKnown: true });
  const whole = knownHeader(folded);
  if (whole !== undefined) return known(whole);
  const words = folded.split(" ");
  const last = words.at(-1) ?? "";
  const ending = words.length > 1 && Object.hasOwn(endings, last) ? endings[last] : undefined;
  const before = words.slice(0, -1).join(" ");
  const expanded = ending === undefined ? folded : `${before} ${ending}`.trim();
  const dropped = ending === undefined || ["amount", "code"].includes(ending) ? undefined : before;
  for (const spelling of [expanded, dropped ?? ""]) {
    const meaning = knownHeader(spelling) ?? knownNumbered(spelling);
    if (meaning !== undefined) return known(meaning);
  }
  const member = memberOf(expanded);
  const rest = withoutQualifiers(expanded);
  const qualified = rest === expanded ? undefined : knownHeader(rest);
  return {
    recognised: { member, kind: qualified?.kind ?? kindOf(expanded, last) },
    isKnown: false,
  };
}

function kindOf(folded: string, last: string): Kind | undefined {
  const ofWords = (words: string) => kindWords.find(([, pattern]) => pattern.test(words))?.[0];
  const kind = ofWords(folded);
  if (kind !== "flag" || /^(is|has|do|does|can|opt|accepts|wants)\b/.test(folded)) return kind;
  // "Verified phone" is a phone, "phone verified" is not.
  const ofLast = ofWords(last);
  return ofLast === "phone" || ofLast === "id" || ofLast === "postal_code" ? ofLast : kind;
}

/** Google writes "E-mail 2 - Value", Outlook "E-mail 2 Address". */
function knownNumbered(folded: string): Meaning | undefined {
  const words = folded.split(" ");
  const numbers = words.filter((word, at) => at > 0 && /^\d{1,2}$/.test(word));
  const [number] = numbers;
  if (numbers.length > 1) return undefined;
  const plain = words.filter((word) => word !== number).join(" ");
  const known = knownHeader(plain.replace(/ value$/, ""));
  if (known === undefined) return undefined;
  const suffix = number === undefined || number === "1" ? "" : `_${number}`;
  return { ...known, member: `${known.member}${suffix}` };
}

/**
 * The word that nearly all headers of a file begin with, if it says whose they are: after it, some are known.
 * What columns such as `score_math` and `score_art` begin with says what they hold. Blank if there is none.
 */
export function sharedPrefix(headers: readonly string[]): string {
  const folded = headers.map(foldHeader);
  const isShared = (word: string) => {
    const rests = folded.filter((one) => one.startsWith(`${word} `));
    const known = rests.filter((one) => recogniseWords(one.slice(`${word} `.length)).isKnown);
    return rests.length >= Math.max(4, headers.length * 0.8) && known.length >= 2;
  };
  // Of a word that so many begin with, the first or the last is one.
  const words = [folded.at(0), folded.at(-1)].map((one = "") => one.split(" ")[0] ?? "");
  return words.find(isShared) ?? "";
}

function withoutQualifiers(folded: string): string {
  const words = folded.split(" ");
  const first = words.findIndex(
    (word, at) => !qualifiers.has(word) && !(at > 0 && /^\d{1,2}$/.test(word)),
  );
  return first < 0 ? folded : words.slice(first).join(" ");
}

/**
 * A "name" is the last name beside a column of first names, or the first name beside one of last names. A Spanish
 * "nombre" alone is the whole name.
 */
export function recogniseNameParts<Given extends RecognisedColumn>(
  columns: readonly Given[],
): Given[] {
  const of = (member: string) => columns.find(({ recognised }) => recognised.member === member);
  const [name, first, last] = [of("name"), of("first_name"), of("last_name")];
  const rename = (part: Given, member: string) =>
    columns.map((one) =>
      one === part ? { ...one, recognised: { ...one.recognised, member } } : one,
    );
  if (name === undefined && last === undefined && first !== undefined) {
    return foldHeader(first.column) === "nombre" ? rename(first, "name") : [...columns];
  }
  if (name === undefined || (first === undefined) === (last === undefined)) return [...columns];
  const folded = foldHeader(name.column);
  // Beside an English "First Name", "Name" is the full name.
  const isEnglish = /^(first ?name|forename|given name|fname)$/.test(
    foldHeader(first?.column ?? ""),
  );
  const isPart =
    first === undefined
      ? folded === "nome"
      : !isEnglish && /^(nom|name1?|naam|namn|navn)$/.test(folded);
  return isPart ? rename(name, first === undefined ? "first_name" : "last_name") : [...columns];
}

/** Words of German, French, Spanish, Italian, Portuguese and Dutch headers that English does not have. */
const dayFirstWords =
  /(^|\s)(vorname|nachname|geburtsdatum|geburtstag|geb|datum|strasse|ort|plz|anschrift|eintritt|erstellt|geandert|prenom|nom|naissance|inscription|courriel|adresse|ville|telephone|cree|nombre|apellidos?|fecha|nacimiento|alta|correo|direccion|ciudad|telefono|cognome|nome|nascita|iscrizione|indirizzo|citta|sobrenome|apelido|nascimento|cadastro|registo|endereco|morada|cidade|telefone|voornaam|achternaam|naam|geboortedatum|inschrijfdatum|straat|plaats|woonplaats|aangemaakt)(\s|$)/;

/** Whether a header is in a language whose countries write the day before the month. */
export function isDayFirstHeader(header: string): boolean {
  return dayFirstWords.test(foldHeader(header));
}

/** The order of day and month that a header names, such as "Born (DD/MM/YYYY)". */
export function dayOrderIn(header: string): DayOrder | undefined {
  const [, first] =
    /(?:^|[^a-z])([dtm])[dtm]?[-/. ][dtm]{1,2}[-/. ][yj]{2,4}(?:$|[^a-z])/i.exec(header) ?? [];
  if (first === undefined) return undefined;
  return first.toLowerCase() === "m" ? "month_first" : "day_first";
}

const maxNameLength = 60;

/** A folded header in snake_case, as a name that a path can have; blank if nothing is left of it. */
function memberOf(folded: string): string {
  const name = [...folded.replaceAll(" ", "_")].slice(0, maxNameLength).join("").replace(/_+$/, "");
  return /^\d/.test(name) ? `column_${name}` : name;
}

const secret =
  /\b(password|passwd|passwort|kennwort|passphrase|pwd|user pass|mot de passe|motdepasse|contrasena|clave de acceso|parola d ordine|wachtwoord|senha|palavra passe|haslo|losenord|adgangskode)\b|\b(token|secret|salt|hash|cv[vc]2?|credit card (?:number|no|nr)|cc (?:number|no|nr)|kreditkarten(?:nummer|nr)|csrf|otp|totp|api key|apikey|private key|activation key|session|session id|cookie|security (?:question|answer)|recovery codes?|session tokens|geheimnis)$/;
/** What is about a secret and holds none. */
const about = /\b(at|date|count|changed|expires|expired|consent|has|is|reset required|attempts)\b/;

/** Whether a column holds passwords, tokens or the like, so that it is not sent unless a person decides so. */
export function isSecret(header: string): boolean {
  const folded = foldHeader(header);
  return secret.test(folded) && !about.test(folded);
}

/** Letters that Unicode does not decompose. */
const foldings = { ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", ł: "l", ı: "i" };

/** Names that are one word, although they have a capital within. */
const brands = /WhatsApp|LinkedIn|YouTube|GitHub|TikTok|PayPal|HubSpot|WordPress|MySpace/g;

/** The words of a header without case, accents and punctuation, for comparison. */
function foldHeader(header: string): string {
  const words = header
    .replaceAll(brands, (brand) => brand.charAt(0) + brand.slice(1).toLowerCase())
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})(?<!\p{Lu}s(?!\p{L}))/gu, "$1 $2");
  // In other scripts, marks are letters: without them, it would be another word.
  const plain = normalized(words, "NFKD").replaceAll(/(\p{Script=Latin})\p{M}+/gu, "$1");
  return normalized(plain, "NFC")
    .toLowerCase()
    .replaceAll(/[ßæœøđðłı]/g, (letter) => foldings[letter as keyof typeof foldings])
    .replaceAll(/['’]/g, "")
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim()
    .replaceAll(/\be ?mail(s\b)?/g, "email")
    .replaceAll(/\bmail address\b/g, "email address");
}
