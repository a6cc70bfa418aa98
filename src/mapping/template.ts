import { isBlank } from "./blank.ts";
import type { Columns } from "./columns.ts";

export type CompiledTemplate =
  | {
      readonly kind: "compiled";
      /** The columns that it names. */
      readonly columns: readonly string[];
      fill(cells: readonly string[]): string;
    }
  | { readonly kind: "problem"; readonly message: string };

const mostColumns = 1000;

/** Compiles `"{First Name} {Last Name}"`; `{{` and `}}` stand for the braces themselves. */
export function compileTemplate(template: string, { find, cell }: Columns): CompiledTemplate {
  const parts: (string | ((cells: readonly string[]) => string))[] = [];
  const columns: string[] = [];
  let text = "";
  for (let at = 0; at < template.length; at++) {
    const char = template.charAt(at);
    const doubled = char === template.charAt(at + 1);
    if ((char === "{" || char === "}") && doubled) {
      text += char;
      at++;
    } else if (char === "}") {
      return { kind: "problem", message: "has a } without its {: write }} for the brace itself" };
    } else if (char !== "{") {
      text += char;
    } else {
      const end = template.indexOf("}", at);
      if (end < 0) {
        return { kind: "problem", message: "has a { without its }: write {{ for the brace itself" };
      }
      const name = template.slice(at + 1, end);
      const found = find(name);
      if (found.kind === "problem") return found;
      parts.push(text, cell(found.index));
      columns.push(name);
      if (columns.length > mostColumns) {
        return { kind: "problem", message: `names more than ${mostColumns} columns: use fewer` };
      }
      text = "";
      at = end;
    }
  }
  parts.push(text);
  if (columns.length === 0) {
    return { kind: "problem", message: "names no {column}: use value for a fixed text" };
  }
  return {
    kind: "compiled",
    columns,
    fill(cells) {
      let blank = true;
      let filled = "";
      for (const part of parts) {
        if (typeof part === "string") {
          filled += part;
          continue;
        }
        const inserted = part(cells);
        if (!isBlank(inserted)) blank = false;
        filled += inserted;
      }
      return blank ? "" : filled;
    },
  };
}
