/** How the keys of a night may differ from what the service had. */
export const nightFates = ["new", "changed", "open", "gone", "unchanged"] as const;
