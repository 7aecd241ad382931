import type { ResultLimits } from "./render-rows.ts";

/** A value as it is given to SQLite: whole numbers of 32 bits are integers, all others real. */
export type Argument = number | string | boolean | null;

/** One query, as it is handed to the process that runs it. */
export interface QueryJob extends ResultLimits {
  /** The document's file. */
  readonly path: string;
  readonly statement: string;
  readonly args: readonly Argument[];
  readonly timeoutMs: number;
}
