import { AppError } from "../../../errors.ts";
import type { InferredType } from "../../../formula/names/inferred-type.ts";
import { NameReferenceFinder } from "../../../formula/names/reference-finder.ts";
import { mayContainName, applyNameReplacement } from "../../../formula/names/apply-name-replacement.ts";
import { columnType } from "../../../values/column-type.ts";
import { parsedFormulaText } from "../../rules/predicates/predicate-json.ts";
import { widgetOptions } from "../../widget-options.ts";
import type { Change } from "../change.ts";
import type { ColumnRename } from "./rename-in-access-rules.ts";
import { updateMetadata } from "../metadata.ts";

/**
 * Conditions follow when a column that they read is renamed: which records a reference may be chosen from, kept in the
 * options of its column, and when a webhook is called. Other programs evaluate them; here they are only kept right.
 */
export function propagateColumnRenameToConditions(change: Change, rename: ColumnRename): void {
  for (const table of change.schema.tables) {
    for (const { ref, type, widgetOptions: text } of table.columns) {
      if (!text.includes("dropdownCondition")) continue;
      const options = widgetOptions(text);
      const names = { rec: table.id, choice: columnType(type).target };
      const dropdownCondition = renamedCondition(options["dropdownCondition"], rename, names);
      if (!dropdownCondition) continue;
      updateMetadata(change, "_grist_Tables_column", ref, {
        widgetOptions: JSON.stringify({ ...options, dropdownCondition }),
      });
    }
  }
  const triggers = change.db.values("select id, tableRef, condition from _grist_Triggers where condition like '{%'");
  for (const [id, tableRef, text] of triggers) {
    const table = change.schema.tableByRef.get(Number(tableRef))?.id;
    const condition = renamedCondition(widgetOptions(String(text)), rename, { rec: table, oldRec: table });
    if (condition) updateMetadata(change, "_grist_Triggers", Number(id), { condition: JSON.stringify(condition) });
  }
}

/**
 * `{text, parsed}` with the column's new name; undefined where it is not named. `names` are those that stand for
 * records, with the table of these.
 */
function renamedCondition(
  condition: unknown,
  { table, from, to }: ColumnRename,
  names: Readonly<Record<string, string | undefined>>,
): object | undefined {
  if (condition === null || typeof condition !== "object" || !("text" in condition)) return undefined;
  const { text } = condition;
  if (typeof text !== "string" || !mayContainName(text, from)) return undefined;
  const record: InferredType = { kind: "record", table };
  const recordNames = Object.entries(names).flatMap(([name, of]) => (of === table ? [[name, record] as const] : []));
  // A reference in a condition is a number: no column leads to another table.
  const places = new NameReferenceFinder({ tableById: new Map() }).findReferencesWithGlobals(
    text,
    new Map(recordNames),
  );
  const renamed = applyNameReplacement(text, places, { table, column: from, to });
  return renamed === text ? undefined : { ...condition, text: renamed, ...parsedText(renamed) };
}

function parsedText(text: string): { parsed?: string } {
  try {
    return { parsed: parsedFormulaText(text) };
  } catch (error) {
    if (error instanceof AppError) return {};
    throw error;
  }
}
