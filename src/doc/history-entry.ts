import { createHash } from "node:crypto";
import { marshal, Marshalled } from "../values/marshal.ts";

/** One state of a document's history, before it has a hash. */
export interface HistoryState {
  /** 1, 2, 3 … */
  readonly actionNum: number;
  /** The hash of the state before; null for the first. */
  readonly parentActionHash: string | null;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** E-mail address of who did it. */
  readonly user: string;
  /** What was asked for. */
  readonly userActions: readonly unknown[];
  /** What became of it, what formulas made of that, and what undoes both. */
  readonly stored: readonly unknown[];
  readonly calc: readonly unknown[];
  readonly undo: readonly unknown[];
  /** Said by the caller about the whole; mostly null. */
  readonly desc?: string | null;
  /** The number of the state that this one undoes or redoes; 0 for none. */
  readonly otherId?: number;
  /** The number of the state that this one is to be undone together with; 0 for none. */
  readonly linkId?: number;
}

/** A row of `_gristsys_ActionHistory`, but for its id and that of its parent. */
export interface HistoryEntry {
  readonly actionHash: string;
  readonly actionNum: number;
  readonly body: Uint8Array;
}

/** Everything that is done goes to everybody: what the format has recipients for was never built. */
const ENVELOPE_FOR_ALL = { recipients: ["#ALL"] };

/**
 * What the history keeps of a state. The hash is taken over the state, its parent's hash and what was stored, so that
 * equal hashes in two files mean the same past. Keys are written in alphabetical order, as readers expect them for
 * the hash.
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
  // What was stored goes into the hash and into the body, and is by far the largest part.
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
