/** Nothing but white space. */
export function isBlank(text: string): boolean {
  // Nearly every text that is not blank begins with a letter or a digit.
  const first = text.charCodeAt(0);
  if (first > 0x20 && first < 0x7f) return false;
  return text.trim() === "";
}
