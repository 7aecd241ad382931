import { sha256Hex } from "../../lib/ids.ts";
import type { Database } from "../../sqlite/database.ts";
import type { OpenDocument } from "../document.ts";
import { dropStates } from "../history.ts";

/** A state of the document in the form of the API: its number and hash. */
export interface State {
  readonly n: number;
  readonly h: string;
}

/**
 * Replaces the hash of a state where access rules hide data: the real hash covers everything that the change wrote, so
 * it could be used to verify guesses.
 */
export const maskedHash = (n: number): string => sha256Hex(`state ${n}`);

/** Returns all stored states, newest first. */
export const listStates = (db: Database): State[] =>
  db
    .values("select actionNum, actionHash from _gristsys_ActionHistory order by actionNum desc, id desc")
    .map(([n, h]) => ({ n: Number(n), h: String(h) }));

/** Deletes all but the newest `keep` states; always keeps the newest, which is the present state. */
export function removeOldStates(document: OpenDocument, keep: number): void {
  const { db } = document;
  db.transaction(() => {
    const ids = db.values("select id from _gristsys_ActionHistory order by actionNum desc, id desc");
    dropStates(
      db,
      ids.slice(Math.max(keep, 1)).map(([id]) => Number(id)),
    );
  });
  document.onChanged({ schema: false });
}
