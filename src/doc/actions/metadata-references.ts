import { invalid } from "../../errors.ts";
import { quote } from "../../sqlite/quote.ts";
import { METADATA_TABLE_BY_ID } from "../metadata-tables.ts";
import type { Change } from "./change.ts";
import { IN_IDS } from "./row-storage.ts";

/**
 * Validates references between metadata records that a caller wrote. Records of access rules are validated together,
 * when all of them are written.
 * @throws AppError `invalid` for a reference to a record that does not exist, or a violated constraint on related
 *   records
 */
export function checkMetadataReferences(
  change: Change,
  table: string,
  { ids, columns, areNew = false }: { ids: readonly number[]; columns: Iterable<string>; areNew?: boolean },
): void {
  if (table.startsWith("_grist_ACL")) return;
  const written = new Set(columns);
  const list = JSON.stringify(ids);
  for (const { id, type } of METADATA_TABLE_BY_ID.get(table)?.columns ?? []) {
    const [kind, target] = type.split(":");
    if (!written.has(id) || target === undefined) continue;
    const column = `t.${quote(id)}`;
    const [from, value] =
      kind === "Ref" ? [`${table} t`, column] : [`${table} t, json_each(${listIn(column)}) item`, "item.value"];
    const sql = `select ${value} from ${from} where t.id ${IN_IDS} and typeof(${value}) = 'integer' and ${value} <> 0
      and not exists (select 1 from ${target} other where other.id = ${value}) limit 1`;
    const [missing] = change.db.values(sql, list);
    if (missing) throw invalid(`${JSON.stringify(id)}: ${target} has no record ${String(missing[0])}`);
  }
  for (const { table: constrained, columns: constrainedColumns, violations, message } of CONSTRAINTS) {
    // Documents of other programs may already violate a constraint: writes to other columns are accepted.
    if (constrained !== table || !(areNew || constrainedColumns.some((column) => written.has(column)))) continue;
    if (change.db.values(`${violations} limit 1`, list).length > 0) throw invalid(message);
  }
}

/** Returns SQL for a list in a metadata column; an empty list for any other value. */
const listIn = (column: string): string =>
  `case when typeof(${column}) = 'text' and json_valid(${column}) then ${column} else '[]' end`;

/** A constraint on the records of a table and the records they refer to. */
interface Constraint {
  readonly table: string;
  /** The columns that the constraint depends on. */
  readonly columns: readonly string[];
  /** SQL that finds violations among the records with the given ids. */
  readonly violations: string;
  readonly message: string;
}

const CONSTRAINTS: readonly Constraint[] = [
  {
    table: "_grist_Views_section_field",
    columns: ["colRef", "parentId"],
    violations: `select 1 from _grist_Views_section_field f join _grist_Views_section s on s.id = f.parentId
      join _grist_Tables_column c on c.id = f.colRef where f.id ${IN_IDS} and c.parentId <> s.tableRef`,
    message: "A field must show a column of the table of its section",
  },
  {
    table: "_grist_Views_section",
    columns: ["tableRef"],
    violations: `select 1 from _grist_Views_section s join _grist_Views_section_field f on f.parentId = s.id
      join _grist_Tables_column c on c.id = f.colRef where s.id ${IN_IDS} and c.parentId <> s.tableRef`,
    message: "A section must show the table of the columns in its fields",
  },
  {
    table: "_grist_Tables",
    columns: ["rawViewSectionRef", "recordCardViewSectionRef"],
    violations: `select 1 from _grist_Tables t join _grist_Views_section s
      on s.id in (t.rawViewSectionRef, t.recordCardViewSectionRef) where t.id ${IN_IDS} and s.tableRef <> t.id`,
    message: "The raw section and the record card of a table must show that table",
  },
  {
    table: "_grist_Pages",
    columns: ["viewRef"],
    violations: `select 1 from _grist_Pages p join _grist_Pages other on other.viewRef = p.viewRef and other.id <> p.id
      where p.id ${IN_IDS}`,
    message: "A view must not have more than one page",
  },
  {
    table: "_grist_Filters",
    columns: ["colRef"],
    violations: `select 1 from _grist_Filters where id ${IN_IDS} and colRef = 0`,
    message: "A filter must have a column",
  },
];
