/**
 * Parsing and validation of request bodies, shared by the HTTP layer, for data of the home database, and the workers of
 * documents, for data of documents.
 */
import type { z } from "zod";
import { AppError, invalidPayload } from "./errors.ts";
import { malformedPath } from "./lib/text/well-formed.ts";

/**
 * Returns the object or array of a JSON body; an empty body counts as `{}`.
 * @throws AppError `invalid` if it is not valid JSON, or neither an object nor an array
 */
export function parseJson(bytes: Uint8Array | null): object {
  if (!bytes || bytes.length === 0) return {};
  let value: unknown;
  try {
    // TextDecoder drops a byte order mark, which some clients send.
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new AppError("body.invalid_json", "The body is not valid JSON");
  }
  if (typeof value !== "object" || value === null)
    throw new AppError("body.invalid_json", "The body must be a JSON object or array");
  return value;
}

/**
 * Returns `value` as parsed by the schema.
 * @param location where the value comes from, for the message: `body`
 * @throws AppError `invalid` naming the field
 */
export function validate<S extends z.ZodType>(schema: S, value: unknown, location: string): z.output<S> {
  const malformed = malformedPath(value, location);
  if (malformed !== null) throw invalidPayload(`Error: ${malformed}: must not contain unpaired surrogates`);
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = [location, ...(issue?.path ?? []).map(String)].join(".");
  throw invalidPayload(`Error: ${path}: ${issue?.message ?? "wrong"}`);
}
