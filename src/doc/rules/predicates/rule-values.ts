import { type CellValue, CELL_CODES } from "../../../values/cell.ts";

/**
 * What conditions reckon with. It is the world of JavaScript, not of Python: there is `undefined` besides None, lists
 * are never equal, and nothing is converted for a comparison.
 */
export type RuleValue = undefined | null | boolean | number | string | readonly RuleValue[] | RuleObject | TextMethod;

/** What has attributes: the row, the user, what was looked up about him. Also what conditions cannot look into. */
export class RuleObject {
  readonly get: (name: string) => RuleValue;

  constructor(get: (name: string) => RuleValue) {
    this.get = get;
  }
}

/** A method of a text, taken but not called yet. */
export class TextMethod {
  readonly call: () => string;

  constructor(call: () => string) {
    this.call = call;
  }
}

/** Something that equals nothing and has nothing: an error, a dictionary, a record. */
const createOpaque = () => new RuleObject(() => undefined);

/** A cell as conditions see it: lists without their code, dates as seconds. */
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
