import type { Components, Schema } from "./openapi.ts";

/** A schema without a reference or a sum at its top, and the names of the references that led to it. */
export interface ResolvedSchema {
  readonly schema: Schema;
  readonly names: readonly string[];
}

/** Follows references, and puts together what is given as the sum of several schemas. */
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

/** The alternatives of a schema; itself where there are none. */
export const alternatives = (schema: Schema): readonly Schema[] => schema.anyOf ?? schema.oneOf ?? [schema];

/** A type in the words of JSON: `string`, `integer or null`, `object[]`, `"owners" or "viewers"`. */
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

/** What bounds the values of a schema, in words; empty when nothing does. */
export function boundsText(schema: Schema, components: Components): string {
  const { format, maxLength, maxItems, minimum, maximum } = resolveSchema(schema, components).schema;
  const bounds = [
    format,
    maxLength !== undefined && `at most ${formatNumber(maxLength)} characters`,
    maxItems !== undefined && `at most ${formatNumber(maxItems)} items`,
    // The bounds of what JavaScript counts exactly say nothing to the reader.
    minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER && `from ${formatNumber(minimum)}`,
    maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER && `to ${formatNumber(maximum)}`,
  ];
  return bounds.filter(Boolean).join(", ");
}

const formatNumber = (value: number): string => value.toLocaleString("en-US");

/** One named value of an object. */
export interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/**
 * The fields of the objects that a value may hold, looking through lists, alternatives and maps.
 * @param within names of the schemas that the reader is inside of already: what repeats itself is shown once
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

/** How deep examples go. */
const MAX_EXAMPLE_DEPTH = 5;

/** A value that fits a schema, of the examples that stand in it. */
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

/** What is required, and what has an example; of fields that are all optional the first one too. */
function exampleObject({ properties = {}, required = [] }: Schema, components: Components, depth: number): object {
  const shown = Object.entries(properties).filter(
    ([name, field], i) =>
      required.includes(name) ||
      (required.length === 0 && i === 0) ||
      resolveSchema(field, components).schema.example !== undefined,
  );
  return Object.fromEntries(shown.map(([name, field]) => [name, exampleValue(field, components, depth + 1)]));
}
