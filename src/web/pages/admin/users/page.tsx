/** The list of users, and the commands of its rows. */
import type { FC } from "hono/jsx";
import { AppError } from "../../../../errors.ts";
import { changeAdministrator, endSessionsOf, removeOtherUser } from "../../../../services/accounts/administrators.ts";
import { createReset } from "../../../../services/accounts/password-resets.ts";
import { disableUser, enableUser } from "../../../../services/accounts/users.ts";
import { countUsers, searchUsers } from "../../../../services/administration/users.ts";
import type { Context } from "../../../../services/context.ts";
import {
  createInvitationLink,
  listInvitations,
  revokeInvitation,
  sendInvitation,
} from "../../../../services/invitations/invitations.ts";
import { resetFactors } from "../../../../services/second-factor/factors.ts";
import type { UserSelection } from "../../../../wire/accounts/users.ts";
import { EmptyState } from "../../../base/components.tsx";
import { errorPageStatus, errorPageText } from "../../../base/error-page.tsx";
import { publicUrl, readFormFields, type PageContext } from "../../../base/page-context.ts";
import { pageTexts, renderPage, useTexts } from "../../../base/page-texts.tsx";
import type { LabelKey } from "../../../texts/texts.ts";
import { AdminPage, Paging, SearchForm, withAdmin, type AdminPageContext, type FormOutcome } from "../layout.tsx";
import { DoneMessage, doneAddress } from "./done-message.tsx";
import { NewInvitationLink, PasswordResetLink, type UserOffers } from "./invitations.tsx";
import {
  listAddress,
  listOptions,
  listParams,
  readListState,
  type UserListState,
  USERS_PATH,
  USERS_PER_PAGE,
} from "./list-state.ts";
import { isUserVerb, type UserVerb } from "./user-actions.tsx";
import { renderUser } from "./user-details.tsx";
import { UserTable } from "./user-table.tsx";

export const showUsers = (visit: AdminPageContext): Response | Promise<Response> =>
  renderPage(visit.c, <Users visit={visit} state={readListState(searchOf(visit.c.req.url))} />);

/** Runs a command of a user, and returns to the page of its form. */
export const changeUser = (c: PageContext) =>
  withAdmin(c, async (visit) => {
    const { ctx } = c.env.call;
    const back = pageOf((await readFormFields(c, "back")).back);
    const userId = Number(c.req.param("userId"));
    const verb = c.req.param("action") ?? "";
    try {
      if (!isUserVerb(verb)) throw new AppError("notFound", "Not found");
      const offer = offerOf(ctx, visit, { verb, userId });
      if (offer) return await renderBack(visit, back, offer);
      CHANGES[verb]?.(ctx, visit, userId);
      return c.redirect(doneAddress(verb === "remove" ? USERS_PATH : back, verb, userId), 303);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return renderBack(visit, back, { problem: errorPageText(pageTexts(c), error) }, errorPageStatus(c, error));
    }
  });

/** Creates the link that a command answers with; null for other commands. */
function offerOf(
  ctx: Context,
  { grant }: AdminPageContext,
  { verb, userId }: { readonly verb: UserVerb; readonly userId: number },
): UserOffers | null {
  if (verb === "reset") return { offered: createReset(ctx, grant, userId) };
  if (verb === "invite") return { invited: createInvitationLink(ctx, grant, { userId, linksFor: "administrators" }) };
  return null;
}

type Change = (ctx: Context, visit: AdminPageContext, userId: number) => void;

const CHANGES: Readonly<Partial<Record<UserVerb, Change>>> = {
  disable: (ctx, { grant }, userId) => disableUser(ctx, grant, userId),
  enable: (ctx, { grant }, userId) => enableUser(ctx, grant, userId),
  "reset-second-factor": (ctx, { grant }, userId) => resetFactors(ctx, grant, userId),
  "end-sessions": (ctx, { grant }, userId) => endSessionsOf(ctx, grant, userId),
  "make-administrator": (ctx, { grant }, userId) => changeAdministrator(ctx, grant, { userId, isAdmin: true }),
  "withdraw-administrator": (ctx, { grant }, userId) => changeAdministrator(ctx, grant, { userId, isAdmin: false }),
  remove: (ctx, { grant }, userId) => removeOtherUser(ctx, grant, userId),
  send: (ctx, { grant }, userId) => sendInvitation(ctx, grant, userId),
  revoke: (ctx, { grant }, userId) => revokeInvitation(ctx, grant, userId),
};

