/** Undo by a snapshot, for changes that are larger than what the history keeps. */
import { api, ApiError } from "../../../../base/client/api.ts";
import { t } from "../../../../base/client/texts.ts";

/** The snapshot of the content before a change. */
export interface GuardedSnapshot {
  /** The state after the change: its number, and its hash. */
  readonly state: number;
  readonly hash: string;
  readonly snapshot: string;
}

interface Saved {
  readonly snapshotId: string;
  readonly state: { readonly n: number };
}

interface Changed {
  readonly actionNum: number;
  readonly actionHash: string | null;
}

/**
 * Saves a snapshot, and runs a change. If another change came between them, the snapshot would revert both: the entry of
 * the undo stack is then that of the history.
 * @throws Failure
 */
export async function saveFirst<T extends Changed>(
  docId: string,
  call: () => Promise<T>,
): Promise<{ done: T; entry: number | GuardedSnapshot }> {
  const { snapshotId: snapshot, state } = await api<Saved>(`/api/docs/${docId}/snapshots`, { method: "POST" });
  const done = await call();
  const { actionNum, actionHash: hash } = done;
  const isNext = hash !== null && actionNum === state.n + 1;
  return { done, entry: isNext ? { state: actionNum, hash, snapshot } : actionNum };
}

/**
 * Restores the snapshot, if the document is still at the state after the change; later changes need the history.
 * Returns the state of the undo; null after a restore.
 * @throws Failure
 */
export async function restoreGuarded(
  docId: string,
  { snapshot: snapshotId, hash: ifState }: GuardedSnapshot,
  undoByHistory: () => Promise<number>,
): Promise<number | null> {
  try {
    await api(`/api/docs/${docId}/replace`, { method: "POST", body: { snapshotId, ifState } });
    return null;
  } catch (error) {
    if (!(error instanceof ApiError) || error.details["code"] !== "document.state_changed") throw error;
  }
  try {
    return await undoByHistory();
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind !== "refused") throw error;
    throw new ApiError("refused", t("table.large.changedSince"), error);
  }
}
