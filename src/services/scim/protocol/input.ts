/** Reading resources that clients send. */
import {
  attributesOf,
  findAttribute,
  isObject,
  type Attribute,
  type Json,
  type Resource,
  type ScimSchema,
} from "./attributes.ts";
import { scimError } from "./errors.ts";
import { EXTENSION_PREFIX } from "./urns.ts";

/**
 * Returns the known, writable attributes of a resource in the spelling of the schema. Others are ignored.
 * @throws AppError `invalid` with the keyword invalidSyntax for no object or another schema, invalidValue for values of
 * the wrong type and missing required attributes
 */
export function readResource(schema: ScimSchema, body: unknown): Resource {
  if (!isObject(body)) throw scimError("invalidSyntax", "The body must be an object");
  requireSchema(schema, body["schemas"]);
  const resource: Record<string, Json> = {};
  for (const [name, value] of Object.entries(body)) {
    const attribute = findAttribute(attributesOf(schema), name);
    if (!attribute || attribute.mutability === "readOnly" || value === null) continue;
    resource[attribute.name] = readValue(attribute, value);
  }
  requireAttributes(schema, resource);
  return resource;
}

/** @throws AppError `invalid` with the keyword invalidValue */
export function requireAttributes(schema: ScimSchema, resource: Resource): void {
  for (const { name, required } of schema.attributes) {
    if (required && (resource[name] === undefined || resource[name] === ""))
      throw scimError("invalidValue", `${name} is required`);
  }
}

function requireSchema({ id }: ScimSchema, schemas: Json | undefined): void {
  if (schemas === undefined || schemas === null) return;
  const isKnown = (urn: Json) => typeof urn === "string" && (urn === id || urn.startsWith(EXTENSION_PREFIX));
  if (!Array.isArray(schemas) || !schemas.includes(id) || !schemas.every(isKnown))
    throw scimError("invalidSyntax", `schemas must be ["${id}"]`);
}

/**
 * Returns a value of an attribute without unknown attributes in it.
 * @throws AppError `invalid` with the keyword invalidValue
 */
export function readValue(attribute: Attribute, value: Json): Json {
  if (!attribute.multiValued) return readOne(attribute, value);
  if (!Array.isArray(value)) throw scimError("invalidValue", `${attribute.name} must be a list`);
  return value.map((one: Json) => readOne(attribute, one));
}

const TYPES: Readonly<Record<string, string>> = { boolean: "boolean", integer: "number", decimal: "number" };

function readOne(attribute: Attribute, value: Json): Json {
  const { name, type, subAttributes = [], canonicalValues } = attribute;
  if (type === "complex") {
    if (!isObject(value)) throw scimError("invalidValue", `${name} must consist of objects`);
    const known: Record<string, Json> = {};
    for (const [key, part] of Object.entries(value)) {
      const found = findAttribute(subAttributes, key);
      if (found && part !== null) known[found.name] = readValue(found, part);
    }
    return known;
  }
  // Some clients send booleans as texts.
  if (type === "boolean" && typeof value === "string" && /^(true|false)$/i.test(value))
    return value.toLowerCase() === "true";
  const expected = TYPES[type] ?? "string";
  if (typeof value !== expected) throw scimError("invalidValue", `${name} must be a ${expected}`);
  // Types of addresses and numbers may differ from the suggestions of the schema.
  if (canonicalValues?.includes("User") && !canonicalValues.includes(value as string))
    throw scimError("invalidValue", `type must be one of ${canonicalValues.join(", ")}`);
  return value;
}
