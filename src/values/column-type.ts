import { BoundedCache } from "../lib/bounded-cache.ts";
import { TYPE_FAMILIES } from "./type-registry.ts";
import type { ColumnType, TypeFamily } from "./types/type-interfaces.ts";
import { any } from "./types/any.ts";

export type {
  ColumnType,
  ConvertContext,
  ParseSettings,
  StorableValue,
  StoredValue,
  WidgetOptions,
} from "./types/type-interfaces.ts";

/** Bounded, because requests can name arbitrary types. */
const typeCache = new BoundedCache<string, ColumnType>({ maxEntries: 10_000 });

/** Returns the type for a name as in the metadata, such as `Ref:People`; unknown names behave like Any. */
export const columnType = (text: string): ColumnType => typeCache.get(text, createType);

function createType(text: string): ColumnType {
  const known = resolveFamily(text);
  return known ? known.family.make(text, known.argument) : any.make(text, undefined);
}

/** Returns true if a column can have this type. Does not check that the table or time zone in it exists. */
export function isKnownType(text: string): boolean {
  return resolveFamily(text) !== undefined;
}

function resolveFamily(text: string): { family: TypeFamily; argument: string | undefined } | undefined {
  const colon = text.indexOf(":");
  const family = TYPE_FAMILIES.get(colon < 0 ? text : text.slice(0, colon));
  const argument = colon < 0 ? undefined : text.slice(colon + 1);
  if (!family || (family.argument === "required" && !argument)) return undefined;
  return family.argument === "none" && argument !== undefined ? undefined : { family, argument };
}
