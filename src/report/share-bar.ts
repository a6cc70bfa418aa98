import { type Html, html } from "./html.ts";

/** A bar as long as a share of the whole; the number stands beside it. */
export function shareBar(share: number, look: string): Html {
  const width = Math.round(Math.min(1, Math.max(0, share)) * 1000) / 10;
  return html`<svg class="share" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="10"/><rect class="${look}" width="${share > 0 ? Math.max(0.6, width) : 0}" height="10"/></svg>`;
}

/** `33.3 %`, `< 0.1 %` */
export function percent(part: number, whole: number): string {
  if (whole === 0 || part === 0) return "0 %";
  const share = (part / whole) * 100;
  if (share < 0.1) return "< 0.1 %";
  if (share > 99.9 && part < whole) return "> 99.9 %";
  return `${Number(share.toFixed(1))} %`;
}
