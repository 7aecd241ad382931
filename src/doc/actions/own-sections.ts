import { invalid } from "../../errors.ts";
import type { SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { Change } from "./change.ts";
import type { GivenValues } from "./records.ts";
import { IN_IDS } from "./rows.ts";

/**
 * What may be changed about the two sections that a table has of its own, outside of pages: the raw section, which also
 * holds the table's title and the rules of its rows, and the record card.
 */

const SECTIONS = "_grist_Views_section";
const FIELDS = "_grist_Views_section_field";

const RAW_SECTION: ReadonlySet<string> = new Set(["title", "description", "options", "sortColRefs", "rules"]);
const RAW_FIELD: ReadonlySet<string> = new Set(["parentPos", "width"]);
const CARD_SECTION: ReadonlySet<string> = new Set(["layoutSpec", "options", "theme"]);
const CARD_FIELD: ReadonlySet<string> = new Set(["displayCol", "parentPos", "rules", "visibleCol", "widgetOptions"]);

/**
 * To be asked before records of sections and fields are changed.
 * @throws AppError `invalid` for other values in columns that a table's own sections, or their fields, must keep
 */
export function checkSectionUpdate(
  change: Change,
  table: string,
  { ids, values }: { ids: readonly number[]; values: GivenValues },
): void {
  if (table !== SECTIONS && table !== FIELDS) return;
  const section = table === SECTIONS ? "id" : "parentId";
  for (const { own, allowed } of [
    { own: "rawViewSectionRef", allowed: table === SECTIONS ? RAW_SECTION : RAW_FIELD },
    { own: "recordCardViewSectionRef", allowed: table === SECTIONS ? CARD_SECTION : CARD_FIELD },
  ]) {
    // Unknown columns are refused later, as everywhere.
    const { columns } = change.catalog.table(table);
    const kept = [...values.keys()].filter((column) => columns.has(column) && !allowed.has(column));
    if (kept.length === 0 || !has(change, { table, section, own, ids })) continue;
    const refused = kept.find((column) =>
      ids.some((id, r) => {
        const [row] = change.db.values(`select ${quote(column)} from ${table} where id = ?`, id);
        const isUnchanged = row !== undefined && row[0] === values.get(column)?.[r];
        return !isUnchanged && has(change, { table, section, own, ids: [id] });
      }),
    );
    if (refused === undefined) continue;
    throw invalid(`${JSON.stringify(refused)} of a section that belongs to its table cannot be changed`);
  }
}

/** @throws AppError `invalid` for fields of raw sections: raw data shows all columns */
export function checkFieldRemoval(change: Change, ids: readonly number[]): void {
  if (has(change, { table: FIELDS, section: "parentId", own: "rawViewSectionRef", ids })) {
    throw invalid("Fields of the raw section of a table cannot be removed");
  }
}

function has(
  change: Change,
  { table, section, own, ids }: { table: string; section: string; own: string; ids: readonly number[] },
): boolean {
  const list: SqlValue = JSON.stringify(ids);
  const sections = `select ${own} from _grist_Tables where ${own} > 0`;
  const sql = `select 1 from ${table} where id ${IN_IDS} and ${section} in (${sections}) limit 1`;
  return change.db.values(sql, list).length > 0;
}
