import { isDigit } from "./glance.ts";

/** `2024-12-31`, alone or with a time after it. */
export function isIsoDate(cell: string): boolean {
  if (!hasShape(cell, 0, "0000-00-00")) return false;
  if (cell.length === 10) return true;
  const between = cell[10];
  return (between === "T" || between === " ") && hasShape(cell, 11, "00:00");
}

const anyDigit = 0x30;

/** Whether there is a text of this shape at a place, in which 0 stands for any digit. */
function hasShape(cell: string, from: number, shape: string): boolean {
  if (cell.length < from + shape.length) return false;
  for (let at = 0; at < shape.length; at++) {
    const unit = cell.charCodeAt(from + at);
    const wanted = shape.charCodeAt(at);
    const isFitting = wanted === anyDigit ? isDigit(unit) : unit === wanted;
    if (!isFitting) return false;
  }
  return true;
}

/** Whether it may be a date as 3/4/2024: the first separator stands where it would. */
export function mayBeNumericDate(cell: string): boolean {
  return isSeparator(cell.charCodeAt(1)) || isSeparator(cell.charCodeAt(2));
}

/** A point, a slash or a minus. */
function isSeparator(unit: number): boolean {
  return unit >= 0x2d && unit <= 0x2f;
}
