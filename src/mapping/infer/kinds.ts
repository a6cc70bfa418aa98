interface KindOfColumn {
  readonly members?: string;
  /** Words for the members name the kind wherever they are in a header, or at its end. */
  readonly within?: "anywhere" | "at_end";
  readonly isSecret?: true;
  /** Whether the cells have a type, so that a few others are mistakes; else they are text, whatever most look like. */
  readonly isTyped?: true;
  /** How the cells show it by themselves, whatever the header says. */
  readonly shows?: (cells: Cells, kind: ColumnKind | undefined) => boolean;
  /** Whether the cells can be what the header says; without it, any can. */
  readonly suits?: (cells: Cells) => boolean;
  /** Whether the header makes the cells text of this kind. */
  readonly isText?: (cells: Cells) => boolean;
  readonly evidence?: string;
  readonly note?: (cells: Cells) => string | undefined;
}

export type Cells = readonly string[];

export type ColumnKind =
  | ("password" | "secret" | "national_id" | "bank" | "date" | "flag" | "email" | "text" | "phone")
  | ("postal_code" | "list" | "id" | "coordinate" | "amount" | "code");

/** Every kind. Of several that a header names, the first counts. */
export const columnKinds: Readonly<Record<ColumnKind, KindOfColumn>> = {
  password: {
    isSecret: true,
    // "Clave" is a key in Mexico, as a password is in Spain.
    suits: (cells) => cells.length < 2 || !cells.every((cell, at) => cell === String(at + 1)),
    shows: (cells, kind) =>
      areAll(cells, passwordHash) || (kind !== "id" && cells.length > 1 && areAll(cells, bareHash)),
  },
  secret: { isSecret: true, shows: (cells) => areAll(cells, accessKey) },
  national_id: {
    suits: areLong,
    shows: (cells) => personalNumbers.some((form) => areMost(cells, (cell) => form.test(cell))),
    isText: areIds,
    evidence: "id, kept as text",
    note: () => identifying("numbers that a state gives people"),
  },
  bank: {
    suits: areLong,
    shows: (cells, kind) =>
      areMost(cells, isIban) || (kind !== "phone" && areMost(cells, isCardNumber)),
    isText: areIds,
    evidence: "id, kept as text",
    note: () => identifying("numbers of bank accounts or cards"),
  },
  date: { members: "birthday created_at updated_at signed_up_at last_login_at", isTyped: true },
  flag: { isTyped: true },
  email: {
    members: "email",
    within: "anywhere",
    isTyped: true,
  },
  text: { members: "address", within: "at_end", isText: () => true },
  phone: {
    members: "phone mobile_phone fax",
    within: "anywhere",
    // An extension has few digits, and nothing else.
    isText: (cells) =>
      cells.filter(isPhone).length * 2 >= cells.length ||
      cells.every((cell) => /^[\d\s.,-]+$/.test(cell)),
    evidence: "phone number",
  },
  postal_code: {
    members: "postal_code",
    isText: (cells) => cells.some((cell) => /\d/.test(cell)),
    evidence: "postal code",
  },
  list: { members: "tags" },
  id: {
    members: "id user_id contact_id customer_id account_id vat_id",
    isText: areIds,
    evidence: "id, kept as text",
  },
  coordinate: { members: "latitude longitude", isTyped: true },
  amount: { isTyped: true },
  code: {
    isText: areCodes,
    evidence: "code, kept as text",
    note: (cells) =>
      cells.length > 0 && areCodes(cells)
        ? "if they are amounts or counts, add type: integer, or number"
        : undefined,
  },
};

export const kindNames = Object.keys(columnKinds) as ColumnKind[];

export function membersOfKind(kind: ColumnKind): readonly string[] {
  return columnKinds[kind].members?.split(" ") ?? [];
}

const kindsOfMembers = new Map(
  kindNames.flatMap((kind) => membersOfKind(kind).map((member) => [member, kind] as const)),
);

export function kindOfMember(member: string): ColumnKind | undefined {
  return kindsOfMembers.get(member.replace(/_\d+$/, ""));
}

/** The kind that the cells show, else the one that the header says if the cells can be that. */
export function kindOfCells(said: ColumnKind | undefined, cells: Cells): ColumnKind | undefined {
  const shown = kindNames.find((kind) => columnKinds[kind].shows?.(cells, said));
  if (shown !== undefined || said === undefined) return shown;
  return columnKinds[said].suits?.(cells) === false ? undefined : said;
}

