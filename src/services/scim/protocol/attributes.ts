/** Descriptions of attributes, and access to attributes of resources by name. */
import { GROUP_URN, ROLE_URN, USER_URN } from "./urns.ts";

/** A resource, or a part of one, as JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
export type Resource = Record<string, Json>;

/** The characteristics of an attribute, as in RFC 7643, section 7. */
export interface Attribute {
  readonly name: string;
  readonly type: string;
  readonly multiValued: boolean;
  readonly required?: boolean;
  readonly mutability?: string;
  readonly canonicalValues?: readonly string[];
  readonly subAttributes?: readonly Attribute[];
}

export interface ScimSchema {
  readonly id: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
}

const readOnly = (name: string, type = "string"): Attribute => ({
  name,
  type,
  multiValued: false,
  mutability: "readOnly",
});

/** The attributes of all resources, which schemas do not list. */
export const COMMON_ATTRIBUTES: readonly Attribute[] = [
  { name: "schemas", type: "string", multiValued: true, mutability: "readOnly" },
  readOnly("id"),
  { name: "externalId", type: "string", multiValued: false, mutability: "readWrite" },
  {
    ...readOnly("meta", "complex"),
    subAttributes: [readOnly("resourceType"), readOnly("location")],
  },
];

/** Finds an attribute in any case. */
export function findAttribute(attributes: readonly Attribute[], name: string): Attribute | null {
  const wanted = name.toLowerCase();
  return attributes.find((attribute) => attribute.name.toLowerCase() === wanted) ?? null;
}

export const attributesOf = (schema: ScimSchema): readonly Attribute[] => [...COMMON_ATTRIBUTES, ...schema.attributes];

/** Returns the attributes that a path names, from the outside; null if one of them does not exist. */
export function resolvePath(schema: ScimSchema, path: readonly string[]): Attribute[] | null {
  const found: Attribute[] = [];
  let level: readonly Attribute[] = attributesOf(schema);
  for (const name of path) {
    const attribute = findAttribute(level, name);
    if (!attribute) return null;
    found.push(attribute);
    level = attribute.subAttributes ?? [];
  }
  return found;
}

const CORE_URNS = [USER_URN, GROUP_URN, ROLE_URN].map((urn) => `${urn.toLowerCase()}:`);

/** Removes the identifier of a schema in front of the name of an attribute. */
export function withoutUrn(path: string): string {
  const lower = path.toLowerCase();
  const urn = CORE_URNS.find((one) => lower.startsWith(one));
  return urn === undefined ? path : path.slice(urn.length);
}

export const isObject = (value: unknown): value is Resource =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns an attribute of an object in any case. */
export function valueOf(object: Resource, name: string): Json | undefined {
  if (Object.hasOwn(object, name)) return object[name];
  const wanted = name.toLowerCase();
  for (const [key, value] of Object.entries(object)) if (key.toLowerCase() === wanted) return value;
  return undefined;
}

/** Returns an attribute that is a text, else "". */
export function textAt(object: Resource | null, name: string): string {
  const value = object && valueOf(object, name);
  return typeof value === "string" ? value : "";
}

/** Returns all values at a path: those of each element of a list. */
export function valuesAt(value: Json | undefined, path: readonly string[]): Json[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one: Json) => valuesAt(one, path));
  const [name, ...rest] = path;
  if (name === undefined) return [value];
  return isObject(value) ? valuesAt(valueOf(value, name), rest) : [];
}
