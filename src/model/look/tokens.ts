/**
 * The colours, sizes and spaces of all pages, as custom properties.
 *
 * Text has a contrast of at least 4.5 on each ground here (WCAG AA), edges of controls 3. Colours of statuses are for
 * areas of bars and charts only, never for text. The fonts are those of the system, so a page loads none.
 */
export const tokens = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#f6f7f8, #0f1215);
  --card: light-dark(#ffffff, #171b1f);
  --sunk: light-dark(#f0f2f4, #21262c);
  --line: light-dark(#dde1e6, #2e353c);
  --edge: light-dark(#838c96, #6f7984);
  --text: light-dark(#15191e, #e9ecef);
  --quiet: light-dark(#555f6a, #a3adb7);
  --accent: light-dark(#1b56c2, #82b1ff);
  --accent-strong: light-dark(#154499, #a5c8ff);
  --accent-soft: light-dark(#e7eefb, #1b2a44);
  --on-accent: light-dark(#ffffff, #071a38);
  --good: light-dark(#10683d, #6cd39e);
  --good-soft: light-dark(#e2f4e9, #14291f);
  --warn: light-dark(#864800, #f2b562);
  --warn-soft: light-dark(#fdf0d9, #302412);
  --bad: light-dark(#ab231b, #ff968d);
  --bad-soft: light-dark(#fdeae8, #361b1a);
  --succeeded: light-dark(#2f9a67, #3fae7c);
  --rejected: light-dark(#d4521d, #f07f4c);
  --failed: light-dark(#b3261e, #e8584f);
  --unknown: light-dark(#7b4fc0, #a98bf5);
  --invalid: light-dark(#c08a12, #d9aa3a);
  --blocked: light-dark(#6d7783, #8d98a4);
  --skipped: light-dark(#b4bcc5, #4d5761);
  --not-sent: light-dark(#d5dae0, #363d46);
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --t1: 0.75rem; --t2: 0.8125rem; --t3: 0.875rem; --t4: 1rem; --t5: 1.1875rem; --t6: 1.75rem;
  --s1: 0.25rem; --s2: 0.5rem; --s3: 0.75rem; --s4: 1rem; --s5: 1.5rem; --s6: 2.5rem;
  --round: 0.5rem;
  --control: 2rem;
}
@media (max-width: 40rem) { :root { --control: 2.5rem; } }
@media print { :root { color-scheme: light; --ground: #ffffff; } }
`;
