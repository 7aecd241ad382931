import { invalid } from "../../errors.ts";
import type { Database } from "../../sqlite/database.ts";
import type { OpenDocument } from "../document.ts";
import type { HistoryLimits } from "../history.ts";
import { hasTable } from "../migrations/stored-tables.ts";
import { removeOldStates } from "./states.ts";

/** How many states a document keeps, when its owners chose fewer than the server allows. Copies and downloads do not have it. */
const TABLE = "_quern_history";

export interface HistoryRetention {
  /** The number of states that the owners chose; null for as many as the server keeps. */
  readonly states: number | null;
  readonly serverStates: number;
  readonly serverBytes: number;
}

export function readRetention({ db, historyLimits }: Pick<OpenDocument, "db" | "historyLimits">): HistoryRetention {
  const { states, bytes } = historyLimits;
  return { states: chosenStates(db), serverStates: states, serverBytes: bytes };
}

/** The limits of the server, with those of the document. */
export function limitsOf({ db, historyLimits }: Pick<OpenDocument, "db" | "historyLimits">): HistoryLimits {
  const states = chosenStates(db);
  return states === null ? historyLimits : { ...historyLimits, states: Math.min(states, historyLimits.states) };
}

/**
 * Sets the number of states that the document keeps, and deletes older ones; null keeps as many as the server does.
 * @throws AppError `invalid` for more than the server keeps
 */
export function setRetention(document: OpenDocument, states: number | null): void {
  const { db, historyLimits } = document;
  if (states !== null && states > historyLimits.states) {
    throw invalid(`states must be at most ${historyLimits.states}, the number that the server keeps`);
  }
  db.transaction(() => {
    db.exec(`create table if not exists ${TABLE} (id integer primary key check (id = 1), states integer not null)`);
    if (states === null) db.run(`delete from ${TABLE}`);
    else db.run(`insert or replace into ${TABLE} (id, states) values (1, ?)`, states);
  });
  if (states !== null) removeOldStates(document, states);
}

function chosenStates(db: Database): number | null {
  if (!hasTable(db, TABLE)) return null;
  const found = db.get<{ states: number }>(`select states from ${TABLE} where id = 1`);
  return found?.states ?? null;
}
