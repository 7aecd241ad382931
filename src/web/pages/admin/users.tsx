import type { FC } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { isoTime } from "../../../lib/time/clock.ts";
import { searchUsers, type AdministeredUser } from "../../../services/administration/administration.ts";
import { createReset, resetPath, type PasswordReset } from "../../../services/accounts/password-resets.ts";
import { disableUser, enableUser } from "../../../services/accounts/users.ts";
import { readFormFields, publicUrl, type PageContext } from "../../base/page-context.ts";
import { Badge, EmptyState, StatusMessage, TimeElement } from "../../base/components.tsx";
import { errorPageStatus, errorPageText } from "../../base/error-page.tsx";
import {
  AdminPage,
  withAdmin,
  MAX_RESULTS,
  SearchForm,
  searchQuery,
  type AdminPageContext,
  type FormOutcome,
} from "./layout.tsx";

const SUCCESS_MESSAGES: Readonly<Record<string, string>> = {
  disabled: "User disabled. Their keys are refused and their sessions have ended.",
  enabled: "User enabled. They can sign in again.",
};

interface UsersPageState extends FormOutcome {
  /** A one-time link: shown only in this response. */
  offered?: PasswordReset;
}

export const showUsers = (visit: AdminPageContext): Response | Promise<Response> => {
  const { req } = visit.c;
  const successKey = req.query("done") ?? "";
  const done = Object.hasOwn(SUCCESS_MESSAGES, successKey) ? SUCCESS_MESSAGES[successKey] : undefined;
  return visit.c.html(<Users visit={visit} search={searchQuery(visit.c)} done={done} />);
};

/** A button beside a user. */
export const changeUser = (c: PageContext) =>
  withAdmin(c, async (visit) => {
    const { ctx } = c.env.call;
    const { search } = await readFormFields(c, "search");
    const userId = Number(c.req.param("userId"));
    try {
      const action = c.req.param("action");
      if (action === "reset") {
        const passwordReset = createReset(ctx, visit.grant, userId);
        return await c.html(<Users visit={visit} search={search} offered={passwordReset} />);
      }
      const isDisabling = action === "disable";
      (isDisabling ? disableUser : enableUser)(ctx, visit.grant, userId);
      return c.redirect(usersPageUrl(search, isDisabling ? "disabled" : "enabled"), 303);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const page = <Users visit={visit} search={search} problem={errorPageText(error)} />;
      return c.html(page, errorPageStatus(c, error));
    }
  });

const usersPageUrl = (search: string, done: string): string =>
  `/admin/users?${new URLSearchParams({ ...(search && { q: search }), done }).toString()}`;

const Users: FC<UsersPageState & { visit: AdminPageContext; search: string }> = ({
  visit,
  search,
  offered,
  ...outcome
}) => {
  const { ctx } = visit.c.env.call;
  const { items, total } = searchUsers(ctx, visit.grant, { search, limit: MAX_RESULTS });
  return (
    <AdminPage visit={visit} tab="Users" {...outcome}>
      {offered && <PasswordResetLink offered={offered} address={publicUrl(visit.c)} />}
      <SearchForm
        action="/admin/users"
        label="Search users by name or email"
        search={search}
        shownCount={items.length}
        total={total}
      />
      {items.length === 0 ? (
        <EmptyState title="No results" icon="person" />
      ) : (
        <ul class="entries card">
          {items.map((user) => (
            <UserItem user={user} isSelf={user.id === visit.grant.actor.userId} search={search} />
          ))}
        </ul>
      )}
    </AdminPage>
  );
};

const UserItem: FC<{ user: AdministeredUser; isSelf: boolean; search: string }> = ({ user, isSelf, search }) => {
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
          {user.email} · since <TimeElement at={isoTime(user.createdAt)} as="day" />
        </small>
      </div>
      <div class="bar">
        {!user.isService &&
          !user.isDisabled &&
          action("reset", user.name === "" ? "Create sign-in link" : "Reset password", "plain")}
        {!isSelf && (user.isDisabled ? action("enable", "Enable", "plain") : action("disable", "Disable", "danger"))}
      </div>
    </li>
  );
};

const PasswordResetLink: FC<{ offered: PasswordReset; address: string }> = ({ offered, address }) => (
  <section class="card" aria-labelledby="reset-title">
    <h2 id="reset-title">A link for {offered.email}</h2>
    <StatusMessage text="Send this link to the user now: it cannot be shown again. It works once, within a day." />
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
      The current password works until the link is used. Expires{" "}
      <TimeElement at={isoTime(offered.expiresAt)} as="time" />.
    </p>
  </section>
);
