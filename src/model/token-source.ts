/** Where the access token comes from; it is never an argument. */
export type TokenSource = {
  /** Whether this token may go over plain http to other machines, whatever is kept of the run. */
  readonly allowsHttp?: boolean;
} & (
  | { readonly kind: "value"; readonly value: string; readonly from: string }
  | { readonly kind: "file"; readonly path: string }
  /** The command that prints the token. A text is run by the system's shell, a list without one. */
  | {
      readonly kind: "command";
      readonly command: string | readonly string[];
      /** The folder where the command is started; the working directory unless given. */
      readonly folder?: string;
      /** The command's environment; that of this process unless given. */
      readonly env?: Readonly<Record<string, string | undefined>>;
    }
);
