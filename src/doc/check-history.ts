import type { Database } from "../sqlite/database.ts";
import { HISTORY_BRANCHES } from "./metadata-tables.ts";
import { hasTable } from "./migrations/stored-tables.ts";

interface State {
  id: number;
  parentRef: number | null;
  actionNum: number;
}

/** Checks the chain of states, from the newest to the oldest stored one. */
export function findHistoryProblems(db: Database): string[] {
  if (!hasTable(db, "_gristsys_ActionHistory") || !hasTable(db, "_gristsys_ActionHistoryBranch")) return [];
  const states = db.all<State>("select id, parentRef, actionNum from _gristsys_ActionHistory order by actionNum, id");
  const newest = states.at(-1);
  if (!newest) return ["The history is empty."];
  const problems: string[] = [];
  states.forEach((state, index) => {
    const before = states[index - 1];
    // The parent of the oldest state may have been pruned.
    if (before && (state.parentRef !== before.id || state.actionNum !== before.actionNum + 1)) {
      problems.push(`The history is broken: state ${state.actionNum} does not follow the one before it.`);
    }
  });
  const branches = new Map(
    db.values("select name, actionRef from _gristsys_ActionHistoryBranch").map(([name, ref]) => [name, ref]),
  );
  for (const name of HISTORY_BRANCHES) {
    if (branches.get(name) !== newest.id)
      problems.push(`The history's branch ${name} does not point to its newest state.`);
  }
  return problems;
}
