import type { Child, FC } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { isoTime } from "../../../lib/time/clock.ts";
import { searchUsers, type AdministeredUser } from "../../../services/administration/users.ts";
import { createReset, resetPath, type PasswordReset } from "../../../services/accounts/password-resets.ts";
import { disableUser, enableUser } from "../../../services/accounts/users.ts";
import { resetFactors } from "../../../services/second-factor/factors.ts";
import {
  createInvitationLink,
  type InvitationLink,
  inviteUser,
  listInvitations,
  type PendingInvitation,
  revokeInvitation,
  sendInvitation,
} from "../../../services/invitations/invitations.ts";
import { readFormFields, publicUrl, type PageContext } from "../../base/page-context.ts";
import { Badge, EmptyState, Name, StatusMessage, TimeElement } from "../../base/components.tsx";
import { errorPageStatus, errorPageText } from "../../base/error-page.tsx";
import { RowActions } from "../../base/row-actions.tsx";
import {
  AdminPage,
  withAdmin,
  MAX_RESULTS,
  SearchForm,
  searchQuery,
  type AdminPageContext,
  type FormOutcome,
} from "./layout.tsx";
import { AddUser, InvitationActions, InvitationFacts, NewInvitationLink } from "./invitations.tsx";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";
import type { LabelKey } from "../../texts/texts.ts";

const SUCCESS_MESSAGES: Readonly<Record<string, LabelKey>> = {
  disabled: "admin.users.disabled",
  enabled: "admin.users.enabled",
  factor: "admin.users.factorReset",
  sent: "admin.invite.sent",
  revoked: "admin.invite.revoked",
};

interface UsersPageState extends FormOutcome {
  /** A link of an invitation: shown only in this response. */
  invited?: InvitationLink;
  /** The input, when adding a user was refused. */
  email?: string;
  /** A one-time link: shown only in this response. */
  offered?: PasswordReset;
}

export const showUsers = (visit: AdminPageContext): Response | Promise<Response> => {
  const { req } = visit.c;
  const successKey = req.query("done") ?? "";
  const message = Object.hasOwn(SUCCESS_MESSAGES, successKey) ? SUCCESS_MESSAGES[successKey] : undefined;
  const done = message && pageTexts(visit.c)(message);
  return renderPage(visit.c, <Users visit={visit} search={searchQuery(visit.c)} done={done} />);
};

/** The form that adds a user. */
export const addInvitedUser = (c: PageContext) =>
  withAdmin(c, async (visit) => {
    const { email } = await readFormFields(c, "email");
    try {
      const invited = inviteUser(c.env.call.ctx, visit.grant, email);
      return await renderPage(c, <Users visit={visit} search="" invited={invited} />);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const page = <Users visit={visit} search="" email={email} problem={errorPageText(pageTexts(c), error)} />;
      return renderPage(c, page, errorPageStatus(c, error));
    }
  });

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
        return await renderPage(c, <Users visit={visit} search={search} offered={passwordReset} />);
      }
      if (action === "reset-second-factor") {
        resetFactors(ctx, visit.grant, userId);
        return c.redirect(usersPageUrl(search, "factor"), 303);
      }
      if (action === "invite") {
        const linksFor = "administrators";
        const invited = createInvitationLink(ctx, visit.grant, { userId, linksFor });
        return await renderPage(c, <Users visit={visit} search={search} invited={invited} />);
      }
      if (action === "send") {
        sendInvitation(ctx, visit.grant, userId);
        return c.redirect(usersPageUrl(search, "sent"), 303);
      }
      if (action === "revoke") {
        revokeInvitation(ctx, visit.grant, userId);
        return c.redirect(usersPageUrl(search, "revoked"), 303);
      }
      const isDisabling = action === "disable";
      (isDisabling ? disableUser : enableUser)(ctx, visit.grant, userId);
      return c.redirect(usersPageUrl(search, isDisabling ? "disabled" : "enabled"), 303);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const page = <Users visit={visit} search={search} problem={errorPageText(pageTexts(c), error)} />;
      return renderPage(c, page, errorPageStatus(c, error));
    }
  });

const usersPageUrl = (search: string, done: string): string =>
  `/admin/users?${new URLSearchParams({ ...(search && { q: search }), done }).toString()}`;

const Users: FC<UsersPageState & { visit: AdminPageContext; search: string }> = ({
  visit,
  search,
  offered,
  invited,
  email = "",
  ...outcome
}) => {
  const t = useTexts();
  const { ctx } = visit.c.env.call;
  const isPending = visit.c.req.query("pending") !== undefined;
  const show = isPending ? "pending" : "all";
  const options = { search, show, sort: "added", offset: 0, limit: MAX_RESULTS } as const;
  const { users: items, total } = searchUsers(ctx, visit.grant, options);
  const invitations = new Map(listInvitations(ctx, visit.grant).map((each) => [each.userId, each]));
  return (
    <AdminPage visit={visit} tab="admin.tab.users" {...outcome}>
      {offered && <PasswordResetLink offered={offered} address={publicUrl(visit.c)} />}
      {invited && <NewInvitationLink offered={invited} address={publicUrl(visit.c)} isSent={invited.isSent} />}
      <AddUser email={email} />
      <SearchForm
        action="/admin/users"
        label={t("admin.users.search")}
        search={search}
        shownCount={items.length}
        total={total}
      />
      {(invitations.size > 0 || isPending) && (
        <p>
          <a href={isPending ? "/admin/users" : "/admin/users?pending"}>
            {isPending ? t("admin.invite.showAll") : t("admin.invite.pending", { count: invitations.size })}
          </a>
        </p>
      )}
      {items.length === 0 ? (
        <EmptyState title={t("admin.noResults")} icon="user" />
      ) : (
        <UserTable label={t("admin.tab.users")}>
          {items.map((user) => (
            <UserRow
              user={user}
              isSelf={user.id === visit.grant.actor.userId}
              search={search}
              acceptsPasswords={ctx.identity.acceptsPasswords}
              invitation={invitations.get(user.id)}
              canSend={ctx.email.isOn}
            />
          ))}
        </UserTable>
      )}
    </AdminPage>
  );
};

