import type { ResultLimits } from "./render-rows.ts";

/** A query parameter: 32-bit integers are bound as integers, other numbers as reals. */
export type Argument = number | string | boolean | null;

/** One query, as sent to the process that runs it. */
export interface QueryJob extends ResultLimits {
  /** The document's file. */
  readonly path: string;
  /** True for a temporary file, which the server does not have open. */
  readonly isUnchanging?: boolean | undefined;
  readonly statement: string;
  readonly args: readonly Argument[];
  /** The answer describes the columns. */
  readonly withColumns?: boolean | undefined;
  readonly timeoutMs: number;
}
