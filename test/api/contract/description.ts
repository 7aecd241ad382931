/** The OpenAPI document for tests: its operations, and validators compiled from its schemas. */
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describeApi } from "../../../src/http/openapi.ts";
import { routes } from "../../../src/http/routes.ts";

/** A JSON schema, or a reference to one. */
export type Schema = boolean | { readonly [keyword: string]: unknown };

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** By media type. */
  readonly bodies: Content;
  /** By status. */
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

interface Described {
  readonly operationId: string;
  readonly parameters?: Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Operation["responses"];
}

const NAME = "openapi.json";
const document = describeApi(routes, "/") as { readonly paths: Record<string, Record<string, Described>> };

export const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => ({
    id: described.operationId,
    method: method.toUpperCase(),
    path,
    parameters: described.parameters ?? [],
    bodies: described.requestBody?.content ?? {},
    responses: described.responses,
  })),
);

const ajv = new Ajv2020({ strict: false, allErrors: false });
addFormats.default(ajv);
ajv.addSchema(document, NAME);

/** Returns the schema that a reference within the document names. */
export function resolved(schema: Schema): Schema {
  const reference = typeof schema === "object" ? schema["$ref"] : undefined;
  if (typeof reference !== "string") return schema;
  const found = reference
    .slice(2)
    .split("/")
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document);
  return resolved(found as Schema);
}

const validators = new Map<Schema, ReturnType<typeof ajv.compile>>();

/** Returns the first violation of a schema of the document; null if there is none. */
export function problemOf(schema: Schema, value: unknown): string | null {
  let validate = validators.get(schema);
  if (!validate) {
    validate = ajv.compile(absolute(schema) as object);
    validators.set(schema, validate);
  }
  return validate(value) ? null : ajv.errorsText(validate.errors);
}

/** Rewrites references of a part of the document to point into it. */
function absolute(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(absolute);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === "$ref" && typeof value === "string" ? NAME + value : absolute(value),
    ]),
  );
}
