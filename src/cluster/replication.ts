/** A server whose acknowledged writes are all in PostgreSQL: alone with `--log-to`, or a node of a cluster. */
import { existsSync } from "node:fs";
import type { AppError } from "../errors.ts";
import { runEvery } from "../lib/time/timers.ts";
import type { HomeInLog, HomeOwner } from "./home/home-in-log.ts";
import { scheduleOrphanSweep } from "./home/orphan-sweep.ts";
import { SharedHome } from "./home/shared-home.ts";
import { hasContent, requireSameInstallation } from "./joining.ts";
import { scheduleRetention } from "./log/retention-schedule.ts";
import type { LoggedCommit } from "./log/document-log.ts";
import type { OwnedDocuments } from "./log/owned-documents.ts";
import { withAnswerDeadline } from "./log/owned-log.ts";
import { noLease, outcomeUnknown } from "./log/refusals.ts";
import { HOME, type HomeConnection, type LoggedRuntime } from "./local-documents.ts";
import { LogContents, type LogContentsOptions } from "./contents/log-contents.ts";
import type { DocumentMoves, DocumentServices } from "./node/document-moves.ts";
import { Notifications } from "./node/notifications.ts";
import { obeyOperators } from "./node/operator-commands.ts";
import type { NodeSession } from "./node/node-session.ts";
import type { LogDatabase } from "./postgres/log-database.ts";
import type { ContentCount } from "./protocol/log-types.ts";
import { type ReplicationOptions, type ReplicationParts, startParts } from "./replication-parts.ts";

export type { NodeOptions, ReplicationOptions } from "./replication-parts.ts";

/** How often home is collected without a request: notes of the server, and commands beside it. */
const COLLECT_INTERVAL_MS = 1000;
/** How many documents of an adopted folder are copied into the log at the same time. */
const PARALLEL_BASES = 4;

/** Keeps the documents of this server, and home, in the log. */
export class Replication implements AsyncDisposable {
  readonly #options: ReplicationOptions;
  readonly database: LogDatabase;
  /** Null for the only server of a log. */
  readonly notifications: Notifications | null;
  /** Null for the only server of a log. */
  readonly moves: DocumentMoves | null;
  readonly #session: NodeSession;
  readonly #owned: OwnedDocuments;
  readonly #home: HomeInLog;
  #connection: HomeConnection | null = null;
  #runtime: LoggedRuntime | null = null;
  #stopCollecting: (() => void) | null = null;
  #stopMaintenance: (() => void) | null = null;
  #isClosed = false;
  #sendNotes: (notes: object) => Promise<unknown> = async () => {};
  #deleteObjects: (doc: string) => Promise<void> = async () => {};

  private constructor(options: ReplicationOptions, { database, session, owned, home, moves }: ReplicationParts) {
    this.#options = options;
    this.database = database;
    this.#session = session;
    this.#owned = owned;
    this.#home = home;
    this.moves = moves;
    this.notifications = options.node && new Notifications({ database, log: options.log });
  }

  /**
   * Connects, becomes a node, or the one server that writes to this log, and gives the file of home the content of the
   * log.
   * @throws AppError with one sentence; then nothing has changed
   */
  static async start(options: ReplicationOptions): Promise<Replication> {
    const started: { replication?: Replication } = {};
    const parts = await startParts(options, {
      open: () => started.replication ?? null,
      onHomeAcknowledged: (seq) => started.replication?.homeAcknowledged(seq),
      collectHome: () => started.replication?.collectHome(),
    });
    started.replication = new Replication(options, parts);
    return started.replication;
  }

