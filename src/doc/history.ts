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
  const known = extents.get(db);
  if (known) {
    known.states++;
    known.bytes += body.byteLength;
  }
  return { id, actionNum, actionHash };
}

interface Extent {
  states: number;
  bytes: number;
}

/**
 * How much history there is, by connection: what was found or left last, and what was added since. Where that was undone
 * it is less, or a quarter more where old states had gone; counting again, before any go, finds out.
 */
const extents = new WeakMap<Database, Extent>();

/** By how much the limits are overstepped before old states go, so that this is not done with every state. */
const SLACK = 1.25;

/** Drops the oldest states once there are clearly more than the limits allow; the newest always stays. */
export function pruneHistory(db: Database, { states, bytes }: HistoryLimits): void {
  const known = extents.get(db);
  if (known && known.states <= states * SLACK && known.bytes <= bytes * SLACK) return;
  const sizes = db.values("select id, length(body) from _gristsys_ActionHistory order by actionNum desc, id desc");
  const total = sizes.reduce((sum, [, size]) => sum + Number(size), 0);
  extents.set(db, { states: sizes.length, bytes: total });
  if (sizes.length <= states * SLACK && total <= bytes * SLACK) return;
  let kept = 0;
  let keptBytes = 0;
  for (const [, size] of sizes) {
    if (kept > 0 && (kept >= states || keptBytes + Number(size) > bytes)) break;
    keptBytes += Number(size);
    kept++;
  }
  dropStates(
    db,
    sizes.slice(kept).map(([id]) => Number(id)),
  );
  extents.set(db, { states: kept, bytes: keptBytes });
}

/** Drops states by their row ids. */
export function dropStates(db: Database, ids: readonly number[]): void {
  extents.delete(db);
  db.run("delete from _gristsys_ActionHistory where id in (select value from json_each(?))", JSON.stringify(ids));
}
