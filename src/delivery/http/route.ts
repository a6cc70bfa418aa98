import type { SecureContext } from "node:tls";
import type { Endpoint } from "../../model/endpoint.ts";
import type { ProxySettings } from "../../model/proxy-settings.ts";
import { trustAlso } from "./ca-file.ts";
import { chooseProxy, type HttpProxy } from "./proxy.ts";

/** How the service is reached. */
export interface Route {
  /** Nothing where it is reached directly. */
  readonly proxy?: HttpProxy;
  /** Nothing where the usual authorities are trusted, and no other. */
  readonly secureContext?: SecureContext;
}

/** @throws CannotStartError where proxy or certificates cannot be used */
export async function findRoute(
  { origin }: Endpoint,
  proxies: ProxySettings = {},
  caFiles: readonly string[] = [],
): Promise<Route> {
  const proxy = chooseProxy(origin, proxies);
  return {
    ...(proxy === undefined ? {} : { proxy }),
    ...(caFiles.length === 0 ? {} : { secureContext: await trustAlso(caFiles) }),
  };
}