/** Returns the page that a form names: that of a user, or a list. Never another address. */
const pageOf = (back: string): string =>
  /^\/admin\/users\/\d{1,15}$/.test(back) ? back : listAddress(readListState(searchOf(back)));

const searchOf = (address: string): string => address.split("?")[1] ?? "";

function renderBack(
  visit: AdminPageContext,
  back: string,
  outcome: UserOffers & FormOutcome,
  status: Parameters<typeof renderPage>[2] = 200,
): Response | Promise<Response> {
  const userId = /\/(\d+)$/.exec(back)?.[1];
  if (userId !== undefined) return renderUser(visit, Number(userId), outcome, status);
  return renderPage(visit.c, <Users visit={visit} state={readListState(searchOf(back))} {...outcome} />, status);
}

export const Users: FC<UserOffers & FormOutcome & { visit: AdminPageContext; state: UserListState }> = ({
  visit,
  state,
  offered,
  invited,
  ...outcome
}) => {
  const t = useTexts();
  const { c, grant } = visit;
  const { ctx } = c.env.call;
  const { users, total } = searchUsers(ctx, grant, listOptions(state));
  const invitations = new Map(listInvitations(ctx, grant).map((each) => [each.userId, each]));
  const pageAddress = (page: number) => listAddress({ ...state, page });
  return (
    <AdminPage visit={visit} tab="admin.tab.users" {...outcome}>
      <DoneMessage c={c} back={listAddress(state)} />
      {offered && <PasswordResetLink offered={offered} address={publicUrl(c)} />}
      {invited && <NewInvitationLink offered={invited} address={publicUrl(c)} />}
      <SearchForm
        action={USERS_PATH}
        label={t("admin.users.search")}
        search={state.search}
        shownCount={users.length}
        total={total}
        kept={[...listParams({ ...state, search: "", page: 1 })]}
      >
        <a class="button" href={`${USERS_PATH}/add`}>
          {t("admin.invite.submit")}
        </a>
      </SearchForm>
      <Selections visit={visit} state={state} />
      {users.length === 0 ? (
        <EmptyState title={t("admin.noResults")} icon="user" />
      ) : (
        <UserTable
          users={users}
          state={state}
          selfId={grant.actor.userId}
          acceptsPasswords={ctx.identity.acceptsPasswords}
          canSend={ctx.email.isOn}
          invitations={invitations}
        />
      )}
      <Paging
        label={t("admin.users.pages")}
        previous={state.page > 1 ? pageAddress(state.page - 1) : null}
        next={state.page * USERS_PER_PAGE < total ? pageAddress(state.page + 1) : null}
      />
    </AdminPage>
  );
};

const SELECTIONS: readonly (readonly [UserSelection, LabelKey])[] = [
  ["all", "admin.users.show.all"],
  ["administrators", "admin.users.show.administrators"],
  ["pending", "admin.users.show.pending"],
  ["withoutSecondFactor", "admin.users.show.withoutSecondFactor"],
  ["disabled", "admin.users.show.disabled"],
  ["services", "admin.users.show.services"],
];

/** Links that select users, with their numbers; empty ones are left out. */
const Selections: FC<{ visit: AdminPageContext; state: UserListState }> = ({ visit, state }) => {
  const t = useTexts();
  const { ctx } = visit.c.env.call;
  const counts = countUsers(ctx, visit.grant);
  return (
    <nav class="selections" aria-label={t("admin.users.show")}>
      {SELECTIONS.filter(([show]) => counts[show] > 0 || show === state.show).map(([show, label]) => (
        <a href={listAddress({ ...state, show, page: 1 })} {...(show === state.show && { "aria-current": "true" })}>
          {t(label)} <span class="amount">{t.number(counts[show])}</span>
        </a>
      ))}
    </nav>
  );
};
