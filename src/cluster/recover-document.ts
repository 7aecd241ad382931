/** The decision of an administrator about a document whose log went backwards. */
import { copyFileSync, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { AppError } from "../errors.ts";
import { randomHex } from "../lib/ids.ts";
import { silentLog } from "../lib/observability/log.ts";
import { temporaryName } from "../lib/temporary-names.ts";
import { systemTimers } from "../lib/time/timers.ts";
import { writeBase } from "./log/base-writer.ts";
import { chainedChecksum } from "./log/checksum-chain.ts";
import { readInOwnProcess } from "./log/file-reader.ts";
import { removePositionNote } from "./log/position-note.ts";
import type { DocumentFiles } from "./log/prepare-file.ts";
import { listUndecided, markDecided, readUndecided } from "./log/undecided.ts";
import { divergedFolderOf, readInstallationId } from "./log-folder.ts";
import { NodeSession, readBootId } from "./node/node-session.ts";
import { LogDatabase } from "./postgres/log-database.ts";
import { pointToBase } from "./postgres/statements/bases.ts";
import { renewHistory } from "./postgres/statements/identity.ts";
import {
  acquireDocument,
  createDocument,
  readDocumentState,
  releaseDocument,
} from "./postgres/statements/ownership.ts";
import { type ContentCount, LOG_START } from "./protocol/log-types.ts";

export interface RecoverOptions {
  readonly url: string;
  /** The data folder. */
  readonly folder: string;
  readonly doc: string;
  /** Which content the document has from now on. */
  readonly keeps: "local" | "log";
  readonly version: string;
  /** The document's place in the data folder. */
  readonly files: DocumentFiles;
  /** Recovers a closed or crashed file into a single one, and returns its change counter; null without a counter. */
  readonly recover: (path: string) => ContentCount | null;
  /** Gives a closed file the number `seq`, and returns its count. */
  readonly prepare: (path: string, seq: number) => ContentCount;
}

export interface Recovery {
  readonly doc: string;
  readonly keeps: "local" | "log";
  /** The file that was set aside, and stays there. */
  readonly keptAs: string;
  /** Number of the commit that the document has now. */
  readonly seq: number;
}

/**
 * Ends the divergence of a document: its log gets the kept file as a new base under a new epoch, or stays as it is. The
 * next request opens the document from the log. Deletes nothing. May run beside the server, except for the home database.
 * @throws AppError with one sentence; then the document is as undecided as before
 */
export async function recoverDocument(options: RecoverOptions): Promise<Recovery> {
  const { url, folder, doc, keeps, files } = options;
  const diverged = divergedFolderOf(folder);
  const undecided = readUndecided(diverged, doc);
  if (!undecided) throw new AppError("notFound", notUndecided(doc, listUndecided(diverged)));
  const id = readInstallationId(folder);
  if (id === null) throw new AppError("notFound", `the documents of ${folder} are not in a replicated log`);
  const keptAs = undecided.keptAs ?? files.path;
  await using database = await LogDatabase.open(url, { installation: { id, historyId: randomHex(8) } });
  const seq = keeps === "local" ? await publishKept(database, options, keptAs) : await headOf(database, doc);
  // Copies of other folders from before the decision are compared with care.
  await renewHistory(await database.control(), randomHex(8));
  // The next opening must not require the lost commits of the log.
  removePositionNote(files.notePath);
  markDecided(diverged, doc);
  return { doc, keeps, keptAs, seq };
}

function notUndecided(doc: string, undecided: readonly string[]): string {
  const others = undecided.length > 0 ? `; documents that need a decision: ${undecided.join(", ")}` : "";
  return `document ${doc} needs no decision${others}`;
}

async function headOf(database: LogDatabase, doc: string): Promise<number> {
  const state = await readDocumentState(await database.control(), doc);
  if (!state || state.baseSeq === null || state.deletedAtMs !== null) {
    throw new AppError("notFound", `the log has no content of document ${doc}; use --keep-local`);
  }
  return state.head;
}

/** Publishes a copy of the kept file, and returns the number of its content. */
async function publishKept(database: LogDatabase, options: RecoverOptions, keptAs: string): Promise<number> {
  const { folder, doc, version, recover, prepare } = options;
  if (!existsSync(keptAs)) throw new AppError("notFound", `the kept file ${keptAs} does not exist; use --keep-log`);
  const copy = join(folder, "tmp", temporaryName("recover"));
  await using session = await NodeSession.start({
    database,
    address: null,
    version,
    bootId: readBootId(),
    timers: systemTimers,
    log: silentLog,
    onValidity() {},
    onLost() {},
    onRegistered() {},
  });
  try {
    mkdirSync(dirname(copy), { recursive: true, mode: 0o700 });
    for (const suffix of ["", "-wal"]) if (existsSync(keptAs + suffix)) copyFileSync(keptAs + suffix, copy + suffix);
    const local = recover(copy);
    const { node, epoch, head } = await acquire(database, doc, session);
    const count = prepare(copy, Math.max(head, local?.seq ?? 0) + 1);
    const { seq, epoch: contentEpoch } = count;
    const held = { count, bytes: statSync(copy).size, read: () => readInOwnProcess(copy) };
    const { fileChecksum, ...written } = await writeBase(database, doc, held);
    const chain = Buffer.from(chainedChecksum(LOG_START.checksum, { epoch, seq, contentEpoch, bytes: null }), "hex");
    const base = { ...written, epoch, checksum: fileChecksum, chain };
    const connection = await database.forDocument(doc);
    const outcome = await pointToBase(connection, { doc, node, base, advanceFrom: head });
    if (outcome.kind === "unknown") {
      throw new AppError("log.unavailable", `PostgreSQL did not confirm the change (${outcome.message}); try again`);
    }
    await releaseDocument(await database.control(), { doc, node, epoch });
    return seq;
  } finally {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(copy + suffix, { force: true });
  }
}

async function acquire(
  database: LogDatabase,
  doc: string,
  session: NodeSession,
): Promise<{ node: string; epoch: number; head: number }> {
  const connection = await database.control();
  await createDocument(connection, { doc });
  const node = session.id ?? "";
  const outcome = await acquireDocument(connection, { doc, node });
  if (outcome.kind === "acquired") return { node, epoch: outcome.state.epoch, head: outcome.state.head };
  if (outcome.kind === "deleted") throw new AppError("notFound", `document ${doc} was permanently deleted`);
  throw new AppError("unavailable", `A server has document ${doc} open; try again in some seconds`);
}
