import { frozenError, AppError } from "../../../errors.ts";
import { FROZEN } from "../../../errors/frozen-messages.ts";
import { isList, type CellValue } from "../../../values/cell.ts";
import { joinRow } from "../../../values/csv-row.ts";
import type { ReadConnection } from "../../cursors.ts";
import { idsCondition } from "../index-reads.ts";
import type { ReadField, ReadTable } from "../read-table.ts";
import { type Row, RowScan } from "../row-scan.ts";
import type { VisibilityFilter, VisibleTable } from "../visibility-filter.ts";
import { createVisibleRows } from "../visible-rows.ts";
import { type OutputCells, type OutputNode, outputNode, type OutputRequest } from "./output-request.ts";
import { createRowMapper, type OutputRecord } from "./row-mapper.ts";

/** How the records of a table are read: their own cells, and records that they refer to. */
export interface RecordPlan {
  /** The columns that rows have after the id. */
  readonly columns: readonly string[];
  readonly toRecords: (source: ReadConnection, rows: readonly Row[]) => OutputRecord[];
}

interface PlanContext {
  readonly visibility: VisibilityFilter;
  readonly hidden: boolean;
  readonly cells: OutputCells;
}

/**
 * Compiles what a request asks of each record.
 * @throws AppError `invalid` for columns that do not exist for the caller
 */
export function createRecordPlan(
  visibility: VisibilityFilter,
  visible: VisibleTable,
  { fields, expand, hidden, cells }: OutputRequest,
): RecordPlan {
  return planOf({ visibility, hidden, cells }, visible, outputNode({ fields, expand }));
}

function planOf(context: PlanContext, { table }: VisibleTable, node: OutputNode): RecordPlan {
  const mapper = createRowMapper(context.visibility, table, { fields: fieldsOf(context, table, node), ...context });
  const joins = [
    ...[...node.paths].map(([name, paths]) => pathJoin(context, table, { name, paths })),
    ...[...node.expanded].map(([name, below]) => expandJoin(context, table, { name, below })),
  ];
  const { columns } = mapper;
  return {
    columns: [...columns, ...joins.map(({ field }) => field.id)],
    toRecords(source, rows) {
      const records = rows.map(mapper.toRecord);
      for (const [at, join] of joins.entries()) {
        const cells = rows.map((row) => join.field.type.decodeRaw(row[columns.length + 1 + at] ?? null));
        join.fill(source, { rows, records, cells });
      }
      return records;
    },
  };
}

function fieldsOf({ hidden }: PlanContext, table: ReadTable, { columns, expanded }: OutputNode): ReadField[] {
  if (columns === null) return table.fields.filter((field) => hidden || !field.isHidden);
  const names = new Set([...columns, ...expanded.keys()]);
  return [...names].map((name) => findField(table, name, name));
}

function findField(table: ReadTable, name: string, path: string): ReadField {
  const field = table.fieldById.get(name);
  if (!field) throw frozenError(FROZEN.invalidColumn, path);
  return field;
}

interface JoinedRows {
  readonly rows: readonly Row[];
  readonly records: readonly OutputRecord[];
  /** The references, one for each row. */
  readonly cells: readonly CellValue[];
}

/** Reads records through a reference. */
interface Join {
  readonly field: ReadField;
  /** Adds to the records what it reads. */
  readonly fill: (source: ReadConnection, joined: JoinedRows) => void;
}

interface Paths {
  readonly name: string;
  readonly paths: readonly { readonly rest: string; readonly path: string }[];
}

/** Adds cells at the ends of paths to records, under the names of the paths. */
function pathJoin(context: PlanContext, table: ReadTable, { name, paths }: Paths): Join {
  const [first] = paths;
  const path = first?.path ?? name;
  const field = findField(table, name, path);
  const target = targetOf(context, field, () => frozenError(FROZEN.invalidColumn, path));
  // Whether a table exists that is hidden as a whole, and its columns, must not show.
  if (!target) throw frozenError(FROZEN.invalidColumn, path);
  for (const { rest, path: whole } of paths) {
    const [step = ""] = rest.split(".");
    if (step !== "id") findField(target.table, step, whole);
  }
  const load = loaderOf(context, target, outputNode({ fields: paths.map(({ rest }) => rest), expand: [] }));
  const isOne = field.type.base === "Ref";
  return {
    field,
    fill(source, { records, cells }) {
      const found = load(source, cells.flatMap(idsOf));
      for (const [at, record] of records.entries()) {
        const read = idsOf(cells[at] ?? null).flatMap((id) => found.get(id) ?? []);
        for (const { rest, path: whole } of paths) {
          const values = read.map((one) => (rest === "id" ? one.id : (one.fields[rest] ?? null)));
          setMember(
            record.fields,
            whole,
            isOne ? (values[0] ?? emptyOf(context.cells)) : listOf(context.cells, values),
          );
          const error = read.find((one) => one.errors?.[rest] !== undefined)?.errors?.[rest];
          if (error !== undefined) record.errors = { ...record.errors, [whole]: error };
        }
      }
    },
  };
}