/** Roles are explicit, because browsers drop those of tables with another `display`. */
const UserTable: FC<{ label: string; children?: Child }> = ({ label, children }) => {
  const t = useTexts();
  return (
    <div class="table-box rows">
      <table role="table">
        <caption class="unseen">{label}</caption>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">
              {t("admin.users.name")}
            </th>
            <th role="columnheader" scope="col">
              {t("admin.users.email")}
            </th>
            <th role="columnheader" scope="col" class="short">
              {t("admin.users.role")}
            </th>
            <th role="columnheader" scope="col" class="short">
              {t("admin.users.added")}
            </th>
            <th role="columnheader" scope="col" class="actions">
              <span class="unseen">{t("base.documents.actions")}</span>
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">{children}</tbody>
      </table>
    </div>
  );
};

interface UserRowProps {
  user: AdministeredUser;
  isSelf: boolean;
  search: string;
  acceptsPasswords: boolean;
  /** Of a user who has not signed in yet. */
  invitation: PendingInvitation | undefined;
  /** Whether email is on. */
  canSend: boolean;
}

const UserRow: FC<UserRowProps> = (props) => {
  const t = useTexts();
  const { user, isSelf, invitation } = props;
  return (
    <tr role="row">
      <th role="rowheader" scope="row">
        <span class="name" translate="no">
          {user.name || user.email}
        </span>
        {isSelf && <Badge text={t("admin.users.you")} />}
        {user.name === "" && <Badge text={t("admin.users.invited")} />}
        {user.hasSecondFactor && <Badge text={t("admin.users.hasFactor")} />}
        {user.isDisabled && <Badge text={t("admin.users.isDisabled")} kind="danger" />}
        {invitation && <InvitationFacts invitation={invitation} />}
      </th>
      <td role="cell">
        <Name text={user.email} />
      </td>
      <td role="cell" class="short">
        {t(user.isService ? "admin.users.service" : user.isAdmin ? "admin.users.administrator" : "admin.users.user")}
      </td>
      <td role="cell" class="short late">
        <TimeElement at={isoTime(user.createdAt)} as="day" />
      </td>
      <td role="cell" class="actions">
        <UserActions {...props} />
      </td>
    </tr>
  );
};

const UserActions: FC<UserRowProps> = ({ user, isSelf, search, acceptsPasswords, invitation, canSend }) => {
  const t = useTexts();
  const { email } = user;
  const action = (verb: keyof typeof USER_ACTIONS) => {
    const { label, labelFor, kind } = USER_ACTIONS[verb];
    return (
      <form method="post" action={`/admin/users/${user.id}/${verb}`}>
        <input type="hidden" name="search" value={search} />
        <button class={kind} aria-label={t(labelFor, { email })}>
          {t(label)}
        </button>
      </form>
    );
  };
  const actions = [
    invitation && !user.isDisabled && (
      <InvitationActions userId={user.id} email={email} search={search} canSend={canSend} />
    ),
    acceptsPasswords && !invitation && !user.isService && !user.isDisabled && action("reset"),
    !isSelf && user.hasSecondFactor && action("reset-second-factor"),
    !isSelf && action(user.isDisabled ? "enable" : "disable"),
  ].filter((each) => each !== false && each !== undefined);
  if (actions.length === 0) return null;
  return <RowActions label={t("base.documents.actionsFor", { name: email })}>{actions}</RowActions>;
};

/** The commands of a user's menu. */
const USER_ACTIONS = {
  reset: { label: "admin.users.reset", labelFor: "admin.users.resetFor", kind: "plain" },
  "reset-second-factor": { label: "admin.users.resetFactor", labelFor: "admin.users.resetFactorFor", kind: "plain" },
  enable: { label: "admin.users.enable", labelFor: "admin.users.enableFor", kind: "plain" },
  disable: { label: "admin.users.disable", labelFor: "admin.users.disableFor", kind: "danger" },
} as const;

const PasswordResetLink: FC<{ offered: PasswordReset; address: string }> = ({ offered, address }) => {
  const t = useTexts();
  return (
    <section class="card" aria-labelledby="reset-title">
      <h2 id="reset-title">{t.rich("admin.reset.title", { email: <Name text={offered.email} /> })}</h2>
      <StatusMessage text={t("admin.reset.once")} />
      <div class="row">
        <label>
          {t("admin.reset.link")}
          <input class="key" id="reset-link" readonly value={address + resetPath(offered.token)} autocomplete="off" />
        </label>
        <button type="button" class="plain" data-copy="reset-link" hidden>
          {t("base.copy")}
        </button>
      </div>
      <p class="quiet">
        {t.rich("admin.reset.expires", { time: <TimeElement at={isoTime(offered.expiresAt)} as="time" /> })}
      </p>
    </section>
  );
};
