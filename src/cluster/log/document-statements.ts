import type { Timers } from "../../lib/time/timers.ts";
import type { LogDatabase } from "../postgres/log-database.ts";
import { appendRows, MAX_APPENDED_ROWS, type AppendOutcome } from "../postgres/statements/appends.ts";
import { pointToBase } from "../postgres/statements/bases.ts";
import { type EntryAtSeq, readHead } from "../postgres/statements/heads.ts";
import { pruneDocument } from "../postgres/statements/retention.ts";
import type { LogEntry } from "../protocol/log-types.ts";
import type { DocumentStatements, PendingRow } from "./document-log.ts";
import type { WrittenBase } from "./base-writer.ts";

export interface DocumentStatementsOptions {
  readonly database: LogDatabase;
  readonly doc: string;
  /** The owner. */
  readonly node: string;
  /** Ownership epoch. */
  readonly epoch: number;
  readonly retentionMs: number;
  readonly timers: Timers;
  /** Returns what was written under the reference of a base. */
  readonly writtenBase: (ref: string) => WrittenBase;
  /** When deliveries of the document are due, in milliseconds since the epoch; null for never. */
  readonly dueAtMs: () => number | null;
}

/** A statement without a clean answer: its outcome is unknown. */
class UnknownOutcomeError extends Error {}

/** How long PostgreSQL may take to answer before the outcome counts as unknown, and the connection is closed. */
const DEADLINE_MS = 10_000;
/** Bases and pruning may wait for disks. */
const BULK_DEADLINE_MS = 60_000;

/** Creates the statements of one owned document. */
export function documentStatements(options: DocumentStatementsOptions): DocumentStatements {
  const { database, doc, node, epoch } = options;
  const append = async (rows: readonly PendingRow[]): Promise<void> => {
    const connection = await database.forDocument(doc);
    const logRows = rows.map(({ seq, contentEpoch, bytes, checksum }) => ({
      seq,
      contentEpoch,
      frames: bytes,
      checksum: fromHex(checksum),
    }));
    const dueAtMs = options.dueAtMs();
    requireDone(
      await appendRows(connection, { doc, node, epoch, rows: logRows, dueAtMs }, { deadlineMs: DEADLINE_MS }),
    );
  };
  return {
    async append(rows) {
      for (let from = 0; from < rows.length; from += MAX_APPENDED_ROWS) {
        await append(rows.slice(from, from + MAX_APPENDED_ROWS));
      }
    },
    async readHead(acknowledged) {
      const connection = await database.forDocument(doc);
      const found = await readHead(connection, { doc, seq: acknowledged.seq }, { deadlineMs: DEADLINE_MS });
      if (!found) return null;
      const { epoch, node, head, checksum, atSeq } = found;
      return { epoch, node, head, checksum: checksum && toHex(checksum), atAcknowledged: entryOf(atSeq) };
    },
    async pointBase({ ref, seq, checksum }, advanceFrom) {
      const connection = await database.forDocument(doc);
      const { contentEpoch, sizeBytes, chunks, storedBytes, fileChecksum } = options.writtenBase(ref);
      const image = { sizeBytes, chunks, storedBytes, checksum: fileChecksum, chain: fromHex(checksum) };
      const base = { ref, seq, epoch, contentEpoch, ...image };
      const change = { doc, node, base, advanceFrom, dueAtMs: options.dueAtMs() };
      requireDone(await pointToBase(connection, change, { deadlineMs: BULK_DEADLINE_MS }));
    },
    async prune() {
      const connection = await database.bulk();
      await pruneDocument(connection, doc, options, { deadlineMs: BULK_DEADLINE_MS });
    },
  };
}

function entryOf(entry: EntryAtSeq): LogEntry {
  return entry.kind === "found" ? { ...entry, checksum: toHex(entry.checksum) } : entry;
}

function requireDone(outcome: AppendOutcome): void {
  if (outcome.kind === "unknown") throw new UnknownOutcomeError(`${outcome.cause}: ${outcome.message}`);
}

const fromHex = (text: string): Uint8Array => Buffer.from(text, "hex");
const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
