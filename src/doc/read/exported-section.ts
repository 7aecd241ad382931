import { AppError, invalid, notFound } from "../../errors.ts";
import type { ExportedTable } from "../../exchange/exported-table.ts";
import type { CellValue } from "../../values/cell.ts";
import type { ReadConnection } from "../cursors.ts";
import type { OpenDocument } from "../document.ts";
import type { ColumnInfo, TableInfo } from "../schema.ts";
import {
  cellFilter,
  type CellFilter,
  type CellFilterOptions,
  type ColumnCondition,
  linkFilter,
} from "./cell-filter.ts";
import { createExportedTable, type ExportColumn } from "./exported-table.ts";
import { MATCH_ALL } from "../filters/sql-condition.ts";
import { existingRows, findCandidates, findIndexedOrder } from "./index-reads.ts";
import { type MetadataRecord, readMetadataRecord, readMetadataRecords } from "./metadata-records.ts";
import { findOrder } from "./row-order.ts";
import { isById, sortRows } from "./row-query.ts";
import { RowScan, type RowOrder, type Selection } from "./row-scan.ts";
import { parseSort, sortByPosition, type SortKey } from "./parse-sort.ts";
import type { VisibilityFilter } from "./visibility-filter.ts";
import { createVisibleRows, type VisibleRows } from "./visible-rows.ts";
import type { ReadField, ReadTable } from "./read-table.ts";

/** Overrides of a widget's settings in a request; JSON texts, empty ones count as absent. */
export interface SectionOverrides {
  /** The sort columns instead of the saved ones: `[3, -5]`. */
  readonly activeSortSpec?: string | undefined;
  /** Filters that replace the saved ones of the same columns: `[{"colRef": 3, "filter": "{…}"}]`. */
  readonly filters?: string | undefined;
  /** The rows selected by a link to another widget: `{"filters": {"City": [1]}, "operations": {"City": "in"}}`. */
  readonly linkingFilter?: string | undefined;
}

/**
 * Returns the content of a widget: its fields in order, with its own formats, sort and filters.
 * @param id the widget id as text
 * @throws AppError `invalid` when it is not a number, or an override is invalid; `notFound`
 */
export function exportedSection(
  visibility: VisibilityFilter,
  source: ReadConnection,
  id: string,
  overrides: SectionOverrides,
): ExportedTable {
  const { document } = visibility;
  if (!/^\d{1,15}$/.test(id)) throw invalid("viewSection must be a widget id (a number)");
  const section = readMetadataRecord(document, "_grist_Views_section", Number(id));
  const table = section && visibility.tables().find(({ ref }) => ref === section["tableRef"]);
  if (!section || !table) throw notFound(`There is no widget ${id}`);
  const columns = fieldsOf(document, section, table);
  const selection = selectSectionRows(visibility, { section, table, columns, overrides });
  return createExportedTable(visibility, source, { table, columns, selection });
}

function fieldsOf(document: OpenDocument, section: MetadataRecord, { columns }: TableInfo): ExportColumn[] {
  const columnByRef = new Map(columns.map((column) => [column.ref, column]));
  const where = { column: "parentId", value: Number(section["id"]) };
  return readMetadataRecords(document, "_grist_Views_section_field", where)
    .toSorted((a, b) => positionOf(a) - positionOf(b))
    .flatMap((field) => {
      const column = columnByRef.get(Number(field["colRef"]));
      if (!column) return [];
      const fieldOrColumn = (name: "displayCol" | "visibleCol"): number => Number(field[name]) || column[name];
      const { widgetOptions } = field;
      return {
        column,
        widgetOptions: typeof widgetOptions === "string" && widgetOptions !== "" ? widgetOptions : column.widgetOptions,
        displayCol: fieldOrColumn("displayCol"),
        visibleCol: fieldOrColumn("visibleCol"),
      };
    });
}

const positionOf = ({ parentPos }: MetadataRecord): number => (typeof parentPos === "number" ? parentPos : Infinity);

interface SectionQuery {
  readonly section: MetadataRecord;
  readonly table: TableInfo;
  readonly columns: readonly ExportColumn[];
  readonly overrides: SectionOverrides;
}

