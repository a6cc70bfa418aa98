import { crc32, deflateRawSync } from "node:zlib";

/** A zip archive of these parts, each of them deflated. */
export function zipOf(parts) {
  const bodies = [];
  const directory = [];
  let offset = 0;
  for (const [name, part] of Object.entries(parts)) {
    const bytes = Buffer.from(part);
    const packed = deflateRawSync(bytes);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(bytes.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const body = Buffer.concat([Buffer.from("PK\x03\x04"), fields, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    const entry = ["PK\x01\x02\x14\0", fields, place, name].map((piece) => Buffer.from(piece));
    directory.push(Buffer.concat(entry));
    bodies.push(body);
    offset += body.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, listed, end]);
}

const types = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

const relationship = (id, type, target) =>
  `<Relationship Id="${id}" Type="${types}/${type}" Target="${target}"/>`;

/** A row of an .xlsx with these texts. */
export function xlsxRow(...texts) {
  return `<row>${texts.map((text) => `<c t="str"><v>${text}</v></c>`).join("")}</row>`;
}

/** The parts of an .xlsx with a sheet of these rows, and others in their place. */
export function xlsxParts(rows, others = {}) {
  const related = [
    relationship("r1", "worksheet", "worksheets/sheet1.xml"),
    relationship("r2", "sharedStrings", "sharedStrings.xml"),
    relationship("r3", "styles", "styles.xml"),
  ];
  return {
    "[Content_Types].xml": "<Types/>",
    "_rels/.rels": `<Relationships>${relationship("r1", "officeDocument", "xl/workbook.xml")}</Relationships>`,
    "xl/workbook.xml": `<workbook xmlns:r="${types}"><sheets><sheet name="People" sheetId="1" r:id="r1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships>${related.join("")}</Relationships>`,
    "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    ...others,
  };
}

/** An .ods with this in its spreadsheet. */
export function odsOf(spreadsheet) {
  return zipOf({
    mimetype: "application/vnd.oasis.opendocument.spreadsheet",
    "content.xml": `<office:document-content><office:body><office:spreadsheet>${spreadsheet}</office:spreadsheet></office:body></office:document-content>`,
  });
}
