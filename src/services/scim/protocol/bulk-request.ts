import { isObject, type Json, valueOf } from "./attributes.ts";
import { plainError, scimError } from "./errors.ts";
import { isExactly } from "./lists.ts";
import { BULK_URN } from "./urns.ts";

export const MAX_BULK_OPERATIONS = 1000;
export const MAX_BULK_BYTES = 1_048_576;

export interface BulkRequest {
  readonly operations: readonly Json[];
  /** The number of failures that ends the request; 0 for none. */
  readonly failOnErrors: number;
}

/**
 * Reads a request, without its operations.
 * @throws AppError `invalid`, `tooLarge`
 */
export function readBulk(body: unknown): BulkRequest {
  if (!isObject(body) || !isExactly(body["schemas"], BULK_URN))
    throw scimError("invalidSyntax", `schemas must be ["${BULK_URN}"]`);
  const operations = valueOf(body, "Operations");
  if (!Array.isArray(operations) || operations.length === 0)
    throw scimError("invalidValue", "Operations must be a list with at least one operation");
  if (operations.length > MAX_BULK_OPERATIONS)
    throw plainError("tooLarge", `Operations must have at most ${MAX_BULK_OPERATIONS} operations`);
  const failOnErrors = valueOf(body, "failOnErrors") ?? 0;
  if (!Number.isInteger(failOnErrors)) throw scimError("invalidValue", "failOnErrors must be an integer");
  if (!operations.every(isObject)) throw scimError("invalidSyntax", "An operation must be an object");
  return { operations, failOnErrors: Number(failOnErrors) };
}
