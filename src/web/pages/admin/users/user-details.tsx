/** One user: how they sign in, sessions, keys and roles, and what an administrator can do about them. */
import type { FC } from "hono/jsx";
import { isoTime } from "../../../../lib/time/clock.ts";
import { maskedKey } from "../../../../services/accounts/keys.ts";
import { describeUserDetails, type Membership, type UserDetails } from "../../../../services/administration/users.ts";
import { listInvitations } from "../../../../services/invitations/invitations.ts";
import { Badge, Name, Note, ShortName, TimeElement } from "../../../base/components.tsx";
import { publicUrl } from "../../../base/page-context.ts";
import { renderPage, useTexts } from "../../../base/page-texts.tsx";
import { AdminPage, type AdminPageContext, type FormOutcome, renderRecord, Section } from "../layout.tsx";
import { DoneMessage } from "./done-message.tsx";
import { InvitationFacts, NewInvitationLink, PasswordResetLink, type UserOffers } from "./invitations.tsx";
import { USERS_PATH } from "./list-state.ts";
import { canRemove, UserForm, type UserActionsProps, verbsOf } from "./user-actions.tsx";
import { factorText, methodsOf, roleText } from "./user-table.tsx";

export const showUser = (visit: AdminPageContext): Promise<Response> =>
  renderUser(visit, Number(visit.c.req.param("userId")), {});

/** Renders the page of a user, with the result of a command. */
export const renderUser = (
  visit: AdminPageContext,
  userId: number,
  outcome: UserOffers & FormOutcome,
  status: Parameters<typeof renderPage>[2] = 200,
): Promise<Response> =>
  renderRecord(visit, async () => {
    const details = await describeUserDetails(visit.c.env.call.ctx, visit.grant, userId);
    return renderPage(visit.c, <UserPage visit={visit} details={details} {...outcome} />, status);
  });

type UserPageProps = UserOffers & FormOutcome & { visit: AdminPageContext; details: UserDetails };

const UserPage: FC<UserPageProps> = ({ visit, details, offered, invited, ...outcome }) => {
  const t = useTexts();
  const { c, grant } = visit;
  const { ctx } = c.env.call;
  const { user } = details;
  const back = `${USERS_PATH}/${user.id}`;
  const actions: UserActionsProps = {
    user,
    isSelf: user.id === grant.actor.userId,
    acceptsPasswords: ctx.identity.acceptsPasswords,
    canSend: ctx.email.isOn,
    invitation: listInvitations(ctx, grant).find(({ userId }) => userId === user.id),
    back,
  };
  return (
    <AdminPage
      visit={visit}
      tab="admin.tab.users"
      page={{
        title: user.name || user.email,
        isName: true,
        crumb: { to: USERS_PATH, label: t("admin.tab.users") },
      }}
      {...outcome}
    >
      <DoneMessage c={c} back={back} />
      {offered && <PasswordResetLink offered={offered} address={publicUrl(c)} />}
      {invited && <NewInvitationLink offered={invited} address={publicUrl(c)} />}
      <Account details={details} actions={actions} />
      <Sessions details={details} back={back} />
      <Keys details={details} />
      <Roles details={details} />
      {canRemove(actions) && <Removal details={details} back={back} isOpen={c.req.query("remove") !== undefined} />}
    </AdminPage>
  );
};

const Account: FC<{ details: UserDetails; actions: UserActionsProps }> = ({ details: { user }, actions }) => {
  const t = useTexts();
  const { email, isDisabled, isPending, createdAt, lastActiveAt } = user;
  const { invitation, back } = actions;
  return (
    <Section id="account" title={t("admin.user.account")}>
      {isDisabled && <Note text={t("admin.user.disabled")} problem />}
      <dl>
        <dt>{t("admin.users.email")}</dt>
        <dd>
          <Name text={email} />
        </dd>
        <dt>{t("admin.users.role")}</dt>
        <dd>{roleText(t, user)}</dd>
        <dt>{t("admin.users.method")}</dt>
        <dd>{isPending ? t("admin.users.invited") : methodsOf(t, user)}</dd>
        <dt>{t("admin.users.factor")}</dt>
        <dd>{factorText(t, user)}</dd>
        <dt>{t("admin.users.active")}</dt>
        <dd>
          {lastActiveAt === null ? (
            t(isPending ? "admin.users.never" : "admin.users.unknown")
          ) : (
            <TimeElement at={isoTime(lastActiveAt)} as="time" />
          )}
        </dd>
        <dt>{t("admin.users.added")}</dt>
        <dd>
          <TimeElement at={isoTime(createdAt)} as="day" />
        </dd>
      </dl>
      {invitation && (
        <p class="quiet">
          <InvitationFacts invitation={invitation} />
        </p>
      )}
      <div class="bar">
        {verbsOf(actions).map((verb) => (
          <UserForm user={user} verb={verb} back={back} />
        ))}
      </div>
      <p class="admin-audit-link">
        <a href={`/admin/audit?${new URLSearchParams({ actor: email })}`}>{t("admin.user.audit")}</a>
        {" · "}
        <a href={`/admin/audit?${new URLSearchParams({ user: email })}`}>{t("admin.user.auditAbout")}</a>
      </p>
    </Section>
  );
};

