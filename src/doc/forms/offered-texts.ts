import { isCoded, isList, type CellValue } from "../../values/cell.ts";
import { cellFormatter } from "../../values/cell-formatter.ts";
import type { OpenDocument } from "../document.ts";
import type { ReadField } from "../read/read-table.ts";
import { widgetOptions } from "../widget-options.ts";

const REFERENCES: ReadonlySet<string> = new Set(["Ref", "RefList", "Attachments"]);

/**
 * Returns the function that formats the values which a reference displays: by the options of the displayed column. References
 * remain row ids: a form does not show other tables, nor their names.
 */
export function offeredText(document: OpenDocument, shown: ReadField | undefined): (value: CellValue) => string {
  if (!shown) return String;
  if (REFERENCES.has(shown.type.base)) return idText;
  const settings = { ...document.formatSettings, widgetOptions: widgetOptions(shown.widgetOptions) };
  const format = cellFormatter(shown.type, settings);
  // A formula without a type returns coded references.
  return (value) => (isCoded(value) && REFERENCE_CODES.has(value[0]) ? idText(value[2] as CellValue) : format(value));
}

const REFERENCE_CODES: ReadonlySet<string> = new Set(["R", "r"]);

function idText(value: CellValue): string {
  if (Array.isArray(value)) return (isList(value) ? value.slice(1) : value).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
