import { TYPE_FAMILIES } from "./registry.ts";
import type { ColumnType, TypeFamily } from "./types/contract.ts";
import { any } from "./types/plain-types.ts";

export type {
  ColumnType,
  ConvertContext,
  ParseSettings,
  StorableValue,
  StoredValue,
  WidgetOptions,
} from "./types/contract.ts";

const cache = new Map<string, ColumnType>();
/** Types are named by requests too, so the cache must not grow without end. */
const MAX_CACHED = 10_000;

/** The type with a name as in the metadata, such as `Ref:People`; unknown names behave as Any. */
export function columnType(text: string): ColumnType {
  let type = cache.get(text);
  if (!type) {
    const known = resolve(text);
    type = known ? known.family.make(text, known.argument) : any.make(text, undefined);
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(text, type);
  }
  return type;
}

/** True when a column may be given this type. Tables and zones that it names are not checked. */
export function isKnownType(text: string): boolean {
  return resolve(text) !== undefined;
}

function resolve(text: string): { family: TypeFamily; argument: string | undefined } | undefined {
  const colon = text.indexOf(":");
  const family = TYPE_FAMILIES.get(colon < 0 ? text : text.slice(0, colon));
  const argument = colon < 0 ? undefined : text.slice(colon + 1);
  if (!family || (family.argument === "required" && !argument)) return undefined;
  return family.argument === "none" && argument !== undefined ? undefined : { family, argument };
}
