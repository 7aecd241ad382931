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
 * Converts the original history format, one row per user action with the steps that undo it, to states of the present
 * one. It did not record formula updates, so the user action is taken as the applied one.
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

/** Ensures that a document has at least one state, and three branches that point to the newest. */
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
