import type { Dispatcher } from "undici";
import type { DeliveryJournal, DeliveryTap } from "../../src/delivery/delivery-contract.ts";
import type { Attempt } from "../../src/delivery/http/attempt.ts";
import type { Connections } from "../../src/delivery/http/connections.ts";
import type { EventRequest } from "../../src/model/endpoint.ts";

/** What comes of a request, without sockets. */
export type Post = (request: EventRequest) => Promise<Attempt>;

/** Connections that undici has no part in: what `post` comes to is called back as undici does. */
export function connectTo(post: Post): () => Connections {
  return () => ({
    dispatch(request, handler) {
      const controller = { abort() {} } as unknown as Dispatcher.DispatchController;
      const posted = post(request);
      let hasStarted = false;
      // Whoever never leaves has never started; it is known only now.
      void posted.then((attempt) => {
        if (attempt.kind !== "not_sent") {
          handler.onRequestStart?.(controller, undefined);
          hasStarted = true;
        }
        if (attempt.kind !== "answered") {
          const error = Object.assign(new Error(attempt.message), { code: attempt.code });
          handler.onResponseError?.(controller, error);
          return;
        }
        const { httpStatus, retryAfter, date, location, rateLimit, body } = attempt;
        const headers: Record<string, string | string[]> = { ...rateLimit };
        if (retryAfter !== undefined) headers["retry-after"] = [...retryAfter];
        if (date !== undefined) headers.date = date;
        if (location !== undefined) headers.location = location;
        handler.onResponseStart?.(controller, httpStatus, headers, "");
        if (body !== "") handler.onResponseData?.(controller, Buffer.from(body));
        handler.onResponseEnd?.(controller, {});
      });
      return hasStarted;
    },
    blame: (error) => error,
    close: async () => {},
  });
}

/** A journal that keeps nothing. */
export const noJournal: DeliveryJournal = {
  intend() {},
  attempted() {},
  settle() {},
  waitUntil() {},
  write: async () => true,
};

export const noTap: DeliveryTap = { sent() {}, ended() {}, notice() {} };
