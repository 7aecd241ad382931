import { AppError } from "../errors.ts";

const CODES = { error: 1, noMemory: 7, interrupted: 9, disk: 10, corrupt: 11, tooBig: 18, mismatch: 20 } as const;
const AUTHORIZATION = 23;
const RANGE = 25;
const NOT_A_DATABASE = 26;

/** How much of what SQLite says is told. */
const MAX_CHARACTERS = 300;

/** 400 for a statement that cannot be run; `message` says why. */
export const invalidStatement = (message: string): AppError => new AppError("sql.invalid", message);

/** 400 for a statement that takes, or answers, more than it may. */
export const statementLimit = (message: string): AppError => new AppError("sql.limit", message);

/** What SQLite says against a statement, as a refusal of ours; anything else comes back as it is. */
export function refusalOf(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const { errcode } = error as { errcode?: unknown };
  if (typeof errcode !== "number") return error;
  // The low byte is the code proper; what stands above it says more exactly what happened.
  switch (errcode & 0xff) {
    case CODES.error:
    case CODES.mismatch:
      return invalidStatement(statementMessage(error.message));
    case AUTHORIZATION:
      return invalidStatement("The statement reaches for what queries may not read");
    case CODES.tooBig:
      return statementLimit("The statement, or a text or blob it makes, is too large");
    case CODES.noMemory:
      return statementLimit("The statement takes more memory than it may");
    case RANGE:
      return invalidStatement("The statement does not take these args");
    case CODES.corrupt:
    case NOT_A_DATABASE:
      return new AppError("damaged", "The document's file is damaged and cannot be read");
    case CODES.disk:
      return new AppError("storage", "The disk cannot be read");
    default:
      return invalidStatement("The statement cannot be run");
  }
}

/** What is wrong with the caller's own statement is worth telling in SQLite's words, which name the place. */
function statementMessage(message: string): string {
  if (/not authorized|prohibited/.test(message)) return "The statement reaches for what queries may not read";
  const shortened = message.length > MAX_CHARACTERS ? `${message.slice(0, MAX_CHARACTERS)}…` : message;
  return `The statement cannot be run: ${shortened}`;
}
