import type { HiddenLimit } from "./hidden-limit.mjs";

export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly limit: HiddenLimit;
}

export interface Contender {
  readonly name: string;
  readonly title: string;
  readonly concurrency: number;
  readonly adaptive: boolean;
}

export function scenariosOf(seconds: number): readonly Scenario[];
export const contenders: readonly Contender[];
