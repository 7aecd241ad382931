import type { Actor } from "../../authorization.ts";
import { AppError, forbidden, notFound } from "../../errors.ts";
import { isMetadataTable } from "../actions/doc-action.ts";
import type { OpenDocument } from "../document.ts";
import { changeCredentialsOf, isSameUser } from "../history/change-keys.ts";
import { parseWantedState } from "../history/past/find-state-at.ts";
import { timeOf } from "../history/past/state-times.ts";
import { readChange, type RecordedChange } from "../history/read-state.ts";
import { readStateChanges } from "../history/state-changes.ts";
import { listStates, type State } from "../history/states.ts";
import { DirectWrites } from "./direct-writes.ts";
import { emptyLedger, type Ledger, NOT_OWN, type Ownership, recordState } from "./ledger.ts";
import { checkReadable, laterStates } from "./later-states.ts";

/** Who made a change: the API key, or null for a session; and the address of the user. */
export interface ChangeAuthor {
  readonly keyId: number | null;
  /** In lower case. */
  readonly email: string;
}

/**
 * Returns the author that the history records for changes of a caller.
 * @throws AppError `forbidden` for anonymous callers, whom the history cannot distinguish, and end users
 */
export function authorOf(actor: Actor): ChangeAuthor {
  if (actor.kind === "anonymous") throw forbidden("Anonymous callers cannot undo their own changes; use an API key");
  if (actor.kind === "endUser") {
    throw forbidden("End users cannot undo their own changes with a token", "access.token_denied");
  }
  return { keyId: actor.keyId ?? null, email: actor.email.toLowerCase() };
}

/**
 * Returns the number of the state that `since` names: its number, 0 for all changes, or the last state at or before a time.
 * @throws AppError `since.invalid`, `state.not_found`, `state.pruned`
 */
export function resolveSince(document: OpenDocument, since: number | string): number {
  const { db } = document;
  const states = listStates(db);
  const [newest] = states;
  const firstSince = (states.at(-1)?.n ?? 1) - 1;
  const n = numberOf(document, since, states) ?? 0;
  if (n > (newest?.n ?? 0)) {
    throw notFound(
      `There is no state ${n} in the history of this document; the newest one is ${newest?.n ?? 0}`,
      "state.not_found",
    );
  }
  if (n < firstSince) {
    throw new AppError("state.pruned", `The history no longer contains the changes since state ${n}`, {
      details: { oldestState: firstSince },
    });
  }
  return n;
}

function numberOf(
  { db, timezone }: OpenDocument,
  since: number | string,
  states: readonly State[],
): number | undefined {
  if (typeof since === "number") return since;
  const wanted = since === "0" ? ({ kind: "number", n: 0 } as const) : parseWantedState(since, timezone);
  if (!wanted) {
    throw new AppError("since.invalid", "since must be the number of a state, or a time such as 2026-01-31T12:00:00Z");
  }
  if (wanted.kind === "number") return wanted.n;
  return states.find((state) => (timeOf(db, state) ?? Infinity) <= wanted.ms)?.n;
}

/**
 * Reads the changes of an author after a state.
 * @param directOnly leaves out the cells and rows that the author's requests did not name themselves
 * @throws AppError `undo.too_many_changes`, `state.pruned`
 */
export function readOwnChanges(
  document: OpenDocument,
  { since, author, directOnly }: { since: number; author: ChangeAuthor; directOnly: boolean },
): Ledger {
  const { db } = document;
  const credentialOf = changeCredentialsOf(db);
  const later = laterStates(db, since);
  const first = later.findIndex(({ n }) => credentialOf(n).keyId === author.keyId);
  const ledger = emptyLedger();
  if (first < 0) return ledger;
  // Changes before the author's first one do not matter.
  const states = later.slice(first);
  checkReadable(db, states, { since, first: states[0]?.n ?? 0 });
  for (const state of states) {
    const change = readChange(db, state);
    const { keyId, isEndUser } = credentialOf(state.n);
    const isOwn =
      keyId === author.keyId && isSameUser({ email: change.user, isEndUser }, { ...author, isEndUser: false });
    const changes = readStateChanges(change, { maxRows: Infinity, notesModified: true });
    recordState(ledger, changes, isOwn ? ownershipOf(change, directOnly) : NOT_OWN);
  }
  return ledger;
}

const SCHEMA_ACTIONS = /^(AddTable|RemoveTable|RenameTable|AddColumn|RemoveColumn|RenameColumn|ModifyColumn)$/;

function ownershipOf(change: RecordedChange, directOnly: boolean): Ownership {
  const changesSchema = change.done.some(([name]) => SCHEMA_ACTIONS.test(name));
  const metadata = (table: string) =>
    // Records about tables and columns follow from the actions on these, and attachments belong to cells.
    isMetadataTable(table) && (table === "_grist_Attachments" || (changesSchema && !table.startsWith("_grist_ACL")));
  if (!directOnly) {
    return {
      ownsSchema: () => true,
      ownsRow: (table) => !metadata(table),
      ownsCell: (table) => !metadata(table),
    };
  }
  const direct = new DirectWrites(change.requested);
  return {
    // Within such a change, a name can refer to anything.
    ownsSchema: () => true,
    ownsRow: (table, row, kind) =>
      !changesSchema && (kind === "added" ? direct.addsRows(table) : direct.removesRow(table, row)),
    ownsCell: (table, row, column) => !changesSchema && direct.writesCell(table, row, column),
  };
}
