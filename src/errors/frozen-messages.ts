/**
 * Messages of refusals that existing programs match. They never change; new programs use `details.code` instead. Each
 * entry names the programs that need it. docs/errors.md is generated from this table.
 */
import type { Reason } from "./codes.ts";

export interface FrozenMessage<Values extends readonly unknown[]> {
  readonly code: Reason;
  readonly message: (...values: Values) => string;
  /** Example values for the documentation. */
  readonly example: Values;
  /** The programs, and the part that they match if it is not the whole message. */
  readonly matchedBy: string;
}

const frozen = <Values extends readonly unknown[]>(entry: FrozenMessage<Values>): FrozenMessage<Values> => entry;

const API_TESTS = "test suites written for this API";
const CLIENT_LIBRARIES =
  "`grist_api` for Python and `grist-api` for JavaScript, which use the message as the text of the exception";

export const FROZEN = {
  documentNotFound: frozen({
    code: "document.not_found",
    message: () => "document not found",
    example: [],
    matchedBy: API_TESTS,
  }),
  tableNotFound: frozen({
    code: "table.not_found",
    message: (table: string) => `Table not found "${table}"`,
    example: ["Unicorn"],
    matchedBy: `${CLIENT_LIBRARIES} (\`Table not found.*Unicorn\`); ${API_TESTS}`,
  }),
  invalidColumn: frozen({
    code: "column.unknown",
    message: (column: string) => `Invalid column "${column}"`,
    example: ["NumX"],
    matchedBy: `${CLIENT_LIBRARIES} (\`Invalid column.*NumX\`; in a filter \`ColorBoom\`); ${API_TESTS}`,
  }),
  invalidRowId: frozen({
    code: "row.unknown",
    message: (id: number | string) => `Invalid row id ${id}`,
    example: [999],
    matchedBy: API_TESTS,
  }),
  noViewAccess: frozen({
    code: "access.view_denied",
    message: () => "No view access",
    example: [],
    matchedBy: API_TESTS,
  }),
  noWriteAccess: frozen({
    code: "access.edit_denied",
    message: () => "No write access",
    example: [],
    matchedBy: `the custom widget Atlas (\`no write\`); ${API_TESTS}`,
  }),
  noOwnerAccess: frozen({
    code: "access.owner_required",
    message: () => "No owner access",
    example: [],
    matchedBy: `no known program; complements the other two`,
  }),
  blockedByRules: frozen({
    code: "access.rules",
    message: (part: string, permission: string) => `Blocked by ${part} ${permission} access rules`,
    example: ["table", "update"],
    matchedBy: `the custom widget Atlas (\`blocked by\`, \`access rules\`); ${API_TESTS}`,
  }),
  invalidPayload: frozen({
    code: "payload.invalid",
    message: () => "Invalid payload",
    example: [],
    matchedBy: `${API_TESTS}, with \`details.userError\` beginning with \`Error: \``,
  }),
  filterValues: frozen({
    code: "filter.invalid",
    message: () => "Invalid filter: filter values must be arrays",
    example: [],
    matchedBy: `${API_TESTS} (\`filter values must be arrays\`)`,
  }),
  unknownOnMany: frozen({
    code: "payload.invalid",
    message: (value: string) => `onmany parameter ${value} should be one of first,none,all`,
    example: ["foo"],
    matchedBy: API_TESTS,
  }),
  emptyRequire: frozen({
    code: "record.require_empty",
    message: () => "require is empty but allow_empty_require isn't set",
    example: [],
    matchedBy: API_TESTS,
  }),
  fieldsDiffer: frozen({
    code: "record.fields_differ",
    message: () => "PATCH requires all records to have same fields",
    example: [],
    matchedBy: API_TESTS,
  }),
  ownRole: frozen({
    code: "access.own_role",
    message: () => "Owners cannot change their own permissions; another owner can",
    example: [],
    matchedBy: `${API_TESTS} (\`own permissions\`)`,
  }),
  statementCancelled: frozen({
    code: "sql.timeout",
    message: (timeoutMs: number) => `The statement was cancelled: it took longer than ${timeoutMs} milliseconds`,
    example: [1000],
    matchedBy: `${API_TESTS} (\`database interrupt|cancel\`)`,
  }),
} as const;
