import { encodingNamed } from "../model/reading.ts";

/**
 * Decodes bytes, chunk by chunk.
 *
 * @param isMore whether more will follow, so that a character may be cut at the end
 * @returns undefined if the bytes are not valid; the decoder cannot be used after that
 */
export type Decoder = (bytes: Buffer, isMore: boolean) => string | undefined;

/**
 * Creates a strict decoder: invalid bytes are never replaced.
 *
 * @throws RangeError if nobody knows the encoding
 */
export function createDecoder(label: string): Decoder {
  const name = encodingNamed(label);
  const table = tables[name];
  if (table !== undefined) return decodeByTable(table);
  const decoder = new TextDecoder(name, { fatal: true, ignoreBOM: true });
  const hasControls = /^(utf|gb)/.test(name);
  return (bytes, isMore) => {
    try {
      const text = decoder.decode(bytes, { stream: isMore });
      return !hasControls && controls.test(text) ? undefined : text;
    } catch {
      return undefined;
    }
  };
}

/** What a single-byte encoding gives for bytes to which it assigns no character. */
const controls = /[\u0080-\u009f]/;

/** @param table the characters from 0x80 on; those after them are as in ISO 8859-1 */
function decodeByTable(table: readonly string[]): Decoder {
  const last = String.fromCharCode(0x7f + table.length);
  const inTable = new RegExp(`[\u0080-${last}]`, "g");
  return (bytes) => {
    const text = bytes
      .toString("latin1")
      .replaceAll(inTable, (byte) => table[byte.charCodeAt(0) - 0x80] as string);
    return controls.test(text) ? undefined : text;
  };
}

/**
 * Node 20 takes windows-1252 for ISO 8859-1, in which 0x80 to 0x9f are controls; five of them mean nothing.
 * TextDecoder does not know the code pages of DOS. They are three lines here; `iconv-lite` (0.7.3) is 344 kB,
 * and replaces what it cannot decode.
 */
const tables: Readonly<Record<string, readonly string[]>> = {
  "windows-1252": [..."€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"],
  cp437: [
    ..."ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0",
  ],
  cp850: [
    ..."ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0",
  ],
  cp852: [
    ..."ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0",
  ],
};
