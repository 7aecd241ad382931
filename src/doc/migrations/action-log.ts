import type { Database } from "../../sqlite/database.ts";
import { appendState, newestState } from "../history.ts";
import { HISTORY_BRANCHES } from "../metadata-tables.ts";

interface OldAction {
  actionNum: unknown;
  time: unknown;
  user: unknown;
  desc: unknown;
  otherId: unknown;
  linkId: unknown;
  json: unknown;
}

/**
 * The first kind of history, one user action a row with the steps that undo it, becomes states of the history of
 * today. What formulas made of an action was not kept, so what was asked for stands for what was stored.
 */
export function convertActionLog(db: Database): void {
  const actions = db.all<OldAction>(
    "select actionNum, time, user, desc, otherId, linkId, json from _gristsys_Action order by id",
  );
  const undo = Map.groupBy(
    db.values("select parentId, json from _gristsys_Action_step where type = 'undo' order by id"),
    ([parent]) => parent,
  );
  for (const action of actions) {
    const userAction = parse(action.json);
    if (userAction === undefined) continue;
    appendState(db, {
      time: number(action.time),
      user: typeof action.user === "string" ? action.user : "",
      desc: typeof action.desc === "string" ? action.desc : null,
      otherId: number(action.otherId),
      linkId: number(action.linkId),
      userActions: [userAction],
      stored: [userAction],
      calc: [],
      undo: (undo.get(action.actionNum as number) ?? [])
        .map(([, json]) => parse(json))
        .filter((step) => step !== undefined),
    });
  }
  db.exec("delete from _gristsys_Action; delete from _gristsys_Action_step");
}

/** Every document has at least one state, and three branches that point to the newest. */
export function ensureHistory(db: Database, time = Date.now()): void {
  if (newestState(db) === null) {
    appendState(db, { time, user: "grist", userActions: [], stored: [], calc: [], undo: [] });
  }
  const newest = newestState(db)?.id ?? null;
  db.run("update _gristsys_ActionHistoryBranch set actionRef = ?", newest);
  const branches = new Set(db.values("select name from _gristsys_ActionHistoryBranch").map(([name]) => name));
  for (const name of HISTORY_BRANCHES.filter((branch) => !branches.has(branch))) {
    db.run("insert into _gristsys_ActionHistoryBranch (name, actionRef) values (?, ?)", name, newest);
  }
}

function parse(json: unknown): unknown {
  if (typeof json !== "string" || json === "") return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const number = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);
