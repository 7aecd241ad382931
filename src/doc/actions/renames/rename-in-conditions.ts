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
 * Updates conditions after a column is renamed: dropdown conditions in the options of reference columns, and the
 * conditions of webhook triggers. Other programs evaluate them; here only their column names are updated.
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
 * Returns `{text, parsed}` with the column's new name; undefined when the condition does not use the column. `names`
 * maps the variables for records to their tables.
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
  // In conditions a reference is a number, so no column leads to another table.
  const references = new NameReferenceFinder({ tableById: new Map() }).findReferencesWithGlobals(
    text,
    new Map(recordNames),
  );
  const renamed = applyNameReplacement(text, references, { table, column: from, to });
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
