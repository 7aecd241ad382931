import { statSync } from "node:fs";
import type { Database } from "../sqlite/database.ts";
import type { ChangeCount } from "../sqlite/wal/commit-count.ts";
import { fileState, type LoggedCommit } from "../sqlite/wal/commit-log.ts";
import { PageSetEncoder } from "../sqlite/wal/page-set.ts";
import { WalReader } from "../sqlite/wal/wal-reader.ts";
import { type HomeCounter, isSame } from "./home-counter.ts";

export type { LoggedCommit } from "../sqlite/wal/commit-log.ts";

/** The home database's file, which does not change until `endBase`. */
export interface HeldHome {
  /** The commit whose content it has. */
  readonly count: ChangeCount;
  readonly path: string;
  readonly bytes: number;
}

/** The home database in log mode: its commits with their pages, and its file for copies. */
export interface HomeLog {
  /**
   * Returns what was committed since the last call as one commit, including statements outside of transactions and
   * commits of other processes. Its `bytes` are null when a copy of the file has to replace them: more than 8 MB of pages,
   * or a commit of another process in between.
   */
  collect(): LoggedCommit[];
  /** The count of the last commit that was collected, or found when the database was opened. */
  readonly count: ChangeCount;
  /** Moves all commits into the file and holds checkpoints until `endBase`; null while another process reads an older content. */
  beginBase(): HeldHome | null;
  /** Ends `beginBase`. Returns false when the file may have changed. */
  endBase(): boolean;
}

/** Above this size the log is moved into the file with the next collection. */
const AUTOCHECKPOINT_BYTES = 1000 * 4096;
const HOLD_WAIT_MS = 20;

/** Reads the frames of the home database's write-ahead log, also those of other processes. */
export class HomeFrames implements HomeLog {
  readonly #db: Database;
  #counter: HomeCounter;
  #reader: WalReader;
  readonly #encoder = new PageSetEncoder();
  #count: ChangeCount;
  /** Collected before a checkpoint; the next call of `collect` returns them. */
  #ready: LoggedCommit[] = [];
  /** State of the file while checkpoints are held. */
  #held: string | null = null;

  constructor(db: Database, counter: HomeCounter) {
    this.#db = db;
    this.#counter = counter;
    this.#reader = new WalReader(db.path);
    this.#count = mustHave(counter.count);
  }

  get count(): ChangeCount {
    return this.#count;
  }

  collect(): LoggedCommit[] {
    this.#read();
    if (this.#reader.logBytes > AUTOCHECKPOINT_BYTES) this.#tryToCheckpoint();
    return this.#ready.splice(0);
  }

  #tryToCheckpoint(): void {
    try {
      this.#checkpoint("passive");
    } catch {
      // The commits are durable in the log, and the next collection tries again.
    }
  }

  beginBase(): HeldHome | null {
    this.#read();
    if (this.#held !== null || !this.#checkpoint("full")) return null;
    this.#held = fileState(this.#db.path);
    const { path } = this.#db;
    return { count: this.#count, path, bytes: statSync(path).size };
  }

  endBase(): boolean {
    const held = this.#held;
    this.#held = null;
    return held !== null && held === fileState(this.#db.path);
  }

  /** Moves all commits into the file; returns whether it is the database alone then. */
  close(): boolean {
    this.#held = null;
    this.#read();
    return this.#checkpoint("truncate");
  }

  /** Closes the log, before the database is closed. */
  suspend(): void {
    this.#held = null;
    this.#reader[Symbol.dispose]();
  }

  /** Continues after `suspend` with the content that the database has now. */
  resume(counter: HomeCounter): void {
    this.#counter = counter;
    this.#reader = new WalReader(this.#db.path);
    this.#encoder.clear();
    this.#count = mustHave(counter.count);
  }

  #checkpoint(mode: "passive" | "full" | "truncate"): boolean {
    if (this.#held !== null) return false;
    const isComplete = this.#db.checkpoint(mode, { waitMs: HOLD_WAIT_MS });
    // What another process committed in between is found by its number.
    this.#reader.checkpointed();
    return isComplete;
  }

  #read(): void {
    const before = this.#counter.count;
    const read = this.#reader.read();
    if (read.kind === "none") return;
    const after = mustHave(this.#counter.count);
    if (isSame(after, this.#count)) return this.#advance();
    const isNext = isSame(before, after) && after.seq === this.#count.seq + 1;
    if (!isNext || read.kind !== "pages") this.#encoder.clear();
    this.#add(after, isNext && read.kind === "pages" ? this.#encoder.encode(read.pages) : null);
  }

  /** Something was written that the counter does not count. */
  #advance(): void {
    this.#counter.advance();
    this.#db.transaction(() => undefined);
    this.#reader.skip();
    this.#encoder.clear();
    this.#add(mustHave(this.#counter.count), null);
  }

  #add(count: ChangeCount, bytes: LoggedCommit["bytes"]): void {
    this.#count = count;
    this.#counter.collected();
    this.#ready.push({ count, bytes });
  }
}

function mustHave(count: ChangeCount | null): ChangeCount {
  if (!count) throw new Error("the home database has no change counter");
  return count;
}