  /**
   * Puts home, and with home's ownership the documents that the log does not have, into the log. Call it once, before
   * requests are answered.
   * @param uuids all documents of home
   */
  async attach(
    connection: HomeConnection,
    runtime: LoggedRuntime,
    { uuids, services }: { readonly uuids: () => Iterable<string>; readonly services: DocumentServices },
  ): Promise<void> {
    this.#connection = connection;
    this.#runtime = runtime;
    await this.#home.attach(connection);
    this.#checkInstallation(connection);
    const ownHome = () => this.ownHome();
    this.moves?.attach({ owned: this.#owned, services, ownHome, giveUpHome: (to) => this.giveUpHome(to) });
    if (this.#home.isOwner()) {
      const remaining = [...uuids()].values();
      const publishRemaining = async () => {
        for (const uuid of remaining) await this.#publishIfMissing(uuid);
      };
      await Promise.all(Array.from({ length: PARALLEL_BASES }, publishRemaining));
    }
    this.#stopCollecting = runEvery(COLLECT_INTERVAL_MS, () => this.collectHome());
    const { notifications } = this;
    notifications?.subscribe("quern_home", () => this.#home.notified());
    if (notifications) this.#obeyOperators(notifications);
    await notifications?.start();
    const applyOwnership = (isOwner: boolean) => {
      if (isOwner) this.#noteInstallation(connection);
      this.#stopMaintenance?.();
      this.#stopMaintenance = isOwner ? this.#scheduleMaintenance(uuids) : null;
    };
    this.#home.onOwner(applyOwnership);
    applyOwnership(this.#home.isOwner());
    await this.settled(this.homeTerm());
  }

  /** True for a node of a cluster. */
  get isNode(): boolean {
    return this.#options.node !== null;
  }

  /** Sets how the other nodes reach this one, once that is known. */
  setAddress(address: string): Promise<void> {
    return this.#session.setAddress(address);
  }

  /** The id of this node; null while it has no lease. A node that has lost its lease gets a new id. */
  get nodeId(): string | null {
    return this.#session.id;
  }

  /** True when home is opened as a replica, which `attach` makes writable if this node becomes the owner. */
  get opensReplica(): boolean {
    return this.#home instanceof SharedHome && !this.#home.isNew;
  }

  /** Returns the last commit of home that an answer of this node may have seen. */
  homeSeq(): number {
    return this.#home.seq();
  }

  /**
   * Makes home at least as new as it was anywhere when this was called, or as `minSeq`, without a statement if it is that
   * new. While PostgreSQL cannot be reached home stays as it is, until the lease ends; see `staleHomeRefusal`.
   * @throws AppError `log.unavailable` when home must not be read
   */
  freshHome(minSeq?: number): Promise<void> {
    return this.#home.fresh(minSeq);
  }

  /**
   * Why requests are refused that must not run with a home that may be too old: changes, sign-ins, and keys and sessions
   * that this node does not know. Null while PostgreSQL can be reached.
   */
  staleHomeRefusal(): AppError | null {
    return this.#home.staleRefusal();
  }

  isHomeOwner(): boolean {
    return this.#home.isOwner();
  }

  /** Becomes the owner of home unless another living node is; returns whether this node is. */
  ownHome(): Promise<boolean> {
    return this.#home.own();
  }

  /**
   * Gives home up until the next start, before this node stops: to another living node, or to any. Everything that it has committed is
   * in the log before, and the other nodes are notified.
   * @returns false when this node keeps it
   */
  async giveUpHome(to: string | null): Promise<boolean> {
    const isGiven = await this.#home.giveUp(to);
    if (isGiven) await this.notifications?.send("quern_home", String(this.homeSeq()));
    return isGiven;
  }

  /** Returns the owner of home as of the last `freshHome`; null when there was no living one. */
  homeOwner(): HomeOwner | null {
    return this.#home.owner();
  }

  /** Calls a listener after each change of home that can be seen on this node. */
  onHomeChanged(listener: () => void): void {
    this.#home.onChanged(listener);
  }

  /** Calls a listener when this node becomes the owner of home, and when it stops being it. */
  onHomeOwner(listener: (isOwner: boolean) => void): void {
    this.#home.onOwner(listener);
  }

  /** Creates the contents of attachments in the log, for `AttachmentStores`. */
  contents<Id extends string>(
    parts: Pick<LogContentsOptions<Id>, "objects" | "isContentName" | "storeIds">,
  ): LogContents<Id> {
    const contents = new LogContents<Id>({
      ...parts,
      database: this.database,
      retentionMs: this.#options.retentionMs,
      ownershipOf: this.#owned.ownershipOf,
      renewEpoch: (doc) => void this.#owned.release(doc),
    });
    this.#deleteObjects = (doc) => contents.deleteObjects(doc);
    return contents;
  }

  /** Why no request can be answered now, other than about the server itself; null if requests can be answered. */
  refusal(): AppError | null {
    return this.#session.isValid() ? this.#home.refusal() : noLease();
  }

  /** Why no answer about a document may leave now; null if answers may. For `AnswerGate`. */
  refusalOf(doc: string): AppError | null {
    return this.#session.isValid() && this.#owned.mayAnswer(doc) ? null : outcomeUnknown();
  }

  /** True while this node owns the document, and its local file is current. */
  isOwned(uuid: string): boolean {
    return this.#owned.isOwned(uuid);
  }

  /** As `OwnedDocuments.use`. */
  use(doc: string): (() => void) | null {
    return this.#owned.use(doc);
  }

  /** As `OwnedDocuments.whenLeft`. */
  whenLeft(doc: string): Promise<void> | null {
    return this.#owned.whenLeft(doc);
  }

  /** As `RequestLog.drain`. */
  async drain(): Promise<boolean> {
    this.#session.setDraining(true);
    return (await this.moves?.drain()) ?? false;
  }

  /** As `DocumentOwnership.own`. */
  readonly own = (uuid: string): Promise<void> | null => this.#owned.own(uuid);

  /** Why the document accepts no changes now; null if it does. */
  readonly refusalOfChanges = (uuid: string): AppError | null => this.#owned.refusalOf(uuid);

  readonly committed = (uuid: string, commit: LoggedCommit): void => this.#owned.committed(uuid, commit);

  /** Documents whose thread was lost are compared with the log before they are opened again. */
  readonly lost = (uuids: readonly string[]): void => this.#owned.lose(uuids);

  /** As `FileReplacements.nextSeq`. */
  readonly nextSeq = (uuid: string): number => this.#owned.nextSeq(uuid);

  /** As `FileReplacements.onFileReplaced`: resolves when the new content is in the log. */
  readonly onFileReplaced = (uuid: string, count: ContentCount): Promise<void> =>
    this.#owned.isOwned(uuid) ? this.#owned.replaced(uuid, count) : this.#owned.publish(uuid, count);

  /**
   * Marks a document as deleted in the log, after its deletion from home is in the log, and notifies the nodes that may
   * have copies.
   */
  readonly remove = async (uuid: string): Promise<void> => {
    await this.settled(this.homeTerm());
    const isNew = await this.#owned.remove(uuid);
    if (isNew) await this.notifications?.send("quern_deleted", uuid);
  };

  /** Sets how notes get to the owner of home. */
  setNoteSender(send: (notes: object) => Promise<unknown>): void {
    this.#sendNotes = send;
  }

  /** Sends notes to the owner of home. @throws if they may not have arrived */
  async deliverNotes(notes: object): Promise<void> {
    await this.#sendNotes(notes);
  }

  /** Sends notes to the owner of home, in the background. Failures are ignored: these notes may be lost. */
  sendNotes(notes: object): void {
    void this.#sendNotes(notes).catch((error: unknown) =>
      this.#options.log.debug("cluster.notes_lost", { error: String(error) }),
    );
  }

  /** Commits of this server are in the log up to `seq`. */
  homeAcknowledged(seq: number): void {
    this.#home.acknowledged();
    this.notifications?.sendLatest("quern_home", String(seq));
  }

  /** Identifies the time for which this server owns home; see `settled`. */
  homeTerm(): number {
    return this.#home.term;
  }

  /** Counts a request that may use home, until the returned function is called: home leaves between requests. */
  useHome(): () => void {
    return this.#home.use();
  }

  /**
   * Resolves when everything that home has committed is in the log: before an answer leaves.
   * @param term `homeTerm` when the request began
   * @throws AppError when that is not known in time, or this server stopped owning home meanwhile
   */
  async settled(term: number): Promise<void> {
    this.collectHome();
    // The request may have changed home or a document, or seen a commit that is not in the log.
    if (term !== this.#home.term) throw outcomeUnknown();
    // A replica has only what is in the log.
    if (!this.#home.isOwner()) return;
    const seq = this.#owned.lastSeq(HOME);
    if (seq === null) throw outcomeUnknown();
    await withAnswerDeadline(this.#owned.whenAcknowledged(HOME, seq), this.#options.timers);
  }

  /** Releases everything. Documents and home must be closed, and `settled` called in between. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopCollecting?.();
    this.#stopMaintenance?.();
    const wasOwner = this.#home.isOwner();
    this.#home.close();
    this.moves?.close();
    this.#connection = null;
    await withAnswerDeadline(this.#owned.close(), this.#options.timers).catch(() => {});
    // The others need not wait for their next check.
    if (wasOwner) await this.notifications?.send("quern_home", "");
    this.notifications?.[Symbol.dispose]();
    await this.#session.close();
    await this.database.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The open home database; null before `attach` and after `close`. */
  get home(): HomeConnection | null {
    return this.#connection;
  }

  get runtime(): LoggedRuntime | null {
    return this.#isClosed ? null : this.#runtime;
  }

  #checkInstallation({ installationId }: HomeConnection): void {
    // A folder that is adopted may have belonged to another one.
    if (!this.#home.isNew && !this.#options.adopts) {
      requireSameInstallation(installationId.find(), this.database.tables.id);
    }
  }

  #noteInstallation({ installationId }: HomeConnection): void {
    if (installationId.find() !== this.database.tables.id) installationId.set(this.database.tables.id);
  }

  async #publishIfMissing(uuid: string): Promise<void> {
    const path = this.#options.fileOf(uuid);
    if (!existsSync(path) || (await hasContent(this.database, uuid))) return;
    await this.#owned.publish(uuid, this.#options.prepare(path));
  }

  /** Passes the commits of home on to its log. */
  collectHome(): void {
    if (!this.#owned.isOwned(HOME)) return;
    for (const commit of this.#connection?.log.collect() ?? []) this.#owned.committed(HOME, commit);
  }

  /** Starts what only the owner of home does. */
  #obeyOperators(notifications: Notifications): void {
    const node = {
      nodeId: () => this.nodeId,
      drain: () => this.drain(),
      release: (doc: string) => this.#owned.release(doc),
    };
    obeyOperators(notifications, { node, log: this.#options.log });
  }

  #scheduleMaintenance(uuids: () => Iterable<string>): () => void {
    const deleteObjects = (doc: string) => this.#deleteObjects(doc);
    const { database } = this;
    const stopRetention = scheduleRetention({ ...this.#options, database, deleteObjects });
    const home = () => this.#connection;
    const stopSweeping = scheduleOrphanSweep({ ...this.#options, database, owned: this.#owned, home, uuids });
    return () => {
      stopRetention();
      stopSweeping();
    };
  }
}
