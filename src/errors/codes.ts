/**
 * Error codes, by kind of refusal, with their meaning: every `details.code`. Programs match these codes, so none is
 * ever renamed or removed. Errors that programs handle differently have a code of their own; all others have the
 * general code of their kind. docs/errors.md is generated from this table.
 */
export const CODES = {
  invalid: {
    "request.invalid": "The request is malformed or cannot be fulfilled; `error` describes the problem.",
    "request.host": "The request has more than one `Host` header.",
    "payload.invalid":
      "A body, a query or a path does not have the documented form; `details.userError` names the field.",
    "body.invalid_json": "The body is not JSON, or neither an object nor a list.",
    "body.content_type": "The body was not sent with `Content-Type: application/json`.",
    "body.incomplete": "The connection ended before the body was complete.",
    "upload.invalid": "The upload is malformed, incomplete, or contains no file.",
    "file.invalid": "The file cannot be read: it is damaged, or not in the format that it claims to have.",
    "file.unsupported": "Files of this format cannot be imported; `error` contains instructions.",
    "file.encrypted": "The workbook is encrypted or has an unsupported older format.",
    "import.ambiguous_key": "Several rows of the table have the values by which an import updates rows.",
    "import.url_off": "The server does not import files by their address.",
    "import.url_denied": "Files are not imported from this address.",
    "import.url_failed": "The file cannot be fetched from its address; `error` has the reason, if the host is public.",
    "import.url_page": "The address leads to a web page, not to a file.",
    "import.sheet_private": "The Google sheet is not public.",
    "document.ambiguous": "Several sites have a document with this `urlId`.",
    "name.taken": "The name, domain, label or `urlId` is in use.",
    "limit.exceeded": "A limit on a number or length is exceeded, for example the number of columns or webhooks.",
    "workspace.removed": "The workspace is in the trash.",
    "table.unknown": "The request refers to a table that does not exist in the document.",
    "table.exists": "A table with this id already exists.",
    "column.unknown": "The request refers to a column that does not exist in the table.",
    "column.exists": "A column with this id already exists.",
    "column.read_only": "The column has computed values, or is a group-by column of a summary table.",
    "row.unknown": "The request refers to a row that does not exist in the table.",
    "row.exists": "A row with this id already exists, or the request contains the id twice.",
    "record.require_empty": "`require` is empty, and `allow_empty_require` is not set.",
    "record.fields_differ": "The records, tables or columns of a PATCH do not all have the same fields.",
    "record.lengths_differ": "The arrays of values in a request do not have the same length.",
    "action.unknown": "The user action does not exist.",
    "cursor.invalid": "`cursor` does not belong to this caller and request, or is older than 24 hours.",
    "aggregate.invalid": "A group, measure or sort of an aggregation does not fit; `error` names it.",
    "aggregate.too_many_values":
      "A column to group by has more values than `maxValues`; `details.column` and `details.values` name it and their number, which is null above 100,000.",
    "live.parameter": "A live query has no `limit`, `offset`, `sort`, `cursor`, `total` and `at`.",
    "fields.invalid":
      "`fields` or `expand` names a path that is too long or too deep, or a column that is not a reference.",
    "filter.invalid": "The filter is not a JSON object of conditions.",
    "filter.operator": "The filter has an unknown operator, or one that does not apply to the type of the column.",
    "filter.operand": "The operand of an operator in the filter does not fit the operator or the type of the column.",
    "filter.too_complex":
      "The filter has too many conditions, levels or references, or its regular expression is too large.",
    "filter.time_limit": "The filter takes too long; nothing was changed.",
    "state.unknown": "The history does not contain this state.",
    "form.fields_invalid":
      "Answers to a form are missing or not allowed; `details.fields` has the reason by column, and `details.record` the index of the record.",
    "form.answer_refused": "The answer to a form cannot be stored; the document's authors know why.",
    "share.invalid":
      "The options of a share of forms are not a JSON object, or its `linkId` is empty or used by another share.",
    "at.invalid": "`at` is neither the number of a state nor a time in ISO 8601.",
    "since.invalid": "`since` is neither the number of a state nor a time in ISO 8601.",
    "formula.time_limit":
      "Formulas exceed the time limit; `details.table`, `details.column` and `details.row` name the cell if the caller can read it.",
    "sql.invalid": "The SQL statement is not a single SELECT that can run on this document.",
    "sql.timeout": "The SQL statement exceeded its timeout and was cancelled.",
    "sql.limit": "The SQL statement or its result is too large.",
    "access.own_role": "Owners cannot change their own role.",
    "key.invalid": "A scope, restriction, network or expiry of a new API key is not valid; `error` names it.",
    "idempotency.key": "`Idempotency-Key` does not have 1 to 255 printable ASCII characters.",
    "sign_in.expired":
      "The sign-in through a provider was not started in this browser, was completed, or took too long.",
    "email.off": "The server does not send email; `error` names the setting that is missing.",
    "schema.invalid": "The schema file has problems; `details.problems` has the path, the line and a message of each.",
    "schema.data_loss":
      "The schema file would remove rows or cells; `details.changes` names them. Set `allowDataLoss` to allow it.",
    "schema.locks_out":
      "The access rules of the schema file would not let the caller edit access rules; nothing was changed.",
    "second_factor.exists": "The caller has an authenticator app already; remove it first.",
    "second_factor.enrolment": "There is no secret of an authenticator app to confirm, or it has expired.",
    "passkey.invalid": "The new passkey is not accepted; `error` describes the problem.",
    "passkey.unavailable": "Passkeys cannot be used at this address of the server; `error` names the reason.",
    "password.invalid": "The password is too short or too long.",
    "log.url": "The URL of the replicated log is malformed; `error` describes the problem.",
    "log.unsupported": "The PostgreSQL database cannot hold the replicated log; `error` names the reason.",
  },
  unauthenticated: {
    "auth.failed": "The caller could not be authenticated; `error` describes the problem.",
    "auth.required": "Authentication is required: send an API key, or sign in.",
    "auth.header": "The `Authorization` header does not have the form `Bearer <API key>`.",
    "auth.key_invalid": "The API key is invalid or was revoked.",
    "auth.key_expired": "The API key has expired.",
    "auth.token_invalid":
      "The token for an end user is invalid, or ended: its key was revoked, or the key's user no longer owns the document.",
    "auth.token_expired": "The token for an end user has expired.",
    "auth.token_document": "The token for an end user is for one document, and not valid outside of it.",
    "auth.credentials": "The email address or the password is wrong.",
    "provider.invalid_response": "The response of the single sign-on provider is not valid.",
    "provider.clock": "A token of the single sign-on provider is expired or not yet valid: the clocks differ.",
    "log.credentials": "PostgreSQL refused the user name or the password of the replicated log.",
    "form.sign_in": "The form accepts answers of signed-in users only.",
    "auth.csrf":
      "A write without an API key requires `Content-Type: application/json` or `X-Requested-With: XMLHttpRequest`.",
  },
  forbidden: {
    "access.denied": "The caller has no access, or an insufficient role.",
    "access.view_denied": "The caller cannot read the document.",
    "access.edit_denied": "The caller can read the document, but not change it.",
    "access.owner_required": "Requires an owner of the document.",
    "access.admin_required": "Requires an administrator of the installation.",
    "access.rules": "Denied by the document's access rules; `details.memos` contains the memos of the rules.",
    "access.origin": "The request comes from a page of another origin.",
    "access.user_disabled": "The user is disabled.",
    "access.session_required": "Requires a signed-in user; an API key is not accepted.",
    "scope.missing": "The API key lacks a scope; `details.missingScope` names it.",
    "key.restricted": "The API key is limited to sites, workspaces, documents or tables, and this is outside of them.",
    "key.too_strong": "A limited API key can only create, replace and remove keys with the same or narrower limits.",
    "key.network": "The API key must not be used from this network address.",
    "access.key_required": "Requires an API key; a session is not accepted.",
    "access.token_denied": "Not available with a token for an end user.",
    "form.link_only": "The link of a form is only for its answers; everything else in the document is closed.",
    "form.closed": "The form is closed; `details.closedAt` is when it closed, if it had a date.",
    "form.file": "The uploaded file belongs to another visitor, or its upload has expired.",
    "document.disabled": "The document was disabled by an administrator of the installation.",
    "password.off": "The server accepts no passwords.",
    "sign_in.refused": "No user can sign in with this account of the provider; the server's log has the reason.",
    "sign_in.cancelled": "The sign-in was cancelled, or the provider refused it.",
    "link.expired": "The link has been used or has expired.",
    "second_factor.expired": "The sign-in that waits for a second factor has expired, or was completed.",
    "second_factor.code": "The code of the authenticator app, or the recovery code, is wrong or was used.",
    "second_factor.confirm":
      "The caller must first confirm who they are, with the password or a code, or sign in again.",
    "second_factor.required": "The server requires a second factor, and this is the only one.",
    "passkey.refused": "The passkey is not accepted; the reason is not named.",
    "log.rights": "The role of the replicated log lacks a right in PostgreSQL.",
    "webhook.url_denied": "Webhooks are not allowed to send to this address.",
  },
  notFound: {
    "resource.not_found": "The resource does not exist.",
    "route.not_found": "The route does not exist.",
    "site.not_found": "The site does not exist.",
    "workspace.not_found": "The workspace does not exist or is in the trash.",
    "document.not_found": "The document does not exist or is in the trash.",
    "table.not_found": "The table does not exist.",
    "column.not_found": "The column does not exist.",
    "record.not_found": "The table has no record with this id, or none that the caller can read.",
    "cell.not_found": "The cell does not exist, or the caller cannot read it.",
    "form.not_found": "The form does not exist, or the link is not valid.",
    "form.not_published": "The form is no longer published.",
    "attachment.not_found": "The attachment does not exist, or its file is missing.",
    "webhook.not_found": "The webhook does not exist.",
    "delivery.not_found": "The delivery does not exist.",
    "state.not_found": "The history does not contain this state.",
    "state.pruned":
      "The history no longer contains this state, and no snapshot does; `details.oldestState` is the oldest one that can be read.",
    "history.incomplete":
      "The history does not contain all cells of this state; `details.oldestState` is the oldest one after it that can be read.",
    "snapshot.not_found": "The snapshot does not exist.",
    "upload.not_found": "The upload does not exist or has expired.",
    "job.not_found": "The job does not exist, has expired, or belongs to another user.",
    "group.not_found": "The group does not exist.",
    "user.not_found": "The user does not exist.",
    "key.not_found": "The API key does not exist.",
    "invitation.not_found": "No invited user that the caller may manage has this id.",
    "session.not_found": "The session does not exist, or has ended.",
    "provider.not_found": "The settings have no single sign-on provider with this name.",
    "identity.not_found": "The account of a provider is not connected to the caller.",
    "second_factor.not_found": "The user has no authenticator app.",
    "passkey.not_found": "The passkey does not exist.",
    "service_account.not_found": "The service account does not exist.",
  },
  gone: {
    "request.gone": "The endpoint is no longer supported; `error` names its replacement.",
  },
  conflict: {
    "resource.conflict": "The request conflicts with existing data.",
    "import.cancelled": "The import was cancelled; nothing was imported.",
    "idempotency.in_progress": "A request with the same `Idempotency-Key` has been in progress for 30 s.",
    "identity.taken": "The account of the provider is connected to another user.",
    "user.last_administrator": "No other administrator of the installation could sign in.",
    "identity.last": "The account of the provider is the last way to sign in.",
    "user.exists": "A user with this email address already exists.",
    "document.replaced": "A job ended because its document was replaced or restored.",
    "undo.plan_changed":
      "The undo or restore is not the one that `planId` names, since the document or the caller's rights have changed; `details.plan` is the present plan. Nothing was changed.",
    "filter.rows_changed":
      "The filter of a change selects another number of records than `expectedRows`; `details.matchedRows` is their number. Nothing was changed.",
    "document.state_changed": "The document is no longer at the state that `ifState` names. Nothing was changed.",
    "dry_run.time_limit":
      "The dry run takes too long; `details.tables` has the rows that it had found, for callers who can read everything.",
    "schema.version_changed":
      "The document has changed since the given `version`; `details.version` is the present one.",
    "schema.rules_unreadable": "The document has an access rule that cannot be parsed, so it has no schema file.",
    "log.other_installation": "The replicated log belongs to another installation.",
    "log.newer_version": "The replicated log was written by a newer version.",
  },
  tooLarge: {
    "limit.size": "The request or its result is too large.",
    "limit.body_size": "The body exceeds the size limit of the server.",
    "limit.upload_size": "The upload, or a file in it, exceeds the size limit of the server.",
    "limit.live_rows": "The result of a live query has too many records, or is too large.",
    "undo.too_many_changes": "There are too many changes since the state to be examined.",
    "undo.too_large": "The undo would revert too many cells and rows.",
    "limit.matched_rows":
      "The filter of a change selects more records than `maxRows`; `details.matchedRows` is their number.",
  },
  unsupportedMedia: {
    "body.unsupported_type": "The route does not accept bodies of this content type.",
    "body.unsupported_encoding": "The body has a `Content-Encoding`; send it uncompressed.",
  },
  unprocessable: {
    "idempotency.body_differs":
      "The `Idempotency-Key` was used with another body for the same method and path; nothing was changed.",
  },
  tooMany: {
    "limit.requests": "Too many requests; retry after `Retry-After` seconds.",
    "limit.document_requests": "Too many concurrent requests for this document.",
    "limit.caller_requests": "Too many concurrent requests by this caller.",
    "limit.rate": "The caller exceeds the server's limit of requests per minute.",
    "limit.uploads": "Too many concurrent large bodies by this caller.",
    "limit.url_imports": "Too many files are being fetched from their addresses.",
    "limit.jobs": "The caller has too many jobs in the document that have not ended.",
    "limit.streams": "Too many open event streams.",
    "limit.invitations": "The user has sent the daily number of invitations.",
    "limit.form_answers": "Too many answers to forms from this network address; retry after `Retry-After` seconds.",
    "limit.sign_in": "Too many attempts to sign in.",
  },
  slow: {
    "body.timeout": "The body did not arrive in time; nothing was changed.",
  },
  late: {
    "server.timeout": "The request exceeded the time limit and continues; check its result before you retry.",
  },
  unavailable: {
    "server.unavailable": "The server cannot handle the request now; nothing was changed.",
    "server.overloaded": "The server is overloaded.",
    "server.shutting_down": "The server is shutting down.",
    "server.deadline": "Reading exceeded the time limit.",
    "provider.unavailable": "The single sign-on provider cannot be reached, or is not set up correctly.",
    "log.diverged":
      "The replicated log lost changes of the document that had been acknowledged; an administrator must decide what to keep.",
    "cluster.unreachable":
      "The server of the cluster that answers this request cannot be reached; nothing was changed.",
    "cluster.node_lost":
      'The server of the cluster that processed the request was lost; with `outcome: "unknown"`, a change may or may not have been saved.',
    "log.unavailable": "PostgreSQL, which holds the replicated log, cannot be reached.",
    "form.busy": "Too many answers to the form are waiting; nothing was stored. Retry after `Retry-After` seconds.",
    "document.unavailable": "The document is being closed or replaced; retry.",
    "document.elsewhere": "Another server of the installation has the document open; nothing was changed. Retry.",
  },
  notImplemented: {
    "feature.off": "The feature is switched off on this server, or does not support this operation.",
  },
  storage: {
    "storage.failed": "The disk is full or not writable; nothing was changed.",
    "storage.temporary": "The server's limit of temporary files is reached; nothing was changed.",
  },
  damaged: {
    "storage.damaged": "A file on the server cannot be read.",
  },
} as const;

