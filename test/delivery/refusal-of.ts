import { CannotStartError } from "../../src/model/errors.ts";

/** Why a run cannot start, of what must not be taken. */
export async function refusalOf(act: () => unknown): Promise<CannotStartError> {
  try {
    await act();
  } catch (error) {
    if (error instanceof CannotStartError) return error;
    throw error;
  }
  throw new Error("it was taken");
}
