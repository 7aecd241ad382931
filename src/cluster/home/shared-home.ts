import type { AppError } from "../../errors.ts";
import { guarded } from "../../lib/callbacks.ts";
import type { Log } from "../../lib/observability/log.ts";
import { runEvery, type Timers } from "../../lib/time/timers.ts";
import { divergedError, homeDiverged, isPostgresFailure, noLease } from "../log/refusals.ts";
import type { OwnedDocuments } from "../log/owned-documents.ts";
import { HOME, type HomeConnection } from "../local-documents.ts";
import type { LogDatabase } from "../postgres/log-database.ts";
import { type HomeHead, pollHomeHead, readHomeHead } from "../postgres/statements/home-head.ts";
import { acquireDocument, createDocument } from "../postgres/statements/ownership.ts";
import type { HomeInLog, HomeOwner } from "./home-in-log.ts";
import type { ReplicaFile } from "./replica-file.ts";
import { HomeUses } from "./home-uses.ts";
import { HomeUpgrade } from "./home-upgrade.ts";
import { SharedRead } from "./shared-read.ts";

export interface SharedHomeOptions {
  readonly database: LogDatabase;
  readonly owned: OwnedDocuments;
  readonly file: ReplicaFile;
  readonly timers: Timers;
  readonly log: Log;
  /** Whether reads are refused at once while the head cannot be read. */
  readonly isStrict: boolean;
  /** Version of the program. */
  readonly version: string;
  /** The id of this node; null while it has no lease. */
  readonly nodeId: () => string | null;
}

/**
 * - `owner`: this node writes home.
 * - `replica`: the file has the content of the log up to the replica's position.
 * - `behind`: the file has to be compared with the log before it is read: after the start, and when ownership has ended.
 * - `unknownSchema`: a newer version of the program has migrated home, which this one cannot read.
 * - `diverged`: the log lost commits that this node knows to be acknowledged.
 */
type State = "owner" | "replica" | "behind" | "diverged" | "unknownSchema";

/** How often a node looks whether home has a living owner. */
const CHECK_INTERVAL_MS = 500;
/** How long a request waits for the head of home. */
const HEAD_DEADLINE_MS = 1000;
/** How long a start waits for the first content of home, which another node is writing. */
const FIRST_CONTENT_RETRY_MS = 100;

/**
 * The home database on a node of a cluster: at most one node owns and writes it, all others have a replica, which they
 * bring up to date before each request.
 */
export class SharedHome implements HomeInLog {
  readonly #options: SharedHomeOptions;
  readonly #isNew: boolean;
  #connection: HomeConnection | null = null;
  #upgrade: HomeUpgrade | null = null;
  #state: State = "behind";
  #term = 0;
  /** The last head that was read. */
  #head: HomeHead | null = null;
  /** True after a read of the head has failed, until one succeeds. */
  #isUnreachable = false;
  #isReadingHead = false;
  readonly #reads = new SharedRead<void>(() => this.#exclusively(() => this.#refresh()));
  #work: Promise<unknown> = Promise.resolve();
  #owning: Promise<boolean> | null = null;
  readonly #uses = new HomeUses();
  readonly #changeListeners: (() => void)[] = [];
  readonly #ownerListeners: ((isOwner: boolean) => void)[] = [];
  #stopChecking: (() => void) | null = null;
  /** False once this node has given home up: it is about to stop. */
  #mayOwn = true;
  #isClosed = false;

  private constructor(options: SharedHomeOptions, { isNew }: { isNew: boolean }) {
    this.#options = options;
    this.#isNew = isNew;
  }

