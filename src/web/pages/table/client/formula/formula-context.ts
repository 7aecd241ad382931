import type { Sheet } from "../sheet.ts";

/** Where a formula is edited. */
export interface FormulaContext {
  readonly sheet: Pick<Sheet, "docId" | "table" | "path" | "data" | "grid" | "rowPages" | "activeRow">;
  /** The column of the formula; null for conditional styles. */
  readonly columnId: string | null;
  readonly label: string;
  /** Whether the formula fills cells of data: it then knows the former value and the user. */
  readonly isTrigger?: () => boolean;
}
