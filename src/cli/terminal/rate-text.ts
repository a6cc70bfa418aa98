import { grouped } from "../../model/quantities.ts";

/** `48/s`, `0.5/s`, and `1.5/m` or `2/h` where of a second nothing would be left. */
export function rateText(perSecond: number): string {
  const [name, seconds] =
    units.find(([, seconds]) => perSecond === 0 || perSecond * seconds >= 0.1) ?? hour;
  const inUnit = perSecond * seconds;
  return `${grouped(inUnit < 10 ? Math.round(inUnit * 10) / 10 : Math.round(inUnit))}/${name}`;
}

/** A rate that was asked for, in the unit in which it is a whole number: `50/s`, `100/h`. */
export function capText(perSecond: number): string {
  const whole = units.find(([, seconds]) => isWhole(perSecond * seconds));
  if (whole === undefined) return rateText(perSecond);
  const [name, seconds] = whole;
  return `${grouped(Math.round(perSecond * seconds))}/${name}`;
}

const hour = ["h", 3600] as const;
/** As `--rate` takes them. */
const units = [["s", 1], ["m", 60], hour] as const;

/** Apart from what the division of an hour by seconds leaves. */
function isWhole(number: number): boolean {
  return number >= 0.5 && Math.abs(number - Math.round(number)) < 1e-6;
}
