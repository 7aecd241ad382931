import type { AppError } from "../../errors.ts";
import { runEvery } from "../../lib/time/timers.ts";
import { type Ownership, toOwnership } from "../contents/content-types.ts";
import { createDocument } from "../postgres/statements/ownership.ts";
import { markDocumentDeleted } from "../postgres/statements/retention.ts";
import { type ContentCount, type DatabaseIdentity, LOG_START } from "../protocol/log-types.ts";
import { acquire } from "./acquire.ts";
import { beginHandedOver } from "./handed-over.ts";
import type { LoggedCommit, StoppingEffect } from "./document-log.ts";
import { DocumentUses } from "./document-uses.ts";
import { endOwnership } from "./end-ownership.ts";
import { appendRest } from "./append-rest.ts";
import { Phases } from "./phases.ts";
import { type OwnedEpoch, OwnedLog, type OwnedLogOptions, type OwnedLogParts } from "./owned-log.ts";
import { LocalCopies } from "./local-copies.ts";
import { beforeChange, divergedError, logStopped, noLease, writesRefused } from "./refusals.ts";
import { type HandOver, type HandOverOutcome, MAX_USE_WAIT_MS, MIN_HOLD_MS, type SharingOptions } from "./sharing.ts";
import { Timeline } from "./timeline.ts";

export interface OwnedDocumentsOptions extends OwnedLogParts {
  readonly divergedFolder: string;
  /** The id of this node; null while it has no lease. */
  readonly nodeId: () => string | null;
  /** Present when several nodes share the log. */
  readonly sharing?: SharingOptions | undefined;
}

const MAX_SWEEP_INTERVAL_MS = 1000;

/** The documents that this node owns: acquires them on demand, keeps the log of each, and lets them go. */
export class OwnedDocuments {
  readonly #options: OwnedDocumentsOptions;
  readonly #owned = new Map<string, OwnedLog>();
  readonly #copies: LocalCopies;
  readonly #timeline: Timeline;
  readonly #uses: DocumentUses;
  /** Work on documents that are not owned. */
  readonly #acquiring = new Map<string, Promise<void>>();
  /** As `AcquisitionView.begunEpoch`. */
  readonly #begunEpochs = new Map<string, number>();
  readonly #stopSweeping: () => void;

  constructor(options: OwnedDocumentsOptions) {
    this.#options = options;
    this.#copies = new LocalCopies(options);
    this.#timeline = new Timeline(options.database, options.timers);
    this.#uses = new DocumentUses(options.timers);
    const { idleMs } = options.sharing ?? { idleMs: Infinity };
    const sweep = () => this.#releaseIdle(idleMs);
    this.#stopSweeping =
      idleMs === Infinity ? () => {} : runEvery(Math.min(Math.max(idleMs / 4, 10), MAX_SWEEP_INTERVAL_MS), sweep);
  }

  /** True while this node owns the document, and its local file is current. */
  isOwned(doc: string): boolean {
    return this.#owned.has(doc);
  }

