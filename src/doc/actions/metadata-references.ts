import { invalid } from "../../errors.ts";
import { quote } from "../../sqlite/quote.ts";
import { METADATA_TABLE_BY_ID } from "../metadata-tables.ts";
import type { Change } from "./change.ts";
import { IN_IDS } from "./rows.ts";

/**
 * Validates what callers wrote to columns of metadata records that refer to other metadata records. Records of access
 * rules are validated together, when all of them are written.
 * @throws AppError `invalid` for a reference to a record that does not exist, and for a field whose column is of
 *   another table than its section
 */
export function checkMetadataReferences(
  change: Change,
  table: string,
  { ids, columns }: { ids: readonly number[]; columns: Iterable<string> },
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
  if (table === FIELDS && (written.has("colRef") || written.has("parentId"))) checkFields(change, list);
}

/** SQL for a list as metadata keeps it; an empty one for anything else. */
const listIn = (column: string): string =>
  `case when typeof(${column}) = 'text' and json_valid(${column}) then ${column} else '[]' end`;

const FIELDS = "_grist_Views_section_field";

function checkFields(change: Change, list: string): void {
  const [field] = change.db.values(
    `select f.id from ${FIELDS} f join _grist_Views_section s on s.id = f.parentId
     join _grist_Tables_column c on c.id = f.colRef where f.id ${IN_IDS} and c.parentId <> s.tableRef limit 1`,
    list,
  );
  if (field) throw invalid("A field must show a column of the table of its section");
}
