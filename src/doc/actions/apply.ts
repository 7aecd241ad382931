import { unreachable } from "../../lib/assert.ts";
import { addRows, changeRows, removeRows, replaceRows } from "./apply-data.ts";
import {
  addColumn,
  addTable,
  modifyColumn,
  removeColumn,
  removeTable,
  renameColumn,
  renameTable,
} from "./apply-schema.ts";
import { asColumns, type DocAction } from "./doc-action.ts";
import type { Work } from "./work.ts";

/**
 * Applies one action: writes to the file, and tells `work` what undoes it and what it concerns.
 * @returns the action as it took effect; null when it changed nothing
 * @throws AppError `invalid` when it is impossible
 */
export function applyDocAction(work: Work, action: DocAction): DocAction | null {
  switch (action[0]) {
    case "AddRecord":
      return addRows(work, action[1], [action[2]], asColumns(action[3]));
    case "BulkAddRecord":
      return addRows(work, action[1], action[2], action[3]);
    case "UpdateRecord":
      return changeRows(work, action[1], [action[2]], asColumns(action[3]));
    case "BulkUpdateRecord":
      return changeRows(work, action[1], action[2], action[3]);
    case "RemoveRecord":
      return removeRows(work, action[1], [action[2]]);
    case "BulkRemoveRecord":
      return removeRows(work, action[1], action[2]);
    case "ReplaceTableData":
      return replaceRows(work, action[1], action[2], action[3]);
    case "AddTable":
      return addTable(work, action[1], action[2]);
    case "RemoveTable":
      return removeTable(work, action[1]);
    case "RenameTable":
      return renameTable(work, action[1], action[2]);
    case "AddColumn":
      return addColumn(work, action[1], action[2], action[3]);
    case "RemoveColumn":
      return removeColumn(work, action[1], action[2]);
    case "RenameColumn":
      return renameColumn(work, action[1], action[2], action[3]);
    case "ModifyColumn":
      return modifyColumn(work, action[1], action[2], action[3]);
    default:
      return unreachable(action);
  }
}
