/**
 * The schema of a document as a file: tables, columns, access rules, settings and webhooks. Tables and columns are
 * identified by keys, which stay the same when their ids change.
 */

/** The version of the form of the file. */
export const SCHEMA_FILE_VERSION = 1;

export interface SchemaFile {
  readonly version: typeof SCHEMA_FILE_VERSION;
  readonly document?: FileSettings | undefined;
  /** By key. */
  readonly tables?: Readonly<Record<string, FileTable>> | undefined;
  readonly access?: FileAccess | undefined;
  readonly webhooks?: readonly FileWebhook[] | undefined;
}

export interface FileSettings {
  readonly timezone?: string | undefined;
  readonly locale?: string | undefined;
  readonly currency?: string | undefined;
}

interface FileTableTexts {
  /** The title of the table, where it differs from its id. */
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

export interface FileTable extends FileTableTexts {
  readonly id: string;
  readonly onDemand?: boolean | undefined;
  /** By key, in the order of display. */
  readonly columns: Readonly<Record<string, FileColumn>>;
  /** By key. */
  readonly summaries?: Readonly<Record<string, FileSummary>> | undefined;
}

export interface FileSummary extends FileTableTexts {
  /** Keys of columns of the source. */
  readonly groupBy: readonly string[];
  /** The formula columns, by key. */
  readonly columns: Readonly<Record<string, FileColumn>>;
}

export interface FileColumn {
  readonly id: string;
  /** Default: the id. */
  readonly label?: string | undefined;
  /** False when the id stays as it is when the label changes. Default: true. */
  readonly idFollowsLabel?: boolean | undefined;
  readonly description?: string | undefined;
  /** The type; references name the key of their table: `Ref:Customers`. */
  readonly type: string;
  /** The key of the column of the referenced table whose values are shown. */
  readonly show?: string | undefined;
  /** The key of the column of the referenced table that refers back. */
  readonly reverse?: string | undefined;
  /** Computes the cells. */
  readonly formula?: string | undefined;
  /** Fills cells that can also be edited. */
  readonly trigger?: FileTrigger | undefined;
  /** Names in the formulas of the column that are neither keys nor former ids: there is no such table or column. */
  readonly unknownNames?: readonly string[] | undefined;
  readonly choices?: readonly string[] | undefined;
  /** By choice. */
  readonly choiceStyles?: Readonly<Record<string, unknown>> | undefined;
  readonly conditionalStyles?: readonly FileConditionalStyle[] | undefined;
  /** Formats and other options of the column. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
}

export interface FileTrigger {
  readonly formula: string;
  /** Default: `newRecords`. */
  readonly when?: "newRecords" | "everyChange" | "never" | undefined;
  /** Keys of columns whose changes also run it. */
  readonly columns?: readonly string[] | undefined;
}

export interface FileConditionalStyle {
  readonly formula: string;
  readonly style?: Readonly<Record<string, unknown>> | undefined;
}

export interface FileRule {
  /** A condition; without one the rule always applies. */
  readonly if?: string | undefined;
  /** `+R-CUD`, `all` or `none`. */
  readonly permissions: string;
  readonly memo?: string | undefined;
}

export interface FileColumnRules {
  /** Keys. */
  readonly columns: readonly string[];
  readonly rules: readonly FileRule[];
}

export interface FileTableAccess {
  readonly rules?: readonly FileRule[] | undefined;
  readonly columns?: readonly FileColumnRules[] | undefined;
}

export interface FileUserAttribute {
  readonly name: string;
  /** The key of a table. */
  readonly table: string;
  /** The key of the column to search. */
  readonly column: string;
  /** The property of the user to search for. */
  readonly property: string;
}

export interface FileAccess {
  readonly userAttributes?: readonly FileUserAttribute[] | undefined;
  /** By the key of the table. */
  readonly tables?: Readonly<Record<string, FileTableAccess>> | undefined;
  /** Rules for everything that no other rule decides. */
  readonly default?: readonly FileRule[] | undefined;
  /** By name: `AccessRules`, `FullCopies`, `DocCopies`. */
  readonly special?: Readonly<Record<string, readonly FileRule[]>> | undefined;
}

/** A webhook without its URL and secrets, which belong to one server. */
export interface FileWebhook {
  readonly name: string;
  /** The key of the table. */
  readonly table: string;
  readonly events: readonly string[];
  readonly enabled?: boolean | undefined;
  readonly memo?: string | undefined;
  /** The key of the column that holds events back until it is true. */
  readonly readyColumn?: string | undefined;
  /** Keys. */
  readonly watchedColumns?: readonly string[] | undefined;
}

/** A text that can be a key. */
export const KEY_PATTERN = /^[A-Za-z][A-Za-z0-9_]{0,199}$/;
