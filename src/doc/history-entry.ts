import { createHash } from "node:crypto";
import { marshal, Marshalled } from "../values/marshal.ts";

/** One state of a document's history, before it has a hash. */
export interface HistoryState {
  /** 1, 2, 3 … */
  readonly actionNum: number;
  /** The hash of the previous state; null for the first. */
  readonly parentActionHash: string | null;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** The email address of the user. */
  readonly user: string;
  /** The requested actions. */
  readonly userActions: readonly unknown[];
  /** The applied actions, the resulting formula updates, and the actions that undo both. */
  readonly stored: readonly unknown[];
  readonly calc: readonly unknown[];
  readonly undo: readonly unknown[];
  /** A description supplied by the caller; usually null. */
  readonly desc?: string | null;
  /** The number of the state that this one undoes or redoes; 0 for none. */
  readonly otherId?: number;
  /** The number of the state that must be undone together with this one; 0 for none. */
  readonly linkId?: number;
}

/** A row of `_gristsys_ActionHistory`, without its id and its parent's. */
export interface HistoryEntry {
  readonly actionHash: string;
  readonly actionNum: number;
  readonly body: Uint8Array;
}

/** All actions are for all recipients: the format's support for others was never implemented. */
const ENVELOPE_FOR_ALL = { recipients: ["#ALL"] };

/**
 * Returns the stored form of a state. The hash covers the state, its parent's hash and the applied actions, so that
 * equal hashes in two files mean the same history. Keys are in alphabetical order, as readers expect for the hash.
 */
export function historyEntry(state: HistoryState): HistoryEntry {
  const { actionNum, parentActionHash } = state;
  const info = [
    0,
    {
      desc: state.desc ?? null,
      inst: "unset-inst",
      linkId: state.linkId ?? 0,
      otherId: state.otherId ?? 0,
      time: state.time,
      user: state.user,
    },
  ];
  const inEnvelope = (actions: readonly unknown[]) => actions.map((action) => [0, action]);
  // The applied actions are part of both the hash and the body, and by far the largest part.
  const stored = new Marshalled(inEnvelope(state.stored));
  const calc = inEnvelope(state.calc);
  const hash = createHash("sha256");
  for (const part of [actionNum, parentActionHash, info]) hash.update(marshal(part));
  hash.update(stored.bytes);
  const actionHash = hash.digest("hex");
  const body = marshal({
    actionHash,
    actionNum,
    calc,
    envelopes: state.stored.length + calc.length > 0 ? [ENVELOPE_FOR_ALL] : [],
    info,
    parentActionHash,
    stored,
    undo: state.undo,
    userActions: state.userActions,
  });
  return { actionHash, actionNum, body };
}
