/** The result of one POST. Its texts come from others as they are: `classifyAttempt` makes them safe to show. */
export type Attempt =
  /** A status line came back, even if the body did not arrive whole. */
  | {
      readonly kind: "answered";
      readonly httpStatus: number;
      /** Each `Retry-After`, as it was sent. */
      readonly retryAfter?: readonly string[];
      /** `Date`, as it was sent, if there is a `Retry-After`. */
      readonly date?: string;
      /** `Location`, as it was sent. */
      readonly location?: string;
      /** `RateLimit` and similar fields, by their names in lower case; absent if there is none. */
      readonly rateLimit?: Readonly<Record<string, string>>;
      /** The beginning of the body as text, at most 64 KiB; blank for a success. */
      readonly body: string;
      /** Whether the body goes on after that. */
      readonly isCut?: boolean;
    }
  /** The request may have left, and no status line came back. */
  | { readonly kind: "unanswered"; readonly code: string; readonly message: string }
  /**
   * The request was never sent. If a proxy is to blame, the code is `proxy_auth` (it requires, or does not accept, a
   * user name and password), `proxy_refused` or `proxy_unreachable`.
   */
  | { readonly kind: "not_sent"; readonly code: string; readonly message: string };
