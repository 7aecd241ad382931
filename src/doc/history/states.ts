import { sha256Hex } from "../../lib/ids.ts";
import type { Database } from "../../sqlite/database.ts";
import type { OpenDocument } from "../document.ts";
import { dropStates } from "../history.ts";

/** A state the document was in, as the API shows it: its number and its hash. */
export interface State {
  readonly n: number;
  readonly h: string;
}

/**
 * What stands for the hash of a state where access rules hide something: the real one is made from all that the change
 * wrote, so that guesses could be checked by it.
 */
export const maskedHash = (n: number): string => sha256Hex(`state ${n}`);

/** All states that are kept, newest first. */
export const listStates = (db: Database): State[] =>
  db
    .values("select actionNum, actionHash from _gristsys_ActionHistory order by actionNum desc, id desc")
    .map(([n, h]) => ({ n: Number(n), h: String(h) }));

/** Forgets all but the newest `keep` states; the newest always stays, as the one that the document is in. */
export function removeOldStates(document: OpenDocument, keep: number): void {
  const { db } = document;
  db.transaction(() => {
    const ids = db.values("select id from _gristsys_ActionHistory order by actionNum desc, id desc");
    dropStates(
      db,
      ids.slice(Math.max(keep, 1)).map(([id]) => Number(id)),
    );
  });
  document.onCommitted({ schema: false });
}
