import { choiceFields } from "./choice-fields.ts";
import type { Column } from "./columns.ts";
import type { Sheet } from "../sheet.ts";
import { boolFields, dateFields, numberFields, textFields, withAlignment } from "./format-fields.ts";
import { referenceFields } from "./reference-fields.ts";
import type { TypeFields } from "./type-fields.ts";

const NO_FIELDS: TypeFields = { elements: [], typeArgument: () => "", options: () => ({}) };

/** Creates the fields for a type, with the column's current options. */
export function typeFields(base: string, sheet: Sheet, column: Column): TypeFields {
  switch (base) {
    case "Choice":
    case "ChoiceList":
      return withAlignment(choiceFields(sheet, column, base), column);
    case "Ref":
    case "RefList":
      return withAlignment(referenceFields(sheet, column), column);
    case "Numeric":
    case "Int":
      return withAlignment(numberFields(base, column, sheet.data.settings), column);
    case "Date":
    case "DateTime":
      return withAlignment(dateFields(base, column, sheet.data.settings), column);
    case "Text":
      return withAlignment(textFields(column), column);
    case "Bool":
      return boolFields(column);
    case "Any":
      return withAlignment(NO_FIELDS, column);
    default:
      return NO_FIELDS;
  }
}
