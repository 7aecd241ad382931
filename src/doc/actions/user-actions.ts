import { AppError, invalid } from "../../errors.ts";
import { ActionArguments } from "./action-arguments.ts";
import type { Change } from "./change.ts";
import type { ColumnInput } from "./schema/column-input.ts";
import { addColumn, renameColumn } from "./schema/columns.ts";
import { convertColumn, copyColumn } from "./schema/copy-column.ts";
import { createSection } from "./sections/create-section.ts";
import { setDisplayFormula } from "./references/display-formulas.ts";
import { duplicateTable } from "./schema/duplicate-table.ts";
import { modifyColumn } from "./schema/modify-column.ts";
import { applyDocActions, applyUndoActions } from "./apply-doc-actions.ts";
import { addAnyRecords, removeAnyRecords, replaceAnyRecords, updateAnyRecords } from "./records/any-records.ts";
import { removeColumn, removeTable } from "./schema/remove-columns-and-tables.ts";
import { renameChoices } from "./renames/rename-choices.ts";
import { addMissingRows } from "./schema/add-missing-rows.ts";
import { addReverseColumn } from "./references/reverse-column.ts";
import { addEmptyRule } from "./sections/conditional-formats.ts";
import { detachSummarySection, updateSummarySection } from "./summaries/summary-sections.ts";
import { addTable, renameTable } from "./schema/tables.ts";
import { addViewForTable } from "./sections/create-section.ts";
import { addOrUpdate, type UpsertOptions } from "./records/upsert.ts";

/** The user actions of the API, by name. */

type ActionHandler = (change: Change, args: ActionArguments) => unknown;

/** Wraps an action that returns null. */
const withoutResult =
  (run: (change: Change, args: ActionArguments) => void): ActionHandler =>
  (change, args) => {
    run(change, args);
    return null;
  };

const EMPTY_COLUMNS: readonly ColumnInput[] = ["A", "B", "C"].map((id) => ({ id, isFormula: true }));

const column =
  (visibility: "hidden" | "builtIn" | "grids"): ActionHandler =>
  (change, args) =>
    addColumn(change, args.text(0), { name: args.textOrNull(1), input: args.objectOrEmpty(2), visibility });

