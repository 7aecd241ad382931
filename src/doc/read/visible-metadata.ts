import type { Role } from "../../authorization.ts";
import { frozenError } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import { quote } from "../../sqlite/quote.ts";
import type { OpenDocument } from "../document.ts";
import type { CallerAccess } from "../rules/access-types.ts";
import type { ColumnInfo, Schema } from "../schema.ts";
import { storedFieldIds } from "./cell-format.ts";
import { hiddenColumns } from "./hidden-columns.ts";
import type { ReadTable } from "./read-table.ts";

interface MetadataReader {
  readonly rules: CallerAccess;
  readonly role: Role;
}

/** Cells of a metadata table that are blanked for callers who must not see their subject. */
interface BlankedCells {
  /** An SQL condition for the rows. Placeholders in braces are lists of refs by the keys of `HiddenRefs`. */
  readonly where: string;
  /** The replacement values, in SQL. */
  readonly cells: Readonly<Record<string, string>>;
  /** The values in all other rows, in SQL with the same placeholders; of columns in `cells`. */
  readonly reduced?: Readonly<Record<string, string>>;
}

/** Refs of tables and columns hidden from the caller. */
interface HiddenRefs {
  readonly tables: readonly number[];
  /** Including those of hidden tables. */
  readonly columns: readonly number[];
  /** Columns with cells hidden from the caller. */
  readonly censored: readonly number[];
}

const SECTIONS = "select id from _grist_Views_section where tableRef in {tables}";

/** Pages of hidden tables alone, and pages that have the name of a hidden table that they show. */
const HIDDEN_PAGES = `id in (select parentId from _grist_Views_section where tableRef in {tables}) and (
  id not in (
    select parentId from _grist_Views_section where tableRef > 0 and tableRef not in {tables} and parentId is not null
  )
  or name in (
    select tableId from _grist_Tables where id in {tables}
    union all select title from _grist_Views_section where tableRef in {tables}
  )
)`;

/**
 * Saved conditions that Quern keeps in a section's options have values of the columns that they name by row ids. They are
 * hidden where one of those columns is. Paths lead to columns of other tables: their names do not tell whether those are
 * hidden. Texts that SQLite cannot read are hidden as well.
 */
const WITHOUT_HIDDEN_FILTER = `case
  when options not like '%quern%' then options
  when not json_valid(options) then ''
  when exists (
    select 1 from json_tree(options -> '$.quern.filter')
    where typeof(key) = 'text' and (cast(key as integer) in {columns} or instr(key, '.') > 0)
  ) then json_remove(options, '$.quern.filter')
  else options
end`;

/** Rows are kept, so that references to them remain valid. */
const BLANKED_CELLS: ReadonlyMap<string, BlankedCells> = new Map([
  ["_grist_Tables", { where: "id in {tables}", cells: { tableId: "''" } }],
  [
    "_grist_Tables_column",
    {
      where: "id in {columns}",
      cells: {
        parentId: "0",
        colId: "''",
        type: "'Any'",
        widgetOptions: "''",
        formula: "''",
        label: "''",
        description: "''",
      },
    },
  ],
  ["_grist_Views", { where: HIDDEN_PAGES, cells: { name: "''" } }],
  [
    "_grist_Views_section",
    {
      where: "tableRef in {tables}",
      cells: {
        tableRef: "0",
        title: "''",
        description: "''",
        filterSpec: "''",
        // Texts of forms, and settings of other programs.
        layoutSpec: "''",
        options: "''",
      },
      reduced: { options: WITHOUT_HIDDEN_FILTER },
    },
  ],
  [
    "_grist_Views_section_field",
    {
      where: `colRef in {columns} or parentId in (${SECTIONS})`,
      cells: { parentId: "0", widgetOptions: "''", filter: "''" },
    },
  ],
  ["_grist_Filters", { where: `colRef in {columns} or viewSectionRef in (${SECTIONS})`, cells: { filter: "''" } }],
  ["_grist_Cells", { where: "colRef in {censored} or tableRef in {tables}", cells: { content: "''" } }],
]);

const RULES: ReadonlySet<string> = new Set(["_grist_ACLRules", "_grist_ACLResources"]);

/**
 * Returns a metadata table as the caller sees it: information about hidden tables and columns is blanked before
 * filtering and sorting.
 * @throws AppError `forbidden`
 */
export function visibleMetadata(
  { schema }: OpenDocument,
  table: ReadTable,
  { rules, role }: MetadataReader,
): ReadTable {
  if (!rules.mayReadMetadata) throw frozenError(FROZEN.blockedByRules, "table", "read");
  if (rules.readsEverything) return table;
  const isHidden = RULES.has(table.id)
    ? !rules.maySeeAccessRules
    : table.id === "_grist_Attachments" && role !== "owners";
  if (isHidden) return { ...table, isStored: false };
  const blanks = BLANKED_CELLS.get(table.id);
  return blanks && table.isStored
    ? { ...table, from: blankedQuery(table, blanks, findHiddenRefs(rules, schema)) }
    : table;
}

/** The condition occurs once in the SQL, since it may list thousands of columns. */
function blankedQuery({ id, fields }: ReadTable, { where, cells, reduced }: BlankedCells, hidden: HiddenRefs): string {
  const condition = withRefs(where, hidden);
  const columns = storedFieldIds(fields).map((name) => {
    const [column, blank] = [quote(name), cells[name]];
    const kept = withRefs(reduced?.[name] ?? column, hidden);
    return blank === undefined ? column : `case when ${FLAG} then ${blank} else ${kept} end as ${column}`;
  });
  return `(select ${["id", ...columns].join(", ")} from (select *, ${condition} as ${FLAG} from ${quote(id)}))`;
}

const withRefs = (sql: string, hidden: HiddenRefs): string =>
  sql.replace(/\{(\w+)\}/g, (_, name: string) => `(${hidden[name as keyof HiddenRefs].join(", ")})`);

/** Returns the options of those of the sections whose saved conditions the caller does not see. */
export function findHiddenFilters(
  { db, schema }: Pick<OpenDocument, "db" | "schema">,
  rules: CallerAccess,
  ids: readonly number[],
): ReadonlyMap<number, string> {
  const seen = withRefs(WITHOUT_HIDDEN_FILTER, findHiddenRefs(rules, schema));
  const found = db.values(
    `select id, options from _grist_Views_section
      where id in (select value from json_each(?)) and json_valid(options) and options is not (${seen})`,
    JSON.stringify(ids),
  );
  return new Map(found.map(([id, options]) => [Number(id), String(options)]));
}

/** Not a possible column name. */
const FLAG = quote("is hidden");

function findHiddenRefs(rules: CallerAccess, { tables }: Schema): HiddenRefs {
  const denied = tables.filter(({ id }) => rules.table(id).read === "deny");
  const isDenied = new Set(denied);
  const visibleTables = tables.filter((table) => !isDenied.has(table));
  const refs = (columns: readonly ColumnInfo[]): number[] => columns.map(({ ref }) => ref);
  const columnsOfDenied = denied.flatMap((table) => refs(table.columns));
  return {
    tables: denied.map(({ ref }) => ref),
    columns: [...columnsOfDenied, ...visibleTables.flatMap((table) => refs(hiddenColumns(rules, table)))],
    censored: [
      ...columnsOfDenied,
      ...visibleTables.flatMap((table) =>
        refs(table.columns.filter(({ id }) => rules.table(table.id).column(id).read !== "allow")),
      ),
    ],
  };
}