  /**
   * Gives the file of home the content of the log, without owning it. When the log has none, one of the nodes that start
   * becomes its owner and publishes its own; the others wait for that.
   * @throws AppError `log.diverged`, `log.unavailable`
   */
  static async prepare(options: SharedHomeOptions): Promise<SharedHome> {
    const { database, file, nodeId } = options;
    for (;;) {
      const connection = await database.control();
      const head = await readHomeHead(connection);
      if (head?.hasContent) {
        if (!(await file.prepare())) throw homeDiverged();
        return new SharedHome(options, { isNew: false });
      }
      const node = nodeId();
      if (node !== null) {
        await createDocument(connection, { doc: HOME });
        const { kind } = await acquireDocument(connection, { doc: HOME, node });
        if (kind === "acquired") return new SharedHome(options, { isNew: true });
      }
      await Bun.sleep(FIRST_CONTENT_RETRY_MS);
    }
  }

  /** True when the log has no content of home until `attach`. */
  get isNew(): boolean {
    return this.#isNew;
  }

  /** Takes the open database. A new home is published; otherwise this node owns it if no living node does. */
  async attach(connection: HomeConnection): Promise<void> {
    this.#connection = connection;
    this.#upgrade = new HomeUpgrade(this.#options, connection);
    if (this.#isNew) {
      await this.#options.owned.publish(HOME, connection.log.count);
      this.#becomeOwner();
    } else {
      await this.#reads.read();
      await this.own();
    }
    if (this.isOwner()) await this.#upgrade.tryNow(() => this.isOwner());
    this.#upgrade.requireUsable();
    this.#stopChecking = runEvery(CHECK_INTERVAL_MS, () => this.#check());
  }

  /** The last commit that an answer of this node may have seen, and that is in the log. */
  seq(): number {
    const acknowledged = this.#options.owned.ownershipOf(HOME)?.acknowledgedSeq;
    return this.isOwner() ? (acknowledged ?? 0) : this.#options.file.position.seq;
  }

  isOwner(): boolean {
    return this.#state === "owner";
  }

  /** Rises whenever this node stops being the owner: what was read of home before may not be in the log. */
  get term(): number {
    return this.#term;
  }

  /** The owner as of the last read of the head; null when there was no living one. */
  owner(): HomeOwner | null {
    return this.#head?.isOwnerAlive ? this.#head : null;
  }

