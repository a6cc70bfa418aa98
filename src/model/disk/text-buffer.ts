/**
 * Turns texts into bytes in one buffer that is used again and again. A new buffer for each would pile
 * up outside of the heap, where the collector hardly sees it.
 *
 * @returns a function whose result is valid until it is called again
 */
export function createTextBuffer(): (text: string) => Buffer {
  let buffer = Buffer.alloc(64 * 1024);
  return (text) => {
    // A UTF-16 unit takes three bytes of UTF-8 at most.
    if (text.length * 3 > buffer.length) buffer = Buffer.alloc(text.length * 3);
    return buffer.subarray(0, buffer.write(text, "utf8"));
  };
}
