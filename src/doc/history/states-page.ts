import type { Database } from "../../sqlite/database.ts";
import { changeCredentialsOf } from "./change-keys.ts";
import { changeRow, readStateDetails, type ReadState, type StateDetails } from "./state-details.ts";

/** Which states are described. */
export interface DescribedPart {
  /** Only states before this one; null starts at the newest. */
  readonly before: number | null;
  readonly limit: number;
  /** Only states that changed the table with this id at `before`. */
  readonly table?: string | undefined;
  /** Only states that changed the row of the table with this id. */
  readonly row?: number | undefined;
  /** Only states of the user with this address. */
  readonly email?: string | undefined;
}

export interface StatesPage {
  /** Newest first. */
  readonly states: readonly StateDetails[];
  /** The cursor of the next page; null at the end. */
  readonly before: number | null;
  /** The id of the requested table in older states; null without one. */
  readonly table: string | null;
}

/** How much one page reads, in bytes of the file; the page ends when it is exceeded. */
const PAGE_BYTES = 8 * 1024 ** 2;

/** Returns the states before a number, or from the newest on. */
export function describeStates(db: Database, { before, limit, table, row, email }: DescribedPart): StatesPage {
  const isFiltered = table !== undefined || email !== undefined;
  const rows = db.values(
    "select actionNum, actionHash, length(body) from _gristsys_ActionHistory where actionNum < ? order by actionNum desc, id desc limit ?",
    before ?? Number.MAX_SAFE_INTEGER,
    isFiltered ? -1 : limit + 1,
  );
  const credentialOf = changeCredentialsOf(db);
  const followed = new FollowedTable(table, row);
  const states: StateDetails[] = [];
  let bytes = 0;
  let read = 0;
  for (const [n, h, size] of rows) {
    bytes += Number(size);
    const isFull = states.length === limit || (bytes > PAGE_BYTES && read > 0);
    if (isFull || followed.isBeforeItsCreation) break;
    read++;
    const state = readStateDetails(db, { n: Number(n), h: String(h) }, bytes <= PAGE_BYTES);
    const { details } = state;
    if (!followed.isChangedBy(state) || (email !== undefined && details.user?.toLowerCase() !== email.toLowerCase()))
      continue;
    states.push({ ...details, keyId: credentialOf(details.n).keyId });
  }
  const hasOlder = read < rows.length && !followed.isBeforeItsCreation;
  return { states, before: hasOlder ? Number(rows[read - 1]?.[0]) : null, table: followed.id };
}

/** A table, or a row of it, of which the changes are requested, from its newest state back through the names of the table. */
class FollowedTable {
  /** Null if no table is requested. */
  id: string | null;
  /** A table that had the id before is another one. */
  isBeforeItsCreation = false;
  readonly #row: number | undefined;

  constructor(id: string | undefined, row: number | undefined) {
    this.id = id ?? null;
    this.#row = row;
  }

  /** To be called for each state, newest first. True for changes that are too large to be read, too. */
  isChangedBy({ details: { isRead, tables }, actions }: ReadState): boolean {
    if (this.id === null || !isRead) return true;
    const changed = tables.find(({ table }) => table === this.id);
    if (!changed) return false;
    const names = new Set([this.id, changed.renamedFrom ?? this.id]);
    this.id = changed.renamedFrom ?? this.id;
    this.isBeforeItsCreation = changed.isNew === true;
    return this.#row === undefined || changeRow(actions, names, this.#row);
  }
}