function selectSectionRows(
  visibility: VisibilityFilter,
  { section, table, columns, overrides }: SectionQuery,
): Selection {
  const { document } = visibility;
  const visibleTable = visibility.readTable(table.id);
  const { table: readTable, rows } = visibleTable;
  const sort = sortKeys(readTable, sortSpec(section, overrides), { table, columns });
  const filters = [
    ...columnFilters(document, { section, table, overrides }),
    ...linkFilters(table, overrides.linkingFilter),
  ];
  const tests = cellTests(readTable, filters);
  const selection = { where: MATCH_ALL, limit: Number.POSITIVE_INFINITY, visibleRows: createVisibleRows(visibleTable) };
  if (tests.length > 0 && rows === null)
    return { ...selection, order: filterFirst(document, readTable, { sort, tests }) };
  const order = orderAll(document, readTable, { sort, visibleRows: selection.visibleRows });
  if (filters.length === 0) return { ...selection, order };
  const ids = filterRows(document, readTable, { selection: { ...selection, order }, tests });
  return { ...selection, order: { kind: "list", ids } };
}

/** Above this number of rows it is faster to sort the table. */
const MAX_SORTED_ROWS = 100_000;

/** Returns the rows that pass all tests, in order, for a caller who sees all rows. Sorts only passing rows. */
function filterFirst(
  document: OpenDocument,
  table: ReadTable,
  { sort, tests }: { sort: readonly SortKey[]; tests: readonly CellTest[] },
): RowOrder {
  const candidates = findCandidates(document, table, tests.flatMap(conditionOf));
  const scanned: RowOrder = candidates
    ? { kind: "list", ids: existingRows(document, table, candidates) }
    : { kind: "id", descending: false };
  const selection = { where: MATCH_ALL, order: scanned, limit: Number.POSITIVE_INFINITY, visibleRows: null };
  const ids = filterRows(document, table, { selection, tests });
  if (ids.length <= MAX_SORTED_ROWS || isById(sort))
    return { kind: "list", ids: sortRows(document, table, { ids, sort }) };
  const passing = new Set(ids);
  const order = orderAll(document, table, { sort, visibleRows: null });
  const ordered = order.kind === "list" ? Array.from(order.ids).filter((id) => passing.has(id)) : ids;
  return { kind: "list", ids: ordered };
}

/** Returns the order of all visible rows. */
function orderAll(
  document: OpenDocument,
  table: ReadTable,
  { sort, visibleRows }: { sort: readonly SortKey[]; visibleRows: VisibleRows | null },
): RowOrder {
  const indexed = visibleRows === null && !isById(sort) ? findIndexedOrder(document, table, sort) : null;
  const ids = indexed?.page(0, Number.POSITIVE_INFINITY);
  if (ids) return { kind: "list", ids };
  return findOrder(document, { table, where: MATCH_ALL, sort, limit: Number.POSITIVE_INFINITY, visibleRows });
}

/** Returns the elements of a sort as `parseSort` takes them: column refs with options. */
function sortSpec(section: MetadataRecord, { activeSortSpec }: SectionOverrides): string[] {
  const saved = section["sortColRefs"];
  const list = activeSortSpec ? parseJsonText(activeSortSpec, "activeSortSpec") : parseJsonOr(saved, []);
  if (Array.isArray(list) && list.every((one) => typeof one === "number" || typeof one === "string")) {
    return list.map(String);
  }
  if (activeSortSpec) throw invalid("activeSortSpec must be a list of column refs (numbers)");
  return [];
}

/** References sort by their displayed value. A saved sort may name a deleted column. */
function sortKeys(
  readTable: ReadTable,
  spec: readonly string[],
  { table, columns }: Pick<SectionQuery, "table" | "columns">,
): SortKey[] {
  const fields = readTable.fieldByRef;
  const known = spec.filter((element) => fields.has(Math.abs(Number.parseInt(element, 10))));
  const byShown = known.map((element) =>
    element.replace(/\d+/, (ref) => {
      const field = columns.find(({ column }) => column.ref === Number(ref));
      const display = (field ?? table.columns.find((column) => column.ref === Number(ref)))?.displayCol ?? 0;
      return fields.has(display) ? String(display) : ref;
    }),
  );
  return byShown.length > 0 ? parseSort(readTable, byShown) : sortByPosition(readTable);
}

interface RowFilter {
  /** Null for the id. */
  readonly column: ColumnInfo | null;
  readonly filter: CellFilter;
}

