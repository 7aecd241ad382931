/**
 * Every code that a refusal can carry in `details.code`, grouped by kind of refusal, with its meaning. Programs match
 * these codes, so none is ever renamed or removed. A code of its own is for what a program would handle differently;
 * everything else has the general code of its kind. docs/errors.md is generated from this table.
 */
export const CODES = {
  invalid: {
    "request.invalid": "The request is malformed or impossible; `error` says why.",
    "request.host": "The request has more than one `Host` header.",
    "payload.invalid":
      "A body, a query or a path does not have the documented form; `details.userError` names the field.",
    "body.invalid_json": "The body is not JSON, or neither an object nor a list.",
    "body.content_type": "The body was not sent with `Content-Type: application/json`.",
    "body.incomplete": "The connection ended before the body was complete.",
    "upload.invalid": "The upload is malformed, incomplete, or lacks the file.",
    "file.invalid": "The file cannot be read: damaged, or not of the format that it claims to have.",
    "file.unsupported": "Files of this format cannot be imported; `error` says what to do.",
    "file.encrypted": "The workbook is encrypted, or of an old format.",
    "document.ambiguous": "Several sites have a document with this `urlId`.",
    "name.taken": "The name, domain, label or `urlId` is in use.",
    "limit.exceeded": "A limit on numbers or lengths is exceeded, such as columns of a table or webhooks.",
    "workspace.removed": "The workspace is in the trash.",
    "table.unknown": "The request names a table that the document does not have.",
    "table.exists": "The document has a table with this id.",
    "column.unknown": "The request names a column that the table does not have.",
    "column.exists": "The table has a column with this id.",
    "column.read_only": "The column is computed, or part of what a summary table groups by.",
    "row.unknown": "The request names a row that the table does not have.",
    "row.exists": "The table has a row with this id, or the id is given twice.",
    "record.require_empty": "`require` is empty, and `allow_empty_require` is not set.",
    "record.fields_differ": "Records, tables or columns of one PATCH do not all have the same fields.",
    "record.lengths_differ": "Lists of values of one request do not have the same length.",
    "action.unknown": "There is no user action with this name.",
    "filter.invalid": "The filter is not a JSON object of lists.",
    "state.unknown": "The history has no such state.",
    "formula.time_limit":
      "Formulas take too long; `details.table`, `details.column` and `details.row` name the cell where the caller may read it.",
    "sql.invalid": "The SQL statement is not one SELECT that can run on this document.",
    "sql.timeout": "The SQL statement took longer than its timeout and was cancelled.",
    "sql.limit": "The SQL statement or its answer is too large.",
    "access.own_role": "Owners cannot change their own role.",
    "password.invalid": "The password is too short or too long.",
  },
  unauthenticated: {
    "auth.failed": "The caller could not be authenticated; `error` says why.",
    "auth.required": "The route needs an API key or a session, and none was sent.",
    "auth.header": "The `Authorization` header is not `Bearer <API key>`.",
    "auth.key_invalid": "The API key is wrong or was revoked.",
    "auth.key_expired": "The API key has expired.",
    "auth.credentials": "The email address or the password is wrong.",
    "auth.csrf":
      "A write without an API key needs `Content-Type: application/json` or `X-Requested-With: XMLHttpRequest`.",
  },
  forbidden: {
    "access.denied": "The caller has no access, or not enough.",
    "access.view_denied": "The caller may not read the document.",
    "access.edit_denied": "The caller may read the document, but not change it.",
    "access.owner_required": "Only owners of the document may do this.",
    "access.admin_required": "Only administrators of the installation may do this.",
    "access.rules":
      "The document's access rules do not permit this; `details.memos` holds what the rules say about it.",
    "access.origin": "The request comes from a page of another origin.",
    "access.user_disabled": "The user is disabled.",
    "document.disabled": "An administrator of the installation has disabled the document.",
    "link.expired": "The link was used or has expired.",
    "webhook.url_denied": "Webhooks cannot send to this address.",
  },
  notFound: {
    "resource.not_found": "The resource does not exist.",
    "route.not_found": "There is no such route.",
    "site.not_found": "There is no such site.",
    "workspace.not_found": "There is no such workspace, or it is in the trash.",
    "document.not_found": "There is no such document, or it is in the trash.",
    "table.not_found": "The document has no such table.",
    "column.not_found": "The table has no such column.",
    "attachment.not_found": "The document has no such attachment, or its content is missing.",
    "webhook.not_found": "The document has no such webhook.",
    "delivery.not_found": "The webhook has no such delivery.",
    "state.not_found": "The history has no such state.",
    "snapshot.not_found": "The document has no such snapshot.",
    "upload.not_found": "There is no such upload, or it has expired.",
    "user.not_found": "There is no such user.",
    "key.not_found": "There is no such API key.",
    "service_account.not_found": "There is no such service account.",
  },
  gone: {
    "request.gone": "Other versions of the API took this request; `error` names what to use instead.",
  },
  conflict: {
    "resource.conflict": "The request conflicts with what exists.",
    "user.exists": "There is a user with this email address.",
  },
  tooLarge: {
    "limit.size": "The request, or what it asks for, is too large.",
    "limit.body_size": "The body is larger than the server accepts.",
    "limit.upload_size": "The upload, or a file of it, is larger than the server accepts.",
  },
  unsupportedMedia: {
    "body.unsupported_type": "The route does not take a body of this content type.",
    "body.unsupported_encoding": "The body has a `Content-Encoding`; send it uncompressed.",
  },
  tooMany: {
    "limit.requests": "Too many requests; retry after `Retry-After` seconds.",
    "limit.document_requests": "Too many concurrent requests for this document.",
    "limit.caller_requests": "Too many concurrent requests of this caller.",
    "limit.rate": "The caller sends more requests per minute than the server accepts.",
    "limit.uploads": "Too many concurrent large bodies of this caller.",
    "limit.streams": "Too many open event streams.",
    "limit.sign_in": "Too many attempts to sign in.",
  },
  slow: {
    "body.timeout": "The body did not arrive in time; nothing was changed.",
  },
  late: {
    "server.timeout": "The work takes longer than the deadline and continues; check its result before you retry.",
  },
  unavailable: {
    "server.unavailable": "The server cannot do this at the moment; nothing was changed.",
    "server.overloaded": "The server has too much to do.",
    "server.shutting_down": "The server is shutting down.",
    "server.deadline": "Reading takes longer than the deadline.",
    "document.unavailable": "The document is being closed or replaced; retry.",
  },
  storage: {
    "storage.failed": "The disk is full or cannot be written to; nothing was changed.",
  },
  damaged: {
    "storage.damaged": "A file of the server cannot be read.",
  },
} as const;