const Sessions: FC<{ details: UserDetails; back: string }> = ({ details: { user, sessions }, back }) => {
  const t = useTexts();
  return (
    <Section id="sessions" title={t("admin.user.sessions")}>
      {sessions.length === 0 ? (
        <p class="quiet">{t("admin.user.noSessions")}</p>
      ) : (
        <>
          <ul class="entries">
            {sessions.map(({ browser, os, address, lastUsedAt }) => (
              <li>
                <div class="what">
                  <span class="name" translate="no">
                    {[browser, os].filter((part) => part !== null).join(", ") || "–"}
                  </span>
                  <small>
                    {address !== null && (
                      <>
                        <span translate="no">{address}</span>
                        {" · "}
                      </>
                    )}
                    {t.rich("admin.user.lastUsed", { time: <TimeElement at={lastUsedAt} /> })}
                  </small>
                </div>
              </li>
            ))}
          </ul>
          <UserForm user={user} verb="end-sessions" back={back} />
        </>
      )}
    </Section>
  );
};

const Keys: FC<{ details: UserDetails }> = ({ details: { apiKeys } }) => {
  const t = useTexts();
  return (
    <Section id="keys" title={t("admin.user.keys")}>
      {apiKeys.length === 0 ? (
        <p class="quiet">{t("admin.user.noKeys")}</p>
      ) : (
        <ul class="entries">
          {apiKeys.map(({ label, prefix, lastUsedAt, expiresAt, scopes, restrictions, networks }) => (
            <li>
              <div class="what">
                <span class="name">{label === null ? t("admin.user.profileKey") : <Name text={label} />}</span>
                {(scopes !== null || restrictions !== null || networks !== null) && (
                  <Badge text={t("admin.user.limitedKey")} />
                )}
                <small>
                  <code translate="no">{maskedKey({ prefix }).slice(0, 10)}</code>
                  {" · "}
                  {lastUsedAt === null
                    ? t("admin.user.neverUsed")
                    : t.rich("admin.user.lastUsed", { time: <TimeElement at={lastUsedAt} /> })}
                  {expiresAt !== null && (
                    <>
                      {" · "}
                      {t.rich("admin.user.expires", { time: <TimeElement at={expiresAt} as="day" /> })}
                    </>
                  )}
                </small>
              </div>
            </li>
          ))}
        </ul>
      )}
      <p class="hint">{t("admin.user.keysHint")}</p>
    </Section>
  );
};

const Roles: FC<{ details: UserDetails }> = ({ details: { memberships, groups } }) => {
  const t = useTexts();
  return (
    <Section id="roles" title={t("admin.user.roles")}>
      {groups.length > 0 && (
        <p>
          {t("admin.user.groups")}{" "}
          {groups.map(({ name }, index) => (
            <>
              {index > 0 && ", "}
              <Name text={name} />
            </>
          ))}
        </p>
      )}
      {memberships.length === 0 ? (
        <p class="quiet">{t("admin.user.noRoles")}</p>
      ) : (
        <MembershipList memberships={memberships} />
      )}
    </Section>
  );
};

const KIND_LABELS = {
  site: "admin.roles.site",
  workspace: "admin.roles.workspace",
  document: "admin.roles.document",
} as const;

export const ROLE_LABELS = {
  owners: "base.role.owners",
  editors: "base.role.editors",
  viewers: "base.role.viewers",
  members: "home.role.members",
} as const;

/** Roles on sites, workspaces and documents. */
export const MembershipList: FC<{ memberships: readonly Membership[] }> = ({ memberships }) => {
  const t = useTexts();
  return (
    <ul class="entries">
      {memberships.map(({ kind, name, siteName, workspaceName, role, groupName }) => (
        <li>
          <div class="what">
            <span class="name">
              <Name text={name} />
            </span>
            <Badge text={t(KIND_LABELS[kind])} />
            <small>
              {kind !== "site" && (
                <>
                  <ShortName text={siteName} />
                  {workspaceName !== null && (
                    <>
                      {" · "}
                      <ShortName text={workspaceName} />
                    </>
                  )}
                </>
              )}
              {groupName !== null && (
                <>
                  {kind !== "site" && " · "}
                  {t.rich("admin.roles.through", { group: <ShortName text={groupName} /> })}
                </>
              )}
            </small>
          </div>
          <span class="amount">{t(ROLE_LABELS[role])}</span>
        </li>
      ))}
    </ul>
  );
};

const Removal: FC<{ details: UserDetails; back: string; isOpen: boolean }> = ({ details, back, isOpen }) => {
  const t = useTexts();
  const { user, apiKeys, personalDocuments } = details;
  const name = user.name || user.email;
  return (
    <section class="card" aria-labelledby="remove" id="removal">
      <details open={isOpen}>
        <summary id="remove" class="button plain danger">
          {t("admin.user.remove")}
        </summary>
        <p>{t("admin.user.removeText", { keys: apiKeys.length })}</p>
        <p>{t("admin.user.removeDocuments", { count: personalDocuments })}</p>
        <UserForm
          user={user}
          verb="remove"
          back={back}
          text={<>{t.rich("admin.user.removeNow", { name: <ShortName text={name} /> })}</>}
        />
      </details>
    </section>
  );
};
