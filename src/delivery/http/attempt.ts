/** What came of one POST. Its texts are those of others: what is shown of them is made by `classify`. */
export type Attempt =
  /** A status line came back, whatever happened to the body after it. */
  | {
      readonly kind: "answered";
      readonly httpStatus: number;
      /** `Retry-After`, as it was sent, each time that it was sent. */
      readonly retryAfter?: readonly string[];
      /** `Date`, as it was sent, if there is a `Retry-After`. */
      readonly date?: string;
      /** `Location`, as it was sent. */
      readonly location?: string;
      /** `RateLimit` and its kin, by their names in lower case; absent where there is none. */
      readonly rateLimit?: Readonly<Record<string, string>>;
      /** The beginning of the body as text, unpacked, 64 KiB at most; blank for a success. */
      readonly body: string;
      /** Whether the body goes on after that. */
      readonly isCut?: boolean;
    }
  /** The request may have left, and no status line came back. */
  | { readonly kind: "unanswered"; readonly code: string; readonly message: string }
  /**
   * The request never left. Where a proxy was in the way, the code is `proxy_auth` (it wants, or does
   * not accept, a user name and password), `proxy_refused` or `proxy_unreachable`.
   */
  | { readonly kind: "not_sent"; readonly code: string; readonly message: string };
