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

/** Types are named by requests too, so this must not grow without end. */
const typeCache = new BoundedCache<string, ColumnType>({ maxEntries: 10_000 });

/** The type with a name as in the metadata, such as `Ref:People`; unknown names behave as Any. */
export const columnType = (text: string): ColumnType => typeCache.get(text, createType);

function createType(text: string): ColumnType {
  const known = resolveFamily(text);
  return known ? known.family.make(text, known.argument) : any.make(text, undefined);
}

/** True when a column may be given this type. Tables and zones that it names are not checked. */
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