  /** The documents that this node owns, the ones that were used last first. */
  list(): string[] {
    return [...this.#owned.values()].toSorted((a, b) => b.usedAtMs - a.usedAtMs).map(({ doc }) => doc);
  }

  /** Monotonic time of the last request for an owned document; null for all others. */
  usedAtMs(doc: string): number | null {
    return this.#owned.get(doc)?.usedAtMs ?? null;
  }

  /**
   * Returns null when this node owns the document; otherwise acquires it, and resolves when its local file is current. While
   * the document leaves, resolves when it has left.
   * @throws AppError `log.unavailable`, or `document.elsewhere` when another node keeps it
   */
  own(doc: string): Promise<void> | null {
    const owned = this.#owned.get(doc);
    if (!owned) return this.#exclusively(doc, () => this.#acquire(doc));
    owned.usedAtMs = performance.now();
    return owned.isClosing ? owned.leaving : null;
  }

  /**
   * Counts a request that is about to use an owned document, until the returned function is called: the document leaves
   * between requests. Returns null when the document is not owned, or leaving; `own` and `whenLeft` wait for the end.
   */
  use(doc: string): (() => void) | null {
    const owned = this.#owned.get(doc);
    return owned && !owned.leaving ? this.#uses.begin(doc) : null;
  }

  /** Resolves when a document that is leaving has left, or stays; null for all others. */
  whenLeft(doc: string): Promise<void> | null {
    return this.#owned.get(doc)?.leaving ?? null;
  }

  /** True while answers about the document may leave, as far as its log is concerned. */
  mayAnswer(doc: string): boolean {
    return this.#owned.get(doc)?.log.mayRead ?? false;
  }

  /**
   * A connection leads to this database. After a failover it may have lost commits: each document is compared with its log
   * before it is answered for again.
   * @returns whether it is another database, or another history, than that of the last connection
   */
  setIdentity(identity: DatabaseIdentity): boolean {
    const former = this.#timeline.see(identity);
    if (!former) return false;
    this.#options.log.warn("cluster.database_changed", { from: former, to: identity });
    for (const owned of this.#owned.values()) owned.setIdentity(identity);
    return true;
  }

  /** Returns why the document accepts no changes now; null if it does. */
  refusalOf(doc: string): AppError | null {
    const refusal = this.#owned.get(doc)?.log.refusal ?? null;
    return refusal && writesRefused(refusal);
  }

  /**
   * Passes a commit on to the log. After a gap the file is built again: commits of a lost thread were not reported. A base
   * holds all commits before it, such as those of commands beside the server.
   */
  committed(doc: string, commit: LoggedCommit): void {
    const log = this.#owned.get(doc)?.log;
    const gap = log ? commit.count.seq - log.lastSeq - 1 : 0;
    if (gap < 0 || (gap > 0 && commit.bytes !== null)) this.lose([doc]);
    else log?.committed(commit);
  }

  /** Seq for a file that replaces the document's: the commit after the last one. */
  nextSeq(doc: string): number {
    return (this.#owned.get(doc)?.log.lastSeq ?? 0) + 1;
  }

  /** The last commit of a document that this node owns; null if it does not. */
  lastSeq(doc: string): number | null {
    return this.#owned.get(doc)?.log.lastSeq ?? null;
  }

  readonly ownershipOf = (doc: string): Ownership | null => toOwnership(this.#owned.get(doc));

  /** Resolves when a commit of an owned document is in the log. @throws AppError when it stops before */
  async whenAcknowledged(doc: string, seq: number): Promise<void> {
    const owned = this.#owned.get(doc);
    if (!owned) throw logStopped();
    await owned.log.whenAcknowledged(seq);
  }

  /**
   * Adds a new document, whose file is in place and closed, to the log. Idempotent: a document that the log has keeps its
   * content there.
   */
  async publish(doc: string, count: ContentCount): Promise<void> {
    await this.#exclusively(doc, async () => {
      await createDocument(await this.#options.database.control(), { doc, head: count.seq - 1 });
      await this.#acquire(doc, count);
    });
    await this.whenAcknowledged(doc, count.seq);
  }

  /** Reports that the file of an owned document was replaced by one with this count; resolves when the log has it. */
  async replaced(doc: string, count: ContentCount): Promise<void> {
    this.committed(doc, { count, bytes: null });
    await this.whenAcknowledged(doc, count.seq);
  }

  /**
   * Gives a document up after the requests that it has and after everything is in the log; requests that arrive meanwhile
   * wait. Resolves also when PostgreSQL is away.
   */
  async release(doc: string): Promise<void> {
    await this.#leave(doc, null);
  }

  /**
   * Hands a document over to another node, as `release`. Waits until no request uses it; `kept` if that does not happen
   * within `useWaitMs`, unless `isForced`, or if the log cannot be reached.
   */
  async handOver(
    doc: string,
    to: string,
    { minHoldMs = MIN_HOLD_MS, useWaitMs = MAX_USE_WAIT_MS, isForced = false } = {},
  ): Promise<HandOverOutcome> {
    while (this.#acquiring.has(doc)) await this.#acquiring.get(doc)?.catch(() => {});
    const owned = this.#owned.get(doc);
    if (!owned || owned.leaving) return owned?.leaving ? owned.leaving.then(() => this.#handedOver(doc)) : "notOwned";
    const heldMs = performance.now() - owned.acquiredAtMs;
    if (heldMs < minHoldMs) {
      await this.#timeline.wait(minHoldMs - heldMs);
      if (this.#owned.get(doc) !== owned) return "notOwned";
    }
    return (await this.#leave(doc, { to, useWaitMs, isForced })) ? "handedOver" : "kept";
  }

  #handedOver(doc: string): HandOverOutcome {
    return this.#owned.has(doc) ? "kept" : "notOwned";
  }

  /**
   * Brings the local file of a document that this node does not own to the head of its log, so that a later acquisition has
   * only the rows after it to apply.
   */
  async prepareCopy(doc: string): Promise<void> {
    if (this.#owned.has(doc)) return;
    await this.#exclusively(doc, async () => {
      const { identity } = await this.#timeline.check(await this.#options.database.control());
      await this.#copies.refresh(doc, identity);
    });
  }

  /**
   * Marks a document as permanently deleted in the log. Its local files are the caller's.
   * @returns whether it was not marked before
   */
  async remove(doc: string): Promise<boolean> {
    const isNew = await markDocumentDeleted(await this.#options.database.control(), doc);
    this.#forget(doc);
    this.#copies.markDecided(doc);
    return isNew;
  }

  /** The node's lease expired, or is valid again. */
  setLeaseValid(isValid: boolean): void {
    for (const { log } of this.#owned.values()) log.handle({ kind: isValid ? "leaseValid" : "leaseExpired" });
  }

  /** The node's lease is lost: all documents are. */
  loseAll(): void {
    for (const { log } of this.#owned.values()) log.handle({ kind: "leaseLost" });
  }

  /** Documents whose thread was lost: their files may have commits that were not reported. */
  lose(docs: Iterable<string>): void {
    for (const doc of docs) this.#owned.get(doc)?.log.handle({ kind: "leaseLost" });
  }

  /** Releases all documents. */
  async close(): Promise<void> {
    this.#stopSweeping();
    await Promise.all([...this.#owned.keys()].map((doc) => this.release(doc)));
    this.#copies.close();
    // Files of documents that other nodes own already.
    await Promise.allSettled(this.#acquiring.values());
  }

  #exclusively(doc: string, work: () => Promise<void>): Promise<void> {
    const running = this.#acquiring.get(doc);
    if (running) return running;
    const started = work()
      .catch((error: unknown) => {
        throw beforeChange(error);
      })
      .finally(() => this.#acquiring.delete(doc));
    this.#acquiring.set(doc, started);
    return started;
  }

  /** @param published the count of a new document, which is in place and not in the log */
  async #acquire(doc: string, published: ContentCount | null = null): Promise<void> {
    const { database, timers, nodeId, sharing } = this.#options;
    this.#copies.requireDecided(doc);
    // Home stays with its owner.
    const isKeptOpen = Boolean(this.#options.local.keptOpen?.(doc));
    const peers = !isKeptOpen && sharing?.mayAsk() ? sharing.peers : null;
    const timeline = this.#timeline;
    const begunEpoch = this.#begunEpochs.get(doc) ?? 0;
    const phases = new Phases();
    const copy = this.#copies.takePrepared(doc);
    const begun = copy && (await beginHandedOver(doc, copy, { ...this.#options, timeline, begunEpoch }));
    if (begun) {
      this.#begin(doc, begun);
      phases.end("begin");
      this.#options.log.debug("cluster.document_taken", { document: doc, ...phases.fields });
      return sharing?.deliveries.acquired(doc);
    }
    const acquired = await acquire(doc, { database, timers, nodeId, timeline, peers, begunEpoch });
    const { baseSeq, ...ownership } = acquired;
    // Also when it cannot be opened now: its outcome is not known to others.
    this.#begunEpochs.set(doc, ownership.epoch);
    if (published && baseSeq === null) {
      const before = { seq: published.seq - 1, checksum: LOG_START.checksum };
      this.#begin(doc, { ...ownership, head: before, bytesSinceBase: 0 });
      this.committed(doc, { count: published, bytes: null });
      return;
    }
    await this.#open(doc, ownership);
  }

  async #open(doc: string, ownership: OwnedEpoch): Promise<void> {
    const prepared = await this.#copies.prepare(doc, ownership.identity);
    if (prepared.kind === "diverged") {
      this.#copies.setDiverged(doc, prepared.reason);
      await endOwnership(this.#options.database, { doc, ...ownership });
      throw divergedError();
    }
    const { head, bytesSinceBase } = prepared;
    this.#begin(doc, { ...ownership, head, bytesSinceBase });
    this.#options.sharing?.deliveries.acquired(doc);
  }

  #begin(doc: string, position: Omit<OwnedLogOptions, "dueAtMs" | "onStopped">): void {
    const { nodeId, sharing } = this.#options;
    const { deliveries } = sharing ?? {};
    this.#begunEpochs.set(doc, position.epoch);
    // The lease was lost while the file was prepared: another node may own the document by now.
    if (nodeId() !== position.node) throw noLease();
    const owned: OwnedLog = new OwnedLog(doc, this.#options, {
      ...position,
      dueAtMs: () => deliveries?.dueAtMs(doc) ?? null,
      onStopped: (effect) => this.#onStopped(owned, effect),
    });
    this.#owned.set(doc, owned);
  }

  /** Returns false if the document stays, and rejects never. Without `handOver` it stays only while the log is away. */
  async #leave(doc: string, handOver: HandOver | null): Promise<boolean> {
    const owned = this.#owned.get(doc);
    if (!owned) return false;
    if (owned.leaving) {
      await owned.leaving;
      return !this.#owned.has(doc);
    }
    const leaving = this.#close(owned, handOver);
    owned.leaving = settled(leaving);
    return leaving;
  }

  /** Appends the rest, closes the document and gives it away. Requests wait for `owned.leaving`. */
  async #close(owned: OwnedLog, handOver: HandOver | null): Promise<boolean> {
    const { local, log } = this.#options;
    const { doc } = owned;
    const phases = new Phases();
    if (!(await appendRest(owned, handOver, { ...this.#options, uses: this.#uses, phases }))) {
      owned.isClosing = false;
      owned.leaving = null;
      return false;
    }
    owned.successor = handOver?.to ?? null;
    local.collect?.(doc);
    owned.log.handle({ kind: "closeRequested" });
    await owned.ended;
    phases.end("end");
    log.debug("cluster.document_left", { document: doc, node: owned.successor, ...phases.fields });
    return true;
  }

  #releaseIdle(idleMs: number): void {
    const { local, sharing } = this.#options;
    const isInUse = (doc: string) => local.keptOpen?.(doc) || sharing?.isInUse(doc) !== false;
    const before = performance.now() - idleMs;
    for (const owned of this.#owned.values()) {
      const { doc, usedAtMs, leaving, isIdle, log } = owned;
      const isDue = usedAtMs < before && !leaving && isIdle && log.refusal === null;
      if (isDue && !this.#uses.isUsed(doc) && !isInUse(doc)) void this.#leave(doc, null);
    }
  }

  async #onStopped(owned: OwnedLog, effect: StoppingEffect): Promise<void> {
    const { database, gate, sharing } = this.#options;
    const { doc, node, epoch, note, successor } = owned;
    if (this.#owned.get(doc) !== owned) return;
    this.#owned.delete(doc);
    owned.cancelDeadline();
    // Until this node owns the document again.
    gate.refuse(doc, logStopped());
    const dueInMs = sharing?.deliveries.leaving(doc);
    const finish = () => this.#copies.finish(doc, note, effect);
    const end = async () => {
      const ended = await endOwnership(database, { doc, node, epoch, successor, dueInMs });
      if (ended === "handedOver" && successor !== null)
        sharing?.onHandedOver(doc, { node: successor, epoch: epoch + 1 });
    };
    // The successor does not need this node's file; home is used on.
    const isEndedFirst = effect.kind === "closed" && successor !== null && !this.#options.local.keptOpen?.(doc);
    const ended = isEndedFirst ? end() : finish().then(effect.kind === "fenced" ? undefined : end);
    const finished = (isEndedFirst ? ended.then(finish) : ended).finally(() => this.#acquiring.delete(doc));
    this.#acquiring.set(doc, finished);
    await ended;
  }

  #forget(doc: string): void {
    const owned = this.#owned.get(doc);
    if (!owned) return;
    this.#owned.delete(doc);
    owned.cancelDeadline();
    this.#options.gate.refuse(doc, logStopped());
    this.#options.gate.open(doc);
  }
}

const settled = async (work: Promise<unknown>): Promise<void> => void (await work);
