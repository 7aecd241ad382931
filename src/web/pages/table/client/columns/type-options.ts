import { choiceFields } from "./choice-fields.ts";
import type { Column } from "./columns.ts";
import type { Sheet } from "../sheet.ts";
import { boolFields, dateFields, numberFields, textFields, withAlignment, withWrapping } from "./format-fields.ts";
import { referenceFields } from "./reference-fields.ts";
import type { TypeFields } from "./type-fields.ts";

const NO_FIELDS: TypeFields = { elements: [], typeArgument: () => "", options: () => ({}) };

/** Creates the fields for a type, with the column's current options. */
export function typeFields(base: string, sheet: Sheet, column: Column): TypeFields {
  switch (base) {
    case "Choice":
    case "ChoiceList":
      return withLayout(choiceFields(sheet, column, base), column);
    case "Ref":
    case "RefList":
      return withLayout(referenceFields(sheet, column), column);
    case "Numeric":
    case "Int":
      return withLayout(numberFields(base, column, sheet.data.settings), column);
    case "Date":
    case "DateTime":
      return withAlignment(dateFields(base, column, sheet.data.settings), column);
    case "Text":
      return withLayout(textFields(column), column);
    case "Bool":
      return boolFields(column);
    case "Any":
      return withLayout(NO_FIELDS, column);
    default:
      return NO_FIELDS;
  }
}

const withLayout = (fields: TypeFields, column: Column): TypeFields =>
  withWrapping(withAlignment(fields, column), column);
