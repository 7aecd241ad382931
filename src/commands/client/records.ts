import { rename, rm } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { temporaryName } from "../../lib/temporary-names.ts";
import { CommandFailure, usageError, type CommandInput } from "../command.ts";
import { callServer } from "./call-server.ts";
import { resolveDocument, type ServerDocument } from "./document.ts";
import { createWriter, FORMATS, type Format, type Row } from "./formats.ts";
import { openOutput, stopSignal, throwIfStopped, type Output } from "./output.ts";
import { readPages, type RecordsQuery } from "./read-pages.ts";
import { columnsOf, withSuggestions } from "./suggest.ts";
import { filterOf } from "./where.ts";

const EXPORT_FORMATS = ["csv", "ndjson", "json", "xlsx"] as const;
const CELL_FORMATS = ["normal", "typed", "display", "iso"] as const;

/** Prints records. */
export async function runList(input: CommandInput): Promise<number> {
  const [name = "", table = ""] = input.operands;
  const format = choiceOf(input, { name: "format", values: FORMATS, fallback: "table" });
  const signal = stopSignal(input.context);
  const document = await resolveDocument(input, name, { signal });
  const output = await openOutput(input.context);
  await withSuggestions(document, table, async () => {
    const query = await queryOf(input, document, format);
    await writeRecords(input, { document, query, format, output, signal });
  });
  return 0;
}

/** Writes records to a file, which appears when it is complete. */
export async function runExport(input: CommandInput): Promise<number> {
  const [name = "", table = ""] = input.operands;
  const { out } = input.options;
  const isNamed = input.options["format"] !== undefined;
  const fallback = isNamed ? "csv" : formatOfFile(out);
  const format = choiceOf(input, { name: "format", values: EXPORT_FORMATS, fallback });
  if (format === "xlsx" && out === undefined) throw usageError("--format xlsx needs --out");
  const signal = stopSignal(input.context);
  const document = await resolveDocument(input, name, { signal });
  const count = await withSuggestions(document, table, async () => {
    const query = await queryOf(input, document, format);
    const write = (output: Output) =>
      writeRecords(input, { document, query, format: format as Format, output, signal });
    if (out === undefined) return write(await openOutput(input.context));
    if (format === "xlsx") return replaceFile(out, (path) => download({ document, query, path, signal }));
    return replaceFile(out, (path) => writeFile(path, write));
  });
  if (out !== undefined) input.context.err(`Wrote ${count === null ? "" : `${count} records to `}${out}`);
  return 0;
}

interface Work {
  readonly document: ServerDocument;
  readonly query: RecordsQuery;
  readonly format: Format;
  readonly output: Output;
  readonly signal: AbortSignal;
}

/** Returns the number of records. */
async function writeRecords(input: CommandInput, { document, query, format, output, signal }: Work): Promise<number> {
  const escapesFormulas = input.switches.has("escape-formulas");
  const open = async (first: readonly Row[]) => {
    const columns = query.fields ?? (await columnNames(document, query.table, first));
    return createWriter(format, output, { columns, hasId: true, escapesFormulas });
  };
  let writer = null;
  let count = 0;
  for await (const rows of readPages(document, query, signal)) {
    throwIfStopped(signal);
    writer ??= await open(rows);
    count += rows.length;
    if (!(await writer.rows(rows))) return count;
  }
  writer ??= await open([]);
  await writer.end();
  return count;
}

/** The columns of an empty table are not in its records. */
async function columnNames(document: ServerDocument, table: string, [row]: readonly Row[]): Promise<readonly string[]> {
  return row ? Object.keys(row.fields) : (await columnsOf(document, table)).map(({ id }) => id);
}

async function queryOf(input: CommandInput, document: ServerDocument, format: string): Promise<RecordsQuery> {
  const { options, operands, lists } = input;
  const [, table = ""] = operands;
  const booleans = async () => {
    const columns = await columnsOf(document, table);
    return new Set(columns.filter(({ type }) => type === "Bool").map(({ id }) => id));
  };
  return {
    table,
    filter: await filterOf(lists["where"] ?? [], options["filter"], booleans),
    sort: namesOf(options["sort"]),
    fields: namesOf(options["fields"]),
    cellFormat: choiceOf(input, {
      name: "cell-format",
      values: CELL_FORMATS,
      fallback: format === "table" ? "display" : "iso",
    }),
    limit: limitOf(options["limit"]),
  };
}

const namesOf = (text: string | undefined): string[] | undefined => text?.split(",").map((name) => name.trim());

function limitOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,15}$/.test(text)) throw usageError("--limit must be a whole number, such as 20");
  return Number(text);
}

interface Choice<V extends string> {
  readonly name: string;
  readonly values: readonly V[];
  readonly fallback: V;
}

/** Returns the value of an option. @throws CommandFailure for a value that it does not have */
export function choiceOf<V extends string>(input: CommandInput, { name, values, fallback }: Choice<V>): V {
  const text = input.options[name];
  if (text === undefined) return fallback;
  const found = values.find((value) => value === text);
  if (found === undefined) throw usageError(`--${name} must be one of ${values.join(", ")}`);
  return found;
}

function formatOfFile(path: string | undefined): (typeof EXPORT_FORMATS)[number] {
  if (path === undefined) return "csv";
  const found = EXPORT_FORMATS.find((format) => extname(path).toLowerCase() === `.${format}`);
  if (!found)
    throw usageError(
      `--out must end with ${EXPORT_FORMATS.map((each) => `.${each}`).join(", ")}, or --format must name the format`,
    );
  return found;
}

/** Writes a temporary file beside the target, and replaces the target when it is complete. */
async function replaceFile<T>(target: string, write: (path: string) => Promise<T>): Promise<T> {
  const temporary = join(dirname(target), `.${basename(target)}-${temporaryName("part")}`);
  try {
    const result = await write(temporary);
    await rename(temporary, target);
    return result;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function writeFile(path: string, write: (output: Output) => Promise<number>): Promise<number> {
  const sink = Bun.file(path).writer();
  const output: Output = {
    columns: null,
    async write(text) {
      await sink.write(text);
      await sink.flush();
      return true;
    },
  };
  try {
    return await write(output);
  } finally {
    await sink.end();
  }
}

interface Download {
  readonly document: ServerDocument;
  readonly query: RecordsQuery;
  readonly path: string;
  readonly signal: AbortSignal;
}

/** The server writes workbooks, so that cells have the formats of their columns. */
async function download({ document, query, path, signal }: Download): Promise<null> {
  if (query.sort ?? query.fields ?? query.limit) throw usageError("--format xlsx has no --sort, --fields and --limit");
  const params = new URLSearchParams({ tableId: query.table });
  if (query.filter) params.set("filter", JSON.stringify(query.filter));
  const response = await callServer(document.server, `${document.path}/download/xlsx?${params.toString()}`, { signal });
  const sink = Bun.file(path).writer();
  try {
    for await (const chunk of response.body ?? []) {
      await sink.write(chunk);
      await sink.flush();
    }
  } catch {
    throwIfStopped(signal);
    throw new CommandFailure("unavailable", "The server broke off its answer");
  } finally {
    await sink.end();
  }
  return null;
}
