import { z } from "zod";
import type { Log } from "../../lib/observability/log.ts";
import { runEvery, type Timers } from "../../lib/time/timers.ts";
import type { Peers } from "../log/acquire.ts";
import type { OwnedDocuments } from "../log/owned-documents.ts";
import type { HandOverOutcome, SharedDeliveries, SharingOptions } from "../log/sharing.ts";
import { HOME } from "../local-documents.ts";
import type { Session } from "../postgres/connection.ts";
import type { LogDatabase } from "../postgres/log-database.ts";
import { listNodes } from "../postgres/statements/nodes.ts";
import { findDueDocuments, type Owner } from "../postgres/statements/ownership.ts";

/** Another node, as calls reach it. */
export interface CalledNode {
  readonly node: string;
  readonly address: string | null;
}

/** Calls a handler of another node. Rejects when the node cannot be reached or does not answer in time. */
export type CallPeer = (
  peer: CalledNode,
  name: string,
  content: unknown,
  options: { readonly deadlineMs: number },
) => Promise<unknown>;

/** Called with the owner of a document that this node has handed over. */
export type HandedOverListener = (doc: string, owner: Owner) => void;

/** What moving documents needs of the layers above. */
export interface DocumentServices {
  /** Opens a document in its thread, so that the next request does not wait for that. */
  readonly open: (doc: string) => Promise<void>;
  /** Starts threads and has them run what requests run, so that the first requests do not wait for that. */
  readonly warmUp: (threads: number) => Promise<void>;
  /** Whether threads, streams or large responses have a document open. */
  readonly isInUse: (doc: string) => boolean;
  /** Whether clients still receive large responses from a document's file. */
  readonly isStreaming: (doc: string) => boolean;
  readonly deliveries: SharedDeliveries;
}

export interface DocumentMovesOptions {
  readonly database: LogDatabase;
  /** The id of this node; null while it has no lease. */
  readonly nodeId: () => string | null;
  readonly isHomeOwner: () => boolean;
  /** Documents that have not been used for so long are released. */
  readonly idleMs: number;
  readonly timers: Timers;
  readonly log: Log;
}

interface Attached {
  readonly owned: OwnedDocuments;
  readonly services: DocumentServices;
  /** As `Replication.ownHome` and `giveUpHome`. */
  readonly ownHome: () => Promise<boolean>;
  readonly giveUpHome: (to: string) => Promise<boolean>;
}

/** A node that may get documents, and how many it has. */
interface Target extends CalledNode {
  documents: number;
}

const DOCUMENT = z.object({ doc: z.string() });
const RELEASE = DOCUMENT.extend({ to: z.string() });
const RELEASED = z.object({ outcome: z.enum(["handedOver", "notOwned", "kept"]) });
const ACCEPTED = z.object({ isAccepted: z.boolean() });

const PREPARE_DEADLINE_MS = 10_000;
const OPEN_DEADLINE_MS = 10_000;
/** A copy that took longer is brought up to date once more before the document moves. */
const SLOW_PREPARATION_MS = 100;
/** Not in the way of the start. */
const WARM_UP_DELAY_MS = 1000;
/** How often the owner of home looks for documents whose deliveries are due. */
const DUE_INTERVAL_MS = 1000;
const MAX_DUE_DOCUMENTS = 20;
/** How many documents a node that drains hands over at the same time. */
const PARALLEL_MOVES = 2;
/** A document that is in use for longer than this is handed over later. */
const DRAIN_USE_WAIT_MS = 150;
const DRAIN_RETRY_MS = 100;
/** After this time documents are handed over although requests use them. */
const DRAIN_PATIENCE_MS = 20_000;
/** After this time the rest is released when the server stops. */
const MAX_DRAIN_MS = 30_000;
/** A document without requests for so long need not be opened elsewhere. */
const RECENTLY_USED_MS = 30_000;

/** Moves documents between the nodes of a cluster: on request of another node, before this one stops, and for deliveries. */
export class DocumentMoves implements Peers {
  readonly #options: DocumentMovesOptions;
  #attached: Attached | null = null;
  #call: CallPeer | null = null;
  #onHandedOver: HandedOverListener | null = null;
  /** The nodes that may get documents of this one, while it drains. */
  #targets: readonly Target[] = [];
  #cancelWarmUp: (() => void) | null = null;
  #isDraining = false;
  #isOpeningDue = false;
  readonly #stopLooking: () => void;

  constructor(options: DocumentMovesOptions) {
    this.#options = options;
    this.#stopLooking = runEvery(DUE_INTERVAL_MS, () => this.#openDue());
  }

  /** True once this node hands its documents over. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Takes what exists only once the server is open. Before that no document moves. */
  attach(attached: Attached): void {
    this.#attached = attached;
    // After a crash of another node the first of its documents opens sooner.
    this.#cancelWarmUp = this.#options.timers.after(WARM_UP_DELAY_MS, () => this.#warmUp(1));
  }

