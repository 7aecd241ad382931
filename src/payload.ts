/**
 * What requests say, read the same way wherever it is done: in the HTTP layer for what goes to the home database, in a
 * document's host for what goes into the document.
 */
import type { z } from "zod";
import { AppError, invalidPayload } from "./errors.ts";
import { malformedPath } from "./lib/text/well-formed.ts";

/**
 * The object or list that the bytes of a JSON body say; no body counts as `{}`.
 * @throws AppError `invalid` when it is not JSON, or neither an object nor a list
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
    throw new AppError("body.invalid_json", "The body must be a JSON object or list");
  return value;
}

/**
 * What `value` is by its schema.
 * @param location it stands, for the refusal: `body`
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
