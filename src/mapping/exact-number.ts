/**
 * Whether a decimal literal stays what it is as a JSON number read by JavaScript. Beyond 2^53
 * neighbours of a whole number coincide, and what is too large or too small becomes infinite or
 * zero. Digits of a fraction beyond the 17th are rounded, as everywhere.
 */
export function isExactNumber(literal: string): boolean {
  // So few digits are always exact, and most numbers have no more.
  if (literal.length < 16 && !/e/i.test(literal)) return true;
  const number = Number(literal);
  if (!Number.isFinite(number)) return false;
  const [mantissa = "", exponent] = literal.toLowerCase().split("e");
  if (number === 0) return !/[1-9]/.test(mantissa);
  return exponent !== undefined || Math.abs(number) <= Number.MAX_SAFE_INTEGER;
}
