import { isList, type CellValue } from "../cell.ts";
import { marshal } from "../marshal.ts";
import { BaseType } from "./base-type.ts";
import type { StorableValue, StoredValue } from "./type-interfaces.ts";
import { readJsonList } from "./convert.ts";

/** Behaviour that list types share: a list of valid elements is stored as JSON text. */
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
    // A text that would decode as a list must not: it is a value that does not match the type.
    if (typeof value === "string" && readJsonList(value)) return marshal(value);
    return super.encode(value);
  }

  /** Returns true for valid elements. */
  protected abstract isElement(item: unknown): boolean;
}
