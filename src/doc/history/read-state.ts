import { invalid } from "../../errors.ts";
import type { Database } from "../../sqlite/database.ts";
import { unmarshal, unmarshalMember } from "../../values/marshal.ts";
import type { State } from "./states.ts";

/** An action in a history written by any program: only its name is certain. */
export type RecordedAction = readonly [name: string, ...args: unknown[]];

/** The recorded actions that led to a state. */
export interface RecordedChange {
  /** The applied actions and the resulting formula updates, in order. */
  readonly done: readonly RecordedAction[];
  /** Only the formula updates, in order. */
  readonly calculated: readonly RecordedAction[];
  /** The user actions; values of many rows are left out. */
  readonly requested: readonly RecordedAction[];
  /** The undo actions, to be applied from the last to the first. */
  readonly undo: readonly RecordedAction[];
  /** Milliseconds since the epoch; null where the file does not record it. */
  readonly time: number | null;
  /** The email address of the user; null where the file does not record it. */
  readonly user: string | null;
  /** The description of the change; null where it has none. */
  readonly note: string | null;
}

/** Returns the stored size of the changes that led to these states, in bytes. */
export function changesSize(db: Database, states: readonly State[]): number {
  const size = "select coalesce(sum(length(body)), 0) from _gristsys_ActionHistory where actionHash in";
  const hashes = JSON.stringify(states.map(({ h }) => h));
  return Number(db.values(`${size} (select value from json_each(?))`, hashes)[0]?.[0] ?? 0);
}

/** @throws AppError `invalid` when the stored change cannot be parsed */
export function readChange(db: Database, { n, h }: State): RecordedChange {
  const body = db.values("select body from _gristsys_ActionHistory where actionHash = ?", h)[0]?.[0];
  const state = body instanceof Uint8Array ? readBody(body) : null;
  if (!state) throw invalid(`The history entry of state ${n} cannot be read`);
  const { stored, calc, undo, userActions, info } = state;
  const calculated = unwrapActions(calc).flatMap(expandReplay);
  return {
    done: [...unwrapActions(stored).flatMap(expandReplay), ...calculated],
    calculated,
    requested: unwrapActions(userActions),
    undo: unwrapActions(undo),
    ...originOf(info),
  };
}

/** Returns the time of a state in milliseconds since the epoch; null where the file does not record it. */
export const readTime = (db: Database, state: State): number | null =>
  originOf(readMember(db, state, { name: "info", prefixBytes: 4096 })).time;

/** Returns the hash of the state before a state; null for the first one. */
export function readParentHash(db: Database, state: State): string | null {
  const hash = readMember(db, state, { name: "parentActionHash", prefixBytes: 8192 });
  return typeof hash === "string" ? hash : null;
}

/**
 * Reads a member of an entry, first from its start: members are in alphabetical order, and only results of formulas, which
 * other programs store apart, come before these. Returns undefined if it cannot be read.
 */
function readMember(
  db: Database,
  { h }: State,
  { name, prefixBytes }: { name: "info" | "parentActionHash"; prefixBytes: number },
): unknown {
  for (const bytes of [prefixBytes, Number.MAX_SAFE_INTEGER]) {
    const [row] = db.values("select substr(body, 1, ?) from _gristsys_ActionHistory where actionHash = ?", bytes, h);
    const body = row?.[0];
    if (!(body instanceof Uint8Array)) return undefined;
    try {
      return unmarshalMember(body, name);
    } catch {
      // It is longer, or damaged.
    }
  }
  return undefined;
}

/** Returns the number of rows of an update of which only the first are recorded; 0 for other updates. */
export function rowsOfWholeUpdate(whole: unknown): number {
  const rows = typeof whole === "object" && whole !== null && "rows" in whole ? whole.rows : 0;
  return typeof rows === "number" ? rows : 0;
}

/** Reads time and user from their envelope: `[0, { time, user, … }]`. */
function originOf(info: unknown): Pick<RecordedChange, "time" | "user" | "note"> {
  const fields: unknown = Array.isArray(info) ? info[1] : info;
  const { time, user, desc } = (typeof fields === "object" && fields !== null ? fields : {}) as Record<string, unknown>;
  return {
    time: typeof time === "number" && Number.isSafeInteger(time) ? time : null,
    user: typeof user === "string" && user !== "" ? user : null,
    note: typeof desc === "string" && desc !== "" ? desc : null,
  };
}

function readBody(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const body = unmarshal(bytes, "number");
    return typeof body === "object" && body !== null && !Array.isArray(body) ? (body as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Unwraps the actions of a list from their usual envelopes (`[0, action]`). */
function unwrapActions(list: unknown): RecordedAction[] {
  if (!Array.isArray(list)) return [];
  return list
    .map((item: unknown) => (Array.isArray(item) && typeof item[0] === "number" ? (item[1] as unknown) : item))
    .filter(isAction);
}

const isAction = (value: unknown): value is RecordedAction => Array.isArray(value) && typeof value[0] === "string";

/** The oldest histories record an undo as a reference, where later ones have the actions. */
function expandReplay(action: RecordedAction): readonly RecordedAction[] {
  const [name, list] = action;
  if (name === "ApplyUndoActions") return unwrapActions(list).toReversed();
  return name === "ApplyDocActions" ? unwrapActions(list) : [action];
}
