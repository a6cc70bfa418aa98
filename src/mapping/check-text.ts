import { countryCodes } from "./country-codes.ts";
import type { TextFormat } from "./value-rules.ts";

/** Why a text is not what a format asks for; nothing where it is. */
export const checkText = {
  email: (text: string) =>
    text.length <= longestAddress && /^[^\s@<>()[\],;:"\\]+@[^\s@.]+(?:\.[^\s@.]+)+$/u.test(text)
      ? undefined
      : "is not an email address",
  url: (text: string) =>
    urlForm.test(text) && !/\s/.test(text) && URL.canParse(text)
      ? undefined
      : "is not a URL that begins with https:// or http://",
  uuid: (text: string) =>
    /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)
      ? undefined
      : "is not a UUID",
  "iso-country": (text: string) =>
    countryCodes.has(text)
      ? undefined
      : "is not a country code of ISO 3166, two capital letters such as NL",
} satisfies Record<TextFormat, (text: string) => string | undefined>;

/** Of a name of 100 kB that is not ASCII, it takes long to see that it is none. */
const urlForm = /^https?:\/\/[\\/]*[^\\/?#]{0,1000}(?:[\\/?#]|$)/i;

/** RFC 5321, section 4.5.3.1.3, without the angle brackets. */
const longestAddress = 254;
