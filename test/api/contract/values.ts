/** Random values that a schema of the OpenAPI document allows or excludes. */
import * as fc from "fast-check";
import { problemOf, resolved, type Schema } from "./description.ts";

type Keywords = { readonly [keyword: string]: unknown };

/** Maximum depth of nested schemas: some are recursive. */
const MAX_DEPTH = 20;

/** Returns values that a schema allows. Its examples are frequent, so that requests pass the schema's checks. */
export function allowed(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
  const found = resolved(schema);
  if (typeof found === "boolean" || depth > MAX_DEPTH) return fc.jsonValue({ maxDepth: 1 });
  const values = byKeywords(found, depth);
  const examples = [found["example"], ...((found["examples"] as unknown[] | undefined) ?? [])].filter(
    (example) => example !== undefined && problemOf(schema, example) === null,
  );
  return examples.length > 0 ? fc.oneof(fc.constantFrom(...examples), values) : values;
}

function byKeywords(schema: Keywords, depth: number): fc.Arbitrary<unknown> {
  if ("const" in schema) return fc.constant(schema["const"]);
  if (Array.isArray(schema["enum"])) return fc.constantFrom(...(schema["enum"] as unknown[]));
  for (const key of ["anyOf", "oneOf"]) {
    const options = schema[key] as Schema[] | undefined;
    // With properties, these are conditions on the same object.
    if (options && "properties" in schema)
      return ofObject(schema, depth).filter((value) => problemOf(schema, value) === null);
    if (options) return fc.oneof(...options.map((option) => allowed(option, depth + 1)));
  }
  const parts = schema["allOf"] as Schema[] | undefined;
  if (parts) {
    return fc
      .tuple(...parts.filter(isConstraint).map((part) => allowed(part, depth + 1)))
      .map((values) => Object.assign({}, ...(values as object[])) as unknown);
  }
  const types = [schema["type"] ?? []].flat() as string[];
  if (types.length === 0) return fc.jsonValue({ maxDepth: 2 });
  return fc.oneof(...types.map((type) => ofType(type, schema, depth)));
}

/** False for a schema that only has annotations. */
const isConstraint = (schema: Schema): boolean =>
  typeof schema === "object" && Object.keys(schema).some((key) => !["description", "example", "title"].includes(key));

function ofType(type: string, schema: Keywords, depth: number): fc.Arbitrary<unknown> {
  const number = (key: string): number | undefined => schema[key] as number | undefined;
  switch (type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.oneof(
        fc.integer({
          min: number("minimum") ?? -5,
          max: Math.min(number("maximum") ?? 5, (number("minimum") ?? 0) + 5),
        }),
        fc.integer({ min: number("minimum") ?? -(2 ** 31), max: Math.min(number("maximum") ?? 2 ** 31, 2 ** 31) }),
      );
    case "number":
      return fc.double({ min: number("minimum") ?? -1e9, max: number("maximum") ?? 1e9, noNaN: true });
    case "string":
      return ofText(schema);
    case "array":
      return ofList(schema, depth);
    case "object":
      return ofObject(schema, depth);
    default:
      throw new Error(`There is no type ${type}`);
  }
}

function ofList(schema: Keywords, depth: number): fc.Arbitrary<unknown> {
  const first = ((schema["prefixItems"] ?? []) as Schema[]).map((item) => allowed(item, depth + 1));
  const minLength = Math.max(0, ((schema["minItems"] as number | undefined) ?? 0) - first.length);
  const maxLength = Math.max(minLength, Math.min((schema["maxItems"] as number | undefined) ?? 3, 3));
  const others = fc.array(allowed((schema["items"] as Schema | undefined) ?? true, depth + 1), {
    minLength,
    maxLength,
  });
  return fc.tuple(fc.tuple(...first), others).map(([a, b]) => [...a, ...b]);
}

