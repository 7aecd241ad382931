/** The commands that are clients of a server. Their code loads when they run. */
import type { Command, CommandOption } from "../command.ts";

export const login: Command = {
  name: "login",
  about:
    "Checks an API key, and keeps it with the URL of its server in a profile, which the commands that are clients of a server use. Asks for the key, or reads it from QUERN_API_KEY or from the first line of stdin.",
  options: [
    { name: "name", takes: "NAME", about: "Name of the profile. Default: the host of the server." },
    { name: "default", about: "Makes this profile the default. The first one always is." },
    {
      name: "key-file",
      takes: "FILE",
      about: "File with the API key.",
      values: "files",
    },
  ],
  operands: ["URL"],
  isClient: "own",
  run: async (input) => (await import("./login.ts")).runLogin(input),
};

export const mcp: Command = {
  name: "mcp",
  about:
    "Serves the Model Context Protocol over stdin and stdout, for agents that start their servers as processes. The tools work on a server, with an API key.",
  options: [],
  isClient: true,
  run: async (input) => (await import("./mcp.ts")).runMcp(input),
};

export const logout: Command = {
  name: "logout",
  about: "Removes a profile with its API key from this machine. The key stays valid. Default: the default profile.",
  options: [{ name: "all", about: "Removes all profiles." }],
  operands: ["[NAME]"],
  values: "profiles",
  isClient: "own",
  run: async (input) => (await import("./login.ts")).runLogout(input),
};

export const profiles: Command = {
  name: "profiles",
  about: "Lists the profiles with the URLs of their servers, and marks the default one. Never prints keys.",
  options: [
    { name: "default", takes: "NAME", about: "Makes this profile the default.", values: "profiles" },
    { name: "json", about: "Print the result as JSON." },
  ],
  isClient: "own",
  run: async (input) => (await import("./login.ts")).runProfiles(input),
};

const FILTER_OPTIONS: readonly CommandOption[] = [
  {
    name: "where",
    takes: "CONDITION",
    about: "Only records that meet a condition, such as 'Status=open'; operators = != > >= < <= ~. Can be repeated.",
    repeats: true,
  },
  { name: "filter", takes: "JSON", about: "Only records that a filter selects, as in the API." },
  { name: "sort", takes: "COLUMN,…", about: "Columns to sort by; a minus before a column sorts descending." },
  { name: "fields", takes: "COLUMN,…", about: "Columns to return, in this order. Default: all." },
  { name: "limit", takes: "N", about: "Maximum number of records. Default: all." },
  {
    name: "cell-format",
    takes: "F",
    about: "Form of cells: display (as in the grid), iso, normal or typed. Default: display in a table, else iso.",
    values: ["display", "iso", "normal", "typed"],
  },
];

const formatOption = (values: readonly string[], fallback: string): CommandOption => ({
  name: "format",
  takes: "FORMAT",
  about: `${values.slice(0, -1).join(", ")} or ${values.at(-1)}. Default: ${fallback}.`,
  values,
});

const ESCAPE_FORMULAS: CommandOption = {
  name: "escape-formulas",
  about: "In CSV, put an apostrophe before texts that spreadsheets would take for formulas.",
};

export const recordsList: Command = {
  name: "records list",
  about:
    "Prints the records of a table, as an aligned table, CSV, JSON or NDJSON. DOC is the URL of a document, its id or its name.",
  options: [...FILTER_OPTIONS, formatOption(["table", "csv", "json", "ndjson"], "table"), ESCAPE_FORMULAS],
  operands: ["DOC", "TABLE"],
  isClient: true,
  run: async (input) => (await import("./records.ts")).runList(input),
};

export const recordsAdd: Command = {
  name: "records add",
  about:
    "Adds records to a table: one with the given values, or those of a file or stdin in JSON, NDJSON or CSV. DOC is the URL of a document, its id or its name.",
  options: [
    { name: "file", takes: "FILE", about: "File with the records. Default: stdin.", values: "files" },
    formatOption(["csv", "json", "ndjson"], "by the name of the file, else by its content"),
    {
      name: "on-error",
      takes: "ACTION",
      about: "Reaction to a record that cannot be added: stop, or skip to leave it out. Default: stop.",
      values: ["stop", "skip"],
    },
    { name: "atomic", about: "Add all records, at most 100,000, or none." },
    { name: "json", about: "Print the result as JSON." },
  ],
  operands: ["DOC", "TABLE", "[COLUMN=VALUE…]"],
  isClient: true,
  run: async (input) => (await import("./add-records.ts")).runAdd(input),
};

export const recordsExport: Command = {
  name: "records export",
  about:
    "Writes the records of a table to a file, which appears when it is complete. DOC is the URL of a document, its id or its name.",
  options: [
    { name: "out", takes: "FILE", about: "File to write. Default: stdout.", values: "files" },
    formatOption(["csv", "ndjson", "json", "xlsx"], "by the name of the file, else csv"),
    ...FILTER_OPTIONS,
    ESCAPE_FORMULAS,
  ],
  operands: ["DOC", "TABLE"],
  isClient: true,
  run: async (input) => (await import("./records.ts")).runExport(input),
};

export const sql: Command = {
  name: "sql",
  about:
    "Runs a query on a document, and prints its result. DOC is the URL of a document, its id or its name. Without STATEMENT, it is read from stdin.",
  options: [
    {
      name: "arg",
      takes: "VALUE",
      about: "Value for the next ? of the statement: a number, true, false, null or a text. Can be repeated.",
      repeats: true,
    },
    { name: "timeout", takes: "MS", about: "Maximum time of the query in milliseconds." },
    formatOption(["table", "csv", "json", "ndjson"], "table"),
    ESCAPE_FORMULAS,
  ],
  operands: ["DOC", "[STATEMENT]"],
  isClient: true,
  run: async (input) => (await import("./sql.ts")).runSql(input),
};

const SCHEMA_OPTIONS: readonly CommandOption[] = [{ name: "json", about: "Print the changes as JSON." }];

export const schemaPull: Command = {
  name: "schema pull",
  about:
    "Writes the schema of a document as YAML: tables, columns, formulas, access rules and settings. DOCUMENT is its URL, its id or its name. Comments in an existing file stay.",
  options: [{ name: "out", takes: "FILE", about: "File to write or update. Default: stdout.", values: "files" }],
  operands: ["DOCUMENT"],
  isClient: true,
  run: async (input) => (await import("./schema.ts")).runSchemaPull(input),
};

export const schemaDiff: Command = {
  name: "schema diff",
  about:
    "Prints what applying a schema file would change, and what would be lost. Ends with 0 if there are no changes, 1 if there are, and 2 or 3 for failures.",
  options: SCHEMA_OPTIONS,
  operands: ["DOCUMENT", "FILE"],
  isClient: true,
  run: async (input) => (await import("./schema.ts")).runSchemaDiff(input),
};

export const schemaApply: Command = {
  name: "schema apply",
  about: "Gives a document the schema of a file, in one transaction.",
  options: [
    { name: "allow-data-loss", about: "Allow changes that remove rows or cells." },
    { name: "if-version", takes: "VERSION", about: "Apply only to this state, as printed by schema diff --json." },
    ...SCHEMA_OPTIONS,
  ],
  operands: ["DOCUMENT", "FILE"],
  isClient: true,
  run: async (input) => (await import("./schema.ts")).runSchemaApply(input),
};
