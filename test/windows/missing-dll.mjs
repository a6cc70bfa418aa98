import { writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Adds to a Windows folder of Wine the DLL that Wine 8 does not have and that programs of Go and Rust need, such as the
 * compiler and the bundler. Its one export is that of another DLL, which fills a buffer with random bytes too.
 *
 * The fields are those of Microsoft's "PE Format": the headers, then one section that is only an export directory.
 */
export function addMissingDll(system32) {
  const [name, of, as] = ["bcryptprimitives.dll", "ProcessPrng", "advapi32.SystemFunction036"];
  const file = Buffer.alloc(0x400);
  const [section, sectionAt] = [0x1000, 0x200];
  let at = 0;
  const put = (bytes, ...numbers) => {
    for (const number of numbers) at = file.writeUIntLE(number, at, bytes);
  };
  file.write("MZ");
  file.writeUInt32LE(0x40, 0x3c);
  at = 0x40;
  put(4, 0x4550); // "PE"
  put(2, 0x8664, 1); // x64, one section
  put(4, 0, 0, 0);
  put(2, 240, 0x2022); // the size of what follows; a DLL
  put(4, 0x20b, 0, 0x200, 0, 0, section); // 64 bits; no code, and no entry point
  put(4, 0x8000_0000, 1, 0x1000, 0x200); // where it likes to be; alignments in memory and in the file
  put(2, 6, 0, 0, 0, 6, 0);
  put(4, 0, 0x2000, 0x200, 0); // sizes in memory and of the headers
  put(2, 2, 0x160);
  put(4, 0x10_0000, 0, 0x1000, 0, 0x10_0000, 0, 0x1000, 0); // stack and heap
  put(4, 0, 16, section, 0x200); // of 16 directories the first is that of exports
  at = 0x40 + 24 + 240;
  file.write(".rdata", at);
  at += 8;
  put(4, 0x200, section, 0x200, sectionAt, 0, 0, 0, 0x4000_0040); // data that is read

  let textAt = 0x40;
  const [nameAt, ofAt, asAt] = [name, of, as].map((text) => {
    file.write(`${text}\0`, sectionAt + textAt);
    textAt += text.length + 1;
    return section + textAt - text.length - 1;
  });
  at = sectionAt;
  put(4, 0, 0, 0, nameAt, 1, 1, 1, section + 40, section + 44, section + 48);
  put(4, asAt, ofAt); // an address within the directory is a text that names the other
  writeFileSync(join(system32, name), file);
}
