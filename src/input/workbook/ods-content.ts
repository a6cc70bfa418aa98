/** The part of an .ods in which its sheets are. */
export const odsContent = "content.xml";
