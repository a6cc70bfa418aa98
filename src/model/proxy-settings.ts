/** Proxies as HTTP_PROXY, HTTPS_PROXY and NO_PROXY name them. */
export interface ProxySettings {
  readonly http?: string;
  readonly https?: string;
  /** Hosts that are reached without a proxy. */
  readonly no?: string;
}
