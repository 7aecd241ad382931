import { invalid } from "../../errors.ts";
import { CELL_CODES, isList, type CellValue, type CodedValue } from "../cell.ts";
import { isInt32, pythonText } from "../python-text.ts";
import { BaseType } from "./base-type.ts";
import type { ConvertContext, ParseSettings, TypeFamily } from "./type-interfaces.ts";
import { isFalsy, isFloatColumn, isTupleColumn, invalidValueText } from "./convert.ts";

/** The row id of a record of another table; 0 for an empty reference. */
class RefType extends BaseType {
  readonly target: string;

  constructor(text: string, target: string) {
    super(text, { sqlType: "INTEGER", sqlDefault: "0", storage: "number", defaultValue: 0 });
    this.target = target;
  }

  override typed(value: CellValue): CellValue {
    return typeof value === "number" ? [CELL_CODES.reference, this.target, value] : value;
  }

  override parse(text: string, settings: ParseSettings): CellValue {
    return text === "" ? text : (settings.lookUp?.(text) ?? text);
  }

  protected override convertValue(value: CellValue, context: ConvertContext | undefined): CellValue {
    if (isFalsy(value)) return 0;
    if (value === true) return 1;
    if (isInt32(value) && !isFloatColumn(context)) return validRowId(value, context);
    if (isList(value) && !isTupleColumn(context)) return this.convert(value[1] as CellValue, context);
    if (Array.isArray(value) && value[0] === CELL_CODES.reference && value[1] === this.target) {
      return this.convertValue(value[2] as CellValue, context);
    }
    return invalidValueText(value, context);
  }

  protected override convertLookup(value: CodedValue, context: ConvertContext | undefined): CellValue {
    return context?.lookUp?.(value[1], lookUpOption(value, "column")) ?? unmatchedText(value);
  }
}

export const ref: TypeFamily = {
  base: "Ref",
  argument: "required",
  make: (text, target = "") => new RefType(text, target),
};

/**
 * Validates a row id: 1 or more. Ids from a column of another type are kept unchanged.
 * @throws AppError `invalid` for negative ids: they can only refer to new rows of the request, which are resolved
 * before this
 */
export function validRowId(id: number, context: ConvertContext | undefined): number {
  if (id < 0 && context?.mode !== "typeChange") throw invalid("A row id must not be negative");
  return id;
}

/** Returns the text of a lookup without a match: as it was entered, if known. */
export const unmatchedText = (value: CodedValue): string =>
  lookUpOption(value, "raw") ??
  pythonText(Array.isArray(value[1]) ? [CELL_CODES.list, ...(value[1] as unknown[])] : value[1]);

/** Returns an option of `["l", value, {column?, raw?}]`. */
export function lookUpOption([, , options]: CodedValue, name: "column" | "raw"): string | undefined {
  const option: unknown = options !== null && typeof options === "object" ? Reflect.get(options, name) : undefined;
  return typeof option === "string" ? option : undefined;
}
