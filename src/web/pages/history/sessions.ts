import type { History } from "../../../wire/documents/history.ts";

type State = History["states"][number];

/** Changes of one user with shorter pauses form a session. */
const MAX_PAUSE_MS = 10 * 60_000;

/** Groups states, newest first, into sessions of one user's work. */
export function groupIntoSessions(states: readonly State[]): State[][] {
  const sessions: State[][] = [];
  for (const state of states) {
    const session = sessions.at(-1);
    const later = session?.at(-1);
    if (session && later && continues(state, later)) session.push(state);
    else sessions.push([state]);
  }
  return sessions;
}

/** Without gaps of the list either: changes between them can be those of others. */
const continues = (earlier: State, later: State): boolean =>
  earlier.n === later.n - 1 && authorKey(earlier) === authorKey(later) && pauseBetween(earlier, later) < MAX_PAUSE_MS;

const authorKey = ({ user, key }: State): string => JSON.stringify([user?.email, key?.id]);

const pauseBetween = (earlier: State, later: State): number =>
  earlier.time === null || later.time === null ? Infinity : Date.parse(later.time) - Date.parse(earlier.time);
