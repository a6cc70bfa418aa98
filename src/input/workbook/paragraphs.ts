/** Puts the paragraphs of a cell of an .ods together, with white space as ODF 1.2, 6.1.2 has it. */
export interface Paragraphs {
  /** Begins a cell. */
  clear(): void;
  begin(): void;
  /** White space counts once, and not at the beginning. */
  text(piece: string): void;
  /** A blank, tab or line end that counts as it is. */
  exactly(text: string): void;
  /** The paragraphs as lines. */
  shown(): string;
}

export function createParagraphs(): Paragraphs {
  let shown = "";
  let count = 0;
  let afterSpace = true;
  return {
    clear() {
      shown = "";
      count = 0;
    },
    begin() {
      if (count++ > 0) shown += "\n";
      afterSpace = true;
    },
    text(piece) {
      const collapsed = piece.replaceAll(/[ \t\r\n]+/g, " ");
      const added = afterSpace && collapsed.startsWith(" ") ? collapsed.slice(1) : collapsed;
      if (collapsed !== "") afterSpace = collapsed.endsWith(" ");
      shown += added;
    },
    exactly(text) {
      shown += text;
      afterSpace = false;
    },
    shown: () => shown,
  };
}
