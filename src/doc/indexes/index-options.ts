import type { IndexBudget } from "./index-budget.ts";
import type { TextIndexOptions } from "./text-index.ts";

export interface IndexOptions {
  /** Shared by the open documents of a thread; by default a document has its own. */
  readonly budget?: IndexBudget;
  /** Tables with fewer rows have no indexes. */
  readonly minRows?: number;
  /** Where indexes of texts are stored; by default there are none. */
  readonly temporary?: TextIndexOptions | undefined;
}

/** Maximum memory of indexes by default. */
export const DEFAULT_INDEX_BYTES = 67_108_864;

/** Smaller tables are read faster than an index is worth. */
export const MIN_ROWS = 5000;
