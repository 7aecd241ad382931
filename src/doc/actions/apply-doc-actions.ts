import { AppError, invalid } from "../../errors.ts";
import { ActionArguments } from "./action-arguments.ts";
import { asCell } from "./prepare-cells.ts";
import type { Change } from "./change.ts";
import { booleanField, type ColumnInput, textField } from "./schema/column-input.ts";
import { type ColumnSpec, type ColumnValues, type DocAction } from "./doc-action.ts";
import { checkDocInfoColumns, DOC_INFO_TABLE } from "./records/any-records.ts";
import type { InputValues } from "./records/records.ts";
import { remainingStep } from "./replay.ts";
import { checkRuleTableAccess } from "./records/access-rule-records.ts";

/**
 * Applies document actions that the caller copied from a history: values are neither parsed nor converted, and two-way
 * references are not synchronized. Metadata and tables must agree at the end.
 */

export function applyDocActions(change: Change, actions: readonly unknown[]): void {
  change.twoWayReferences.withoutTracking(() => {
    for (const action of actions) {
      const step = allowedStep(change, checkMetadataAccess(change, parseDocAction(action)));
      if (step) change.applyRequested(step);
    }
  });
  // The history contains the results of trigger formulas.
  change.dirty.markReplayed();
}

/** Applies the actions in reverse order: an undo runs backwards. */
export function applyUndoActions(change: Change, actions: readonly unknown[]): void {
  applyDocActions(change, actions.toReversed());
}

/** Returns the part of a step that remains to be done and that access rules leave to the caller. */
function allowedStep(change: Change, action: DocAction): DocAction | undefined {
  const { writeAccess } = change;
  const visible = writeAccess ? writeAccess.withoutResults(action) : action;
  const step = visible && remainingStep(change, visible);
  // When restoring, the caller did not choose the row ids.
  if (step?.[0] === "BulkAddRecord" && !change.options.restores) writeAccess?.checkSeesAllRows(step[1]);
  return step;
}

/** Enforces the write restrictions of metadata tables, which document actions would otherwise bypass. */
function checkMetadataAccess(change: Change, action: DocAction): DocAction {
  checkRuleTableAccess(change, action[1]);
  if (action[1] === DOC_INFO_TABLE) checkInfoAction(action);
  return action;
}

/**
 * Protects the record with the schema version: without it, or with another version, the document would not open again.
 */
function checkInfoAction(action: DocAction): void {
  if (action[0] !== "BulkUpdateRecord") throw invalid(`The record of ${DOC_INFO_TABLE} can only be updated`);
  checkDocInfoColumns(Object.keys(action[3]));
}

/** Parses an action of a history. @throws AppError `invalid`, `action.unknown` */
export function parseDocAction(action: unknown): DocAction {
  if (!Array.isArray(action) || typeof action[0] !== "string")
    throw invalid("An action must be an array that starts with its name");
  const [name, ...values] = action as [string, ...unknown[]];
  const parse = PARSERS.get(name);
  if (!parse) throw new AppError("action.unknown", `${JSON.stringify(name)} is not a document action`);
  return parse(new ActionArguments(name, values));
}

const PARSERS: ReadonlyMap<string, (args: ActionArguments) => DocAction> = new Map<
  string,
  (args: ActionArguments) => DocAction
>([
  ["AddRecord", (args) => ["BulkAddRecord", args.text(0), [args.id(1)], cells(args.row(2))]],
  ["BulkAddRecord", (args) => ["BulkAddRecord", args.text(0), args.ids(1), bulkCells(args)]],
  ["UpdateRecord", (args) => ["BulkUpdateRecord", args.text(0), [args.id(1)], cells(args.row(2))]],
  ["BulkUpdateRecord", (args) => ["BulkUpdateRecord", args.text(0), args.ids(1), bulkCells(args)]],
  ["RemoveRecord", (args) => ["BulkRemoveRecord", args.text(0), [args.id(1)]]],
  ["BulkRemoveRecord", (args) => ["BulkRemoveRecord", args.text(0), args.ids(1)]],
  ["ReplaceTableData", (args) => ["ReplaceTableData", args.text(0), args.ids(1), bulkCells(args)]],
  [
    "AddTable",
    (args) => [
      "AddTable",
      args.text(0),
      args.list(1).map((_, i) => newSpec(new ActionArguments("AddTable", args.list(1)).object(i))),
    ],
  ],
  ["RemoveTable", (args) => ["RemoveTable", args.text(0)]],
  ["RenameTable", (args) => ["RenameTable", args.text(0), args.text(1)]],
  ["AddColumn", (args) => ["AddColumn", args.text(0), args.text(1), spec(args.object(2))]],
  ["RemoveColumn", (args) => ["RemoveColumn", args.text(0), args.text(1)]],
  ["RenameColumn", (args) => ["RenameColumn", args.text(0), args.text(1), args.text(2)]],
  ["ModifyColumn", (args) => ["ModifyColumn", args.text(0), args.text(1), spec(args.object(2))]],
]);

const bulkCells = (args: ActionArguments): ColumnValues => cells(args.columns(2, args.ids(1).length));

const cells = (values: InputValues): ColumnValues =>
  Object.fromEntries([...values].map(([column, list]) => [column, list.map(asCell)]));

function spec(input: ColumnInput): Partial<ColumnSpec> {
  const type = textField(input, "type");
  const formula = textField(input, "formula");
  const isFormula = booleanField(input, "isFormula");
  return {
    ...(type !== undefined && { type }),
    ...(formula !== undefined && { formula }),
    ...(isFormula !== undefined && { isFormula }),
  };
}

const newSpec = (input: ColumnInput): ColumnSpec => ({
  id: textField(input, "id") ?? "",
  type: "Text",
  isFormula: false,
  formula: "",
  ...spec(input),
});
