/** Proxies as HTTP_PROXY, HTTPS_PROXY and NO_PROXY name them. */
export interface ProxySettings {
  /** For a service on plain http. */
  readonly http?: string;
  /** For a service on https. */
  readonly https?: string;
  /** Hosts that are reached without one. */
  readonly no?: string;
}
