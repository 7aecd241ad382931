/** The list of groups, and the form that adds one. */
import type { FC } from "hono/jsx";
import { AppError } from "../../../../errors.ts";
import { addGroup, listGroups, type ListedGroup } from "../../../../services/administration/groups.ts";
import { EmptyState, Name, StatusMessage } from "../../../base/components.tsx";
import { errorPageStatus, errorPageText } from "../../../base/error-page.tsx";
import { readFormFields, type PageContext } from "../../../base/page-context.ts";
import { pageTexts, renderPage, useTexts } from "../../../base/page-texts.tsx";
import { AdminTable, ColumnHeader } from "../admin-table.tsx";
import { AdminPage, withAdmin, type AdminPageContext, type FormOutcome } from "../layout.tsx";

export const GROUPS_PATH = "/admin/groups";

export const showGroups = (visit: AdminPageContext): Response | Promise<Response> =>
  renderPage(visit.c, <Groups visit={visit} name="" />);

/** Adds a group, and leads to its page. */
export const addNewGroup = (c: PageContext) =>
  withAdmin(c, async (visit) => {
    const { name } = await readFormFields(c, "name");
    try {
      return c.redirect(`${GROUPS_PATH}/${addGroup(c.env.call.ctx, visit.grant, name)}?done=created`, 303);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const page = <Groups visit={visit} name={name} problem={errorPageText(pageTexts(c), error)} />;
      return renderPage(c, page, errorPageStatus(c, error));
    }
  });

const Groups: FC<FormOutcome & { visit: AdminPageContext; name: string }> = ({ visit, name, ...outcome }) => {
  const t = useTexts();
  const groups = listGroups(visit.c.env.call.ctx, visit.grant);
  return (
    <AdminPage visit={visit} tab="admin.tab.groups" {...outcome}>
      {visit.c.req.query("done") === "delete" && <StatusMessage text={t("admin.groups.deleted")} />}
      <p class="quiet">{t("admin.groups.about")}</p>
      <form method="post" action={GROUPS_PATH} class="admin-add">
        <label>
          {t("admin.groups.name")}
          <input name="name" required maxlength={200} value={name} autocomplete="off" />
        </label>
        <button>{t("admin.groups.add")}</button>
      </form>
      {groups.length === 0 ? (
        <EmptyState title={t("admin.groups.none")} icon="users">
          <p>{t("admin.groups.noneText")}</p>
        </EmptyState>
      ) : (
        <GroupTable groups={groups} />
      )}
    </AdminPage>
  );
};

const GroupTable: FC<{ groups: readonly ListedGroup[] }> = ({ groups }) => {
  const t = useTexts();
  return (
    <AdminTable
      label={t("admin.tab.groups")}
      headers={
        <>
          <ColumnHeader label={t("admin.groups.name")} />
          <ColumnHeader label={t("admin.groups.source")} kind="short" />
          <ColumnHeader label={t("admin.groups.members")} kind="short number" />
          <ColumnHeader label={t("admin.groups.roles")} kind="short number" />
        </>
      }
    >
      {groups.map((group) => (
        <tr role="row">
          <th role="rowheader" scope="row">
            <a class="name" translate="no" href={`${GROUPS_PATH}/${group.id}`}>
              <bdi>{group.name}</bdi>
            </a>
          </th>
          <td role="cell" class="short">
            <Source group={group} />
          </td>
          <td role="cell" class="short number">
            {t.number(group.members)}
          </td>
          <td role="cell" class="short number late">
            {t.number(group.roles)}
          </td>
        </tr>
      ))}
    </AdminTable>
  );
};

const Source: FC<{ group: Pick<ListedGroup, "source" | "provider"> }> = ({ group: { source, provider } }) => {
  const t = useTexts();
  if (source === "provider") return <Name text={provider ?? ""} />;
  return <>{t(source === "scim" ? "admin.groups.scim" : "admin.groups.here")}</>;
};
