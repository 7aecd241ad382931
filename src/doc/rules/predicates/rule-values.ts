import { type CellValue, CELL_CODES } from "../../../values/cell.ts";

/**
 * Values in conditions. They follow JavaScript rather than Python: `undefined` exists besides None, lists are never
 * equal, and comparisons convert nothing.
 */
export type RuleValue = undefined | null | boolean | number | string | readonly RuleValue[] | RuleObject | TextMethod;

/**
 * A value with attributes: the row, the user, rows looked up for the user. Also values that conditions cannot inspect.
 */
export class RuleObject {
  readonly get: (name: string) => RuleValue;

  constructor(get: (name: string) => RuleValue) {
    this.get = get;
  }
}

/** A method of a string, before it is called. */
export class TextMethod {
  readonly call: () => string;

  constructor(call: () => string) {
    this.call = call;
  }
}

/** Returns a value without attributes that equals no other value: an error, a dictionary, a record. */
const createOpaque = () => new RuleObject(() => undefined);

/** Converts a cell to a rule value: lists lose their type code, dates become seconds. */
export function ruleValue(cell: CellValue | undefined): RuleValue {
  if (!Array.isArray(cell)) return cell;
  const [code, ...rest] = cell;
  switch (code) {
    case CELL_CODES.list:
      return rest.map((item) => ruleValue(item as CellValue));
    case CELL_CODES.date:
    case CELL_CODES.dateTime:
      return typeof rest[0] === "number" ? rest[0] : createOpaque();
    default:
      return createOpaque();
  }
}
