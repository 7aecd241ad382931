import type { FC } from "hono/jsx";
import type { History } from "../../../wire/documents/history.ts";
import { Icon, TimeElement } from "../../base/components.tsx";

/** Shared components of the list of states and the page of one state. */

type State = History["states"][number];

/** The server itself has a name in histories, but no email address. */
const isUser = ({ email }: NonNullable<State["user"]>): boolean => email.includes("@");

/** Author and time, as far as known and visible to the reader. */
export const ChangeAuthor: FC<{ state: State }> = ({ state: { user, time } }) => (
  <>
    {user && isUser(user) && <span title={user.email}>{user.name ?? user.email}, </span>}
    {time ? <TimeElement at={time} /> : "at an unknown time"}
  </>
);

export const RestoreButton: FC<{ n: number; summary: string }> = ({ n, summary }) => (
  <button
    type="button"
    class="plain small"
    data-do="restore"
    data-state={n}
    aria-label={`Restore state ${n}: ${summary}`}
  >
    <Icon name="restore" />
    Restore
  </button>
);
