import { count, wholeRate } from "../../model/quantities.ts";

/** What a rate counts. */
type Counted = "row" | "event" | "request";

/** `48 rows/s`, `0.5 rows/s`, and `1.5 rows/m` or `2 rows/h` where of a second nothing would be left. */
export function rateText(perSecond: number, of: Counted): string {
  const [name, seconds] =
    units.find(([, seconds]) => perSecond === 0 || perSecond * seconds >= 0.1) ?? hour;
  const inUnit = perSecond * seconds;
  return `${count(inUnit < 10 ? Math.round(inUnit * 10) / 10 : Math.round(inUnit), of)}/${name}`;
}

/** A rate that was asked for, in the unit in which it is a whole number: `50 requests/s`, `100 requests/h`. */
export function capText(perSecond: number, of: Counted): string {
  const whole = wholeRate(perSecond);
  return whole === undefined ? rateText(perSecond, of) : `${count(whole.amount, of)}/${whole.unit}`;
}

const hour = ["h", 3600] as const;
/** As `--rate` takes them. */
const units = [["s", 1], ["m", 60], hour] as const;
