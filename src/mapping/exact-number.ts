/**
 * Whether a decimal literal stays what it is as a JSON number read by JavaScript. A number has about
 * 17 digits; what is written with more, or with a digit that it cannot have, would be another number.
 * The 17 digits with which programs write out a binary fraction are that fraction.
 */
export function isExactNumber(literal: string): boolean {
  // So few digits are always exact, and most numbers have no more.
  if (literal.length < 16 && !/e/i.test(literal)) return true;
  const number = Number(literal);
  if (!Number.isFinite(number)) return false;
  // Beyond 2^53 neighbours of a whole number coincide.
  if (!/e/i.test(literal) && Math.abs(number) > Number.MAX_SAFE_INTEGER) return false;
  const wanted = digitsOf(literal);
  if (number === 0) return wanted === "";
  if (wanted.length > mostDigits) return false;
  return (
    digitsOf(String(number)) === wanted ||
    digitsOf(number.toPrecision(Math.max(1, wanted.length))) === wanted
  );
}

const mostDigits = 17;

/** The digits that count: without sign, point, exponent, and zeros at either end. */
function digitsOf(literal: string): string {
  const [mantissa = ""] = literal.toLowerCase().split("e");
  return mantissa
    .replace(/[^\d]/g, "")
    .replace(/^0+/, "")
    .replace(/(?<!0)0+$/, "");
}
