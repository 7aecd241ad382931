/** The form that adds a user. */
import type { FC } from "hono/jsx";
import { AppError } from "../../../../errors.ts";
import { guardAnyone, guardSite } from "../../../../services/access/guards.ts";
import { inviteUser } from "../../../../services/invitations/invitations.ts";
import { listOrgs } from "../../../../services/sites/orgs.ts";
import type { Org } from "../../../../wire/sites/orgs.ts";
import { errorPageStatus, errorPageText } from "../../../base/error-page.tsx";
import { readFormFields, type PageContext } from "../../../base/page-context.ts";
import { pageTexts, renderPage, useTexts } from "../../../base/page-texts.tsx";
import { AdminPage, withAdmin, type AdminPageContext, type FormOutcome } from "../layout.tsx";
import { readListState, USERS_PATH } from "./list-state.ts";
import { Users } from "./page.tsx";

interface AddUserInput {
  readonly name: string;
  readonly email: string;
  /** `admin`, or empty. */
  readonly role: string;
  /** The id of a site, or empty. */
  readonly site: string;
  readonly siteRole: string;
}

const EMPTY: AddUserInput = { name: "", email: "", role: "", site: "", siteRole: "" };

export const showAddUser = (visit: AdminPageContext): Response | Promise<Response> =>
  renderPage(visit.c, <AddUser visit={visit} input={EMPTY} />);

/** Adds a user, and shows the link in the list of users. */
export const addUser = (c: PageContext) =>
  withAdmin(c, async (visit) => {
    const input = await readFormFields(c, "name", "email", "role", "site", "siteRole");
    const { ctx, scope } = c.env.call;
    const { actor } = visit.grant;
    try {
      const role = SITE_ROLES.find((each) => each === input.siteRole) ?? "members";
      const site = input.site === "" ? null : { grant: guardSite(ctx, actor, scope, input.site, "owners"), role };
      const { name, email } = input;
      const invited = inviteUser(ctx, visit.grant, {
        name,
        email,
        isAdmin: input.role === "admin",
        ...(site && { site }),
      });
      return await renderPage(c, <Users visit={visit} state={readListState("")} invited={invited} />);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const page = <AddUser visit={visit} input={input} problem={errorPageText(pageTexts(c), error)} />;
      return renderPage(c, page, errorPageStatus(c, error));
    }
  });

/** In the order of the form. */
const SITE_ROLES = ["members", "viewers", "editors", "owners"] as const;

/** The team sites that the administrator owns: only owners give roles on a site. */
const ownSites = ({ c, grant }: AdminPageContext): Org[] =>
  listOrgs(c.env.call.ctx, guardAnyone(grant.actor), { merged: false }).filter(
    ({ owner, access }) => owner === null && access === "owners",
  );

const AddUser: FC<FormOutcome & { visit: AdminPageContext; input: AddUserInput }> = ({ visit, input, ...outcome }) => {
  const t = useTexts();
  const { name, email, role } = input;
  const sites = ownSites(visit);
  return (
    <AdminPage
      visit={visit}
      tab="admin.tab.users"
      page={{ title: t("admin.invite.title"), crumb: { to: USERS_PATH, label: t("admin.tab.users") } }}
      {...outcome}
    >
      <form method="post" action={USERS_PATH} class="card admin-form">
        <label>
          {t("admin.invite.name")}
          <input name="name" maxlength={200} value={name} autocomplete="off" autofocus aria-describedby="name-hint" />
        </label>
        <p class="hint" id="name-hint">
          {t("admin.invite.nameHint")}
        </p>
        <label>
          {t("admin.invite.email")}
          <input name="email" type="email" required maxlength={254} value={email} autocomplete="off" />
        </label>
        <label>
          {t("admin.invite.role")}
          <select name="role">
            <option value="">{t("admin.users.user")}</option>
            <option value="admin" selected={role === "admin"}>
              {t("admin.users.administrator")}
            </option>
          </select>
        </label>
        {sites.length > 0 && <SiteFields sites={sites} input={input} />}
        <p class="hint">{t(visit.c.env.call.ctx.email.isOn ? "admin.invite.hintSent" : "admin.invite.hint")}</p>
        <div class="bar">
          <button>{t("admin.invite.submit")}</button>
          <a class="button plain" href={USERS_PATH}>
            {t("base.cancel")}
          </a>
        </div>
      </form>
    </AdminPage>
  );
};

const SITE_ROLE_LABELS = {
  members: "admin.invite.members",
  viewers: "base.role.viewers",
  editors: "base.role.editors",
  owners: "base.role.owners",
} as const;

const SiteFields: FC<{ sites: readonly Org[]; input: AddUserInput }> = ({ sites, input }) => {
  const t = useTexts();
  return (
    <div class="row">
      <label>
        {t("admin.invite.site")}
        <select name="site">
          <option value="">{t("admin.invite.noSite")}</option>
          {sites.map(({ id, name }) => (
            <option value={id} selected={String(id) === input.site} translate="no">
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t("admin.invite.siteRole")}
        <select name="siteRole">
          {SITE_ROLES.map((each) => (
            <option value={each} selected={each === input.siteRole}>
              {t(SITE_ROLE_LABELS[each])}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
};
