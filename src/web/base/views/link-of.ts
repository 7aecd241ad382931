/**
 * Links between the sections of a page: the selected row of one selects rows of another, or its cursor. The format has
 * three numbers for them, whose meaning depends on the tables and columns that they name.
 */
import { columnType } from "../../../values/column-type.ts";
import type { ColumnListing, NamedTable, RecordJson } from "../table-data.ts";
import type { ViewFilter } from "../view-state.ts";
import type { SectionData } from "./section-data.ts";
import { NO_LINK, type SectionLink } from "./section-link.ts";

export interface LinkContext {
  readonly tables: readonly NamedTable[];
  /** The columns of a table that the reader sees. */
  readonly columnsOf: (table: string) => readonly ColumnListing[];
}

/** A column of the source whose value the column of the target has to have. */
export interface ColumnPair {
  readonly source: ColumnListing;
  readonly target: ColumnListing;
}

export type Link =
  /** The cursor follows: to the same row, or to the one that a column refers to. */
  | { readonly kind: "cursor"; readonly column: ColumnListing | null }
  /** The rows that a list of references contains. */
  | { readonly kind: "listed"; readonly column: ColumnListing }
  /** The rows that refer to the selected row. */
  | { readonly kind: "referring"; readonly column: ColumnListing }
  /** The rows that have the same value in a column. */
  | { readonly kind: "equal"; readonly pairs: readonly ColumnPair[] }
  /** The rows of the selected group of a summary. */
  | { readonly kind: "group"; readonly pairs: readonly ColumnPair[] };

type LinkedSection = Pick<SectionData, "table" | "tableRef">;

/** The columns of a link by their row ids; 0 for none. */
export interface LinkColumns {
  readonly source: number;
  readonly target: number;
}

/** Returns what a link means; null if it means nothing to the reader, who may not see its columns. */
export function readLink(
  { source, target }: { readonly source: LinkedSection; readonly target: LinkedSection },
  refs: LinkColumns,
  context: LinkContext,
): Link | null {
  if (source.table === null || target.table === null) return null;
  const sourceColumn = columnOf(context.columnsOf(source.table), refs.source);
  const targetColumn = columnOf(context.columnsOf(target.table), refs.target);
  if (refs.source !== 0 && !sourceColumn) return null;
  if (refs.target !== 0 && !targetColumn) return null;
  if (sourceColumn && isGroup(sourceColumn, source, context)) return readGroupLink(source, target, context);
  if (sourceColumn && targetColumn) return { kind: "equal", pairs: [{ source: sourceColumn, target: targetColumn }] };
  if (targetColumn)
    return isReferenceTo(targetColumn, source.table) ? { kind: "referring", column: targetColumn } : null;
  if (sourceColumn) return readReference(sourceColumn, target.table);
  return source.tableRef === target.tableRef
    ? { kind: "cursor", column: null }
    : readGroupLink(source, target, context);
}

/** The id of a column of the source table means the column of the summary. */
const columnOf = (columns: readonly ColumnListing[], ref: number): ColumnListing | undefined =>
  ref === 0
    ? undefined
    : (columns.find(({ fields }) => fields.colRef === ref) ??
      columns.find(({ fields }) => fields.summarySourceCol === ref));

const isGroup = ({ id }: ColumnListing, { tableRef }: LinkedSection, { tables }: LinkContext): boolean =>
  id === "group" && (tables.find(({ ref }) => ref === tableRef)?.sourceRef ?? 0) > 0;

function readReference(column: ColumnListing, table: string): Link | null {
  if (!isReferenceTo(column, table)) return null;
  return columnType(column.fields.type).base === "Ref" ? { kind: "cursor", column } : { kind: "listed", column };
}

export function isReferenceTo({ fields }: ColumnListing, table: string): boolean {
  const { base, target } = columnType(fields.type);
  return (base === "Ref" || base === "RefList") && target === table;
}

