import type { LineError } from "../../doc/jobs/jobs.ts";
import { AppError, type ErrorCode } from "../../errors.ts";

/** Errors of single lines of NDJSON. */

/** Kinds of refusals that another line may not get. */
const ABOUT_LINES: ReadonlySet<ErrorCode> = new Set(["invalid", "forbidden", "notFound", "conflict", "tooLarge"]);

export const isAboutLines = (error: unknown): error is AppError =>
  error instanceof AppError && ABOUT_LINES.has(error.code);

/** Errors are stored in the document, up to a thousand of them. */
const MAX_ERROR_LENGTH = 500;

/** Returns the error of a single line, or with null of the job. */
export function lineErrorOf({ reason, message, details }: AppError, line: number | null): LineError {
  return { line, code: reason, error: (fieldErrorOf(details) ?? message).slice(0, MAX_ERROR_LENGTH) };
}

/** Returns an error that names the line, which is the last one of the records that were refused. */
export function withLine({ reason, message, details, retryAfterS }: AppError, line: number): AppError {
  const fieldError = fieldErrorOf(details);
  return new AppError(reason, message, {
    details: { ...details, ...(fieldError !== undefined && { userError: `Error: Line ${line}: ${fieldError}` }), line },
    ...(retryAfterS !== undefined && { retryAfterS }),
  });
}

/** Returns what is wrong with a part of the body, without the record's place in it. */
function fieldErrorOf(details: AppError["details"]): string | undefined {
  const userError = details?.["userError"];
  return typeof userError === "string" ? userError.replace(/^Error: (body\.records\[\d+\]\.)?/, "") : undefined;
}