/** What kind of refusal it is; decides the status. */
export type ErrorCode = keyof typeof CODES;

/** The codes of one kind. */
export type ReasonOf<Kind extends ErrorCode> = keyof (typeof CODES)[Kind];

/** What a refusal carries in `details.code`. */
export type Reason = { [Kind in ErrorCode]: ReasonOf<Kind> }[ErrorCode];

/** What an unexpected error carries; never thrown on purpose. */
export const INTERNAL_CODE = "server.internal";

/** The code of a refusal that names none. */
export const GENERAL_CODES: { readonly [Kind in ErrorCode]: ReasonOf<Kind> } = {
  invalid: "request.invalid",
  unauthenticated: "auth.failed",
  forbidden: "access.denied",
  notFound: "resource.not_found",
  gone: "request.gone",
  conflict: "resource.conflict",
  tooLarge: "limit.size",
  unsupportedMedia: "body.unsupported_type",
  tooMany: "limit.requests",
  slow: "body.timeout",
  late: "server.timeout",
  unavailable: "server.unavailable",
  storage: "storage.failed",
  damaged: "storage.damaged",
};

const KIND_BY_CODE: ReadonlyMap<string, ErrorCode> = new Map(
  (Object.keys(CODES) as ErrorCode[]).flatMap((kind) => Object.keys(CODES[kind]).map((code) => [code, kind] as const)),
);

/** Returns the kind of a code; undefined for what is no code. */
export const kindOf = (code: string): ErrorCode | undefined => KIND_BY_CODE.get(code);