const ACTIONS: ReadonlyMap<string, ActionHandler> = new Map(
  Object.entries({
    AddRecord: (change, args) => addAnyRecords(change, args.text(0), [args.idOrNull(1)], args.row(2))[0] ?? null,
    BulkAddRecord: (change, args) => {
      const ids = args.idsOrNull(1);
      return addAnyRecords(change, args.text(0), ids, args.columns(2, ids.length));
    },
    UpdateRecord: withoutResult((change, args) => updateAnyRecords(change, args.text(0), [args.id(1)], args.row(2))),
    BulkUpdateRecord: withoutResult((change, args) => {
      const ids = args.ids(1);
      updateAnyRecords(change, args.text(0), ids, args.columns(2, ids.length));
    }),
    RemoveRecord: withoutResult((change, args) => removeAnyRecords(change, args.text(0), [args.id(1)])),
    BulkRemoveRecord: withoutResult((change, args) => removeAnyRecords(change, args.text(0), args.ids(1))),
    ReplaceTableData: withoutResult((change, args) => {
      const ids = args.idsOrNull(1);
      replaceAnyRecords(change, args.text(0), ids, args.columns(2, ids.length));
    }),
    AddOrUpdateRecord: (change, args) => {
      const request = { require: args.row(1), values: args.row(2), count: 1, options: upsertOptions(args.object(3)) };
      const { recordIds, addRecordIds } = addOrUpdate(change, { table: args.text(0), ...request });
      const [ids = []] = recordIds;
      return { recordIds: ids, action: ids.length === 0 ? "NONE" : addRecordIds.length > 0 ? "ADD" : "UPDATE" };
    },
    BulkAddOrUpdateRecord: (change, args) => {
      const count = maxListLength([args.object(1), args.object(2)]);
      const request = { require: args.columns(1, count), values: args.columns(2, count), count };
      return addOrUpdate(change, { table: args.text(0), ...request, options: upsertOptions(args.object(3)) });
    },
    AddTable: (change, args) => {
      const columns = args.list(1).map((_, i) => new ActionArguments("AddTable", args.list(1)).object(i));
      return addTable(change, args.textOrNull(0), columns, { page: true });
    },
    AddEmptyTable: (change, args) => addTable(change, args.textOrNull(0), EMPTY_COLUMNS, { page: true }),
    AddRawTable: (change, args) => addTable(change, args.textOrNull(0), EMPTY_COLUMNS, { page: false }),
    RenameTable: (change, args) => renameTable(change, args.text(0), args.text(1)),
    DuplicateTable: (change, args) =>
      duplicateTable(change, args.text(0), { name: args.text(1), withData: args.flag(2) }),
    RemoveTable: withoutResult((change, args) => removeTable(change, args.text(0))),
    AddColumn: column("builtIn"),
    AddVisibleColumn: column("grids"),
    AddHiddenColumn: column("hidden"),
    RenameColumn: (change, args) => renameColumn(change, args.text(0), args.text(1), args.text(2)),
    ModifyColumn: withoutResult((change, args) => {
      const { colId: _colId, id: _id, parentId: _parentId, ...input } = args.object(2);
      modifyColumn(change, args.text(0), args.text(1), input);
    }),
    RemoveColumn: withoutResult((change, args) => removeColumn(change, args.text(0), args.text(1))),
    SetDisplayFormula: withoutResult((change, args) =>
      setDisplayFormula(change, args.text(0), { field: args.at(1), column: args.at(2), formula: args.text(3) }),
    ),
    CopyFromColumn: withoutResult((change, args) =>
      copyColumn(change, args.text(0), { from: args.text(1), to: args.text(2), options: args.textOrNull(3) }),
    ),
    ConvertFromColumn: withoutResult((change, args) => {
      const conversion = {
        from: args.text(1),
        to: args.text(2),
        type: args.text(3),
        options: args.textOrNull(4),
        visibleCol: args.refOrZero(5),
      };
      if (args.flag(6)) addMissingRows(change, args.text(0), conversion);
      convertColumn(change, args.text(0), conversion);
    }),
    AddReverseColumn: (change, args) =>
      addReverseColumn(change, args.text(0), { id: args.text(1), label: args.textOrNull(2) }),
    AddEmptyRule: (change, args) =>
      addEmptyRule(change, args.text(0), { field: args.refOrZero(1), column: args.refOrZero(2) }),
    CreateViewSection: (change, args) =>
      createSection(change, {
        tableRef: args.refOrZero(0),
        viewRef: args.refOrZero(1),
        type: args.text(2),
        groupBy: args.listOrNull(3),
        tableName: args.textOrNull(4),
        newColumns: EMPTY_COLUMNS,
      }),
    AddView: (change, args) => addViewForTable(change, args.text(0), { type: args.text(1), name: args.text(2) }),
    RemoveView: withoutResult((change, args) => removeAnyRecords(change, "_grist_Views", [args.id(0)])),
    RemoveViewSection: withoutResult((change, args) => removeAnyRecords(change, "_grist_Views_section", [args.id(0)])),
    UpdateSummaryViewSection: withoutResult((change, args) => updateSummarySection(change, args.id(0), args.list(1))),
    DetachSummaryViewSection: withoutResult((change, args) => detachSummarySection(change, args.id(0))),
    RenameChoices: withoutResult((change, args) => renameChoices(change, args.text(0), args.text(1), args.object(2))),
    ApplyDocActions: withoutResult((change, args) => applyDocActions(change, args.list(0))),
    ApplyUndoActions: withoutResult((change, args) => applyUndoActions(change, args.list(0))),
    Calculate: withoutResult((change) => change.dirty.markClock()),
    UpdateCurrentTime: withoutResult((change) => change.dirty.markClock()),
  } satisfies Record<string, ActionHandler>),
);

/** Returns true for the name of a user action. */
export const isUserAction = (name: unknown): boolean => typeof name === "string" && ACTIONS.has(name);

/**
 * Runs one user action of a request and returns its return value.
 * @throws AppError `invalid` when the action is unknown or cannot be applied
 */
export function runUserAction(change: Change, [name, ...values]: readonly unknown[]): unknown {
  const run = typeof name === "string" ? ACTIONS.get(name) : undefined;
  if (!run)
    throw new AppError(
      "action.unknown",
      name === undefined ? "An action must have a name" : `Unknown action ${JSON.stringify(name)}`,
    );
  return run(change, new ActionArguments(String(name), values));
}

const ON_MANY: readonly unknown[] = ["first", "none", "all"];

function upsertOptions(input: ColumnInput): UpsertOptions {
  const {
    on_many: onMany = "first",
    add = true,
    update = true,
    allow_empty_require: allowEmptyRequire = false,
  } = input;
  if (!ON_MANY.includes(onMany)) throw invalid('"on_many" must be first, none or all');
  return {
    onMany: onMany as UpsertOptions["onMany"],
    add: Boolean(add),
    update: Boolean(update),
    allowEmptyRequire: Boolean(allowEmptyRequire),
  };
}

/** Returns the length of the longest list; 0 without lists. */
const maxListLength = (columns: readonly ColumnInput[]): number =>
  Math.max(
    0,
    ...columns.flatMap((lists) => Object.values(lists).map((list) => (Array.isArray(list) ? list.length : 0))),
  );
