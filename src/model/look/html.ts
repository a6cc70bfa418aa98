import { sum } from "../quantities.ts";

/** HTML in which all text from outside is escaped. */
export interface Html {
  readonly html: string;
}

/** What is undefined or false is left out. */
export type Content = Html | string | number | undefined | false | readonly Content[];

/**
 * A template tag for HTML. Parts that are not HTML are escaped, also in attributes, whose values are always
 * in double quotes.
 */
export function html(pieces: TemplateStringsArray, ...contents: readonly Content[]): Html {
  let text = pieces[0] ?? "";
  contents.forEach((content, at) => {
    text += contentText(content) + (pieces[at + 1] ?? "");
  });
  return { html: text };
}

function contentText(content: Content): string {
  if (content === undefined || content === false) return "";
  if (typeof content === "string") return escapeHtml(content);
  if (typeof content === "number") return String(content);
  return "html" in content ? content.html : content.map(contentText).join("");
}

/** Also makes control and direction characters visible, which a browser does not show. */
function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"'`]|[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    if (character === "\n" || character === "\t") return character;
    const code = character.codePointAt(0) ?? 0;
    return code < 128 && code >= 32 ? `&#${code};` : `\\u{${code.toString(16)}}`;
  });
}

/** Text from outside, isolated so that its writing direction does not affect the rest. */
export function foreign(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}

/** A command with a button that copies it. A line of it ends between words where it can. */
export function copyableCommand(typed: string): Html {
  const words = typed.split(" ").map((word, at) => html`${at > 0 && " "}<span>${word}</span>`);
  return html`<div class="cmd"><code>${words}</code><button class="button copy" type="button" aria-live="polite">Copy</button></div>`;
}

/** How a whole is divided: each part that is there is wide enough to be seen. */
export function bar(parts: readonly (readonly [name: string, amount: number])[], look = ""): Html {
  const there = parts.filter(([, amount]) => amount > 0);
  const least = 0.006 * sum(there.map(([, amount]) => amount));
  let x = 0;
  const shown = there.map(([name, amount]) => {
    const width = Math.max(least, amount);
    x += width;
    return html`<rect class="${name}" x="${x - width}" width="${width}" height="10"/>`;
  });
  return html`<svg class="bar ${look}" viewBox="0 0 ${x || 1} 10" preserveAspectRatio="none" aria-hidden="true">${shown}</svg>`;
}
