/** The archive cannot be read: it is damaged, or not what a workbook is. */
export class ZipError extends Error {
  override readonly name = "ZipError";
}
