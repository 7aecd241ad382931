import type { Components, Schema } from "./openapi.ts";

/** A schema with its top-level references and `allOf` resolved, and the names of the resolved references. */
export interface ResolvedSchema {
  readonly schema: Schema;
  readonly names: readonly string[];
}

/** Resolves references and merges `allOf`. */
export function resolveSchema(schema: Schema, components: Components): ResolvedSchema {
  const { $ref, allOf, ...own } = schema;
  const parts = [...($ref === undefined ? [] : [{ $ref }]), ...(allOf ?? [])];
  let sum: Schema = {};
  const names: string[] = [];
  for (const part of parts) {
    const name = part.$ref?.replace(/^.*\//, "");
    const found =
      name === undefined ? resolveSchema(part, components) : resolveSchema(components[name] ?? {}, components);
    if (name !== undefined) names.push(name);
    names.push(...found.names);
    sum = mergeSchemas(sum, found.schema);
  }
  return { schema: mergeSchemas(sum, own), names };
}

const mergeSchemas = (a: Schema, b: Schema): Schema => ({
  ...a,
  ...b,
  ...(a.properties && { properties: { ...a.properties, ...b.properties } }),
  ...(a.required && { required: [...a.required, ...(b.required ?? [])] }),
});

/** Returns the alternatives of a schema; the schema itself when it has none. */
export const alternatives = (schema: Schema): readonly Schema[] => schema.anyOf ?? schema.oneOf ?? [schema];

/** Returns a type in JSON terms: `string`, `integer or null`, `object[]`, `"owners" or "viewers"`. */
export function typeText(schema: Schema, components: Components): string {
  const found = resolveSchema(schema, components).schema;
  if (found.const !== undefined) return JSON.stringify(found.const);
  if (found.enum) return found.enum.map((value) => JSON.stringify(value)).join(" or ");
  const choices = alternatives(found);
  if (choices.length > 1 || choices[0] !== found) {
    return [...new Set(choices.map((choice) => typeText(choice, components)))].join(" or ");
  }
  const types = found.type === undefined ? [] : [found.type].flat();
  if (types.length === 0) return found.properties ? "object" : "any value";
  return types.map((type) => (type === "array" ? listText(found.items, components) : type)).join(" or ");
}

function listText(items: Schema | undefined, components: Components): string {
  const text = items ? typeText(items, components) : "any value";
  return text.includes(" ") ? `(${text})[]` : `${text}[]`;
}

/** Returns the constraints of a schema as text; empty when it has none. */
export function boundsText(schema: Schema, components: Components): string {
  const { format, maxLength, maxItems, minimum, maximum } = resolveSchema(schema, components).schema;
  const bounds = [
    format,
    maxLength !== undefined && `at most ${formatNumber(maxLength)} characters`,
    maxItems !== undefined && `at most ${formatNumber(maxItems)} items`,
    // The bounds of safe integers are of no interest to the reader.
    minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER && `from ${formatNumber(minimum)}`,
    maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER && `to ${formatNumber(maximum)}`,
  ];
  return bounds.filter(Boolean).join(", ");
}

const formatNumber = (value: number): string => value.toLocaleString("en-US");

/** A named property of an object. */
export interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/**
 * Returns the fields of the objects that a value may contain, through arrays, alternatives and maps.
 * @param within names of the enclosing schemas: recursion is shown once
 */
export function collectFields(
  schema: Schema,
  components: Components,
  within: readonly string[] = [],
): { fields: Field[]; within: readonly string[] } {
  const { schema: found, names } = resolveSchema(schema, components);
  if (names.some((name) => within.includes(name))) return { fields: [], within };
  const inside = [...within, ...names];
  const own = Object.entries(found.properties ?? {}).map(([name, field]) => ({
    name,
    schema: field,
    isRequired: found.required?.includes(name) ?? false,
  }));
  if (own.length > 0) return { fields: own, within: inside };
  const values = typeof found.additionalProperties === "object" ? [found.additionalProperties] : [];
  const choices = alternatives(found);
  const inner = [...(choices[0] === found ? [] : choices), ...(found.items ? [found.items] : []), ...values];
  const nested = inner.map((each) => collectFields(each, components, inside)).filter(({ fields }) => fields.length > 0);
  return {
    fields: [...new Map(nested.flatMap(({ fields }) => fields).map((field) => [field.name, field])).values()],
    within: [...inside, ...nested.flatMap((each) => each.within)],
  };
}

/** Maximum depth of examples. */
const MAX_EXAMPLE_DEPTH = 5;

/** Returns an example value of a schema, from the examples in it. */
export function exampleValue(schema: Schema, components: Components, depth = 0): unknown {
  const { schema: found } = resolveSchema(schema, components);
  const given = found.example ?? found.const ?? found.default ?? found.enum?.[0];
  if (given !== undefined || depth > MAX_EXAMPLE_DEPTH) return given ?? null;
  const [first = found] = alternatives(found);
  if (first !== found) return exampleValue(first, components, depth + 1);
  const type = [found.type].flat()[0] ?? "object";
  if (type === "object") return exampleObject(found, components, depth);
  if (type === "array") return found.items ? [exampleValue(found.items, components, depth + 1)] : [];
  return PLAIN_EXAMPLES[type];
}

const PLAIN_EXAMPLES: Record<string, unknown> = { string: "text", integer: 1, number: 1, boolean: true, null: null };

/** Required fields and those with an example; of objects with optional fields only, the first one too. */
function exampleObject({ properties = {}, required = [] }: Schema, components: Components, depth: number): object {
  const shown = Object.entries(properties).filter(
    ([name, field], i) =>
      required.includes(name) ||
      (required.length === 0 && i === 0) ||
      resolveSchema(field, components).schema.example !== undefined,
  );
  return Object.fromEntries(shown.map(([name, field]) => [name, exampleValue(field, components, depth + 1)]));
}
