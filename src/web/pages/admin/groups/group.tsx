/** One group: members, where it has roles, and what an administrator can change. */
import type { FC } from "hono/jsx";
import { AppError, invalid } from "../../../../errors.ts";
import {
  describeGroup,
  type GroupDetails,
  removeGroup,
  renameGroup,
  setMembership,
} from "../../../../services/administration/groups.ts";
import { findUserByEmail } from "../../../../services/administration/users.ts";
import { Name, Note, ShortName, StatusMessage } from "../../../base/components.tsx";
import { errorPageStatus, errorPageText } from "../../../base/error-page.tsx";
import { readFormFields, type PageContext } from "../../../base/page-context.ts";
import { pageTexts, renderPage, useTexts } from "../../../base/page-texts.tsx";
import type { LabelKey } from "../../../texts/texts.ts";
import { AdminPage, renderRecord, Section, withAdmin, type AdminPageContext, type FormOutcome } from "../layout.tsx";
import { USERS_PATH } from "../users/list-state.ts";
import { MembershipList } from "../users/user-details.tsx";
import { GROUPS_PATH } from "./page.tsx";

export const showGroup = (visit: AdminPageContext): Response | Promise<Response> => renderGroup(visit, {});

type GroupCommand = "add" | "remove" | "rename" | "delete";

const addressOf = (path: string, command: GroupCommand): string => `${path}/${command}`;

const idOf = ({ req }: PageContext): number => Number(req.param("groupId"));

/** Runs a command of a group. */
export const changeGroup = (c: PageContext) =>
  withAdmin(c, async (visit) => {
    const { ctx } = c.env.call;
    const { grant } = visit;
    const groupId = idOf(c);
    const action = c.req.param("action") ?? "";
    const { name, email, user } = await readFormFields(c, "name", "email", "user");
    try {
      if (action === "delete") {
        removeGroup(ctx, grant, groupId);
        return c.redirect(`${GROUPS_PATH}?done=delete`, 303);
      }
      if (action === "rename") {
        renameGroup(ctx, grant, { groupId, name });
        return c.redirect(`${GROUPS_PATH}/${groupId}?done=rename`, 303);
      }
      const userId = /^\d{1,15}$/.test(user) ? Number(user) : findUserByEmail(ctx, grant, email);
      if (userId === null) throw invalid(pageTexts(c)("admin.groups.unknown"));
      setMembership(ctx, grant, { groupId, userId, isMember: action === "add" });
      return c.redirect(`${GROUPS_PATH}/${groupId}?done=${action}&user=${userId}`, 303);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return renderGroup(visit, { problem: errorPageText(pageTexts(c), error), email }, errorPageStatus(c, error));
    }
  });

interface GroupPageState extends FormOutcome {
  /** The input, when adding a member was refused. */
  readonly email?: string;
}

const renderGroup = (
  visit: AdminPageContext,
  state: GroupPageState,
  status: Parameters<typeof renderPage>[2] = 200,
): Promise<Response> =>
  renderRecord(visit, () => {
    const group = describeGroup(visit.c.env.call.ctx, visit.grant, idOf(visit.c));
    return renderPage(visit.c, <GroupPage visit={visit} group={group} {...state} />, status);
  });

const DONE: Readonly<Record<string, LabelKey>> = {
  created: "admin.groups.added",
  rename: "admin.groups.renamed",
  add: "admin.groups.memberAdded",
  remove: "admin.groups.memberRemoved",
};

const GroupPage: FC<GroupPageState & { visit: AdminPageContext; group: GroupDetails }> = ({
  visit,
  group,
  email = "",
  ...outcome
}) => {
  const t = useTexts();
  const { id, name, source, provider, members, roles } = group;
  const path = `${GROUPS_PATH}/${id}`;
  const isReadOnly = source !== "here";
  return (
    <AdminPage
      visit={visit}
      tab="admin.tab.groups"
      page={{ title: name, isName: true, crumb: { to: GROUPS_PATH, label: t("admin.tab.groups") } }}
      {...outcome}
    >
      <DoneGroup visit={visit} path={path} />
      {source === "provider" && (
        <Note text={<>{t.rich("admin.groups.readOnlyProvider", { provider: <Name text={provider ?? ""} /> })}</>} />
      )}
      {source === "scim" && <Note text={t("admin.groups.readOnlyScim")} />}
      <Section id="members" title={t("admin.groups.members")}>
        {members.length === 0 && <p class="quiet">{t("admin.groups.noMembers")}</p>}
        <Members path={path} group={group} isReadOnly={isReadOnly} />
        {!isReadOnly && (
          <form method="post" action={addressOf(path, "add")} class="admin-add">
            <label>
              {t("admin.groups.email")}
              <input name="email" type="email" required maxlength={254} value={email} autocomplete="off" />
            </label>
            <button>{t("admin.groups.addMember")}</button>
          </form>
        )}
      </Section>
      <Section id="roles" title={t("admin.groups.roles")}>
        {roles.length === 0 ? <p class="quiet">{t("admin.groups.noRoles")}</p> : <MembershipList memberships={roles} />}
      </Section>
      {!isReadOnly && (
        <form method="post" action={addressOf(path, "rename")} class="card admin-add">
          <label>
            {t("admin.groups.name")}
            <input name="name" required maxlength={200} value={name} autocomplete="off" />
          </label>
          <button class="plain">{t("admin.groups.rename")}</button>
        </form>
      )}
      {source !== "scim" && (
        <section class="card" id="removal">
          <details>
            <summary class="button plain danger">{t("admin.groups.delete")}</summary>
            <p>{t("admin.groups.deleteText", { count: members.length })}</p>
            <form method="post" action={addressOf(path, "delete")}>
              <button class="danger">{t.rich("admin.groups.deleteNow", { name: <ShortName text={name} /> })}</button>
            </form>
          </details>
        </section>
      )}
    </AdminPage>
  );
};

/** The result of a command, with Undo for members. */
const DoneGroup: FC<{ visit: AdminPageContext; path: string }> = ({ visit: { c }, path }) => {
  const t = useTexts();
  const done = c.req.query("done") ?? "";
  const text = Object.hasOwn(DONE, done) ? DONE[done] : undefined;
  if (text === undefined) return null;
  const user = c.req.query("user") ?? "";
  const undo = done === "add" ? "remove" : done === "remove" ? "add" : null;
  return (
    <div class="admin-done">
      <StatusMessage text={t(text)} />
      {undo && /^\d{1,15}$/.test(user) && (
        <form method="post" action={`${path}/${undo}`}>
          <input type="hidden" name="user" value={user} />
          <button class="plain">{t("base.undo")}</button>
        </form>
      )}
    </div>
  );
};

const Members: FC<{ path: string; group: GroupDetails; isReadOnly: boolean }> = ({ path, group, isReadOnly }) => {
  const t = useTexts();
  return (
    <ul class="entries">
      {group.members.map(({ userId, name, email }) => (
        <li>
          <div class="what">
            <a class="name" translate="no" href={`${USERS_PATH}/${userId}`}>
              <bdi>{name || email}</bdi>
            </a>
            {name !== "" && (
              <small>
                <Name text={email} />
              </small>
            )}
          </div>
          {!isReadOnly && (
            <form method="post" action={addressOf(path, "remove")}>
              <input type="hidden" name="user" value={userId} />
              <button class="plain small" aria-label={t("admin.groups.removeMemberFor", { email })}>
                {t("admin.groups.removeMember")}
              </button>
            </form>
          )}
        </li>
      ))}
    </ul>
  );
};