/** From a summary to the rows of its groups, or to a more detailed summary of the same table. */
function readGroupLink(source: LinkedSection, target: LinkedSection, { tables, columnsOf }: LinkContext): Link | null {
  const base = tables.find(({ ref }) => ref === source.tableRef)?.sourceRef ?? 0;
  if (base === 0 || source.table === null || target.table === null) return null;
  const isDetailed = tables.find(({ ref }) => ref === target.tableRef)?.sourceRef === base;
  if (!isDetailed && target.tableRef !== base) return null;
  const columns = columnsOf(target.table);
  const grouping = columnsOf(source.table).filter(({ fields }) => fields.summarySourceCol > 0);
  const pairs = grouping.flatMap((each): ColumnPair[] => {
    const found = columns.find(
      ({ fields }) => (isDetailed ? fields.summarySourceCol : fields.colRef) === each.fields.summarySourceCol,
    );
    return found ? [{ source: each, target: found }] : [];
  });
  return pairs.length === grouping.length ? { kind: "group", pairs } : null;
}

/** Only these may form cycles: each cursor stays where the other one leads. */
export const isCursorLink = (link: Link | null): boolean => link?.kind === "cursor";

/**
 * Returns what a selected row makes of the target.
 * @param row null while none is selected
 * @param missing the text that the target shows then
 */
export function followLink(link: Link | null, row: RecordJson | null, missing: string): SectionLink {
  if (link === null) return NO_LINK;
  const isMissing = row === null || row.id <= 0;
  if (link.kind === "cursor") return { ...NO_LINK, row: isMissing ? null : cursorRow(link.column, row) };
  if (isMissing) return { ...NO_LINK, filter: NO_ROWS, missing };
  switch (link.kind) {
    case "referring":
      return { ...NO_LINK, filter: hasValue(link.column, row.id), values: newValue(link.column, row.id) };
    case "listed":
      return { ...NO_LINK, filter: { id: itemsOf(cellOf(row, link.column)) } };
    case "equal":
    case "group": {
      const cells = link.pairs.map(({ source, target }) => ({ target, value: cellOf(row, source) }));
      const filters = cells.map(({ target, value }) => hasValue(target, value));
      const [filter = {}] = filters;
      return {
        ...NO_LINK,
        filter: filters.length > 1 ? { and: filters } : filter,
        values: Object.assign(
          {},
          ...cells.map(({ target, value }) => newValue(target, value)),
        ) as SectionLink["values"],
      };
    }
    default:
      return link satisfies never;
  }
}

/** An empty list of values selects no row. */
const NO_ROWS: ViewFilter = { id: [] };

function cursorRow(column: ColumnListing | null, row: RecordJson): number | null {
  const id = column === null ? row.id : row.fields[column.id];
  return typeof id === "number" && id > 0 ? id : null;
}

/** Failed cells have no value. */
const cellOf = (row: RecordJson, { id }: ColumnListing): unknown =>
  row.errors?.[id] === undefined ? (row.fields[id] ?? null) : null;

const isListColumn = ({ fields }: ColumnListing): boolean => columnType(fields.type).base.endsWith("List");

const itemsOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) && value[0] === "L" ? value.slice(1) : value === null || value === "" ? [] : [value];

const isBlank = (column: ColumnListing, value: unknown): boolean =>
  value === null || value === "" || (value === 0 && columnType(column.fields.type).base.startsWith("Ref"));

/** Selects rows whose cell equals the value; of lists, rows with an item in common. */
function hasValue(column: ColumnListing, value: unknown): ViewFilter {
  const { id } = column;
  const items = itemsOf(value).filter((item) => !isBlank(column, item));
  if (items.length === 0) return { [id]: { empty: true } };
  return { [id]: isListColumn(column) ? { hasAny: items } : items };
}

/** Computed cells are not written; a cell cannot have several values of a list. */
function newValue(column: ColumnListing, value: unknown): SectionLink["values"] {
  const items = itemsOf(value).filter((item) => !isBlank(column, item));
  const isComputed = column.fields.isFormula && column.fields.formula !== "";
  if (isComputed || items.length === 0) return {};
  if (isListColumn(column)) return { [column.id]: ["L", ...items] };
  return items.length === 1 ? { [column.id]: items[0] } : {};
}
