import { CELL_CODES, isList, type CellValue } from "../cell.ts";
import { splitRow } from "../csv-row.ts";
import { displayText } from "../display-text.ts";
import { pythonText } from "../python-text.ts";
import type { ConvertContext, ParseSettings, TypeFamily } from "./type-interfaces.ts";
import { isFalsy, readJsonList, invalidValueText } from "./convert.ts";
import { ListType } from "./list-type.ts";

class ChoiceListType extends ListType {
  override typed(value: CellValue): CellValue {
    return value ?? [CELL_CODES.list];
  }

  override parse(text: string, _settings: ParseSettings): CellValue {
    const choices = readChoices(text.trim());
    return choices.length ? [CELL_CODES.list, ...choices] : null;
  }

  protected override convertValue(value: CellValue, context: ConvertContext | undefined): CellValue {
    if (isFalsy(value)) return null;
    if (isList(value)) return [CELL_CODES.list, ...value.slice(1).map(pythonText)];
    if (Array.isArray(value) && value[0] === CELL_CODES.dict)
      return [CELL_CODES.list, ...Object.keys(value[1] as object)];
    if (typeof value !== "string") return invalidValueText(value, context);
    const items = readJsonList(value);
    return items ? [CELL_CODES.list, ...items.map(pythonText)] : value;
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

/** Parses choices: a JSON list, else lines of comma-separated choices. */
function readChoices(text: string): string[] {
  const items = readJsonList(text)
    ?.filter((item) => item || item === 0)
    .map(displayText);
  const choices = items ?? text.split(/[\r\n]+/).flatMap(splitRow);
  return choices.map((choice) => choice.trim()).filter(Boolean);
}
