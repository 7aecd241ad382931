import type { CellValue } from "../cell.ts";
import { ListType } from "./lists.ts";
import type { TypeFamily } from "./contract.ts";

class ChoiceListType extends ListType {
  override typed(value: CellValue): CellValue {
    return value ?? ["L"];
  }

  protected override isElement(item: unknown): boolean {
    return typeof item === "string";
  }
}

export const choiceList: TypeFamily = {
  base: "ChoiceList",
  argument: "none",
  make: (text) => new ChoiceListType(text),
};