  /** How this node shares its documents. */
  get sharing(): SharingOptions {
    const services = () => this.#attached?.services ?? null;
    return {
      peers: this,
      // Only requests for the owner of home need documents of other nodes; all others go to these nodes. So two nodes never
      // take a document from each other in turns, unless home moves in turns, too.
      mayAsk: () => this.#options.isHomeOwner() && !this.#isDraining,
      idleMs: this.#options.idleMs,
      isInUse: (doc) => services()?.isInUse(doc) ?? true,
      isStreaming: (doc) => services()?.isStreaming(doc) ?? false,
      deliveries: {
        dueAtMs: (doc) => (doc === HOME ? null : (services()?.deliveries.dueAtMs(doc) ?? null)),
        acquired: (doc) => services()?.deliveries.acquired(doc),
        leaving: (doc) => services()?.deliveries.leaving(doc) ?? null,
      },
      onHandedOver: (doc, { node, epoch }) => {
        const address = this.#targets.find((target) => target.node === node)?.address ?? null;
        if (address !== null) this.#onHandedOver?.(doc, { node, address, epoch, isAlive: true });
      },
    };
  }

  /**
   * Sets how other nodes are called, and what learns where documents of this node have gone. Before that no node is asked.
   */
  connect({ call, onHandedOver }: { readonly call: CallPeer; readonly onHandedOver: HandedOverListener }): void {
    this.#call = call;
    this.#onHandedOver = onHandedOver;
  }

  /** The calls of other nodes, by name. */
  readonly handlers: Readonly<Record<string, (content: unknown) => Promise<unknown>>> = {
    /** Hands a document over to the caller. */
    release: async (content) => {
      const { doc, to } = RELEASE.parse(content);
      const outcome: HandOverOutcome = doc === HOME ? "kept" : await this.#owned.handOver(doc, to);
      return { outcome };
    },
    /** Brings the local file of a document up to date, which this node is about to get. */
    prepare: async (content) => {
      const { doc } = DOCUMENT.parse(content);
      if (this.#isDraining) return { isAccepted: false };
      // First: the copy should not grow old meanwhile.
      await this.#warmUp(PARALLEL_MOVES);
      const start = performance.now();
      await this.#owned.prepareCopy(doc);
      // While a large file was read, many rows were appended.
      if (performance.now() - start > SLOW_PREPARATION_MS) await this.#owned.prepareCopy(doc);
      return { isAccepted: true };
    },
    /** Owns a document. */
    open: async (content) => {
      const { doc } = DOCUMENT.parse(content);
      if (this.#isDraining) return { isAccepted: false };
      await this.#open(doc);
      return { isAccepted: true };
    },
  };

  async askForDocument(owner: CalledNode, request: { doc: string; to: string; deadlineMs: number }): Promise<boolean> {
    const { doc, to, deadlineMs } = request;
    try {
      const answer = await this.#callPeer(owner, "release", { doc, to }, deadlineMs);
      return RELEASED.parse(answer).outcome !== "kept";
    } catch (error) {
      this.#options.log.debug("cluster.document_not_released", {
        document: doc,
        node: owner.node,
        error: String(error),
      });
      return false;
    }
  }

  /**
   * Hands all documents over to the living nodes with the fewest, the ones that were used last first; home comes last.
   * Documents that requests use for long are handed over when these have ended. Without another living node all stay.
   * @returns whether this node has none left
   */
  async drain(): Promise<boolean> {
    this.#isDraining = true;
    this.#stopLooking();
    const { timers, log } = this.#options;
    const owned = this.#owned;
    const start = performance.now();
    const failed = new Set<string>();
    let moved = 0;
    while (performance.now() - start < MAX_DRAIN_MS) {
      const targets = await this.#successors(failed);
      if (targets.length === 0) break;
      this.#targets = targets;
      const documents = owned.list().filter((doc) => doc !== HOME);
      const queue = documents.length > 0 ? documents.values() : owned.list().values();
      const before = moved;
      const move = async () => {
        for (const doc of queue) if (await this.#moveAway(doc, { targets, failed, start })) moved++;
      };
      await Promise.all(Array.from({ length: PARALLEL_MOVES }, move));
      if (owned.list().length === 0) break;
      if (moved === before) await new Promise<void>((resolve) => timers.after(DRAIN_RETRY_MS, () => resolve()));
    }
    const kept = owned.list().length;
    log.info("cluster.drained", { documents: moved, kept, ms: Math.round(performance.now() - start) });
    return kept === 0;
  }

  /** Ends work in the background. Idempotent. */
  close(): void {
    this.#cancelWarmUp?.();
    this.#isDraining = true;
    this.#stopLooking();
  }

  /** Returns the nodes that may get the documents of this one. */
  async #successors(failed: ReadonlySet<string>): Promise<Target[]> {
    const { database, nodeId, log } = this.#options;
    try {
      const targets = await readTargets(await database.control());
      return targets.filter(({ node }) => node !== nodeId() && !failed.has(node));
    } catch (error) {
      log.warn("cluster.drain_failed", { error: String(error) });
      return [];
    }
  }

