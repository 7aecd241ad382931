import type { DocumentGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import { dropCachedState } from "../actions/all-or-nothing.ts";
import { isMetadataTable } from "../actions/doc-action.ts";
import type { OpenDocument } from "../document.ts";
import { pauseTiming } from "../formulas/timing-session.ts";
import { seesEverything, type VisibilityFilter, visibilityFor } from "../read/visibility-filter.ts";
import { type ComparedColumn, compareRows, type TableReport } from "./compare-rows.ts";
import { compareSchemas, type SchemaReport, type SchemaSide } from "./compare-schemas.ts";
import { checkDryRunTime, DryRun, DryRunTimeout, withDryRun } from "./dry-run.ts";
import { ListBudget } from "./list-budget.ts";
import { readRowsOf, type TableRows } from "./read-rows.ts";
import { touchedRows, type TouchedTable } from "./touched-rows.ts";
import { lastEventId, queuedEvents, type WebhookReport } from "./webhook-events.ts";

/** The consequence of a change that was not made, as far as the caller can read it before and after the change. */
export interface DryRunReport {
  readonly tables: readonly TableReport[];
  readonly schema: SchemaReport;
  /** Only for owners: the webhooks that would be called. */
  readonly webhooks?: readonly WebhookReport[];
  /** True when lists leave out items; numbers are complete. */
  readonly isTruncated: boolean;
}

/** Thrown to roll the change back. */
class Rollback extends Error {}

/** A document as the caller sees it in one state. */
interface Side extends SchemaSide {
  readonly visibility: VisibilityFilter;
  /** Rules hide nothing from the caller. */
  readonly isUnrestricted: boolean;
}

interface ChangedState extends Side {
  readonly touched: ReadonlyMap<string, TouchedTable>;
  readonly rows: ReadonlyMap<string, TableRows | null>;
  readonly webhooks: readonly WebhookReport[] | null;
}

/**
 * Applies a change, finds out its consequence for the caller, and rolls it back: neither the file and its log nor what
 * memory holds of them changes.
 * @throws AppError what the change throws; `conflict` with what was found when it takes too long
 */
export function runDry(document: OpenDocument, grant: DocumentGrant, change: () => unknown): DryRunReport {
  const before = sideOf(document, grant);
  const dryRun = new DryRun(document.clock);
  const changed = rolledBack(document, () =>
    withDryRun(document.db, dryRun, () => {
      try {
        const lastEvent = lastEventId(document);
        change();
        return readChanged(document, grant, { dryRun, lastEvent });
      } catch (error) {
        throw error instanceof DryRunTimeout ? timeLimitExceeded(before, dryRun) : error;
      }
    }),
  );
  const afterwards = new DryRun(document.clock);
  return withDryRun(document.db, afterwards, () => {
    try {
      return compare(document, { before: sideOf(document, grant), after: changed });
    } catch (error) {
      throw error instanceof DryRunTimeout ? timeLimitExceeded(before, dryRun) : error;
    }
  });
}

/** Runs `work` in a transaction that is rolled back, on a document whose file and log do not change. */
function rolledBack<T>(document: OpenDocument, work: () => T): T {
  const { db } = document;
  const resumeTiming = pauseTiming(document);
  // Otherwise pages of a large change would be written to the log before the end of the transaction.
  db.exec("pragma cache_spill = off");
  let result: { value: T } | undefined;
  try {
    db.transaction(() => {
      result = { value: work() };
      throw new Rollback();
    });
  } catch (error) {
    if (!result || !(error instanceof Rollback)) throw error;
  } finally {
    db.exec("pragma cache_spill = on; pragma shrink_memory");
    dropCachedState(document);
    resumeTiming();
  }
  if (!result) throw new Error("the transaction was not rolled back");
  return result.value;
}

function sideOf(document: OpenDocument, grant: DocumentGrant): Side {
  const visibility = visibilityFor(document, grant);
  const isUnrestricted = seesEverything(visibility.rules);
  return { schema: document.schema, visible: visibility.tables(), visibility, isUnrestricted };
}

function readChanged(
  document: OpenDocument,
  grant: DocumentGrant,
  { dryRun, lastEvent }: { dryRun: DryRun; lastEvent: number },
): ChangedState {
  const side = sideOf(document, grant);
  const touched = touchedRows(dryRun.changes);
  const checkTime = () => dryRun.checkTime();
  const rows = new Map<string, TableRows | null>();
  for (const [table, changes] of touched) {
    // What rules leave of metadata cannot be compared by row.
    const isListed = side.isUnrestricted || !isMetadataTable(table);
    rows.set(table, isListed ? readRowsOf(document, side.visibility, { table, ids: idsOf(changes), checkTime }) : null);
  }
  checkTime();
  const webhooks = grant.role === "owners" ? queuedEvents(document, lastEvent) : null;
  return { ...side, touched, rows, webhooks };
}

const idsOf = ({ isWhole, added, updated, removed }: TouchedTable): ReadonlySet<number> | "all" =>
  isWhole ? "all" : added.union(updated).union(removed);

function compare(document: OpenDocument, { before, after }: { before: Side; after: ChangedState }): DryRunReport {
  const budget = new ListBudget();
  const isNew = (table: string): boolean => after.touched.get(table)?.isNew === true;
  const schema = compareSchemas(before, after, { isNew, budget });
  const tables: TableReport[] = [];
  const add = (report: TableReport | null): void => {
    if (report && Object.values(report.rows).some((count) => count > 0)) tables.push(report);
  };
  const sides = { before, after };
  for (const [table, touched] of after.touched) add(compareTable(document, sides, { table, touched, budget }));
  for (const { id, ref } of before.schema.tables) {
    const now = after.schema.tableByRef.get(ref);
    if (now && !isNew(now.id)) continue;
    const rows = readRowsOf(document, before.visibility, {
      table: id,
      ids: "all",
      checkTime: () => checkDryRunTime(document.db),
    });
    add(
      compareRows({ table: id, before: rows, after: null, columns: [], touched: undefined, listsAdded: false }, budget),
    );
  }
  const userTablesFirst = tables.toSorted(
    (a, b) => Number(isMetadataTable(a.table)) - Number(isMetadataTable(b.table)),
  );
  const webhooks = after.webhooks ? { webhooks: after.webhooks } : {};
  return { tables: userTablesFirst, schema, ...webhooks, isTruncated: budget.isExceeded };
}

/** Null for a table that the caller cannot read before and after the change. */
function compareTable(
  document: OpenDocument,
  { before, after }: { before: Side; after: ChangedState },
  { table, touched, budget }: { table: string; touched: TouchedTable; budget: ListBudget },
): TableReport | null {
  const rowsAfter = after.rows.get(table);
  if (!rowsAfter) return null;
  const isUnrestricted = before.isUnrestricted && after.isUnrestricted;
  const ref = after.schema.tableById.get(table)?.ref;
  const info = touched.isNew || ref === undefined ? undefined : before.schema.tableByRef.get(ref);
  const former = isMetadataTable(table) ? table : info?.id;
  // Rows of a new table may show what rules hide elsewhere.
  if (former === undefined) {
    const compared = { table, before: null, after: rowsAfter, columns: [], touched, listsAdded: true };
    return isUnrestricted ? compareRows(compared, budget) : null;
  }
  const checkTime = () => checkDryRunTime(document.db);
  const ids = idsOf(touched);
  const rowsBefore = readRowsOf(document, before.visibility, { table: former, ids, checkTime });
  if (!rowsBefore || (isMetadataTable(table) && !isUnrestricted)) return null;
  const all = comparedColumns({ before, after }, { table, before: rowsBefore, after: rowsAfter });
  // Cells of a new column may show what rules hide elsewhere.
  const columns = isUnrestricted ? all : all.filter((column) => column.before !== null);
  // A row that the caller could read only because the change extends their rights.
  const listsAdded = rowsBefore.visible.rows === null || !changesRights({ before, after });
  const compared = { table, before: rowsBefore, after: rowsAfter, columns, touched, listsAdded };
  return compareRows({ ...compared, isReduced: !isUnrestricted }, budget);
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

const isRuleTable = (table: string): boolean => table.startsWith("_grist_ACL");

/** True when the change may have extended what the caller can read. */
function changesRights({ before, after }: { before: Side; after: ChangedState }): boolean {
  const attributeTables = before.visibility.document.rules?.attributeTables ?? new Set();
  return [...after.touched.keys()].some((table) => isRuleTable(table) || attributeTables.has(table));
}

/** What was found so far are the rows that were written: whether the caller can read them then is not known. */
function timeLimitExceeded(before: Side, dryRun: DryRun): AppError {
  const touched = touchedRows(dryRun.changes);
  const changesRules = [...touched.keys()].some(isRuleTable);
  const tables =
    before.isUnrestricted && !changesRules
      ? [...touched].map(([table, { added, updated, removed }]) => ({
          table,
          rows: { added: added.size, changed: updated.difference(added).size, removed: removed.size },
        }))
      : [];
  return new AppError("dry_run.time_limit", "The dry run takes too long", { details: { tables } });
}
