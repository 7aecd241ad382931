import type { Peers } from "./acquire.ts";

/** How a node shares documents with others. */
export interface SharingOptions {
  readonly peers: Peers;
  /** Whether this node asks for documents that other living nodes own; otherwise requests get `document.elsewhere`. */
  readonly mayAsk: () => boolean;
  /** A document that has not been used for so long, and that nothing has open, is released. */
  readonly idleMs: number;
  /** Whether threads, streams or large responses have the document open. */
  readonly isInUse: (doc: string) => boolean;
  /** Whether clients still receive large responses from the document's file. */
  readonly isStreaming: (doc: string) => boolean;
  readonly deliveries: SharedDeliveries;
  /** Another node owns a document of this one from now on. */
  readonly onHandedOver: (doc: string, owner: { readonly node: string; readonly epoch: number }) => void;
}

/** Deliveries of webhooks in documents that move between nodes. */
export interface SharedDeliveries {
  /** As `Append.dueAtMs`. */
  dueAtMs(doc: string): number | null;
  /** This node owns the document, and its file is current. */
  acquired(doc: string): void;
  /** The document leaves: stops its deliveries. Returns in how many milliseconds the next is due; null for never. */
  leaving(doc: string): number | null;
}

export type HandOverOutcome = "handedOver" | "notOwned" | "kept";

/**
 * Fairness: an owner keeps a document for at least this long, so that the requests of two nodes that need the same document
 * alternate instead of moving it for each request.
 */
export const MIN_HOLD_MS = 1000;

/** How long a document waits for the requests that use it before it leaves. */
export const MAX_USE_WAIT_MS = 2000;

export interface HandOver {
  readonly to: string;
  readonly useWaitMs: number;
  /** Whether requests that still use the document are not waited for any longer. */
  readonly isForced: boolean;
}
