/** How many attempts back the shares of refusals go. */
const memory = 500;
/** Refusals beyond this, and twice as many as usual, are counted. */
const tolerated = 0.03;
/** How many refusals are too many: where they may be chance, and where not. */
const tooMany = { byChance: 4, atAll: 0.5 };
/** A share that is as good as none: then one refusal is too many. */
export const hardlyAny = 0.005;
/** A trial takes so many attempts, until so many would usually have been refused, or it has taken long. */
const trialOf = { least: 40, most: 300, usual: 10, longestMs: 6000 };
const backgroundHalfLifeMs = 120_000;
/** A larger share of refusals is never taken for chance. */
const maxByChance = 0.7;
/** How many lower rates have to bring an equal share before it is chance: what was measured first may be a burst. */
const trialsFor = (share: number) => (share < 0.08 ? 1 : 2);
/** Many more than that have begun just now: what came before says nothing. */
const surely = 0.5;
/** A lower rate helps if only this share of the refusals is left; it does not if this share is, … */
const [helps, helpsNot] = [1 / 3, 0.6];
/** … and the share of what is accepted has hardly grown: what a limit accepts is as much at any higher rate. */
const hardlyMore = 1.25;

/** A mean that follows what is newer. */
function createShare() {
  let [share, count] = [0, 0];
  return {
    get share() {
      return share;
    },
    /** Without the refusals that began a trial, as they are more than usual. */
    get withoutLast() {
      return Math.max(share / 2, share - tooMany.byChance / count);
    },
    count(is: boolean) {
      count = Math.min(memory, count + 1);
      share += (Number(is) - share) / count;
    },
    set(to: number, of: number) {
      [share, count] = [to, of];
    },
  };
}

const beginTrial = (usual: number, number: number, now: number) => {
  return { sinceMs: now, usual, number, ended: 0, refused: 0 };
};

/**
 * Tells refusals because of the load from those by chance, where the service does not say when to come again.
 *
 * - Refusals that come as often at a lower rate as at a higher one are chance: their share is the background.
 * - What exceeds the background is summed up (a CUSUM test). If that is too much, a lower rate is tried. If that
 *   helps, refusals are about the load from then on.
 */
export function createOverload() {
  const usual = createShare();
  /** The share of refusals that is not because of the load. */
  let background = { share: 0, atMs: 0 };
  let isVerified = false;
  let sum = 0;
  /** What has ended since it was 0. */
  let run = { ended: 0, refused: 0 };
  let trial: ReturnType<typeof beginTrial> | undefined;
  const backgroundAt = (now: number) =>
    Math.min(maxByChance, background.share * 2 ** ((background.atMs - now) / backgroundHalfLifeMs));

  return {
    backgroundAt,
    /** Whether a lower rate is being tried. */
    get isTrying() {
      return trial !== undefined;
    },
    /** An attempt is over. @returns what to do, if that is known now */
    ended(isRefused: boolean, now: number): "slower" | "try" | "as_before" | undefined {
      if (trial === undefined) {
        usual.count(isRefused);
        const share = backgroundAt(now);
        if (sum === 0) run = { ended: 0, refused: 0 };
        run.ended++;
        if (isRefused) run.refused++;
        sum = Math.max(
          0,
          sum + Number(isRefused) - tolerated - Math.min(2 * share, (1 + share) / 2),
        );
        // The share is known from some hundred attempts only.
        const byChance = tooMany.byChance * (1 + 10 * share);
        const most = isVerified && share < hardlyAny ? tooMany.atAll : byChance;
        if (!isRefused || sum < most) return undefined;
        sum = 0;
        if (isVerified || share >= hardlyAny) return "slower";
        const lately = run.refused / run.ended;
        trial = beginTrial(lately > surely ? lately : usual.withoutLast, 1, now);
        return "try";
      }
      trial.ended++;
      if (isRefused) trial.refused++;
      const { ended, refused } = trial;
      const isLong = now - trial.sinceMs >= trialOf.longestMs;
      const usually = isLong ? 0 : Math.min(trialOf.most, trialOf.usual / trial.usual);
      const wanted = Math.max(trialOf.least, usually);
      if (ended < wanted && refused < 2 * trialOf.usual) return undefined;
      const share = refused / ended;
      if (share < helps * trial.usual || refused <= 1) {
        isVerified = true;
        trial = undefined;
        return "slower";
      }
      const isSame = share > helpsNot * trial.usual && 1 - share < hardlyMore * (1 - trial.usual);
      if (isSame && share < maxByChance && trial.number >= trialsFor(share)) {
        background = { share, atMs: now };
        usual.set(share, ended);
        trial = undefined;
        return "as_before";
      }
      trial = beginTrial(share, trial.number + 1, now);
      return "try";
    },
    /** A lower rate has not helped. @param share what was refused all the same */
    inVain(share: number, now: number): boolean {
      if (share >= maxByChance) return false;
      background = { share, atMs: now };
      return true;
    },
    /** @param isIt whether refusals are about the load, as a pause shows */
    verify(isIt: boolean) {
      isVerified = isIt;
    },
    /** Begins again after a pause, or if something else was changed. */
    restart() {
      trial = undefined;
      sum = 0;
    },
  };
}
