/** A log in an empty database, and rows for it. */
import { parseLogUrl } from "../../../src/cluster/postgres/log-url.ts";
import { connect } from "../../../src/cluster/postgres/connect.ts";
import type { Connection, RunOptions, Session } from "../../../src/cluster/postgres/connection.ts";
import { openTables } from "../../../src/cluster/postgres/tables.ts";
import type { Append, LogRow } from "../../../src/cluster/postgres/statements/appends.ts";
import type { BaseHeader } from "../../../src/cluster/postgres/statements/bases.ts";
import { readHead } from "../../../src/cluster/postgres/statements/heads.ts";
import { registerNode } from "../../../src/cluster/postgres/statements/nodes.ts";
import { acquireDocument, createDocument } from "../../../src/cluster/postgres/statements/ownership.ts";
import { createDatabase } from "../../helpers/postgres.ts";

export const INSTALLATION = { id: "installation-1", historyId: "history-1" } as const;

export interface TestLog extends AsyncDisposable {
  readonly url: string;
  readonly connection: Connection;
  /** Opens another connection; closed with the log. */
  open(): Promise<Connection>;
}

/** Creates a database with the tables of the log. */
export async function createTestLog(url?: string): Promise<TestLog> {
  const address = url ?? (await createDatabase());
  const connections: Connection[] = [];
  const open = async () => {
    const connection = await connect(parseLogUrl(address));
    connections.push(connection);
    return connection;
  };
  const connection = await open();
  await openTables(connection, INSTALLATION);
  return {
    url: address,
    connection,
    open,
    async [Symbol.asyncDispose]() {
      for (const one of connections) if (one.isOpen) await one.close();
    },
  };
}

/** Registers a node with a lease of an hour. */
export async function addNode(connection: Connection, id: string, { leaseMs = 3_600_000 } = {}): Promise<string> {
  await registerNode(connection, { id, address: `http://${id}:8080`, version: "1.0.0", boot: "boot-1" }, { leaseMs });
  return id;
}

/** Creates a document that the node owns, under epoch 1. */
export async function addDocument(connection: Connection, { doc = "doc-1", node = "node-1" } = {}): Promise<void> {
  await createDocument(connection, { doc });
  const { kind } = await acquireDocument(connection, { doc, node });
  if (kind !== "acquired") throw new Error(`not acquired: ${kind}`);
}

/** Ends the lease of a node as time would. */
export async function expireLease(connection: Connection, node: string): Promise<void> {
  const text = "update quern.node set lease_until = clock_timestamp() - interval '1 second' where id = $1";
  await connection.run({ name: "test_expire", text }, [node]);
}

/** Runs any SQL. */
export async function sql<Row>(connection: Connection, text: string, values: string[] = []): Promise<readonly Row[]> {
  const name = `test_${Bun.hash(text)}`;
  return (await connection.run<Row>({ name, text }, values)).rows;
}

/** A row with content and checksum that depend on its number and `token`. */
export function logRow(seq: number, token = "", sizeBytes = 100): LogRow {
  const text = `${seq} ${token} `;
  const frames = new TextEncoder().encode(text.repeat(Math.ceil(sizeBytes / text.length)));
  return { seq, contentEpoch: "content-1", frames, checksum: Bun.SHA256.hash(frames) as Uint8Array };
}

export const logRows = (first: number, last: number, token = ""): LogRow[] =>
  Array.from({ length: last - first + 1 }, (_, i) => logRow(first + i, token));

export const baseHeader = (base: Partial<BaseHeader> & { readonly seq: number }): BaseHeader => ({
  ref: `base-${base.seq}`,
  epoch: 1,
  contentEpoch: "content-1",
  sizeBytes: 2,
  chunks: 2,
  storedBytes: 2,
  checksum: new Uint8Array([1]),
  chain: new Uint8Array([2]),
  ...base,
});

/** Collects what an iterator yields. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Waits until a server process waits for a lock. */
export async function untilWaiting(connection: Connection, id: number): Promise<void> {
  const text = `select 1 from pg_stat_activity where pid = ${id} and wait_event_type = 'Lock'`;
  while ((await sql(connection, text)).length === 0) await Bun.sleep(5);
}

/** What `resolveAppend` finds. */
export type Resolution =
  /** The rows are in the log. */
  | { readonly kind: "appended" }
  /** The rows are not in the log, and the caller still owns the document: send them again. */
  | { readonly kind: "missing" }
  /** The caller no longer owns the document; the rows are not in the log. */
  | { readonly kind: "fenced"; readonly epoch: number; readonly head: number }
  /** The log has something else in this place under the same epoch, or is behind: it went back in time. */
  | { readonly kind: "conflict"; readonly epoch: number; readonly head: number };

/**
 * Finds out whether rows of unknown outcome are in the log, by the last of them: one statement appends all or none.
 * A row with the caller's checksum is proof even under a later epoch, since the checksum is chained over the epoch.
 * @throws StatementError, ConnectionLostError: resolve again
 */
export async function resolveAppend(
  session: Session,
  { doc, node, epoch, rows }: Pick<Append, "doc" | "node" | "epoch" | "rows">,
  options: RunOptions = {},
): Promise<Resolution> {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) throw new Error("an append needs rows");
  const found = await readHead(session, { doc, seq: last.seq }, options);
  if (!found) return { kind: "conflict", epoch: 0, head: 0 };
  const { atSeq } = found;
  if (atSeq.kind === "found" && Buffer.compare(atSeq.checksum, last.checksum) === 0) return { kind: "appended" };
  const place = { epoch: found.epoch, head: found.head };
  if (found.epoch > epoch || (found.epoch === epoch && found.node !== node)) return { kind: "fenced", ...place };
  return found.epoch === epoch && found.head === first.seq - 1 ? { kind: "missing" } : { kind: "conflict", ...place };
}
