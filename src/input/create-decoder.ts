/**
 * Turns bytes into text, some at a time.
 *
 * @param isMore whether more will follow, so that a character may be cut at the end
 * @returns nothing where the bytes are not of the encoding; the decoder is spent then
 */
export type Decoder = (bytes: Buffer, isMore: boolean) => string | undefined;

/** Makes a strict decoder: what has no meaning in the encoding is never replaced. */
export function createDecoder(label: string): Decoder {
  const decoder = new TextDecoder(label, { fatal: true, ignoreBOM: true });
  if (decoder.encoding === "windows-1252") return decodeWindows1252;
  const hasControls = /^(utf|gb)/.test(decoder.encoding);
  return (bytes, isMore) => {
    try {
      const text = decoder.decode(bytes, { stream: isMore });
      return !hasControls && controls.test(text) ? undefined : text;
    } catch {
      return undefined;
    }
  };
}

/** What comes of bytes that an encoding of one byte a character has left without a meaning. */
const controls = /[\u0080-\u009f]/;

/** Node 20 takes windows-1252 for ISO 8859-1, in which these bytes are control characters. */
function decodeWindows1252(bytes: Buffer): string | undefined {
  const text = bytes
    .toString("latin1")
    .replaceAll(/[\u0080-\u009f]/g, (control) => above80[control.charCodeAt(0) - 0x80] ?? control);
  return controls.test(text) ? undefined : text;
}

/** The characters of 0x80 to 0x9f; a space stands for none. */
const above80 = [..."€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ"].map((character) =>
  character === " " ? undefined : character,
);