export function isSecret(kind: ColumnKind | undefined): boolean {
  return kind !== undefined && columnKinds[kind].isSecret === true;
}

function identifying(what: string): string {
  return `these seem to be ${what}: remove the line unless the service needs them`;
}

/** No account, card or document has a number of three digits; days are "dni" in Polish, as a document is in Spanish. */
function areLong(cells: Cells): boolean {
  return cells.filter((cell) => cell.trim().length < 4).length * 2 <= cells.length;
}

/** The header "A-Number" can also mean a number. */
function areIds(cells: Cells): boolean {
  const areDecimals = cells.every((cell) => /^\s*-?\d+\.\d+\s*$/.test(cell));
  return !areDecimals && cells.every((cell) => /\d/.test(cell) && !/[,;|]/.test(cell));
}

/** A class called 7.1 is no number. */
function areCodes(cells: Cells): boolean {
  return cells.every((cell) => /^\s*\d+(?:\.\d)?\s*$/.test(cell));
}

/** An address has more words than the "ext" or "mobile" beside a number. */
function isPhone(cell: string): boolean {
  return (cell.match(/\d/g)?.length ?? 0) >= 5 && !/@|^\P{L}*\p{L}+\P{L}+\p{L}/u.test(cell);
}

function areAll(cells: Cells, form: RegExp): boolean {
  return cells.length > 0 && cells.every((cell) => form.test(cell.trim()));
}

/** A check digit fits one number of ten by chance. */
const minChecked = 3;

function areMost(cells: Cells, fits: (cell: string) => boolean): boolean {
  // Hardly any column is one of these, so a few cells decide first.
  const isSo = (cell: string) => fits(cell.trim());
  if (cells.length < minChecked || !cells.slice(0, minChecked).some(isSo)) return false;
  return cells.filter((cell) => !isSo(cell)).length <= cells.length * 0.05;
}

/** How programs write a password: bcrypt, argon2, crypt, WordPress, Django, LDAP; and what OpenSSL and CryptoJS encrypt. */
const passwordHash =
  /^(?:\$(?:2[abxy]?|argon2\w*|scrypt|pbkdf2[\w-]*|[156P]|H|y|7|apr1)\$|pbkdf2_\w+\$|(?:bcrypt_)?sha(?:1|256|512)\$|md5\$|\{(?:S?SHA\d*|S?MD5|CRYPT|bcrypt|ARGON2)\}|U2FsdGVkX1)\S{8,}$/i;
/** MD5, SHA-1 and their kin, as nothing but digits and the letters a to f. */
const bareHash = /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i;

/** Keys of an API of Stripe, GitHub, Slack, AWS and Google; JSON Web Tokens; and links that let anybody in. */
const accessKey =
  /^(?:[spr]k_(?:live|test)_\w|gh[opsu]_\w{20}|github_pat_|xox[abps]-|AKIA[A-Z\d]{16}$|AIza[\w-]{30}|eyJ[\w-]+\.eyJ|https?:\S+[?&#](?:\w*token|\w*api_?key|\w*secret|sig|signature|password|pwd|otp)=\S)/i;

/** Numbers of persons in forms that nothing else has: of Italy, Mexico, China, Korea, Brazil and the United States. */
const personalNumbers = [
  /^[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]$/i,
  /^[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z\d]\d$/i,
  /^[1-9]\d{5}(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dX]$/i,
  /^\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])-[1-4]\d{6}$/,
  /^\d{3}\.\d{3}\.\d{3}-\d\d$/,
  /^\d{3}-\d\d-\d{4}$/,
];

function isIban(given: string): boolean {
  const cell = given.replaceAll(/[\s-]/g, "");
  if (!/^[A-Z]{2}\d\d[A-Z\d]{11,30}$/i.test(cell)) return false;
  const moved = cell.slice(4) + cell.slice(0, 4);
  const digits = moved.replaceAll(/[A-Z]/gi, (letter) => String(Number.parseInt(letter, 36)));
  return BigInt(digits) % 97n === 1n;
}

/** Luhn's check digit, in numbers of the length and beginning of cards. */
function isCardNumber(given: string): boolean {
  const cell = given.replaceAll(/[\s-]/g, "");
  if (!/^(?:[4-6]\d{15}|4\d{12}|3[47]\d{13}|2[2-7]\d{14}|3\d{13})$/.test(cell)) return false;
  const digits = [...cell].toReversed().map(Number);
  const sum = digits.reduce((total, digit, at) => {
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}
