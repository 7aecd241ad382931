import { AppError, invalid } from "../../errors.ts";
import { Arguments } from "./arguments.ts";
import { asCell } from "./cells.ts";
import type { Change } from "./change.ts";
import { booleanField, type ColumnInput, textField } from "./column-input.ts";
import { type ColumnSpec, type ColumnValues, type DocAction } from "./doc-action.ts";
import { checkInfo, INFO } from "./record-rules.ts";
import type { GivenValues } from "./records.ts";
import { replayable } from "./replayed.ts";
import { checkRuleTables } from "./rule-records.ts";

/**
 * The smallest steps, given by the caller as they stand in a history: nothing is parsed, converted or kept in step.
 * Metadata and tables must agree when all is done.
 */

export function applyDocActions(change: Change, actions: readonly unknown[]): void {
  change.twoWay.pause(() => {
    for (const action of actions) {
      const step = stepFor(change, checked(change, readDocAction(action)));
      if (step) change.applyAsked(step);
    }
  });
  // What formulas of data columns did, the history tells.
  change.touched.replayed();
}

/** As `applyDocActions`, from the last to the first: undoing goes backwards. */
export function applyUndoActions(change: Change, actions: readonly unknown[]): void {
  applyDocActions(change, actions.toReversed());
}

/** What the caller is to do of a step. */
function stepFor(change: Change, action: DocAction): DocAction | undefined {
  const { judge } = change;
  const own = judge ? judge.withoutResults(action) : action;
  const step = own && replayable(change, own);
  // The ids of rows that are brought back were not chosen by the caller.
  if (step?.[0] === "BulkAddRecord" && !change.options.restores) judge?.checkSeesAllRows(step[1]);
  return step;
}

/** What is not everybody's to write stays so on this way. */
function checked(change: Change, action: DocAction): DocAction {
  checkRuleTables(change, action[1]);
  if (action[1] === INFO) checkInfoAction(action);
  return action;
}

/** A document whose one record about itself were gone, or told of another version, would not open again. */
function checkInfoAction(action: DocAction): void {
  if (action[0] !== "BulkUpdateRecord") throw invalid(`The record of ${INFO} can be updated only`);
  checkInfo(Object.keys(action[3]));
}

function readDocAction(action: unknown): DocAction {
  if (!Array.isArray(action) || typeof action[0] !== "string") throw invalid("An action must be a list with a name");
  const [name, ...values] = action as [string, ...unknown[]];
  const read = READERS.get(name);
  if (!read) throw new AppError("action.unknown", `${JSON.stringify(name)} is not an action of a history`);
  return read(new Arguments(name, values));
}

const READERS: ReadonlyMap<string, (args: Arguments) => DocAction> = new Map<string, (args: Arguments) => DocAction>([
  ["AddRecord", (args) => ["BulkAddRecord", args.text(0), [args.id(1)], cells(args.row(2))]],
  ["BulkAddRecord", (args) => ["BulkAddRecord", args.text(0), args.ids(1), bulk(args)]],
  ["UpdateRecord", (args) => ["BulkUpdateRecord", args.text(0), [args.id(1)], cells(args.row(2))]],
  ["BulkUpdateRecord", (args) => ["BulkUpdateRecord", args.text(0), args.ids(1), bulk(args)]],
  ["RemoveRecord", (args) => ["BulkRemoveRecord", args.text(0), [args.id(1)]]],
  ["BulkRemoveRecord", (args) => ["BulkRemoveRecord", args.text(0), args.ids(1)]],
  ["ReplaceTableData", (args) => ["ReplaceTableData", args.text(0), args.ids(1), bulk(args)]],
  [
    "AddTable",
    (args) => [
      "AddTable",
      args.text(0),
      args.list(1).map((_, i) => newSpec(new Arguments("AddTable", args.list(1)).object(i))),
    ],
  ],
  ["RemoveTable", (args) => ["RemoveTable", args.text(0)]],
  ["RenameTable", (args) => ["RenameTable", args.text(0), args.text(1)]],
  ["AddColumn", (args) => ["AddColumn", args.text(0), args.text(1), spec(args.object(2))]],
  ["RemoveColumn", (args) => ["RemoveColumn", args.text(0), args.text(1)]],
  ["RenameColumn", (args) => ["RenameColumn", args.text(0), args.text(1), args.text(2)]],
  ["ModifyColumn", (args) => ["ModifyColumn", args.text(0), args.text(1), spec(args.object(2))]],
]);

const bulk = (args: Arguments): ColumnValues => cells(args.columns(2, args.ids(1).length));

const cells = (values: GivenValues): ColumnValues =>
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
