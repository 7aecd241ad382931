import { invalid } from "../../errors.ts";
import { quote } from "../../sqlite/quote.ts";
import { METADATA_TABLE_BY_ID } from "../metadata-tables.ts";
import type { Change } from "./change.ts";
import { IN_IDS } from "./row-storage.ts";

/**
 * Validates what callers wrote to columns of metadata records that refer to other metadata records. Records of access
 * rules are validated together, when all of them are written.
 * @throws AppError `invalid` for a reference to a record that does not exist, and where a condition on related records
 *   does not hold
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
    if (missing) throw invalid(`${JSON.stringify(id)}: there is no record ${String(missing[0])} in ${target}`);
  }
  for (const { of, about, wrong, message } of CONDITIONS) {
    // Documents of other programs may break a condition already: whatever else of their records is written is written.
    if (of !== table || !(areNew || about.some((column) => written.has(column)))) continue;
    if (change.db.values(`${wrong} limit 1`, list).length > 0) throw invalid(message);
  }
}

/** SQL for a list as metadata keeps it; an empty one for anything else. */
const listIn = (column: string): string =>
  `case when typeof(${column}) = 'text' and json_valid(${column}) then ${column} else '[]' end`;

/** A condition on the records of a table and those that they refer to. */
interface Condition {
  readonly of: string;
  /** The columns that it depends on. */
  readonly about: readonly string[];
  /** Finds the records that break it, of those with the given ids. */
  readonly wrong: string;
  readonly message: string;
}

const CONDITIONS: readonly Condition[] = [
  {
    of: "_grist_Views_section_field",
    about: ["colRef", "parentId"],
    wrong: `select 1 from _grist_Views_section_field f join _grist_Views_section s on s.id = f.parentId
      join _grist_Tables_column c on c.id = f.colRef where f.id ${IN_IDS} and c.parentId <> s.tableRef`,
    message: "A field must show a column of the table of its section",
  },
  {
    of: "_grist_Views_section",
    about: ["tableRef"],
    wrong: `select 1 from _grist_Views_section s join _grist_Views_section_field f on f.parentId = s.id
      join _grist_Tables_column c on c.id = f.colRef where s.id ${IN_IDS} and c.parentId <> s.tableRef`,
    message: "A section must show the table of the columns in its fields",
  },
  {
    of: "_grist_Tables",
    about: ["rawViewSectionRef", "recordCardViewSectionRef"],
    wrong: `select 1 from _grist_Tables t join _grist_Views_section s
      on s.id in (t.rawViewSectionRef, t.recordCardViewSectionRef) where t.id ${IN_IDS} and s.tableRef <> t.id`,
    message: "The raw section and the record card of a table must show that table",
  },
  {
    of: "_grist_Pages",
    about: ["viewRef"],
    wrong: `select 1 from _grist_Pages p join _grist_Pages other on other.viewRef = p.viewRef and other.id <> p.id
      where p.id ${IN_IDS}`,
    message: "A view must not have more than one page",
  },
  {
    of: "_grist_Filters",
    about: ["colRef"],
    wrong: `select 1 from _grist_Filters where id ${IN_IDS} and colRef = 0`,
    message: "A filter must have a column",
  },
];
