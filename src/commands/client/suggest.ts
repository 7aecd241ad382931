/** "Did you mean" for tables and columns that do not exist. */
import { editDistance } from "../../lib/edit-distance.ts";
import { CommandFailure } from "../command.ts";
import { fetchJson, ServerRefusal } from "./call-server.ts";
import type { ServerDocument } from "./document.ts";
import { printable } from "./printable.ts";

/** Part of a name that may be wrong; longer names have room for more. */
const TOLERANCE = 0.4;
const MAX_LISTED = 20;

/** Returns the ids of the tables that the caller sees. */
export async function tablesOf({ server, path }: ServerDocument): Promise<string[]> {
  const { tables } = await fetchJson<{ tables: { id: string }[] }>(server, `${path}/tables`);
  return tables.map(({ id }) => id);
}

/** A column of a table. */
export interface Column {
  readonly id: string;
  readonly type: string;
}

/** Returns the columns that the caller sees. */
export async function columnsOf({ server, path }: ServerDocument, table: string): Promise<Column[]> {
  const answer = await fetchJson<{ columns: { id: string; fields: { type?: string } }[] }>(
    server,
    `${path}/tables/${encodeURIComponent(table)}/columns`,
  );
  return answer.columns.map(({ id, fields: { type = "Any" } }) => ({ id, type }));
}

/** Runs work on a table, and adds to a refusal because of a name which name may have been meant. */
export async function withSuggestions<T>(document: ServerDocument, table: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServerRefusal) || error.status >= 500) throw error;
    const names = await namesFor(error, document, table).catch(() => null);
    if (!names) throw error;
    throw new CommandFailure("refused", error.message, names);
  }
}

async function namesFor(error: ServerRefusal, document: ServerDocument, table: string): Promise<string[] | null> {
  if (error.reasonCode?.startsWith("table.")) return linesFor("Tables", table, await tablesOf(document));
  if (!error.reasonCode?.startsWith("column.")) return null;
  const columns = await columnsOf(document, table);
  const wrong = /"([^"]+)"/.exec(error.message)?.[1] ?? "";
  return linesFor(
    `Columns of ${printable(table)}`,
    wrong,
    columns.map(({ id }) => id),
  );
}

function linesFor(kind: string, wrong: string, names: readonly string[]): string[] {
  const similar = names.filter((name) => isSimilar(wrong, name));
  if (similar.length > 0) return [`Did you mean ${similar.slice(0, 3).map(printable).join(", ")}?`];
  const more = names.length > MAX_LISTED ? `, … ${names.length - MAX_LISTED} more` : "";
  return names.length === 0 ? [] : [`${kind}: ${names.slice(0, MAX_LISTED).map(printable).join(", ")}${more}`];
}

function isSimilar(wrong: string, name: string): boolean {
  const [one, other] = [wrong.toLowerCase(), name.toLowerCase()];
  return (
    one !== "" && editDistance(one, other) <= Math.max(1, Math.floor(Math.min(one.length, other.length) * TOLERANCE))
  );
}
