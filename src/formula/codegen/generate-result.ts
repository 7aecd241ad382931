import type { ColumnType } from "../../values/column-type.ts";
import { UNCOUNTED_TEXT_LENGTH } from "../runtime/result-size.ts";
import { BOOL, FLOAT, INT, isOnly, type Kinds, NULL, NUMBER, OBJECT, TEXT, testOfKinds } from "./kinds.ts";
import type { RowGenerator } from "./row-generator.ts";
import type { RowWriter, Value } from "./row-writer.ts";

/** How a result of one kind becomes a cell: the interpreter evaluates rows for which a guard is true. */
interface Conversion {
  readonly guards: readonly string[];
  readonly code: string;
  /** Steps of the conversion. */
  readonly steps?: number;
}

const MAX_INT = 2 ** 31 - 1;
const isNoCellInt = (id: string): string => `${id} > ${MAX_INT} || ${id} < ${-MAX_INT - 1}`;

/** Generates the end of a path: charges its costs and returns the result as a cell of the column's type. */
export function generateResult({ writer }: RowGenerator, result: Value, type: ColumnType): void {
  const value = writer.atom(writer.usable(result));
  writer.resultKinds |= value.kinds;
  const groups = [NUMBER, TEXT, BOOL, NULL, OBJECT].map((group) => value.kinds & group).filter((kinds) => kinds !== 0);
  const last = groups.length - 1;
  for (const [index, kinds] of groups.entries()) {
    const conversion = convert(value.code, kinds, type) ?? convertByInterpreter(writer, { ...value, kinds }, type);
    if (index < last) writer.write(`if (${testOfKinds(value.code, kinds)}) {`);
    for (const guard of conversion.guards) writer.fallBackIf(guard);
    writer.charge(conversion.steps);
    writer.write(`return ${conversion.code};`);
    if (index < last) writer.write("}");
  }
  writer.finish();
}

function convert(id: string, kinds: Kinds, { base }: ColumnType): Conversion | undefined {
  if (isOnly(kinds, NUMBER)) return convertNumber(id, kinds, base);
  if (isOnly(kinds, TEXT)) return convertText(id, base);
  if (isOnly(kinds, BOOL)) return convertBool(id, base);
  return isOnly(kinds, NULL) ? convertNone(base) : undefined;
}

function convertByInterpreter(writer: RowWriter, value: Value, type: ColumnType): Conversion {
  return { guards: [], code: writer.call("toCell", writer.toPython(value), writer.constant(type)) };
}

function convertNumber(id: string, kinds: Kinds, base: string): Conversion | undefined {
  const isInt = isOnly(kinds, INT);
  switch (base) {
    case "Any":
      if (kinds === FLOAT) return { guards: [], code: id };
      // A float of this size is stored, an int is not.
      return { guards: [isInt ? isNoCellInt(id) : `Number.isInteger(${id}) && (${isNoCellInt(id)})`], code: id };
    case "Numeric":
    case "PositionNumber":
    case "ManualSortPos":
      return { guards: [], code: id };
    case "Int":
    case "Id":
      if (isInt) return { guards: [isNoCellInt(id)], code: id };
      // True for NaN, too.
      return { guards: [`!(${id} > ${-MAX_INT - 2} && ${id} < ${MAX_INT + 1})`], code: `Math.trunc(${id}) + 0` };
    case "Bool":
      return { guards: [], code: `${id} !== 0` };
    case "Text":
    case "Choice":
      return { guards: isInt ? [] : [`!Number.isSafeInteger(${id})`], code: `String(${id})` };
    default:
      return undefined;
  }
}

function convertText(id: string, base: string): Conversion | undefined {
  switch (base) {
    case "Any":
    case "Text":
    case "Choice":
      return { guards: [`${id}.length > ${UNCOUNTED_TEXT_LENGTH}`], code: id };
    case "Numeric":
    case "PositionNumber":
    case "ManualSortPos":
    case "Int":
    case "Id":
    case "Date":
    case "DateTime":
      return { guards: [`${id} !== ""`], code: "null" };
    case "Bool":
      return { guards: [`${id} !== ""`], code: "false" };
    default:
      return undefined;
  }
}

function convertBool(id: string, base: string): Conversion | undefined {
  switch (base) {
    case "Any":
    case "Bool":
      return { guards: [], code: id };
    case "Numeric":
    case "PositionNumber":
    case "ManualSortPos":
    case "Int":
    case "Id":
      return { guards: [], code: `(${id} ? 1 : 0)` };
    case "Text":
    case "Choice":
      return { guards: [], code: `(${id} ? "True" : "False")` };
    default:
      return undefined;
  }
}

function convertNone(base: string): Conversion | undefined {
  if (base === "Bool") return { guards: [], code: "false" };
  if (base === "Ref" || base === "RefList" || base === "Attachments" || base === "ChoiceList") return undefined;
  return { guards: [], code: "null", steps: base === "Any" ? 1 : 0 };
}
