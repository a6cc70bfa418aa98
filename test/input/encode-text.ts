/**
 * Text as bytes of any encoding that `TextDecoder` knows, by turning its tables round: the platform
 * has no encoder but for Unicode.
 */
export interface Encoder {
  /** Whether the encoding has a character. */
  has(character: string): boolean;
  encode(text: string): Buffer;
}

const encoders = new Map<string, Encoder>();

/** @param label one of UTF-8, UTF-16 or an encoding of one or two bytes a character */
export function encoderOf(label: string): Encoder {
  const known = encoders.get(label) ?? (label.startsWith("utf-") ? unicode(label) : legacy(label));
  encoders.set(label, known);
  return known;
}

function unicode(label: string): Encoder {
  return {
    has: () => true,
    encode(text) {
      if (label === "utf-8") return Buffer.from(text);
      const bytes = Buffer.from(text, "utf16le");
      return label === "utf-16be" ? bytes.swap16() : bytes;
    },
  };
}

function legacy(label: string): Encoder {
  const table = new Map<string, Buffer>();
  const decoder = new TextDecoder(label);
  const add = (bytes: number[]) => {
    const character = decoder.decode(Uint8Array.from(bytes));
    // A byte without a meaning is a control character to some decoders, and Node 20 takes all of
    // windows-1252 for ISO 8859-1.
    const isOne = /^[^\ufffd\u0080-\u009f]$/u.test(character);
    if (isOne && !table.has(character)) table.set(character, Buffer.from(bytes));
  };
  for (let byte = 1; byte < 0x100; byte++) add([byte]);
  const isTwoByte = decoder.decode(Uint8Array.of(0x81)) === "\ufffd";
  for (let lead = 0x81; isTwoByte && lead < 0xff; lead++) {
    for (let trail = 0x40; trail < 0xff; trail++) add([lead, trail]);
  }
  return {
    has: (character) => table.has(character),
    encode: (text) => Buffer.concat([...text].map((character) => table.get(character)!)),
  };
}
