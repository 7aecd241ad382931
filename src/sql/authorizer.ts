import { constants } from "node:sqlite";

/** An authorization request of SQLite while it compiles a statement. */
export interface AuthorizationRequest {
  /** One of SQLite's action codes. */
  readonly action: number;
  /** The subject of the action; its meaning depends on the action. */
  readonly first: string | null;
  readonly second: string | null;
  /** Name of the schema, if any. */
  readonly schema: string | null;
  /** Name of the view or common table expression that performs the action. */
  readonly within: string | null;
}

export interface ReadableTables {
  /** Readable tables, in lower case. */
  readonly tables: ReadonlySet<string>;
  /** Names of tables that may not be read, and names with another meaning than a table. */
  readonly blockedNames: ReadonlySet<string>;
  /** The only common table expression that may read the schema table; absent: no restriction. */
  readonly schemaReader?: string | undefined;
}

/** Internal tables in documents, which queries must not reveal, and their indexes. */
export const INTERNAL_TABLE = /_quern_/i;

/** Table-valued functions, and pragmas that describe columns and indexes. */
const TABLE_FUNCTIONS: ReadonlySet<string> = new Set(["json_each", "json_tree"]);
const PRAGMAS: ReadonlySet<string> = new Set([
  "foreign_key_list",
  "index_info",
  "index_list",
  "index_xinfo",
  "table_info",
  "table_xinfo",
]);

/** All SQLite functions except functions that access the environment, internals or search indexes. */
const FUNCTIONS: ReadonlySet<string> = new Set(
  `-> ->> abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling char coalesce concat concat_ws cos cosh count
  cume_dist current_date current_time current_timestamp date datetime degrees dense_rank exp first_value floor format
  glob group_concat hex if ifnull iif instr json json_array json_array_insert json_array_length json_each
  json_error_position json_extract json_group_array json_group_object json_insert json_object json_patch json_pretty
  json_quote json_remove json_replace json_set json_tree json_type json_valid jsonb jsonb_array jsonb_array_insert
  jsonb_extract jsonb_group_array jsonb_group_object jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace
  jsonb_set julianday lag last_value lead length like likelihood likely ln log log10 log2 lower ltrim max median min mod
  nth_value ntile nullif octet_length percent_rank percentile percentile_cont percentile_disc pi pow power printf quote
  radians random randomblob rank replace round row_number rtrim sign sin sinh soundex sqlite_version sqrt strftime
  string_agg substr substring subtype sum tan tanh time timediff total trim trunc typeof unhex unicode unistr
  unistr_quote unixepoch unlikely upper zeroblob`.split(/\s+/),
);

/** Returns true if a query may perform the action: reading the document's tables, and nothing else. */
export function isAllowed(
  { action, first, second, schema, within }: AuthorizationRequest,
  readable: ReadableTables,
): boolean {
  switch (action) {
    case constants.SQLITE_SELECT:
    case constants.SQLITE_RECURSIVE:
      return true;
    case constants.SQLITE_READ:
      return isMain(schema) && isReadable({ table: (first ?? "").toLowerCase(), column: second, within }, readable);
    case constants.SQLITE_FUNCTION:
      return FUNCTIONS.has((second ?? "").toLowerCase());
    case constants.SQLITE_PRAGMA:
      // Run by SQLite itself for a table-valued function; PRAGMA statements cannot occur in a SELECT.
      return isMain(schema) && PRAGMAS.has((first ?? "").toLowerCase()) && !INTERNAL_TABLE.test(second ?? "");
    default:
      return false;
  }
}

const isMain = (schema: string | null): boolean => schema === null || schema === "main";

interface TableRead {
  readonly table: string;
  readonly column: string | null;
  readonly within: string | null;
}

function isReadable(
  { table, column, within }: TableRead,
  { tables, blockedNames, schemaReader }: ReadableTables,
): boolean {
  if (table === "sqlite_master") return schemaReader === undefined || within === schemaReader;
  if (table.startsWith("pragma_")) return PRAGMAS.has(table.slice("pragma_".length));
  if (tables.has(table) || TABLE_FUNCTIONS.has(table)) return true;
  // When no column is read, as in count(*), SQLite also asks for common table expressions.
  return column === "" && !blockedNames.has(table) && !INTERNAL_TABLE.test(table);
}
