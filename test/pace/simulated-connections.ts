import type { Dispatcher } from "undici";
import type { Connections } from "../../src/delivery/http/connections.ts";
import type { PaceClock } from "./pace-clock.ts";
import type { ServiceModel, SimulatedService } from "./service-model.ts";

interface Connection {
  isOpen: boolean;
  idleSinceMs: number;
  /** The request on it fails. */
  breaks: (() => void) | undefined;
}

/** As undici has it: it closes what it has not used for so long, so that the service does not. */
const usualIdleMs = 4000;

/** Connections to a simulated service: they open, are refused, close when idle, and break, as undici tells of it. */
export function createSimulatedConnections(
  { connections: limit, closesEveryMs, idleMs = usualIdleMs, outages = [] }: ServiceModel,
  service: SimulatedService,
  clock: PaceClock,
) {
  const all: (Connection | undefined)[][] = [];
  const isIdleForTooLong = (one: Connection) =>
    one.breaks === undefined && clock.now() - one.idleSinceMs > idleMs;
  const isUsable = (one: Connection | undefined): one is Connection =>
    one?.isOpen === true && !isIdleForTooLong(one);
  const open = () => all.flat().filter(isUsable);
  const close = (one: Connection) => {
    one.isOpen = false;
    one.breaks?.();
  };
  const closeAll = () => {
    for (const one of open()) close(one);
  };
  if (closesEveryMs !== undefined) {
    const again = () => {
      closeAll();
      clock.exactly(closesEveryMs, again);
    };
    clock.exactly(closesEveryMs, again);
  }
  for (const { as, fromMs } of outages) {
    if (as === "refused" || as === "reset") clock.exactly(fromMs, closeAll);
  }

  /** Those of one client; several may be connected to one service. */
  return (): Connections & { isOpen(number: number): boolean } => {
    const own: (Connection | undefined)[] = [];
    all.push(own);
    return {
      isOpen: (number) => isUsable(own[number]),
      dispatch(_request, handler, number) {
        let isOver = false;
        const wayMs = service.wayMs();
        const end = (how: () => void) => {
          if (isOver) return;
          isOver = true;
          connection.breaks = undefined;
          connection.idleSinceMs = clock.now();
          how();
        };
        const fail = (code: string, message: string) =>
          end(() => {
            connection.isOpen = false;
            handler.onResponseError?.(controller, Object.assign(new Error(message), { code }));
          });
        const controller = {
          // It is told of soon, as by undici.
          abort: () => queueMicrotask(() => fail("UND_ERR_ABORTED", "the request was given up")),
        } as unknown as Dispatcher.DispatchController;
        const request = () => {
          handler.onRequestStart?.(controller, undefined);
          connection.breaks = () =>
            void clock.exactly(wayMs, () => fail("UND_ERR_SOCKET", "other side closed"));
          clock.exactly(wayMs, () => {
            if (!connection.isOpen) return;
            service.arrive(connection, ({ status, headers }) =>
              clock.toClient(wayMs, () => {
                if (!connection.isOpen) return;
                end(() => {
                  handler.onResponseStart?.(controller, status, headers, "");
                  handler.onResponseEnd?.(controller, {});
                });
              }),
            );
          });
        };
        const usable = own[number];
        const connection: Connection = isUsable(usable)
          ? usable
          : { isOpen: false, idleSinceMs: 0, breaks: undefined };
        own[number] = connection;
        if (connection.isOpen) {
          request();
          return;
        }
        const outage = service.outage();
        if (outage === "silent") return; // not even a connection is answered
        const isOneTooMany = limit !== undefined && open().length >= limit.most;
        const refusal = outage ?? (isOneTooMany ? limit.extra : undefined);
        if (refusal === "refused") {
          clock.exactly(2 * wayMs, () => fail("ECONNREFUSED", "connect ECONNREFUSED"));
          return;
        }
        if (refusal !== "reset") {
          connection.isOpen = true;
          connection.breaks = () => {};
        }
        clock.exactly(2 * wayMs, () => {
          if (refusal === "reset") {
            handler.onRequestStart?.(controller, undefined);
            clock.exactly(0, () => fail("ECONNRESET", "read ECONNRESET"));
          } else if (connection.isOpen) request();
          else fail("ECONNRESET", "read ECONNRESET");
        });
      },
      close: async () => {},
    };
  };
}