/** Merges the saved filters with those of the request, which take precedence; an empty one removes the saved filter. */
function columnFilters(
  document: OpenDocument,
  { section, table, overrides }: Pick<SectionQuery, "section" | "table" | "overrides">,
): RowFilter[] {
  const where = { column: "viewSectionRef", value: Number(section["id"]) };
  const requested = new Map(parseRequestFilters(overrides.filters).map(({ colRef, filter }) => [colRef, filter]));
  const stored = new Map(
    readMetadataRecords(document, "_grist_Filters", where)
      .filter((row) => !requested.has(Number(row["colRef"])))
      .map(({ colRef, filter }) => [Number(colRef), typeof filter === "string" ? filter : ""]),
  );
  const { timezone, clock } = document;
  const read = ([ref, spec]: [number, string], parse: typeof cellFilter | typeof storedFilter): RowFilter[] => {
    // A filter on a hidden column would reveal its values.
    const column = table.columns.find((one) => one.ref === ref);
    if (spec === "" || !column) return [];
    const filter = parse(spec, { type: column.type, timezone, nowMs: clock.now() });
    return filter ? [{ column, filter }] : [];
  };
  return [
    ...[...stored].flatMap((one) => read(one, storedFilter)),
    ...[...requested].flatMap((one) => read(one, cellFilter)),
  ];
}

/** Returns null for texts that are no filter, as pages do: old documents have `null`, and files may have anything. */
function storedFilter(spec: string, options: CellFilterOptions): CellFilter | null {
  try {
    return cellFilter(spec, options);
  } catch (error) {
    // Values that nest without end exhaust the stack.
    if (error instanceof AppError || error instanceof RangeError) return null;
    throw error;
  }
}

function parseRequestFilters(text: string | undefined): { colRef: number; filter: string }[] {
  if (!text) return [];
  const list = parseJsonText(text, "filters");
  if (!Array.isArray(list)) throw invalid("filters must be a list");
  return list.map((one: unknown) => {
    const { colRef, filter } = (one ?? {}) as { colRef?: unknown; filter?: unknown };
    if (typeof colRef !== "number" || typeof filter !== "string") {
      throw invalid("Each of filters must have colRef (a number) and filter (a JSON text)");
    }
    return { colRef, filter };
  });
}

function linkFilters(table: TableInfo, text: string | undefined): RowFilter[] {
  if (!text) return [];
  const linking = parseJsonText(text, "linkingFilter") as { filters?: unknown; operations?: unknown } | null;
  const { filters, operations } = linking ?? {};
  if (typeof filters !== "object" || filters === null) throw invalid("linkingFilter must have filters");
  return Object.entries(filters).map(([id, values]) => {
    const column = id === "id" ? null : table.columnById.get(id);
    if (column === undefined) throw invalid(`linkingFilter names the unknown column ${JSON.stringify(id)}`);
    if (!Array.isArray(values)) throw invalid("linkingFilter must hold lists of values");
    const operation: unknown = Reflect.get(Object(operations), id);
    return { column, filter: linkFilter(values as CellValue[], operation === undefined ? "in" : operation) };
  });
}

/** A filter of a column that the file contains, or of the id. */
interface CellTest {
  readonly field: ReadField | null;
  readonly filter: CellFilter;
}

const cellTests = (table: ReadTable, filters: readonly RowFilter[]): CellTest[] =>
  filters.flatMap(({ column, filter }) => {
    const field = column === null ? null : table.fieldById.get(column.id);
    return field === undefined || field?.absent !== undefined ? [] : { field, filter };
  });

const conditionOf = ({ field, filter: { lookup } }: CellTest): ColumnCondition[] =>
  field && lookup ? [{ field, lookup }] : [];

/** How many rows are filtered per batch. */
const BATCH_SIZE = 10_000;

/** Returns the ids of the rows that pass all tests, in the given order. */
function filterRows(
  document: OpenDocument,
  table: ReadTable,
  { selection, tests }: { selection: Selection; tests: readonly CellTest[] },
): number[] {
  const columns = tests.flatMap(({ field }) => (field === null ? [] : field.id));
  const scan = new RowScan({ db: document.db }, { table, columns, selection });
  const ids: number[] = [];
  for (let rows = scan.take(BATCH_SIZE); rows.length > 0; rows = scan.take(BATCH_SIZE)) {
    for (const row of rows) {
      let at = 0;
      const passed = tests.every(({ field, filter }) =>
        filter.passes(field === null ? Number(row[0]) : field.type.decodeRaw(row[++at] ?? null)),
      );
      if (passed) ids.push(Number(row[0]));
    }
  }
  return ids;
}

function parseJsonText(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(`${what} is not JSON`);
  }
}

function parseJsonOr(text: CellValue | undefined, fallback: unknown): unknown {
  try {
    return typeof text === "string" && text !== "" ? JSON.parse(text) : fallback;
  } catch {
    return fallback;
  }
}
