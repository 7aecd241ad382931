import { CELL_CODES, isList, type CellValue, type CodedValue } from "../cell.ts";
import { splitRow } from "../csv-row.ts";
import { isInt32 } from "../python-text.ts";
import type { ConvertContext, ParseSettings, TypeFamily } from "./type-interfaces.ts";
import { isFalsy, isFloatColumn, readJsonList, invalidValueText } from "./convert.ts";
import { ListType } from "./list-type.ts";
import { validRowId, lookUpOption, unmatchedText } from "./reference.ts";

/** Row ids of records of another table; null for an empty list. */
class RefListType extends ListType {
  readonly target: string;

  constructor(text: string, target: string) {
    super(text);
    this.target = target;
  }

  override typed(value: CellValue): CellValue {
    if (value === null) return [CELL_CODES.referenceList, this.target, []];
    return isList(value) ? [CELL_CODES.referenceList, this.target, value.slice(1)] : value;
  }

  override parse(text: string, settings: ParseSettings): CellValue {
    if (text === "") return text;
    const items: readonly unknown[] = readJsonList(text) ?? splitRow(text);
    // Only texts need parsing; conversion looks up all other values.
    if (!items.every((item) => typeof item === "string")) return [CELL_CODES.lookUp, items, { raw: text }];
    return idListOf(items.map((item) => settings.lookUp?.(item))) ?? text;
  }

  protected override convertValue(value: CellValue, context: ConvertContext | undefined): CellValue {
    if (isFalsy(value)) return null;
    if (value === true) return [CELL_CODES.list, 1];
    if (isInt32(value) && !isFloatColumn(context)) return [CELL_CODES.list, validRowId(value, context)];
    const items = listItemsOf(value, this.target);
    if (items?.every(isInt32)) {
      const ids = items.map((id) => validRowId(id, context));
      if (ids.every((id) => id > 0)) return ids.length ? [CELL_CODES.list, ...ids] : null;
    }
    return invalidValueText(value, context);
  }

  protected override convertLookup(value: CodedValue, context: ConvertContext | undefined): CellValue {
    const searched: unknown[] = Array.isArray(value[1]) ? value[1] : [value[1]];
    if (!searched.length) return null;
    const column = lookUpOption(value, "column");
    return idListOf(searched.map((item) => context?.lookUp?.(item, column))) ?? unmatchedText(value);
  }

  protected override isElement(item: unknown): boolean {
    return Number.isInteger(item);
  }
}

export const refList: TypeFamily = {
  base: "RefList",
  argument: "required",
  make: (text, target = "") => new RefListType(text, target),
};

/** Row ids of the table of the document's attachments. */
class AttachmentsType extends RefListType {
  constructor(text: string) {
    super(text, "_grist_Attachments");
  }

  override parse(text: string, settings: ParseSettings): CellValue {
    // Ids in a JSON list are used unchanged, others only if such attachments exist.
    return readJsonList(text) ? text : super.parse(text, settings);
  }
}

export const attachments: TypeFamily = {
  base: "Attachments",
  argument: "none",
  make: (text) => new AttachmentsType(text),
};

/** Returns the list of ids; undefined unless all were found. */
function idListOf(ids: readonly (number | undefined)[]): CellValue | undefined {
  return ids.every((id) => id !== undefined) ? [CELL_CODES.list, ...ids] : undefined;
}

/** Returns the items of a value that can be a list of ids; undefined for other values. */
function listItemsOf(value: CellValue, target: string): readonly unknown[] | undefined {
  if (typeof value === "string") {
    // A negative id in a text is plain text: only structured values can refer to the request's new rows.
    const items = readJsonList(value);
    return items?.every((item) => isInt32(item) && item > 0) ? items : undefined;
  }
  if (isList(value)) return value.slice(1);
  const isReferences = Array.isArray(value) && value[0] === CELL_CODES.referenceList && value[1] === target;
  return isReferences && Array.isArray(value[2]) ? (value[2] as unknown[]) : undefined;
}
