import { InputDamagedError, reasonOf } from "../model/errors.ts";

/** Why nothing more can be read from a line on, in which a row starts. */
export function unreadable(error: unknown, line: number): InputDamagedError {
  if (error instanceof InputDamagedError) {
    if (error.line === line) return error;
    return new InputDamagedError(
      line,
      `${error.message} It is in the row that starts on line ${line}.`,
    );
  }
  return new InputDamagedError(
    line,
    `line ${line} and what follows cannot be read (${reasonOf(error)}): check the file or its disk.`,
  );
}
