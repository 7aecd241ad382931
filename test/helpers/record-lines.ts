import { LINES_PER_TRANSACTION } from "../../src/services/jobs/jobs.ts";
import type { Caller, Reply, TestApp } from "./app.ts";
import type { DocumentFixture } from "./request-steps.ts";

/** Bodies with one record per line, and tables for them. */

export const NDJSON = { "Content-Type": "application/x-ndjson" };

export interface SentLines {
  readonly as?: Caller;
  readonly method?: string;
  readonly query?: string;
}

/** Sends lines to the records of a table. */
export const sendLines = (
  at: TestApp,
  table: string,
  raw: string,
  { as = "owner", method = "POST", query = "" }: SentLines = {},
): Promise<Reply> => at.call(as, method, `${table}/records${query}`, undefined, { raw, headers: NDJSON });

/** The lines of a full transaction. */
export const FULL = LINES_PER_TRANSACTION;

let tables = 0;
/** Creates a table `City, Count, Twice` and returns its path. */
export async function lineTable(at: TestApp, { doc }: Pick<DocumentFixture, "doc">): Promise<string> {
  const id = `T${++tables}`;
  const columns = [
    { id: "City", fields: { type: "Text" } },
    { id: "Count", fields: { type: "Int" } },
    { id: "Twice", fields: { isFormula: true, formula: "$Count * 2" } },
  ];
  await at.must("POST", `${doc}/tables`, { tables: [{ id, columns }] });
  return `${doc}/tables/${id}`;
}

export async function rowsOf(at: TestApp, table: string): Promise<unknown[][]> {
  const { records } = await at.must<{ records: { fields: { City: unknown; Count: unknown; Twice: unknown } }[] }>(
    "GET",
    `${table}/records`,
  );
  return records.map(({ fields }) => [fields.City, fields.Count, fields.Twice]);
}

export const countOf = async (at: TestApp, table: string): Promise<number> => (await rowsOf(at, table)).length;

export const line = (n: number): string => JSON.stringify({ City: `c${n}`, Count: n });
export const lines = (count: number): string[] => Array.from({ length: count }, (_, at) => line(at + 1));
