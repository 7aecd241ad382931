/** Translates refusals for models: what is wrong, and what to do next. */
import type { z } from "zod";
import { ApiRefusal, UNREACHABLE } from "./api.ts";
import { cutTexts, MAX_RESULT_CHARACTERS } from "./results.ts";
import { ToolRefusal } from "./tool.ts";

/** The content of a refused call, as JSON: texts of documents are data in it. */
export interface Refusal {
  readonly code: string;
  /** What is wrong. */
  readonly error: string;
  /** What to do next. */
  readonly next: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

const NARROW = "Add conditions, lower limit, choose fields, or use aggregate_records for counts and sums.";
const WAIT = "Wait for details.retryAfterS seconds, then call the tool again.";
const WAIT_A_MOMENT = "Wait a few seconds, then call the tool again; if it happens again, tell the user.";
const ASK_FOR_KEY =
  "Do not try again with this key. Say which scope is missing, and that a key with it can be created on the profile page.";

/** By code of the API; the other codes have advice by status. */
const ADVICE: Readonly<Record<string, string>> = {
  "scope.missing": ASK_FOR_KEY,
  "key.restricted":
    "The key is limited to certain documents or tables. Use query_records and aggregate_records on tables that it reaches, or ask for a key with wider limits.",
  "key.network": "The key must not be used from this network. Tell the user.",
  "access.rules":
    "Access rules of the document deny this; details.memos may have the reason. Do not work around it: tell the user.",
  "access.edit_denied": "The user of the key can read this document, but not change it. Tell the user.",
  "access.denied": "The user of the key has no access, or too low a role. Tell the user.",
  "access.view_denied": "The user of the key has no access, or too low a role. Tell the user.",
  "access.owner_required": "Only owners of the document can do this. Tell the user.",
  "table.not_found": "Call describe_document for the ids of tables.",
  "table.unknown": "Call describe_document for the ids of tables.",
  "table.exists": "Choose another id, or use the existing table: see describe_document.",
  "column.not_found": "Call describe_document for the ids of columns.",
  "column.unknown": "Call describe_document for the ids of columns.",
  "column.exists": "Choose another id, or use the existing column: see describe_document.",
  "column.read_only": "The column is computed by a formula; change the columns that it reads, or use write_formula.",
  "row.unknown": "Call query_records for the ids of rows.",
  "record.not_found": "Call query_records for the ids of rows.",
  "record.fields_differ": "Give all records, or columns, of one call the same fields; use several calls otherwise.",
  "record.require_empty": "Give each record at least one value in require.",
  "limit.matched_rows":
    "The filter selects details.matchedRows rows. Narrow it, or ask the user, call with dryRun, and pass a higher maxRows.",
  "limit.exceeded": NARROW,
  "limit.size": NARROW,
  "limit.body_size": "Send fewer records per call.",
  "filter.invalid": 'A filter is an object such as {"City": {"eq": "Oslo"}, "Qty": {"gt": 3}}.',
  "filter.operator": "Choose an operator for the type of the column: see describe_document for types.",
  "filter.operand": "Choose a value of the type of the column: see describe_document for types.",
  "filter.too_complex": "Use fewer conditions.",
  "filter.time_limit": "Use a simpler filter, or query_sql.",
  "cursor.invalid": "Start again without cursor: it belongs to another query, or is older than 24 hours.",
  "sql.invalid": "Send one SELECT statement of SQLite. Tables and columns have the ids of describe_document.",
  "sql.timeout": "Use a simpler statement: fewer rows, conditions on few columns, or aggregate_records.",
  "sql.limit": "Add LIMIT, select fewer columns, or aggregate in SQL.",
  "dry_run.time_limit": "The change is too large for a dry run. Split it into smaller ones.",
  "formula.time_limit": "The formula takes too long. Simplify it, for example by lookups instead of loops over tables.",
  "state.unknown": "Call list_history for the numbers of states.",
  "state.not_found": "Call list_history for the numbers of states.",
  "state.pruned": "The history no longer contains this state; pass a later one as since.",
  "undo.too_many_changes": "Pass a later state or time as since, and undo in several steps.",
  "undo.too_large": "Pass a later state or time as since, and undo in several steps.",
  [UNREACHABLE]:
    "Tell the user that the server does not answer. When it does, check with list_history whether a change was made before you repeat it.",
  "payload.invalid": "Correct the argument that error names, and call the tool again.",
};

const ADVICE_BY_STATUS: Readonly<Record<number, string>> = {
  400: "Correct the arguments, and call the tool again.",
  401: "The API key is missing, invalid, expired or revoked. Ask the user to configure a valid one.",
  403: "The key or its user may not do this. Tell the user; describe_document says what they may do.",
  404: "Check the ids: find_documents, describe_document and query_records return them.",
  409: "Read the current state, and decide again.",
  413: NARROW,
  504: "The change may have been made: check with query_records or list_history before you call the tool again.",
};

export const isRefusal = (thrown: unknown): boolean => thrown instanceof ToolRefusal || thrown instanceof ApiRefusal;

/** Returns the content of a refused call. Unknown errors are reported without their message. */
export function describeRefusal(thrown: unknown): Refusal {
  if (thrown instanceof ToolRefusal) {
    const { code, message, next, details } = thrown;
    return { code, error: message, next, ...shortDetails(details) };
  }
  if (thrown instanceof ApiRefusal) {
    const { code, status, message, retryAfterS } = thrown;
    const details = { ...thrown.details, ...(retryAfterS !== null && { retryAfterS }) };
    return {
      code,
      error: message,
      next: ADVICE[code] ?? ADVICE_BY_STATUS[status] ?? (retryAfterS === null ? WAIT_A_MOMENT : WAIT),
      ...shortDetails(details),
    };
  }
  return {
    code: "server.unexpected",
    error: "The tool failed unexpectedly",
    next: "Try again once; if it happens again, tell the user.",
  };
}

function shortDetails(details: Readonly<Record<string, unknown>>): Pick<Refusal, "details"> {
  if (Object.keys(details).length === 0) return {};
  const short = cutTexts(details);
  return JSON.stringify(short).length > MAX_RESULT_CHARACTERS ? {} : { details: short };
}

/** Describes arguments that do not have the form of the tool's input schema. */
export function describeInvalidArguments({ issues }: z.ZodError): Refusal {
  const problems = issues.slice(0, 10).map(({ path, message }) => ({ argument: path.join("."), problem: message }));
  return {
    code: "arguments.invalid",
    error: "The arguments do not match the input schema of the tool",
    next: "Correct the arguments in details.problems, and call the tool again.",
    details: { problems },
  };
}
