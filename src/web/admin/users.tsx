import type { FC } from "hono/jsx";
import { AppError } from "../../errors.ts";
import { isoTime } from "../../lib/clock.ts";
import { searchUsers, type AdministeredUser } from "../../services/administration.ts";
import { offerReset, resetPath, type OfferedReset } from "../../services/password-resets.ts";
import { disableUser, enableUser } from "../../services/users.ts";
import { formTexts, publicUrl, type PageContext } from "../env.ts";
import { Badge, Empty, Note, Time } from "../parts.tsx";
import { refusalStatus, refusalText } from "../problem.tsx";
import { AdminPage, forAdmin, MOST_SHOWN, SearchForm, searchedFor, type AdminVisit, type Outcome } from "./frame.tsx";

const DONE: Readonly<Record<string, string>> = {
  disabled: "The user is disabled: keys are refused and sessions have ended.",
  enabled: "The user can sign in again.",
};

interface Shown extends Outcome {
  /** An offer just made: the only time it is shown. */
  offered?: OfferedReset;
}

export const showUsers = (visit: AdminVisit): Response | Promise<Response> => {
  const { req } = visit.c;
  const word = req.query("done") ?? "";
  const done = Object.hasOwn(DONE, word) ? DONE[word] : undefined;
  return visit.c.html(<Users visit={visit} search={searchedFor(visit.c)} done={done} />);
};

/** What a button beside a user does. */
export const changeUser = (c: PageContext) =>
  forAdmin(c, async (visit) => {
    const { ctx } = c.env.call;
    const { search } = await formTexts(c, "search");
    const userId = Number(c.req.param("userId"));
    try {
      const action = c.req.param("action");
      if (action === "reset") {
        const offered = offerReset(ctx, visit.grant, userId);
        return await c.html(<Users visit={visit} search={search} offered={offered} />);
      }
      const isDisabling = action === "disable";
      (isDisabling ? disableUser : enableUser)(ctx, visit.grant, userId);
      return c.redirect(addressOf(search, isDisabling ? "disabled" : "enabled"), 303);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const page = <Users visit={visit} search={search} problem={refusalText(error)} />;
      return c.html(page, refusalStatus(c, error));
    }
  });

const addressOf = (search: string, done: string): string =>
  `/admin/users?${new URLSearchParams({ ...(search && { q: search }), done }).toString()}`;

const Users: FC<Shown & { visit: AdminVisit; search: string }> = ({ visit, search, offered, ...outcome }) => {
  const { ctx } = visit.c.env.call;
  const { shown, total } = searchUsers(ctx, visit.grant, { search, limit: MOST_SHOWN });
  return (
    <AdminPage visit={visit} tab="Users" {...outcome}>
      {offered && <ResetLink offered={offered} address={publicUrl(visit.c)} />}
      <SearchForm
        action="/admin/users"
        label="Search users by name or e-mail"
        search={search}
        shown={shown.length}
        total={total}
      />
      {shown.length === 0 ? (
        <Empty title="Nobody is called that" icon="person" />
      ) : (
        <ul class="entries card">
          {shown.map((user) => (
            <UserEntry user={user} isSelf={user.id === visit.grant.actor.userId} search={search} />
          ))}
        </ul>
      )}
    </AdminPage>
  );
};

const UserEntry: FC<{ user: AdministeredUser; isSelf: boolean; search: string }> = ({ user, isSelf, search }) => {
  const action = (verb: string, text: string, kind: string) => (
    <form method="post" action={`/admin/users/${user.id}/${verb}`}>
      <input type="hidden" name="search" value={search} />
      <button class={`${kind} small`} aria-label={`${text} ${user.email}`}>
        {text}
      </button>
    </form>
  );
  return (
    <li>
      <div class="what">
        <span class="name">{user.name || user.email}</span>
        {isSelf && <Badge text="You" />}
        {user.isAdmin && <Badge text="Administrator" />}
        {user.isService && <Badge text="Service account" />}
        {user.name === "" && <Badge text="Invited" />}
        {user.isDisabled && <Badge text="Disabled" kind="danger" />}
        <small>
          {user.email} · since <Time at={isoTime(user.createdAt)} as="day" />
        </small>
      </div>
      <div class="bar">
        {!user.isService &&
          !user.isDisabled &&
          action("reset", user.name === "" ? "Link to sign in" : "Reset password", "plain")}
        {!isSelf && (user.isDisabled ? action("enable", "Enable", "plain") : action("disable", "Disable", "danger"))}
      </div>
    </li>
  );
};

const ResetLink: FC<{ offered: OfferedReset; address: string }> = ({ offered, address }) => (
  <section class="card" aria-labelledby="reset-title">
    <h2 id="reset-title">A link for {offered.email}</h2>
    <Note text="Send this link on now: it cannot be shown again. It works once, within a day." />
    <div class="row">
      <label>
        Link to set a new password
        <input class="key" id="reset-link" readonly value={address + resetPath(offered.token)} autocomplete="off" />
      </label>
      <button type="button" data-copy="reset-link" aria-live="polite" hidden>
        Copy
      </button>
    </div>
    <p class="quiet">
      Nothing changes until it is used. Good until <Time at={isoTime(offered.expiresAt)} as="time" />.
    </p>
  </section>
);
