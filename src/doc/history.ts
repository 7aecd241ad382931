import type { Database } from "../sqlite/database.ts";
import { dropOldChangeKeys } from "./history/change-keys.ts";
import { historyEntry, type HistoryState } from "./history-entry.ts";

/** The history of a document: one row per state. Three branches point to the newest state. */

/** The state that a new one follows. */
export interface NewestState {
  readonly id: number;
  readonly actionNum: number;
  readonly actionHash: string;
}

export interface HistoryLimits {
  readonly states: number;
  readonly bytes: number;
}

/** The default retention of history. */
export const HISTORY_LIMITS: HistoryLimits = { states: 1000, bytes: 100 * 1024 ** 2 };

/** Returns the newest state; null in a file without any. Action numbers rise with ids, and only ids are indexed. */
export const newestState = (db: Database): NewestState | null =>
  db.get<NewestState>("select id, actionNum, actionHash from _gristsys_ActionHistory order by id desc limit 1");

/** Appends a state and moves the branches to it. */
export function appendState(db: Database, state: Omit<HistoryState, "actionNum" | "parentActionHash">): NewestState {
  const parent = newestState(db);
  const { actionHash, actionNum, body } = historyEntry({
    ...state,
    actionNum: (parent?.actionNum ?? 0) + 1,
    parentActionHash: parent?.actionHash ?? null,
  });
  const id = (parent?.id ?? 0) + 1;
  db.run(
    "insert into _gristsys_ActionHistory (id, actionHash, parentRef, actionNum, body) values (?, ?, ?, ?, ?)",
    id,
    actionHash,
    parent?.id ?? null,
    actionNum,
    body,
  );
  db.run("update _gristsys_ActionHistoryBranch set actionRef = ?", id);
  const knownSize = historySizes.get(db);
  if (knownSize) {
    knownSize.states++;
    knownSize.bytes += body.byteLength;
  }
  return { id, actionNum, actionHash };
}

interface HistorySize {
  states: number;
  bytes: number;
}

/**
 * The size of the history by connection: the last count plus what was added since. After rollbacks the real size is
 * smaller, or up to a quarter larger where pruning was rolled back; it is recounted before states are pruned.
 */
const historySizes = new WeakMap<Database, HistorySize>();

/** By which factor the limits are exceeded before states are pruned, so that pruning does not run with every change. */
const PRUNE_SLACK = 1.25;

/** Prunes the oldest states once the limits are clearly exceeded; always keeps the newest. */
export function pruneHistory(db: Database, { states, bytes }: HistoryLimits): void {
  const knownSize = historySizes.get(db);
  if (knownSize && knownSize.states <= states * PRUNE_SLACK && knownSize.bytes <= bytes * PRUNE_SLACK) return;
  const sizes = db.values("select id, length(body) from _gristsys_ActionHistory order by actionNum desc, id desc");
  const total = sizes.reduce((sum, [, size]) => sum + Number(size), 0);
  historySizes.set(db, { states: sizes.length, bytes: total });
  if (sizes.length <= states * PRUNE_SLACK && total <= bytes * PRUNE_SLACK) return;
  let keptStates = 0;
  let keptBytes = 0;
  for (const [, size] of sizes) {
    if (keptStates > 0 && (keptStates >= states || keptBytes + Number(size) > bytes)) break;
    keptBytes += Number(size);
    keptStates++;
  }
  dropStates(
    db,
    sizes.slice(keptStates).map(([id]) => Number(id)),
  );
  historySizes.set(db, { states: keptStates, bytes: keptBytes });
}

/** Deletes states by row id. */
export function dropStates(db: Database, ids: readonly number[]): void {
  historySizes.delete(db);
  db.run("delete from _gristsys_ActionHistory where id in (select value from json_each(?))", JSON.stringify(ids));
  dropOldChangeKeys(db);
}
