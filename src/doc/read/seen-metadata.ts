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

/** Cells of a metadata table that are emptied for who does not see what they tell of. */
interface BlankedCells {
  /** In SQL: which rows. The texts in braces stand for lists of numbers, as `Hidden` has them. */
  readonly where: string;
  /** What is put in their place, in SQL. */
  readonly cells: Readonly<Record<string, string>>;
}

/** Numbers of what is hidden from the caller. */
interface HiddenRefs {
  readonly tables: readonly number[];
  /** Those of hidden tables too. */
  readonly columns: readonly number[];
  /** Columns of which he does not see every cell. */
  readonly censored: readonly number[];
}

const SECTIONS = "select id from _grist_Views_section where tableRef in {tables}";

/** Rows stay, so that what refers to them by number still does. */
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
  [
    "_grist_Views",
    { where: "id in (select parentId from _grist_Views_section where tableRef in {tables})", cells: { name: "''" } },
  ],
  [
    "_grist_Views_section",
    { where: "tableRef in {tables}", cells: { tableRef: "0", title: "''", description: "''", filterSpec: "''" } },
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
 * A metadata table as the caller sees it: what it tells of tables and columns that are hidden from him is emptied
 * before anything is filtered or sorted.
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

/** The condition stands in the text once: it may name thousands of columns. */
function blankedQuery({ id, fields }: ReadTable, { where, cells }: BlankedCells, hidden: HiddenRefs): string {
  const condition = where.replace(
    /\{(\w+)\}/g,
    (_, name: string) => `(${hidden[name as keyof HiddenRefs].join(", ")})`,
  );
  const columns = storedFieldIds(fields).map((name) => {
    const [column, blank] = [quote(name), cells[name]];
    return blank === undefined ? column : `case when ${FLAG} then ${blank} else ${column} end as ${column}`;
  });
  return `(select ${["id", ...columns].join(", ")} from (select *, ${condition} as ${FLAG} from ${quote(id)}))`;
}

/** No column of a table is called so. */
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
