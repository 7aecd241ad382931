import { AppError } from "../errors.ts";

const CODES = { error: 1, noMemory: 7, interrupted: 9, disk: 10, corrupt: 11, tooBig: 18, mismatch: 20 } as const;
const AUTHORIZATION = 23;
const RANGE = 25;
const NOT_A_DATABASE = 26;

/** Maximum length of SQLite's message. */
const MAX_CHARACTERS = 300;

/** Returns a 400 error for a statement that cannot be run; `message` gives the reason. */
export const invalidStatement = (message: string): AppError => new AppError("sql.invalid", message);

/** Returns a 400 error for a statement that exceeds a limit. */
export const statementLimit = (message: string): AppError => new AppError("sql.limit", message);

/** Translates SQLite errors about a statement to `AppError`; returns other errors unchanged. */
export function refusalOf(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const { errcode } = error as { errcode?: unknown };
  if (typeof errcode !== "number") return error;
  // The low byte is the primary result code; the higher bits are the extended code.
  switch (errcode & 0xff) {
    case CODES.error:
    case CODES.mismatch:
      return invalidStatement(statementMessage(error.message));
    case AUTHORIZATION:
      return invalidStatement("The statement reads data that queries cannot access");
    case CODES.tooBig:
      return statementLimit("The statement, or a string or blob in it, is too large");
    case CODES.noMemory:
      return statementLimit("The statement exceeds the memory limit");
    case RANGE:
      return invalidStatement("The args do not match the statement's parameters");
    case CODES.corrupt:
    case NOT_A_DATABASE:
      return new AppError("damaged", "The document's file is damaged and cannot be read");
    case CODES.disk:
      return new AppError("storage", "The disk cannot be read");
    default:
      return invalidStatement("The statement cannot be run");
  }
}

/** Passes on SQLite's message for errors in the caller's statement, since it names the position. */
function statementMessage(message: string): string {
  if (/not authorized|prohibited/.test(message)) return "The statement reads data that queries cannot access";
  const shortened = message.length > MAX_CHARACTERS ? `${message.slice(0, MAX_CHARACTERS)}…` : message;
  return `The statement cannot be run: ${shortened}`;
}
