import { closeSync, openSync } from "node:fs";
import { syncToDisk } from "../../lib/sync-to-disk.ts";
import { applyPageSet, decodePageSet } from "../../sqlite/wal/page-set.ts";
import { chainedChecksum } from "../log/checksum-chain.ts";
import { type NotedFile, PositionNoteWriter, readPositionNote, removePositionNote } from "../log/position-note.ts";
import { type KeptOpenDocument, type PrepareOptions, prepareFile, prepareOpenFile } from "../log/prepare-file.ts";
import { HOME, type HomeConnection } from "../local-documents.ts";
import type { LogDatabase } from "../postgres/log-database.ts";
import { readIdentity } from "../postgres/statements/identity.ts";
import { readRows, type StoredLogRow } from "../postgres/statements/snapshot.ts";
import { type DatabaseIdentity, LOG_START, type LogPosition } from "../protocol/log-types.ts";

export interface ReplicaFileOptions extends Pick<PrepareOptions, "files" | "bootId" | "divergedFolder" | "recover"> {
  readonly database: LogDatabase;
  /** Returns the open database; null before it is opened. */
  readonly keptOpen: () => KeptOpenDocument | null;
}

/** More rows than this are not applied while requests wait: the file is built beside the open one. */
const MAX_TAIL_ROWS = 2000;

/** The log has no content with it. */
const NO_COUNT = { epoch: "", seq: 0 };

/** The file of home on a node that does not own it, with the note beside it. */
export class ReplicaFile {
  readonly #options: ReplicaFileOptions;
  #position: LogPosition = LOG_START;
  #note: PositionNoteWriter | null = null;
  #isTorn = false;

  constructor(options: ReplicaFileOptions) {
    this.#options = options;
  }

  /** The commit whose content the file has. */
  get position(): LogPosition {
    return this.#position;
  }

  /** True when the file has to be built again: applying changes to it has failed. */
  get isTorn(): boolean {
    return this.#isTorn;
  }

  /** Gives the closed file the content at the head of the log. @returns false if the log lost acknowledged commits */
  prepare(): Promise<boolean> {
    return this.#prepare(prepareFile);
  }

  /** As `prepare`, for the open file, which may have commits that the log does not have. */
  async align(): Promise<boolean> {
    const open = this.#options.keptOpen();
    if (!open) return false;
    const count = this.#isTorn ? NO_COUNT : open.count;
    return this.#prepare((options) => prepareOpenFile(options, { ...open, count }));
  }

  /**
   * Applies the rows up to a head to the open file, which has the content of `position`.
   * @returns false when they do not continue it: a base replaces them, or the file has another content
   */
  async applyTail(connection: HomeConnection, head: number): Promise<boolean> {
    const tail = await readTail(this.#options.database, this.#position, head);
    // A command beside the server may have written to the file.
    if (!tail || connection.log.collect().length > 0) return false;
    connection.replaceContent((path) => {
      this.#note?.markChanging();
      this.#isTorn = true;
      applyRows(path, tail.rows);
      this.#isTorn = false;
    });
    this.#position = tail.reached;
    this.#note?.acknowledge({ ...tail.reached, epoch: tail.epoch });
    return true;
  }

  /** Call when the file is closed. */
  markClean(): void {
    syncToDisk(this.#options.files.path);
    this.#note?.markClean();
  }

  async #prepare(prepare: (options: PrepareOptions) => ReturnType<typeof prepareFile>): Promise<boolean> {
    const { database, files, bootId, divergedFolder, recover } = this.#options;
    const connection = await database.heads();
    const identity = await readIdentity(connection);
    const attempt = () => prepare({ connection, doc: HOME, files, identity, bootId, divergedFolder, recover });
    let prepared = await attempt();
    if (prepared.kind === "diverged" && isDecided(files, identity)) {
      removePositionNote(files.notePath);
      prepared = await attempt();
    }
    if (prepared.kind === "diverged") return false;
    this.#isTorn = false;
    this.#position = prepared.head;
    // The epoch of the last owner is not known here, and is not needed.
    this.#note = new PositionNoteWriter(files, {
      bootId,
      acknowledged: { ...prepared.head, epoch: 0 },
      identity,
    });
    return true;
  }
}

/** True when an operator has decided since the note was written: this replica follows, and its file is set aside. */
function isDecided({ notePath }: NotedFile, { historyId }: DatabaseIdentity): boolean {
  const note = readPositionNote(notePath);
  return note !== null && note.identity.historyId !== historyId;
}

interface Tail {
  readonly rows: readonly StoredLogRow[];
  readonly reached: LogPosition;
  /** Ownership epoch of the last row. */
  readonly epoch: number;
}

/** Returns null when the rows do not lead from a position to a head. */
async function readTail(database: LogDatabase, from: LogPosition, head: number): Promise<Tail | null> {
  if (head < from.seq || head - from.seq > MAX_TAIL_ROWS) return null;
  const rows: StoredLogRow[] = [];
  let reached = from;
  for await (const row of readRows(await database.heads(), HOME, from.seq)) {
    const { seq, epoch, contentEpoch, frames, checksum } = row;
    const expected = chainedChecksum(reached.checksum, { epoch, seq, contentEpoch, bytes: frames });
    const isNext = seq === reached.seq + 1 && Buffer.from(checksum).toString("hex") === expected;
    if (!isNext) return null;
    reached = { seq, checksum: expected };
    rows.push(row);
  }
  const epoch = rows.at(-1)?.epoch;
  return epoch !== undefined && reached.seq >= head ? { rows, reached, epoch } : null;
}

/** Applies rows to the closed file. A crash meanwhile leaves a mixture. */
function applyRows(path: string, rows: readonly StoredLogRow[]): void {
  const file = openSync(path, "r+");
  try {
    for (const { frames } of rows) applyPageSet(file, decodePageSet(frames));
  } finally {
    closeSync(file);
  }
}
