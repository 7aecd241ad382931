import { CommandFailure } from "../command.ts";
import { fetchJson, ServerRefusal } from "./call-server.ts";
import type { ServerDocument } from "./document.ts";
import type { Row } from "./formats.ts";
import { pause } from "./output.ts";

export interface RecordsQuery {
  readonly table: string;
  readonly filter: Record<string, unknown> | null;
  readonly sort: readonly string[] | undefined;
  readonly fields: readonly string[] | undefined;
  readonly cellFormat: string;
  /** The maximum number of records; null for all. */
  readonly limit: number | null;
}

/** Of a page of records, which is all that is in memory. */
const PAGE_ROWS = 2000;
/** A page is read again when the server cannot be reached for a moment. */
const RETRY_DELAYS_MS = [500, 1000, 2000, 4000];

/** Reads records page by page, by a cursor: each record that does not change meanwhile is on exactly one page. */
export async function* readPages(
  document: ServerDocument,
  { table, limit, filter, ...query }: RecordsQuery,
  signal: AbortSignal,
): AsyncGenerator<readonly Row[]> {
  const path = `${document.path}/tables/${encodeURIComponent(table)}/records/list`;
  let left = limit ?? Infinity;
  // A cursor belongs to the parameters that it began with, of which the number of rows of a page is one.
  const size = Math.min(PAGE_ROWS, left);
  for (let cursor: string | null = "start"; cursor !== null && left > 0;) {
    const body: unknown = { ...query, ...(filter && { filter }), limit: size, cursor };
    // oxlint-disable-next-line no-await-in-loop -- each page has the cursor of the next one
    const page: Page = await readPage(document, { path, body, signal, canRetry: cursor !== "start" });
    const rows = page.records.slice(0, left);
    left -= rows.length;
    cursor = page.next;
    yield rows;
  }
}

interface Page {
  readonly records: Row[];
  readonly next: string | null;
}

interface PageRequest {
  readonly path: string;
  readonly body: unknown;
  readonly signal: AbortSignal;
  /** False for the first page: a person who mistyped the address should not wait. */
  readonly canRetry: boolean;
}

async function readPage({ server }: ServerDocument, { path, body, signal, canRetry }: PageRequest): Promise<Page> {
  for (const delay of [...(canRetry ? RETRY_DELAYS_MS : []), null]) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- attempts follow each other
      return await fetchJson<Page>(server, path, { method: "POST", body, signal });
    } catch (error) {
      if (delay === null || !isTemporary(error)) throw error;
      // oxlint-disable-next-line no-await-in-loop -- waits between attempts
      await pause(delay, signal);
    }
  }
  throw new CommandFailure("unavailable", "The server does not answer");
}

const isTemporary = (error: unknown): boolean =>
  (error instanceof CommandFailure && error.code === "unavailable" && error.exitStatus === 3) ||
  (error instanceof ServerRefusal && error.exitStatus === 3);
