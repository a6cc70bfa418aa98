import { createHash } from "node:crypto";

/** Lets a content security policy allow this script or style, written in the page, and no other. */
export function inlineSource(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
