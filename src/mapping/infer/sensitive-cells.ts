import type { Kind } from "./vocabulary.ts";

/** How programs write a password: bcrypt, argon2, crypt, WordPress, Django, LDAP; and what OpenSSL and CryptoJS encrypt. */
const passwordHash =
  /^(?:\$(?:2[abxy]?|argon2\w*|scrypt|pbkdf2[\w-]*|[156P]|H|y|7|apr1)\$|pbkdf2_\w+\$|(?:bcrypt_)?sha(?:1|256|512)\$|md5\$|\{(?:S?SHA\d*|S?MD5|CRYPT|bcrypt|ARGON2)\}|U2FsdGVkX1)\S{8,}$/i;
/** MD5, SHA-1 and their kin, as nothing but digits and the letters a to f. */
const bareHash = /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i;

/** Keys of an API of Stripe, GitHub, Slack, AWS and Google; JSON Web Tokens; and links that let anybody in. */
const accessKey =
  /^(?:[spr]k_(?:live|test)_\w|gh[opsu]_\w{20}|github_pat_|xox[abps]-|AKIA[A-Z\d]{16}$|AIza[\w-]{30}|eyJ[\w-]+\.eyJ|https?:\S+[?&#](?:\w*token|\w*api_?key|\w*secret|sig|signature|password|pwd|otp)=\S)/i;

/** Whether all cells are hashes of passwords or what cannot be told from them, or give access by themselves. */
export function areSecrets(kind: Kind | undefined, cells: readonly string[]): boolean {
  const are = (form: RegExp) => cells.length > 0 && cells.every((cell) => form.test(cell.trim()));
  return (
    are(passwordHash) || are(accessKey) || (kind !== "id" && cells.length > 1 && are(bareHash))
  );
}

/** What identifies a person or an account, for a comment above the member; undefined for anything else. */
export function whatIdentifies(
  kind: Kind | undefined,
  cells: readonly string[],
): string | undefined {
  const what =
    kind === "national_id" ||
    personalNumbers.some((form) => areMost(cells, (cell) => form.test(cell.trim())))
      ? "numbers that a state gives people"
      : kind === "bank" ||
          areMost(cells, isIban) ||
          (kind !== "phone" && (areMost(cells, isCardNumber) || areMost(cells, inFours)))
        ? "numbers of bank accounts or cards"
        : undefined;
  return what && `these seem to be ${what}: remove the line unless the service needs them`;
}

/** Numbers of persons in forms that nothing else has: of Italy, Mexico, China, Korea, Brazil and the United States. */
const personalNumbers = [
  /^[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]$/i,
  /^[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z\d]\d$/i,
  /^[1-9]\d{5}(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dX]$/i,
  /^\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])-[1-4]\d{6}$/,
  /^\d{3}\.\d{3}\.\d{3}-\d\d$/,
  /^\d{3}-\d\d-\d{4}$/,
];

/** A check digit fits one number of ten by chance. */
const minChecked = 3;

function areMost(cells: readonly string[], fits: (cell: string) => boolean): boolean {
  // Hardly any column is one of these, so a few cells decide first.
  if (cells.length < minChecked || !cells.slice(0, minChecked).some(fits)) return false;
  return cells.filter((cell) => !fits(cell)).length <= cells.length * 0.05;
}

function inFours(cell: string): boolean {
  return /^\s*\d{4}([ -])\d{4}\1\d{4}\1\d{4}\s*$/.test(cell);
}

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
