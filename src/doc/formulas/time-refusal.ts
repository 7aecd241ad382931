import { AppError } from "../../errors.ts";
import type { OpenDocument } from "../document.ts";
import type { UserInfo } from "../user-info.ts";
import type { CellTimeExceeded } from "./evaluation.ts";

/**
 * Returns the refusal of a change whose formulas take too long. It names the cell only to callers who can read the
 * whole document.
 */
export function formulaTimeRefusal(
  document: OpenDocument,
  { user }: { readonly user: UserInfo },
  { column, row, exceeded }: CellTimeExceeded,
): AppError {
  const { scope, limitMs } = exceeded;
  const limit = `${limitMs / 1000} s`;
  const access = document.accessOf(user);
  const isLimitedByRules = access !== null && !access.mayCopyEverything;
  const cell = `column "${column.id}" of table "${column.table.id}", row ${row}`;
  const message =
    scope === "cell"
      ? `A formula takes longer than ${limit}${isLimitedByRules ? "" : ` (${cell})`}`
      : `The formulas that this change affects take longer than ${limit} in total${isLimitedByRules ? "" : `; evaluation stopped at ${cell}`}`;
  const cellDetails = isLimitedByRules ? {} : { table: column.table.id, column: column.id, row };
  return new AppError("formula.time_limit", message, { details: cellDetails });
}
