import { unreachable } from "../../lib/assert.ts";
import { applyAddRows, applyUpdateRows, applyRemoveRows, applyReplaceRows } from "./apply-data.ts";
import {
  applyAddColumn,
  applyAddTable,
  applyModifyColumn,
  applyRemoveColumn,
  applyRemoveTable,
  applyRenameColumn,
  applyRenameTable,
} from "./apply-schema.ts";
import { asColumns, type DocAction } from "./doc-action.ts";
import type { ApplyContext } from "./apply-context.ts";

/**
 * Applies one action: writes to the file, and adds its undo actions and dirty cells to `context`.
 * @returns the action as it took effect; null when it changed nothing
 * @throws AppError `invalid` when the action cannot be applied
 */
export function applyDocAction(context: ApplyContext, action: DocAction): DocAction | null {
  switch (action[0]) {
    case "AddRecord":
      return applyAddRows(context, action[1], [action[2]], asColumns(action[3]));
    case "BulkAddRecord":
      return applyAddRows(context, action[1], action[2], action[3]);
    case "UpdateRecord":
      return applyUpdateRows(context, action[1], [action[2]], asColumns(action[3]));
    case "BulkUpdateRecord":
      return applyUpdateRows(context, action[1], action[2], action[3]);
    case "RemoveRecord":
      return applyRemoveRows(context, action[1], [action[2]]);
    case "BulkRemoveRecord":
      return applyRemoveRows(context, action[1], action[2]);
    case "ReplaceTableData":
      return applyReplaceRows(context, action[1], action[2], action[3]);
    case "AddTable":
      return applyAddTable(context, action[1], action[2]);
    case "RemoveTable":
      return applyRemoveTable(context, action[1]);
    case "RenameTable":
      return applyRenameTable(context, action[1], action[2]);
    case "AddColumn":
      return applyAddColumn(context, action[1], action[2], action[3]);
    case "RemoveColumn":
      return applyRemoveColumn(context, action[1], action[2]);
    case "RenameColumn":
      return applyRenameColumn(context, action[1], action[2], action[3]);
    case "ModifyColumn":
      return applyModifyColumn(context, action[1], action[2], action[3]);
    default:
      return unreachable(action);
  }
}