/** Replaces references by the records that the caller can read. */
function expandJoin(
  context: PlanContext,
  table: ReadTable,
  { name, below }: { name: string; below: readonly string[] },
): Join {
  const field = findField(table, name, name);
  const target = targetOf(
    context,
    field,
    () => new AppError("fields.invalid", `expand must name references: ${JSON.stringify(name)} is not a reference`),
  );
  const load = target && loaderOf(context, target, outputNode({ fields: null, expand: below }));
  const isOne = field.type.base === "Ref";
  const isSameTable = target?.table.id === table.id;
  const waysBack = below.filter((step) => target?.table.fieldById.get(step)?.type.target === table.id);
  return {
    field,
    fill(source, { rows, records, cells }) {
      const found = load?.(source, cells.flatMap(idsOf));
      for (const [at, record] of records.entries()) {
        const ownId = Number(rows[at]?.[0]);
        const nested = idsOf(cells[at] ?? null).flatMap((id): unknown[] => {
          const one = found?.get(id);
          if (!one) return [];
          return [isSameTable && id === ownId ? { id } : cutWithin(one, waysBack, ownId)];
        });
        setMember(record.fields, name, isOne ? (nested[0] ?? null) : nested);
      }
    },
  };
}

/**
 * Cuts a record to its id where it is expanded within itself: other records share the nested one, which is therefore copied.
 * @param waysBack expanded references of the nested record to the table of the outer one
 */
function cutWithin(nested: OutputRecord, waysBack: readonly string[], outerId: number): OutputRecord {
  const isOuter = (value: unknown): boolean =>
    typeof value === "object" && value !== null && "id" in value && value.id === outerId;
  const cut = (value: unknown): unknown => (isOuter(value) ? { id: outerId } : value);
  const changed = waysBack.filter((name) => {
    const value = nested.fields[name];
    return Array.isArray(value) ? value.some(isOuter) : isOuter(value);
  });
  if (changed.length === 0) return nested;
  const fields = { ...nested.fields };
  for (const name of changed) {
    const value = fields[name];
    setMember(fields, name, Array.isArray(value) ? value.map(cut) : cut(value));
  }
  return { ...nested, fields };
}

/**
 * Returns the table that a reference points to, as the caller sees it; null if it is hidden as a whole, or missing.
 * @throws the error for columns that are not references to tables of users
 */
function targetOf({ visibility }: PlanContext, { type }: ReadField, error: () => AppError): VisibleTable | null {
  if ((type.base !== "Ref" && type.base !== "RefList") || type.target === undefined) throw error();
  const { target } = type;
  const isReadable = visibility.document.schema.tableById.has(target) && visibility.canSeeTable(target);
  return isReadable ? visibility.readTable(target) : null;
}

type Loader = (source: ReadConnection, ids: readonly number[]) => Map<number, OutputRecord>;

/** How many referenced rows are read at once. */
const BATCH_SIZE = 4096;

/** Returns a function that reads those of the rows that the caller can read. */
function loaderOf(context: PlanContext, target: VisibleTable, node: OutputNode): Loader {
  const plan = planOf(context, target, node);
  return (source, ids) => {
    const found = new Map<number, OutputRecord>();
    const wanted = [...new Set(ids)];
    if (wanted.length === 0) return found;
    const order = { kind: "id", descending: false } as const;
    const visibleRows = createVisibleRows(target);
    const selection = { where: idsCondition(wanted), order, limit: Number.POSITIVE_INFINITY, visibleRows };
    const scan = new RowScan(source, { table: target.table, columns: plan.columns, selection });
    for (let rows = scan.take(BATCH_SIZE); rows.length > 0; rows = scan.take(BATCH_SIZE)) {
      for (const record of plan.toRecords(source, rows)) found.set(Number(record.id), record);
    }
    return found;
  };
}

/** Returns the ids of a reference or a list of them; none for empty cells, texts, errors and hidden cells. */
function idsOf(cell: CellValue): number[] {
  const items = isList(cell) ? cell.slice(1) : [cell];
  return items.filter((id): id is number => typeof id === "number" && Number.isSafeInteger(id) && id > 0);
}

const emptyOf = (cells: OutputCells): unknown => (cells === "display" ? "" : null);

function listOf(cells: OutputCells, values: readonly unknown[]): unknown {
  if (cells === "display") return joinRow(values.map(String));
  return cells === "iso" ? values : ["L", ...values];
}

/** Sets a member under any name: an assignment of `__proto__` would set the prototype. */
function setMember(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}