  /** Returns false if the document stays for now. */
  async #moveAway(
    doc: string,
    { targets, failed, start }: { readonly targets: Target[]; readonly failed: Set<string>; readonly start: number },
  ): Promise<boolean> {
    const { log } = this.#options;
    const owned = this.#owned;
    const usedAtMs = owned.usedAtMs(doc);
    if (usedAtMs === null) return false;
    const target = leastLoaded(targets.filter(({ node }) => !failed.has(node)));
    if (!target) return false;
    const isRecent = performance.now() - usedAtMs < RECENTLY_USED_MS;
    try {
      // The document moves faster when most of its file exists already.
      if (isRecent && doc !== HOME) await this.#require(target, "prepare", doc, PREPARE_DEADLINE_MS);
      const useWaitMs = performance.now() - start < DRAIN_PATIENCE_MS ? DRAIN_USE_WAIT_MS : 0;
      if (!(await this.#handOver(doc, target, useWaitMs))) return false;
      target.documents++;
      if (isRecent || doc === HOME) await this.#require(target, "open", doc, OPEN_DEADLINE_MS);
    } catch (error) {
      failed.add(target.node);
      log.warn("cluster.node_not_used", { node: target.node, document: doc, error: String(error) });
    }
    return !owned.isOwned(doc);
  }

  async #handOver(doc: string, { node }: Target, useWaitMs: number): Promise<boolean> {
    if (doc === HOME) return (await this.#attached?.giveUpHome(node)) ?? false;
    const options = { minHoldMs: 0, useWaitMs, isForced: useWaitMs === 0 };
    return (await this.#owned.handOver(doc, node, options)) === "handedOver";
  }

  /** Threads without documents end after a while. A failure only costs time. */
  async #warmUp(threads: number): Promise<void> {
    await this.#attached?.services.warmUp(threads).catch((error: unknown) => {
      this.#options.log.debug("cluster.warm_up_failed", { error: String(error) });
    });
  }

  get #owned(): OwnedDocuments {
    if (!this.#attached) throw new Error("The node is not open yet");
    return this.#attached.owned;
  }

  async #open(doc: string): Promise<void> {
    if (doc === HOME) {
      await this.#attached?.ownHome();
      return;
    }
    await this.#owned.own(doc);
    await this.#attached?.services.open(doc);
  }

  async #require(peer: CalledNode, name: string, doc: string, deadlineMs: number): Promise<void> {
    const { isAccepted } = ACCEPTED.parse(await this.#callPeer(peer, name, { doc }, deadlineMs));
    if (!isAccepted) throw new Error("The node is about to stop");
  }

  async #callPeer(peer: CalledNode, name: string, content: unknown, deadlineMs: number): Promise<unknown> {
    if (!this.#call) throw new Error("The node is not connected yet");
    return this.#call(peer, name, content, { deadlineMs });
  }

  /** Has the least loaded node open each document whose deliveries are due and that no living node owns. */
  async #openDue(): Promise<void> {
    const { database, isHomeOwner, nodeId, log } = this.#options;
    if (!this.#attached || !isHomeOwner() || this.#isOpeningDue || nodeId() === null) return;
    this.#isOpeningDue = true;
    try {
      const connection = await database.control();
      const due = await findDueDocuments(connection, MAX_DUE_DOCUMENTS);
      if (due.length === 0) return;
      const loads = await readTargets(connection);
      for (const doc of due) {
        const target = leastLoaded(loads);
        if (!target) return;
        target.documents++;
        if (target.node === nodeId()) await this.#open(doc);
        else await this.#require(target, "open", doc, OPEN_DEADLINE_MS);
      }
    } catch (error) {
      log.warn("cluster.due_documents_not_opened", { error: String(error) });
    } finally {
      this.#isOpeningDue = false;
    }
  }
}

const leastLoaded = (loads: readonly Target[]): Target | null =>
  loads.reduce<Target | null>((best, one) => (best && best.documents <= one.documents ? best : one), null);

/** Returns the living nodes that do not drain. */
async function readTargets(session: Session): Promise<Target[]> {
  const nodes = (await listNodes(session)).filter(({ isAlive, isDraining }) => isAlive && !isDraining);
  return nodes.map(({ id, address, documents }) => ({ node: id, address, documents }));
}
