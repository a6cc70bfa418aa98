import type { StopSwitch } from "../domain/stop.ts";
import type { Clock } from "./clock.ts";
import type { ServiceGate } from "./service-gate.ts";

/**
 * Tells an event that the service cannot take from a service that takes nothing. An event whose
 * attempts are spent has failed only if others were answered well meanwhile; until that is known it
 * waits. When several wait, the service is down: the gate closes, and all of them begin afresh when it
 * is back.
 */
export interface SpentEvents {
  /** An event is to be delivered. */
  enter(): void;
  /** One is so no longer. */
  leave(): void;
  /** An attempt was answered well. @param departure its number */
  answeredWell(departure: number): void;
  /** An event may have arrived and must not be sent again. */
  doubtful(message: string): void;
  /** Whether an attempt that left after that one was answered well. */
  wasUpSince(departure: number): boolean;
  /** Whether an event with spent attempts has failed; else it begins afresh. At once where it is known. */
  hasFailed(event: SpentEvent): boolean | Promise<boolean>;
}

export interface SpentEvent {
  /** The number of an attempt after which a good answer shows that the service was up. */
  readonly since: number;
  /** The number of the last attempt of all that had left when it failed for the first time. */
  readonly sinceFirst: number;
  /** The number of the attempt in which it failed for the first time. */
  readonly firstDeparture: number;
  /** Whether the event itself could be why: not where nobody was there, or the service was too busy. */
  readonly isPerhapsItsOwn: boolean;
  /** Whether later events of its key wait for it. */
  readonly holdsBack: boolean;
  /** How often it has probed while the service was taken to be down. */
  readonly probes: number;
  readonly message: string;
}

export interface SpentEventsPorts {
  readonly clock: Clock;
  readonly stop: StopSwitch;
  readonly gate: ServiceGate;
  /** The service is taken to be down. */
  readonly onOutage: () => void;
}

/** So many without a good answer between are an outage. */
const several = 5;
/** Where few are left and nobody else can speak for them, each is given up after so many probes. */
const mostProbesAlone = 5;
const mostProbesPrecious = 7;
const lookAgainMs = 1000;
const firstProbeMs = 1000;

/** @param maxOutageMs 0 where no outage is waited for: spent events have failed then */
export function createSpentEvents(ports: SpentEventsPorts, maxOutageMs: number): SpentEvents {
  const { clock, stop, gate } = ports;
  let underWay = 0;
  let waiting = 0;
  let doubtfulInARow = 0;
  let lastAnsweredWell = 0;
  const wakers = new Set<() => void>();

  const wakeAll = () => {
    for (const wake of wakers) wake();
  };
  /** Of those that wait, the ones that nothing speaks against being victims of an outage. */
  let suspects = 0;
  /**
   * The service was up between its first attempt and its last. That is enough where nobody is left
   * to say more; while others are sent, they tell whether it still is.
   */
  const wasUpMeanwhile = (event: SpentEvent) =>
    event.isPerhapsItsOwn && lastAnsweredWell > event.sinceFirst;
  /** Others would be lost with it, and nobody was answered well beside it or after it. */
  const isPrecious = (event: SpentEvent) =>
    event.holdsBack && lastAnsweredWell <= event.firstDeparture;
  const declareOutage = (message: string) => {
    if (gate.isOutage) return;
    ports.onOutage();
    gate.close("outage", firstProbeMs, message);
    wakeAll();
  };
  const somethingNew = () =>
    new Promise<void>((resolve) => {
      const wake = () => {
        wakers.delete(wake);
        cancel();
        forget();
        resolve();
      };
      wakers.add(wake);
      const cancel = clock.schedule(lookAgainMs, wake);
      // A run that is stopping already calls back before there is anything to forget.
      let forget = () => {};
      forget = stop.onStop(wake);
    });

  const waitForEvidence = async (event: SpentEvent): Promise<boolean> => {
    const { closings, isOpen } = gate;
    const isKnown = wasUpMeanwhile(event);
    for (;;) {
      await somethingNew();
      // That the service is up again after it was left alone does not show that it was up before.
      const isAfterPause = gate.closings > closings || gate.isOpen !== isOpen;
      if (stop.reason !== undefined || (isAfterPause && !isKnown)) return false;
      if (lastAnsweredWell > event.since) return true;
      if (waiting < underWay) continue;
      // Nobody is left who could show whether the service is up.
      if (wasUpMeanwhile(event) || (event.isPerhapsItsOwn && !isPrecious(event))) return true;
      declareOutage(event.message);
      return false;
    }
  };

  return {
    enter() {
      underWay++;
    },
    leave() {
      underWay--;
    },
    answeredWell(departure) {
      doubtfulInARow = 0;
      lastAnsweredWell = Math.max(lastAnsweredWell, departure);
      if (wakers.size > 0) wakeAll();
    },
    doubtful(message) {
      doubtfulInARow++;
      if (maxOutageMs > 0 && suspects + doubtfulInARow >= several) declareOutage(message);
    },
    wasUpSince: (departure) => lastAnsweredWell > departure,
    hasFailed(event) {
      if (maxOutageMs === 0 || lastAnsweredWell > event.since) return true;
      if (gate.isOutage) {
        const mostProbes = isPrecious(event) ? mostProbesPrecious : mostProbesAlone;
        return underWay < several && event.isPerhapsItsOwn && event.probes >= mostProbes;
      }
      const isSuspect = !wasUpMeanwhile(event);
      if (isSuspect && suspects + 1 + doubtfulInARow >= several) {
        declareOutage(event.message);
        return false;
      }
      waiting++;
      if (isSuspect) suspects++;
      return waitForEvidence(event).finally(() => {
        waiting--;
        if (isSuspect) suspects--;
      });
    },
  };
}
