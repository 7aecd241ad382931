import type { FC } from "hono/jsx";
import type { History } from "../../wire/history.ts";
import { Icon, Time } from "../parts.tsx";

/** What the list of states and the page of one share. */

type State = History["states"][number];

/** The program itself has a name in histories, and no address. */
const isPerson = ({ email }: NonNullable<State["user"]>): boolean => email.includes("@");

/** Who did it and when, as far as that is known and may be told. */
export const Who: FC<{ state: State }> = ({ state: { user, time } }) => (
  <>
    {user && isPerson(user) && <span title={user.email}>{user.name ?? user.email}, </span>}
    {time ? <Time at={time} /> : "at an unknown time"}
  </>
);

export const RestoreButton: FC<{ n: number; sentence: string }> = ({ n, sentence }) => (
  <button
    type="button"
    class="plain small"
    data-do="restore"
    data-state={n}
    aria-label={`Restore state ${n}: ${sentence}`}
  >
    <Icon name="restore" />
    Restore
  </button>
);