/** The kind of a refusal; decides the status. */
export type ErrorCode = keyof typeof CODES;

/** The codes of one kind. */
export type ReasonOf<Kind extends ErrorCode> = keyof (typeof CODES)[Kind];

/** The `details.code` of a refusal. */
export type Reason = { [Kind in ErrorCode]: ReasonOf<Kind> }[ErrorCode];

/** The code of unexpected errors; never thrown on purpose. */
export const INTERNAL_CODE = "server.internal";

/** The default code of each kind. */
export const GENERAL_CODES: { readonly [Kind in ErrorCode]: ReasonOf<Kind> } = {
  invalid: "request.invalid",
  unauthenticated: "auth.failed",
  forbidden: "access.denied",
  notFound: "resource.not_found",
  gone: "request.gone",
  conflict: "resource.conflict",
  tooLarge: "limit.size",
  unsupportedMedia: "body.unsupported_type",
  unprocessable: "idempotency.body_differs",
  tooMany: "limit.requests",
  slow: "body.timeout",
  late: "server.timeout",
  unavailable: "server.unavailable",
  notImplemented: "feature.off",
  storage: "storage.failed",
  damaged: "storage.damaged",
};

const KIND_BY_CODE: ReadonlyMap<string, ErrorCode> = new Map(
  (Object.keys(CODES) as ErrorCode[]).flatMap((kind) => Object.keys(CODES[kind]).map((code) => [code, kind] as const)),
);

/** Returns the kind of a code; undefined for unknown codes. */
export const kindOf = (code: string): ErrorCode | undefined => KIND_BY_CODE.get(code);
