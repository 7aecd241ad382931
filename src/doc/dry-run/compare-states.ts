import { isMetadataTable } from "../actions/doc-action.ts";
import type { OpenDocument } from "../document.ts";
import type { VisibilityFilter } from "../read/visibility-filter.ts";
import { type ComparedColumn, compareRows, type TableReport } from "./compare-rows.ts";
import { compareSchemas, type SchemaReport, type SchemaSide } from "./compare-schemas.ts";
import { checkDryRunTime } from "./dry-run.ts";
import { ListBudget } from "./list-budget.ts";
import { readRowsOf, type TableRows } from "./read-rows.ts";
import type { TouchedTable } from "./touched-rows.ts";
import type { WebhookReport } from "./webhook-events.ts";

/** The consequence of a change that was not made, as far as the caller can read it before and after the change. */
export interface DryRunReport {
  readonly tables: readonly TableReport[];
  readonly schema: SchemaReport;
  /** Only for owners: the webhooks that would be called. */
  readonly webhooks?: readonly WebhookReport[];
  /** True when lists leave out items; numbers are complete. */
  readonly isTruncated: boolean;
}

/** A document as the caller sees it in one state. */
export interface Side extends SchemaSide {
  readonly visibility: VisibilityFilter;
  /** Rules hide nothing from the caller. */
  readonly isUnrestricted: boolean;
}

export interface ChangedState extends Side {
  readonly touched: ReadonlyMap<string, TouchedTable>;
  readonly rows: ReadonlyMap<string, TableRows | null>;
  readonly webhooks: readonly WebhookReport[] | null;
}

export const idsOf = ({ isWhole, added, updated, removed }: TouchedTable): ReadonlySet<number> | "all" =>
  isWhole ? "all" : added.union(updated).union(removed);

/** A table of the report: by the names before and after the change, of which one may be missing. */
interface TableNames {
  readonly former: string | undefined;
  readonly name: string | undefined;
}

interface States {
  readonly before: Side;
  readonly after: ChangedState;
}

/** Compares the state before a change, which the document has again, with the one after it. */
export function compareStates(document: OpenDocument, states: States): DryRunReport {
  const { before, after } = states;
  const budget = new ListBudget();
  const isNew = (table: string): boolean => after.touched.get(table)?.isNew === true;
  const schema = compareSchemas(before, after, { isNew, budget });
  const tables = tablesToCompare(states).flatMap((names): TableReport[] => {
    const report = compareTable(document, states, { names, budget });
    return report && Object.values(report.rows).some((count) => count > 0) ? [report] : [];
  });
  const webhooks = after.webhooks ? { webhooks: after.webhooks } : {};
  return { tables, schema, ...webhooks, isTruncated: budget.isExceeded };
}

/** Sorted by name, metadata tables last: the order in which they are written may depend on hidden rows. */
function tablesToCompare({ before, after }: States): TableNames[] {
  const touched = [...after.touched].map(([name, { isNew }]): TableNames => {
    const ref = after.schema.tableById.get(name)?.ref;
    if (isMetadataTable(name)) return { former: name, name };
    return { former: isNew || ref === undefined ? undefined : before.schema.tableByRef.get(ref)?.id, name };
  });
  const removed = before.schema.tables.flatMap(({ id: former, ref }): TableNames[] => {
    const now = after.schema.tableByRef.get(ref);
    return now && !after.touched.get(now.id)?.isNew ? [] : [{ former, name: undefined }];
  });
  const keyOf = ({ former, name = former }: TableNames): string => `${Number(isMetadataTable(name ?? ""))} ${name}`;
  return [...touched, ...removed].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0));
}

/** Null for a table that the caller cannot read before and after the change. */
function compareTable(
  document: OpenDocument,
  states: States,
  { names: { former, name }, budget }: { names: TableNames; budget: ListBudget },
): TableReport | null {
  const { before, after } = states;
  const touched = name === undefined ? undefined : after.touched.get(name);
  const isRestricted = !before.isUnrestricted || !after.isUnrestricted;
  const readBefore = (table: string): TableRows | null =>
    readRowsOf(document, before.visibility, {
      table,
      ids: touched ? idsOf(touched) : "all",
      checkTime: () => checkDryRunTime(document.db),
    });
  if (isRestricted && former !== undefined && !isComparable(before, former)) return null;
  const common = { isRestricted, columns: [], touched, listsAdded: true };
  if (name === undefined) {
    const rows = former === undefined ? null : readBefore(former);
    return rows && compareRows({ ...common, table: former ?? "", before: rows, after: null }, budget);
  }
  const rowsAfter = after.rows.get(name);
  if (!rowsAfter) return null;
  if (former === undefined) {
    // Rows of a new table may show what rules hide elsewhere.
    return isRestricted ? null : compareRows({ ...common, table: name, before: null, after: rowsAfter }, budget);
  }
  const rowsBefore = readBefore(former);
  if (!rowsBefore) return null;
  const all = comparedColumns(states, { table: name, before: rowsBefore, after: rowsAfter });
  return compareRows(
    {
      ...common,
      table: name,
      before: rowsBefore,
      after: rowsAfter,
      // Cells of a new column may show what rules hide elsewhere.
      columns: isRestricted ? all.filter((column) => column.before !== null) : all,
      // Otherwise the caller could read a row only because the change extends their rights.
      listsAdded: rowsBefore.visible.rows === null || !changesRights(states),
    },
    budget,
  );
}

/**
 * False for a table that is left out for a caller under rules: of metadata, they get blanked rows; the groups of a summary
 * depend on all rows of its source.
 */
export function isComparable({ schema, visibility: { rules } }: Side, name: string): boolean {
  const table = schema.tableById.get(name);
  if (!table || !rules) return table !== undefined;
  const source = schema.tableByRef.get(table.summarySourceTable);
  return !source || [table, source].every(({ id }) => rules.table(id).read === "allow");
}

/** Pairs the columns that the caller can read after the change with the former ones. */
function comparedColumns(
  sides: { before: Side; after: Side },
  { table, before, after }: { table: string; before: TableRows; after: TableRows },
): ComparedColumn[] {
  const info = sides.after.schema.tableById.get(table);
  const fieldBefore = new Map(before.fields.map((field) => [field.id, field]));
  return after.fields.flatMap((field): ComparedColumn[] => {
    const column = info?.columnById.get(field.id);
    if (!column) return [{ before: fieldBefore.get(field.id) ?? null, after: field, isFormula: false }];
    const { isFormula } = column;
    const former = sides.before.schema.columnByRef.get(column.ref);
    if (former?.tableRef !== column.tableRef) return [{ before: null, after: field, isFormula }];
    const readable = fieldBefore.get(former.id);
    return readable ? [{ before: readable, after: field, isFormula }] : [];
  });
}

export const isRuleTable = (table: string): boolean => table.startsWith("_grist_ACL");

/** True when the change may have extended what the caller can read. */
function changesRights({ before, after }: States): boolean {
  const attributeTables = before.visibility.document.rules?.attributeTables ?? new Set();
  return [...after.touched.keys()].some((table) => isRuleTable(table) || attributeTables.has(table));
}
