import { AppError, type ErrorOptions } from "../../errors.ts";

/** The oldest supported major version of PostgreSQL. */
export const MIN_POSTGRES_VERSION = 13;

/** What the server says when a database cannot hold the log. Each is one sentence that names the remedy. */
export const LOG_REFUSALS = {
  url: (problem: string) => `The URL of the log is not valid: ${problem}.`,
  unreachable: (server: string, cause: string) => `PostgreSQL at ${server} cannot be reached: ${cause}.`,
  credentials: (server: string) => `PostgreSQL at ${server} refused the user name or the password of the log's URL.`,
  database: (server: string) => `PostgreSQL at ${server} does not have the database of the log's URL; create it first.`,
  tls: (server: string, cause: string) => `The TLS connection to PostgreSQL at ${server} failed: ${cause}.`,
  version: (version: string) =>
    `PostgreSQL ${version} is too old: the log needs version ${MIN_POSTGRES_VERSION} or later.`,
  setting: (name: string, value: string) =>
    `PostgreSQL has ${name} = ${value}; the log needs ${name} = on, otherwise acknowledged writes could be lost.`,
  timeout: (name: string, value: string) =>
    `PostgreSQL does not let this role set ${name} to 0 (it is ${value}); the log needs connections without timeouts.`,
  standby: () => "The URL of the log leads to a PostgreSQL standby; it has to lead to the primary server.",
  readOnly: () => "PostgreSQL is in read-only mode (default_transaction_read_only = on); the log needs to write.",
  pooler: () =>
    "The URL of the log leads to a connection pooler in transaction mode; use the address of PostgreSQL itself.",
  rights: (action: string) =>
    `The role of the log's URL may not ${action}; grant it the right or use the database's owner.`,
  foreignSchema: () =>
    'The database has a schema "quern" that Quern did not create; use another database, or remove that schema.',
  newerTables: (found: number, known: number) =>
    `The log was written by a newer version of Quern (tables version ${found}, this one knows ${known}); upgrade first.`,
  otherInstallation: () =>
    "The log belongs to another installation of Quern; use another database, or the data folder that belongs to it.",
  closed: () => "The connection to PostgreSQL was closed.",
  empty: () => "The database has no log of Quern.",
} as const;

/** The log cannot be used now; nothing is known to have changed. */
export const logUnavailable = (message: string, options: ErrorOptions = {}): AppError =>
  new AppError("log.unavailable", message, { retryAfterS: 2, ...options });
