import type { Database } from "../sqlite/database.ts";
import { historyEntry, type HistoryState } from "./history-entry.ts";

/** The history of a document: a row for each state it was in, the newest of which three branches point to. */

/** What a new state refers to. */
export interface NewestState {
  readonly id: number;
  readonly actionNum: number;
  readonly actionHash: string;
}

export interface HistoryLimits {
  readonly states: number;
  readonly bytes: number;
}

/** How much history a document keeps unless something else is said. */
export const HISTORY_LIMITS: HistoryLimits = { states: 1000, bytes: 100 * 1024 ** 2 };

/** The newest state; null in a file without any. Numbers go up with ids, and only those are found without a search. */
export const newestState = (db: Database): NewestState | null =>
  db.get<NewestState>("select id, actionNum, actionHash from _gristsys_ActionHistory order by id desc limit 1");

/** Adds a state after the newest, and lets the branches point to it. */
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
 * How much history there is, by connection: what was found or left last, and what was added since. Where that was undone
 * it is less, or a quarter more where old states had gone; counting again, before any go, finds out.
 */
const historySizes = new WeakMap<Database, HistorySize>();

/** By how much the limits are overstepped before old states go, so that this is not done with every state. */
const PRUNE_SLACK = 1.25;

/** Drops the oldest states once there are clearly more than the limits allow; the newest always stays. */
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

/** Drops states by their row ids. */
export function dropStates(db: Database, ids: readonly number[]): void {
  historySizes.delete(db);
  db.run("delete from _gristsys_ActionHistory where id in (select value from json_each(?))", JSON.stringify(ids));
}
