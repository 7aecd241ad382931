import { invalid } from "../../../errors.ts";
import { quote } from "../../../sqlite/quote.ts";
import type { Change } from "../change.ts";
import { metadataIds } from "../metadata.ts";
import type { InputValues } from "../records/records.ts";
import { IN_IDS } from "../row-storage.ts";

/**
 * Restricts changes to the two built-in sections of a table, which are not on a page: the raw section, which also holds
 * the table's title and the conditional formats of its rows, and the record card.
 */

const SECTIONS = "_grist_Views_section";
const FIELDS = "_grist_Views_section_field";

const RAW_SECTION_FIELDS: ReadonlySet<string> = new Set(["title", "description", "options", "sortColRefs", "rules"]);
const RAW_FIELD_FIELDS: ReadonlySet<string> = new Set(["parentPos", "width"]);
const CARD_SECTION_FIELDS: ReadonlySet<string> = new Set(["layoutSpec", "options", "theme"]);
const CARD_FIELD_FIELDS: ReadonlySet<string> = new Set([
  "displayCol",
  "parentPos",
  "rules",
  "visibleCol",
  "widgetOptions",
]);

/**
 * Checks an update of sections or fields. Must be called before the update.
 * @throws AppError `invalid` when it changes a protected column of a built-in section or of its fields
 */
export function checkSectionUpdate(
  change: Change,
  table: string,
  { ids, values }: { ids: readonly number[]; values: InputValues },
): void {
  if (table !== SECTIONS && table !== FIELDS) return;
  const section = table === SECTIONS ? "id" : "parentId";
  // Unknown columns are refused later.
  const { columns } = change.catalog.table(table);
  for (const { own, allowed } of [
    { own: "rawViewSectionRef", allowed: table === SECTIONS ? RAW_SECTION_FIELDS : RAW_FIELD_FIELDS },
    { own: "recordCardViewSectionRef", allowed: table === SECTIONS ? CARD_SECTION_FIELDS : CARD_FIELD_FIELDS },
  ]) {
    const protectedColumns = [...values.keys()].filter((column) => columns.has(column) && !allowed.has(column));
    if (protectedColumns.length === 0) continue;
    const builtIn = new Set(builtInRecords(change, { table, section, own, ids }));
    const refused = protectedColumns.find((column) => {
      const rows = change.db.values(
        `select id, ${quote(column)} from ${table} where id ${IN_IDS}`,
        JSON.stringify([...builtIn]),
      );
      const stored = new Map(rows.map(([id, cell]) => [id, cell]));
      return ids.some((id, r) => builtIn.has(id) && stored.get(id) !== values.get(column)?.[r]);
    });
    if (refused === undefined) continue;
    throw invalid(`${JSON.stringify(refused)} of a built-in section cannot be changed`);
  }
}

/** @throws AppError `invalid` for fields of raw sections, which show all columns */
export function checkFieldRemoval(change: Change, ids: readonly number[]): void {
  if (builtInRecords(change, { table: FIELDS, section: "parentId", own: "rawViewSectionRef", ids }).length > 0) {
    throw invalid("Fields of the raw section of a table cannot be removed");
  }
}

/** Returns those of the records that belong to a built-in section. */
function builtInRecords(
  change: Change,
  { table, section, own, ids }: { table: string; section: string; own: string; ids: readonly number[] },
): number[] {
  const sections = `select ${own} from _grist_Tables where ${own} > 0`;
  const sql = `select id from ${table} where id ${IN_IDS} and ${section} in (${sections})`;
  return metadataIds(change, sql, JSON.stringify(ids));
}
