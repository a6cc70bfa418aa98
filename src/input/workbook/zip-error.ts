/** The archive cannot be read: it is damaged, or not what a workbook is. */
export class ZipError extends Error {
  override readonly name = "ZipError";
}

export const documentNotSheet =
  "it is a document or a presentation, so save the table in it as .xlsx or CSV";
