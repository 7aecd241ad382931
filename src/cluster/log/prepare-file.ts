import { copyFileSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import type { Connection } from "../postgres/connection.ts";
import { type DocumentSnapshot, readDocument } from "../postgres/statements/snapshot.ts";
import type { DivergenceReason } from "../protocol/document-events.ts";
import type { Acknowledged, ContentCount, DatabaseIdentity, LogEntry, LogPosition } from "../protocol/log-types.ts";
import { decideOpening, type LocalFile } from "../protocol/opening.ts";
import { fileMark, type NotedFile, readPositionNote, removePositionNote } from "./position-note.ts";
import { applyTail, DamagedLogError, rebuildFile } from "./rebuild-file.ts";

/** The SQLite file of a document in a data folder, and the note beside it. */
export type DocumentFiles = NotedFile;

/** A document whose file stays open while this node does not own it: the home database. */
export interface KeptOpenDocument {
  /** The last commit. */
  readonly count: ContentCount;
  /** Replaces the file by a finished one. `setAside` is called while it is closed. */
  replace(finished: string, setAside: () => void): void;
}

export interface PrepareOptions {
  readonly connection: Connection;
  readonly doc: string;
  readonly files: DocumentFiles;
  readonly identity: DatabaseIdentity;
  readonly bootId: string;
  /** Where files are kept that must not be used. */
  readonly divergedFolder: string;
  /** Recovers a closed or crashed file into a single one, and returns its change counter; null without a counter. */
  readonly recover: (path: string) => ContentCount | null;
}

export type Preparation =
  | {
      readonly kind: "ready";
      readonly head: LogPosition;
      /** Ownership epoch when the log was read. */
      readonly epoch: number;
      readonly bytesSinceBase: number;
      /** What was done with the local file. */
      readonly how: "used" | "tailApplied" | "rebuilt";
      /** Where a file was set aside that had commits which the log does not have; null for none. */
      readonly setAside: string | null;
      /** True if the file may have acknowledged commits that the log lost in a failover: see `decideOpening`. */
      readonly mayHaveLost: boolean;
    }
  | { readonly kind: "diverged"; readonly reason: DivergenceReason };

/** The local file has all that was acknowledged, and nothing else. */
const COMPLETE = { setAside: null, mayHaveLost: false } as const;
const NOTHING_LOST = { setAside: false, mayHaveLost: false } as const;

/**
 * Gives the local file of a document the content at the head of its log. The caller owns the document, or is a replica,
 * and nothing has the file open.
 */
export async function prepareFile(options: PrepareOptions): Promise<Preparation> {
  const { connection, doc } = options;
  const local = readLocal(options);
  try {
    const prepared = await readDocument(connection, doc, (snapshot) => prepareFrom(snapshot, local, options));
    return prepared ?? { kind: "diverged", reason: "documentMissing" };
  } catch (error) {
    if (error instanceof DamagedLogError) return { kind: "diverged", reason: "chainMismatch" };
    throw error;
  }
}

/**
 * As `prepareFile`, for a document that stays open and is not written to meanwhile. Its file is replaced unless it has the
 * content at the head.
 */
export async function prepareOpenFile(options: PrepareOptions, open: KeptOpenDocument): Promise<Preparation> {
  const { connection, doc, files, identity, divergedFolder } = options;
  const note = readPositionNote(files.notePath);
  const local = {
    count: open.count,
    isIntact: true,
    acknowledged: note?.acknowledged ?? null,
    identity: note?.identity ?? null,
  };
  const prepared = await readDocument(connection, doc, async (snapshot): Promise<Preparation> => {
    const { head, epoch } = snapshot.state;
    const entries = await entriesOf(snapshot);
    const atLocal = await entries(local.count.seq);
    const atAcknowledged = await entries(local.acknowledged?.seq ?? null);
    const decision = decideOpening(local, { head, identity, atLocal, atAcknowledged });
    if (decision.kind === "diverged") return decision;
    const bytesSinceBase = await snapshot.bytesSinceBase();
    if (decision.kind === "use") {
      return { kind: "ready", head: await positionAt(entries, head), epoch, bytesSinceBase, how: "used", ...COMPLETE };
    }
    if (!snapshot.base) throw new DamagedLogError("The log has no base");
    const finished = `${files.path}.next`;
    const reached = await rebuildFile(snapshot, snapshot.base, finished);
    if (reached.seq !== head) throw new DamagedLogError(`The log ends at row ${reached.seq}`);
    const { setAside: isAhead, mayHaveLost } = decision.kind === "rebuild" ? decision : NOTHING_LOST;
    let setAside: string | null = null;
    open.replace(finished, () => {
      if (isAhead) setAside = moveAside(files, { doc, divergedFolder });
    });
    return { kind: "ready", head: reached, epoch, bytesSinceBase, how: "rebuilt", setAside, mayHaveLost };
  });
  return prepared ?? { kind: "diverged", reason: "documentMissing" };
}

async function prepareFrom(
  snapshot: DocumentSnapshot,
  local: LocalFile | null,
  options: PrepareOptions,
): Promise<Preparation> {
  const { files, identity, divergedFolder, doc } = options;
  const { head, epoch } = snapshot.state;
  const entries = await entriesOf(snapshot);
  const decision = decideOpening(local, {
    head,
    identity,
    atLocal: await entries(local?.count?.seq ?? null),
    atAcknowledged: await entries(local?.acknowledged?.seq ?? null),
  });
  const bytesSinceBase = await snapshot.bytesSinceBase();
  if (decision.kind === "diverged") return decision;
  if (decision.kind === "use") {
    return { kind: "ready", head: await positionAt(entries, head), epoch, bytesSinceBase, how: "used", ...COMPLETE };
  }
  if (decision.kind === "applyTail") {
    const reached = await tryToApplyTail(snapshot, files, await positionAt(entries, decision.after));
    if (reached?.seq === head)
      return { kind: "ready", head: reached, epoch, bytesSinceBase, how: "tailApplied", ...COMPLETE };
  }
  const { setAside: isAhead, mayHaveLost } = decision.kind === "rebuild" ? decision : NOTHING_LOST;
  const setAside = isAhead ? moveAside(files, { doc, divergedFolder }) : null;
  return { ...(await rebuild(snapshot, options)), epoch, bytesSinceBase, setAside, mayHaveLost };
}

/** Returns null when a base has replaced the rows. */
async function tryToApplyTail(
  snapshot: DocumentSnapshot,
  { path, notePath }: DocumentFiles,
  from: LogPosition,
): Promise<LogPosition | null> {
  // A crash from here on leaves a file that is not intact.
  removePositionNote(notePath);
  try {
    return await applyTail(snapshot, path, from);
  } catch (error) {
    if (error instanceof DamagedLogError) return null;
    throw error;
  }
}

async function rebuild(snapshot: DocumentSnapshot, { files }: PrepareOptions) {
  if (!snapshot.base) throw new DamagedLogError("The log has no base");
  removePositionNote(files.notePath);
  const head = await rebuildFile(snapshot, snapshot.base, files.path);
  if (head.seq !== snapshot.state.head) throw new DamagedLogError(`The log ends at row ${head.seq}`);
  return { kind: "ready", head, how: "rebuilt" } as const;
}

function readLocal({ files, bootId, recover }: PrepareOptions): LocalFile | null {
  const note = readPositionNote(files.notePath);
  if (!existsSync(files.path)) {
    // The folder still knows what was acknowledged: the log must not be behind.
    return note && { count: null, isIntact: false, acknowledged: note.acknowledged, identity: note.identity };
  }
  const isIntact =
    note !== null && (note.isClean || note.bootId === bootId) && note.file === fileMark(files.path, note);
  let count: ContentCount | null = null;
  let acknowledged: Acknowledged | null = null;
  try {
    count = recover(files.path);
  } catch {
    // A file that cannot be read is rebuilt, and set aside before.
  }
  if (note) ({ acknowledged } = note);
  return { count, isIntact: isIntact && count !== null, acknowledged, identity: note?.identity ?? null };
}

type Entries = (seq: number | null) => Promise<LogEntry>;

/** Returns a function that finds what the log holds at a seq. */
async function entriesOf(snapshot: DocumentSnapshot): Promise<Entries> {
  const bases = await snapshot.bases();
  const oldest = bases[0]?.seq ?? Infinity;
  return async (seq) => {
    if (seq === null) return { kind: "absent" };
    const row = await snapshot.row(seq);
    if (row) return { kind: "found", checksum: hex(row.checksum), contentEpoch: row.contentEpoch };
    const base = bases.find((candidate) => candidate.seq === seq);
    if (base) return { kind: "found", checksum: hex(base.chain), contentEpoch: base.contentEpoch };
    return { kind: seq < oldest ? "pruned" : "absent" };
  };
}

async function positionAt(entries: Entries, seq: number): Promise<LogPosition> {
  const entry = await entries(seq);
  if (entry.kind !== "found") throw new DamagedLogError(`The log has no row ${seq}`);
  return { seq, checksum: entry.checksum };
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/**
 * Moves a file with its write-ahead log to the folder of diverged files, and returns its new path; null when it is
 * missing. The note stays, so that the folder still knows what was acknowledged.
 */
export function moveAside(
  { path, notePath }: DocumentFiles,
  { doc, divergedFolder }: { doc: string; divergedFolder: string },
): string | null {
  if (!existsSync(path)) return null;
  const folder = join(divergedFolder, doc, new Date().toISOString().replaceAll(/[:.]/g, "-"));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (existsSync(notePath)) copyFileSync(notePath, join(folder, basename(notePath)));
  for (const from of [path, `${path}-wal`]) if (existsSync(from)) renameSync(from, join(folder, basename(from)));
  return join(folder, basename(path));
}
