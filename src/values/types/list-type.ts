import { isList, type CellValue } from "../cell.ts";
import { marshal } from "../marshal.ts";
import { BaseType } from "./base-type.ts";
import type { StorableValue, StoredValue } from "./type-interfaces.ts";
import { readJsonList } from "./convert.ts";

/** What the types with lists have in common: a list of the expected elements lies in SQLite as JSON text. */
export abstract class ListType extends BaseType {
  constructor(text: string) {
    super(text, { sqlType: "TEXT", sqlDefault: "NULL", storage: "text", defaultValue: null });
  }

  override get isStoredPlain(): boolean {
    return false;
  }

  override decodeRaw(stored: StoredValue): CellValue {
    if (typeof stored !== "string") return super.decodeRaw(stored);
    const items = readJsonList(stored);
    return items ? ["L", ...items] : stored;
  }

  override encode(value: CellValue): StorableValue {
    if (isList(value)) {
      const items = value.slice(1);
      if (items.every((item) => this.isElement(item))) return JSON.stringify(items);
    }
    // A text that would read as a list must not: it is a value that does not fit.
    if (typeof value === "string" && readJsonList(value)) return marshal(value);
    return super.encode(value);
  }

  /** True for what a fitting list is made of. */
  protected abstract isElement(item: unknown): boolean;
}
