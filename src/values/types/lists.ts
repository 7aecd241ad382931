import { isList, type CellValue } from "../cell.ts";
import { marshal } from "../marshal.ts";
import { BaseType } from "./base.ts";
import type { StorableValue, StoredValue } from "./contract.ts";

/** What the types with lists have in common: a list of the expected elements lies in SQLite as JSON text. */
export abstract class ListType extends BaseType {
  constructor(text: string) {
    super(text, { sqlType: "TEXT", sqlDefault: "NULL", storage: "text", defaultValue: null });
  }

  override get plain(): boolean {
    return false;
  }

  override decodeRaw(stored: StoredValue): CellValue {
    if (typeof stored === "string") return readList(stored) ?? stored;
    return super.decodeRaw(stored);
  }

  override encode(value: CellValue): StorableValue {
    if (isList(value)) {
      const items = value.slice(1);
      if (items.every((item) => this.isElement(item))) return JSON.stringify(items);
    }
    // A text that would read as a list must not: it is a value that does not fit.
    if (typeof value === "string" && readList(value)) return marshal(value);
    return super.encode(value);
  }

  /** True for what a fitting list is made of. */
  protected abstract isElement(item: unknown): boolean;
}

function readList(text: string): CellValue | undefined {
  if (!text.startsWith("[")) return undefined;
  try {
    return ["L", ...(JSON.parse(text) as unknown[])];
  } catch {
    return undefined;
  }
}