  /** Why nothing can be answered from home now; null if it can. */
  refusal(): AppError | null {
    if (this.#state === "replica") return null;
    if (this.#state === "diverged") return divergedError();
    return this.isOwner() && this.#options.owned.mayAnswer(HOME) ? null : noLease();
  }

  /**
   * Returns why requests are refused that must not run with a home that may be too old: changes, sign-ins, and keys and
   * sessions that this node does not know. Null while the last read of the head has succeeded.
   */
  staleRefusal(): AppError | null {
    return !this.isOwner() && this.#isUnreachable ? noLease() : null;
  }

  /**
   * Brings the replica up to the head at the time of the call; callers share reads. With `minSeq`, returns at once when
   * the replica is at least as new. While PostgreSQL cannot be reached the replica stays as it is: it may answer reads
   * until the lease ends.
   * @throws AppError `log.unavailable` in strict mode, when `minSeq` is not reached, or when the replica cannot be read
   */
  async fresh(minSeq?: number): Promise<void> {
    await this.#uses.whenAllowed();
    if (this.isOwner()) return;
    if (minSeq !== undefined && this.#state === "replica" && minSeq <= this.seq()) return;
    const isStaleAllowed = () => !this.#options.isStrict && minSeq === undefined && this.#state === "replica";
    // The checks in the background notice when PostgreSQL is back.
    if (this.#isUnreachable && isStaleAllowed()) return;
    const deadline = Promise.withResolvers<"late">();
    const cancel = this.#options.timers.after(HEAD_DEADLINE_MS, () => deadline.resolve("late"));
    try {
      const outcome = await Promise.race([this.#reads.read(), deadline.promise]);
      // While something else takes long, such as an acquisition, PostgreSQL can be reached, and home may have changed.
      if (outcome === "late" && !this.#isReadingHead) throw noLease();
      if (outcome === "late") this.#isUnreachable = true;
    } finally {
      cancel();
    }
    if (this.isOwner()) return;
    if (this.#state !== "replica") throw this.refusal() ?? noLease();
    if (this.#isUnreachable && !isStaleAllowed()) throw noLease();
    if (minSeq !== undefined && minSeq > this.seq()) throw noLease();
  }

  /** Becomes the owner unless another living node is. @returns whether this node is the owner */
  own(): Promise<boolean> {
    if (this.isOwner()) return Promise.resolve(true);
    this.#owning ??= this.#exclusively(() => this.#acquire()).finally(() => {
      this.#owning = null;
    });
    return this.#owning;
  }

  /** Counts a request that may use home, until the returned function is called. */
  use(): () => void {
    return this.#uses.begin();
  }

  /**
   * Gives home up until the next start: to another living node, or to any. Requests that have begun are finished first, and
   * others wait in `fresh`; everything that was committed is in the log then.
   * @returns false when this node keeps it
   */
  async giveUp(to: string | null): Promise<boolean> {
    this.#mayOwn = false;
    if (!this.isOwner() || !this.#connection) return true;
    const { owned, timers } = this.#options;
    await this.#uses.whileUnused(timers, async () => {
      const connection = this.#connection;
      for (const commit of connection?.log.collect() ?? []) owned.committed(HOME, commit);
      connection?.setWritable(false);
      if (to === null) await owned.release(HOME);
      else await owned.handOver(HOME, to, { minHoldMs: 0 });
      this.#mayOwn = owned.isOwned(HOME);
      if (this.#mayOwn) connection?.setWritable(true);
      else await this.#read();
    });
    return !this.#mayOwn;
  }

  /** Calls a listener after each change of home that can be seen here. Errors are reported. */
  onChanged(listener: () => void): void {
    this.#changeListeners.push(guarded(listener));
  }

  /** Calls a listener when this node becomes the owner, and when it stops being it. Errors are reported. */
  onOwner(listener: (isOwner: boolean) => void): void {
    this.#ownerListeners.push(guarded(listener));
  }

  /** Commits of this node are in the log. */
  acknowledged(): void {
    for (const listener of this.#changeListeners) listener();
  }

  /** Another node has committed. */
  notified(): void {
    if (!this.isOwner()) void this.#check();
  }

  /** A connection leads to another database, or to another history of it. */
  identityChanged(): void {
    if (this.#state === "replica") this.#state = "behind";
  }

  /** Ownership has ended: called before anything else happens. The file may have commits that the log does not have. */
  stopped({ isComplete }: { readonly isComplete: boolean }): void {
    if (this.#state !== "owner") return;
    const hasCollectedAll = this.#hasCollectedAll();
    this.#connection?.setWritable(false);
    this.#state = "behind";
    // Otherwise requests may have seen commits that are not in the log.
    if (!isComplete || !hasCollectedAll) this.#term++;
    for (const listener of this.#ownerListeners) listener(false);
    // Not before the log of home has stopped.
    this.#options.timers.after(0, () => this.#read());
  }

  /** Counts what other connections have committed, which a replica cannot. */
  #hasCollectedAll(): boolean {
    let isComplete = false;
    guarded(() => {
      isComplete = this.#connection?.log.collect().length === 0;
    })();
    return isComplete;
  }

  /** The next check looks at the new lease. */
  registered(): void {}

  /** Stops checks. The database is closed. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopChecking?.();
    this.#connection = null;
    if (this.#state === "replica") this.#options.file.markClean();
  }

  async #check(): Promise<void> {
    if (this.#isClosed) return;
    if (this.isOwner()) return this.#upgrade?.tryNow(() => this.isOwner());
    await this.#read();
    if (this.#mayOwn && this.#needsOwner()) await this.own();
  }

  /** Reads the head in the background: a failure is a state, and is logged when it begins. */
  async #read(): Promise<void> {
    await this.#reads.read().catch((error: unknown) => this.#logFailure("refresh", error));
  }

  async #refresh(): Promise<void> {
    if (this.isOwner() || this.#isClosed) return;
    const { database, file } = this.#options;
    let head: HomeHead | null;
    this.#isReadingHead = true;
    try {
      head = await pollHomeHead(await database.heads(), { deadlineMs: HEAD_DEADLINE_MS });
    } catch (error) {
      return this.#unreachable("readHead", error);
    } finally {
      this.#isReadingHead = false;
    }
    this.#isUnreachable = false;
    this.#head = head;
    const connection = this.#connection;
    if (!connection || this.isOwner()) return;
    const isCurrent = this.#state === "replica" && head?.head === file.position.seq;
    if (isCurrent) return;
    try {
      await this.#catchUp(connection, head);
    } catch (error) {
      if (!isPostgresFailure(error)) throw error;
      this.#unreachable("refresh", error);
    }
  }

  /** Gives the file the content of the head. */
  async #catchUp(connection: HomeConnection, head: HomeHead | null): Promise<void> {
    const { file } = this.#options;
    if (this.#state === "replica" && head && (await this.#applyTail(connection, head.head))) return this.#moved();
    if (this.#state !== "diverged") this.#state = "behind";
    if (!(await file.align())) {
      if (this.#state !== "diverged") this.#options.log.error("cluster.log_went_backwards", { document: HOME });
      this.#state = "diverged";
      return;
    }
    this.#moved();
  }

  async #applyTail(connection: HomeConnection, head: number): Promise<boolean> {
    const { file } = this.#options;
    try {
      return await file.applyTail(connection, head);
    } finally {
      if (file.isTorn) this.#state = "behind";
    }
  }

  /** The file has the content of the head. */
  #moved(): void {
    const { connection, log } = { connection: this.#connection, log: this.#options.log };
    const isKnown = !connection || connection.version() <= connection.usable.latest;
    if (!isKnown) log.error("cluster.home_version_unknown", { version: connection.version(), ...connection.usable });
    this.#state = isKnown ? "replica" : "unknownSchema";
    if (isKnown) this.acknowledged();
  }

  async #acquire(): Promise<boolean> {
    if (this.isOwner() || this.#isClosed || !this.#connection) return this.isOwner();
    // An ownership that has just ended is released first.
    await this.#options.owned.whenLeft(HOME);
    await this.#refresh();
    if (this.#state !== "replica" || !this.#needsOwner()) return false;
    try {
      await this.#options.owned.own(HOME);
    } catch (error) {
      // Another node was faster, or PostgreSQL is away.
      this.#options.log.debug("cluster.home_not_acquired", { error: String(error) });
      return false;
    }
    if (!this.#options.owned.isOwned(HOME)) return false;
    this.#becomeOwner();
    return true;
  }

  /** True when no living node owns home, or this one does and has lost its log. */
  #needsOwner(): boolean {
    if (this.#isUnreachable || !this.#head) return false;
    return !this.#head.isOwnerAlive || this.#head.node === this.#options.nodeId();
  }

  #becomeOwner(): void {
    this.#connection?.setWritable(true);
    this.#state = "owner";
    this.#options.log.info("cluster.home_owned", { node: this.#options.nodeId(), seq: this.seq() });
    for (const listener of this.#ownerListeners) listener(true);
    this.acknowledged();
  }

  /** Runs what changes the file one after the other. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#work.then(work);
    this.#work = result.catch(() => {});
    return result;
  }

  #unreachable(step: string, error: unknown): void {
    if (!this.#isUnreachable) this.#logFailure(step, error);
    this.#isUnreachable = true;
  }

  #logFailure(step: string, error: unknown): void {
    this.#options.log.warn("cluster.home_not_read", { step, error: String(error) });
  }
}
