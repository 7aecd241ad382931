import { isList, type CellValue } from "../cell.ts";
import { ListType } from "./lists.ts";
import type { StorableValue, TypeFamily } from "./contract.ts";

/** Row ids of records of another table; null for none. */
class RefListType extends ListType {
  readonly target: string;

  constructor(text: string, target: string) {
    super(text);
    this.target = target;
  }

  override typed(value: CellValue): CellValue {
    if (value === null) return ["r", this.target, []];
    return isList(value) ? ["r", this.target, value.slice(1)] : value;
  }

  override encode(value: CellValue): StorableValue {
    return isList(value) && value.length === 1 ? null : super.encode(value);
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

/** Row ids of the table that lists a document's attachments. */
export const attachments: TypeFamily = {
  base: "Attachments",
  argument: "none",
  make: (text) => new RefListType(text, "_grist_Attachments"),
};
