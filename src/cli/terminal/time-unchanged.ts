/** Measures for how long an amount has been the same, without the time in which it could not grow. */
export function createTimeUnchanged(): (nowMs: number, amount: number, isHeld: boolean) => number {
  let since: { readonly ms: number; readonly amount: number } | undefined;
  let wasHeld = false;
  return (nowMs, amount, isHeld) => {
    if (since === undefined || wasHeld || since.amount !== amount) since = { ms: nowMs, amount };
    wasHeld = isHeld;
    return nowMs - since.ms;
  };
}
