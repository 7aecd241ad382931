import { statSync } from "node:fs";
import { guarded } from "../../lib/callbacks.ts";
import type { CheckpointMode, CommitHook, Database } from "../database.ts";
import type { ChangeCount } from "./commit-count.ts";
import { PageSetEncoder } from "./page-set.ts";
import { type WalRead, WalReader } from "./wal-reader.ts";

/** A commit, as it is appended to a replicated log. */
export interface LoggedCommit {
  readonly count: ChangeCount;
  /** The encoded pages; null when the log cannot continue with them and needs a copy of the file instead. */
  readonly bytes: Uint8Array<ArrayBuffer> | null;
}

/** A change counter, which takes part in transactions. */
export interface CommitCounter extends CommitHook {
  readonly counts: ChangeCount | null;
  /** Returns false when another connection has committed since the last commit or read of the counter. */
  isCurrent(): boolean;
  /** Reads the counter from the file. */
  refresh(): void;
  /** Advances the counter at the end of the current transaction, whether or not that changed anything. */
  advance(): void;
}

export interface CommitLogOptions {
  /** Opened with `keepsLog`. */
  readonly db: Database;
  readonly counter: CommitCounter;
  /** Called after each commit of the connection, before the transaction returns. */
  readonly onCommit: (commit: LoggedCommit) => void;
}

/** A file that can be copied page by page, because it does not change while checkpoints are held. */
export interface HeldFile {
  /** The commit whose content it has. */
  readonly count: ChangeCount;
  readonly bytes: number;
}

/** How long `hold` waits for snapshots of older contents to end. */
const HOLD_WAIT_MS = 20;
/** Above this size the log is moved into the file with the next commit: as SQLite's own default. */
const AUTOCHECKPOINT_BYTES = 1000 * 4096;

/**
 * Reports the commits of a database's own connection with their pages. It is the only one that runs checkpoints, after
 * everything in the write-ahead log was read.
 */
export class CommitLog implements CommitHook, Disposable {
  readonly #options: CommitLogOptions;
  readonly #reader: WalReader;
  readonly #encoder = new PageSetEncoder();
  /** The last commit that was reported, or found when the database was opened. */
  #reported: ChangeCount | null;
  /** State of the file while checkpoints are held. */
  #held: string | null = null;

  constructor(options: CommitLogOptions) {
    this.#options = { ...options, onCommit: guarded(options.onCommit) };
    this.#reader = new WalReader(options.db.path);
    this.#reported = options.counter.counts;
    options.db.setCommitHook(this);
  }

  onBegin(): void {
    const { counter } = this.#options;
    counter.onBegin();
    // Another thread that had the document open reports its own commits.
    if (counter.isCurrent()) return;
    this.#skip();
    counter.refresh();
    this.#reported = counter.counts;
  }

  beforeCommit(): void {
    this.#options.counter.beforeCommit();
  }

  onCommit(): void {
    this.#options.counter.onCommit();
    this.#report();
    if (this.#reader.logBytes > AUTOCHECKPOINT_BYTES) this.#tryToCheckpoint();
  }

  #tryToCheckpoint(): void {
    try {
      this.checkpoint("passive");
    } catch {
      // As SQLite does: the commit is durable in the log, and the next one tries again.
    }
  }

  /** Reports that the file was replaced or changed other than by a commit. */
  reportReplaced(): void {
    const { counts } = this.#options.counter;
    if (counts) this.#emit(counts, null);
  }

  /** As `Database.checkpoint`; does nothing while checkpoints are held. */
  checkpoint(mode: CheckpointMode, options: { waitMs?: number } = {}): boolean {
    if (this.#held !== null) return false;
    this.#report();
    const isComplete = this.#options.db.checkpoint(mode, options);
    this.#reader.checkpointed();
    return isComplete;
  }

  /** True while checkpoints are held. */
  get isHeld(): boolean {
    return this.#held !== null;
  }

  /**
   * Moves the log into the file and holds further checkpoints, so that the file does not change until `release`. Reads
   * and commits continue. Null while a snapshot needs an older content of the file.
   */
  hold(): HeldFile | null {
    const { db, counter } = this.#options;
    if (!this.checkpoint("full", { waitMs: HOLD_WAIT_MS })) return null;
    const { counts } = counter;
    if (!counts) return null;
    this.#held = fileState(db.path);
    const [[pages, pageSize] = []] = db.values("select page_count, page_size from pragma_page_count, pragma_page_size");
    return { count: { epoch: counts.epoch, seq: counts.seq }, bytes: Number(pages) * Number(pageSize) };
  }

  /** Ends `hold`. Returns whether the file was held, and has not changed. Idempotent. */
  release(): boolean {
    const held = this.#held;
    this.#held = null;
    return held !== null && held === fileState(this.#options.db.path);
  }

  [Symbol.dispose](): void {
    this.#reader[Symbol.dispose]();
  }

  #report(): void {
    const read = this.#read();
    if (read.kind === "none") return;
    const { counts } = this.#options.counter;
    if (!counts || isSame(counts, this.#reported)) this.#advance();
    else this.#emit(counts, this.#encode(read));
  }

  #encode(read: WalRead): LoggedCommit["bytes"] {
    if (read.kind === "pages") return this.#encoder.encode(read.pages);
    this.#encoder.clear();
    return null;
  }

  /** Continues after the last commit. */
  #skip(): void {
    this.#reader.skip();
    this.#encoder.clear();
  }

  #read(): WalRead {
    try {
      return this.#reader.read();
    } catch {
      // The commit is durable in the file.
      return { kind: "discontinuity" };
    }
  }

  /** Something was written outside of a transaction of `Database`, or in one that changed no rows. */
  #advance(): void {
    const { db, counter } = this.#options;
    if (db.inTransaction) return;
    db.exec("begin immediate");
    try {
      counter.onBegin();
      counter.advance();
      counter.beforeCommit();
      db.exec("commit");
      counter.onCommit();
    } finally {
      if (db.inTransaction) db.exec("rollback");
    }
    this.#skip();
    this.reportReplaced();
  }

  #emit({ epoch, seq }: ChangeCount, bytes: LoggedCommit["bytes"]): void {
    this.#reported = { epoch, seq };
    this.#options.onCommit({ count: this.#reported, bytes });
  }
}

/** Returns a text that changes when the file is written. */
export function fileState(path: string): string {
  const { mtimeNs, size } = statSync(path, { bigint: true });
  return `${mtimeNs}-${size}`;
}

const isSame = (a: ChangeCount, b: ChangeCount | null): boolean => a.epoch === b?.epoch && a.seq === b.seq;