function ofText(schema: Keywords): fc.Arbitrary<string> {
  const minLength = (schema["minLength"] as number | undefined) ?? 0;
  const maxLength = Math.min((schema["maxLength"] as number | undefined) ?? 30, Math.max(30, minLength));
  if (typeof schema["pattern"] === "string") {
    const pattern = new RegExp(schema["pattern"], "u");
    return fc.stringMatching(pattern).filter((text) => text.length >= minLength && text.length <= 1000);
  }
  switch (schema["format"]) {
    case "date":
      return fc
        .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
        .map((date) => date.toISOString().slice(0, 10));
    case "uuid":
      return fc.uuid();
    case "date-time":
      return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString());
    case "email":
      return fc.emailAddress();
    default:
      return fc.oneof(
        fc.string({ minLength, maxLength }),
        fc.string({ minLength, maxLength, unit: "grapheme" }).filter((text) => text.length <= maxLength),
      );
  }
}

function ofObject(schema: Keywords, depth: number): fc.Arbitrary<unknown> {
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, Schema>>;
  const required = (schema["required"] ?? []) as string[];
  const model = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, allowed(property, depth + 1)]),
  );
  const dictionaries = [
    ...Object.entries((schema["patternProperties"] ?? {}) as Readonly<Record<string, Schema>>).map(
      ([pattern, property]) => others(fc.stringMatching(new RegExp(pattern, "u")), property, depth),
    ),
    ...otherProperties(schema, depth),
  ];
  const least = (schema["minProperties"] as number | undefined) ?? 0;
  return fc
    .tuple(fc.record(model, { requiredKeys: required }), ...dictionaries)
    .map(([known, ...more]): object => Object.assign({}, ...more, known) as object)
    .filter((value) => Object.keys(value).length >= least);
}

/** Properties that the schema does not name. */
function otherProperties(schema: Keywords, depth: number): fc.Arbitrary<object>[] {
  const more = schema["additionalProperties"];
  if (typeof more !== "object") return [];
  const names = schema["propertyNames"] as Schema | undefined;
  const named =
    names === undefined
      ? undefined
      : (allowed({ type: "string", ...(names as Keywords) }, depth + 1) as fc.Arbitrary<string>).filter(
          (name) => problemOf(names, name) === null,
        );
  return [others(named ?? fc.oneof(fc.constantFrom("A", "B"), fc.string({ maxLength: 10 })), more as Schema, depth)];
}

const others = (names: fc.Arbitrary<string>, schema: Schema, depth: number): fc.Arbitrary<object> =>
  fc.dictionary(names, allowed(schema, depth + 1), { maxKeys: 3 });

/** One value of each kind. */
const KINDS: readonly unknown[] = [null, true, 0, -1, 1.5, "", "text", [], [1], {}, { nothing: 1 }];

/** Returns values that a schema excludes: allowed ones with one part replaced, removed or added. */
export function refused(schema: Schema): fc.Arbitrary<unknown> {
  return fc
    .tuple(allowed(schema), fc.nat(), fc.constantFrom(...KINDS, "(left out)", "(one more)"))
    .map(([value, at, change]) => changed(value, at, change))
    .filter((value) => problemOf(schema, value) !== null);
}

type Path = readonly (string | number)[];

/** Returns all paths within a value, including the value itself. */
function places(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return [path, ...keys.flatMap((key) => places((value as Record<string | number, unknown>)[key], [...path, key]))];
}

function changed(value: unknown, at: number, change: unknown): unknown {
  const all = places(value);
  return put(value, all[at % all.length] ?? [], change);
}

function put(value: unknown, [key, ...rest]: Path, change: unknown): unknown {
  if (key === undefined) {
    if (change === "(one more)") return typeof value === "object" ? { ...value, nothing: 1 } : [value];
    return change === "(left out)" ? undefined : change;
  }
  const parts = value as Record<string | number, unknown>;
  const part = put(parts[key], rest, change);
  if (Array.isArray(value)) return value.with(Number(key), part ?? null);
  const { [key]: _, ...others } = parts;
  return part === undefined ? others : { ...others, [key]: part };
}
