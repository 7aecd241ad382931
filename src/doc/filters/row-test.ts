import type { FilterCells } from "./condition.ts";
import type { FilterBudget } from "./filter-budget.ts";

/** A test of rows that SQLite selected. */
export interface RowTest {
  /** Equal for equal tests of the same state of a document by the same caller. */
  readonly key: string;
  /** Stored columns that the test reads, without the id. */
  readonly columns: readonly string[];
  /** True when all selected rows match, unless a cell of `columns` is hidden from the caller. */
  readonly isExact: boolean;
  readonly budget: FilterBudget;
  matches(cells: FilterCells): boolean;
}
