const signs = Buffer.from("\"'\n\r,;\t|\0\ufeff=é");

/** Bytes out of nothing: of any value, of what CSV is made of, or behind the first bytes of a format. */
export function randomBytes(random) {
  const length = Math.floor(random() ** 4 * 200_000);
  const alphabet = random() < 0.5 ? signs : undefined;
  const starts = ["", "", "1f8b08", "504b0304", "d0cf11e0a1b11ae1", "fffe", "feff", "efbbbf"];
  const start = Buffer.from(starts[Math.floor(random() * starts.length)], "hex");
  const body = Buffer.alloc(length);
  for (let at = 0; at < length; at++) {
    const value = Math.floor(random() * 256);
    body[at] = alphabet === undefined ? value : alphabet[value % alphabet.length];
  }
  return Buffer.concat([start, body]);
}

/** The bytes with one change or several. */
export function mutate(bytes, random, other) {
  let changed = bytes;
  for (let more = 1 + Math.floor(random() * 6); more > 0; more--) {
    changed = change(changed, random, other).subarray(0, 4_000_000);
  }
  return changed;
}

function change(bytes, random, other) {
  const below = (limit) => Math.floor(random() * limit);
  const at = below(bytes.length + 1);
  const end = Math.min(bytes.length, at + 1 + below(random() < 0.5 ? 4 : 400));
  const [before, part, after] = [
    bytes.subarray(0, at),
    bytes.subarray(at, end),
    bytes.subarray(end),
  ];
  switch (below(8)) {
    case 0:
      return Buffer.concat([before, after]);
    case 1:
      return before;
    case 2:
      return Buffer.concat([before, Buffer.of(below(256)), after]);
    case 3:
      return Buffer.concat([before, Buffer.of(signs[below(signs.length)]), part, after]);
    case 4:
      return Buffer.concat([before, part.map((byte) => byte ^ (1 << below(8))), after]);
    case 5:
      return Buffer.concat([before, ...Array(1 + below(2000)).fill(part), after]);
    case 6:
      return Buffer.concat([before, other.subarray(below(other.length)), after]);
    default:
      return Buffer.concat([part, before, after]);
  }
}
