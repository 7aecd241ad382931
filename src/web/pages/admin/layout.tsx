/** The frame of the administration pages, and their shared parts. */
import type { Child, FC } from "hono/jsx";
import type { UserGrant } from "../../../authorization.ts";
import { AppError } from "../../../errors.ts";
import type { PageContext } from "../../base/page-context.ts";
import { withSignedInUser } from "../../base/page-guards.tsx";
import { Page } from "../../base/layout.tsx";
import { Icon, StatusMessage } from "../../base/components.tsx";
import { ErrorPage, errorPageStatus } from "../../base/error-page.tsx";
import type { IconName } from "../../base/icons.ts";
import { SidebarEntry, SidebarGroup } from "../../base/shell/sidebar.tsx";
import { HELP_LINKS, type HelpTopic } from "../../base/help/help-links.ts";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";
import type { LabelKey } from "../../texts/texts.ts";

export const ADMIN_TABS = [
  { label: "admin.tab.overview", path: "/admin", icon: "gauge", help: "monitoring" },
  { label: "admin.tab.users", path: "/admin/users", icon: "users", help: "administration" },
  { label: "admin.tab.email", path: "/admin/email", icon: "mail", help: "email" },
  { label: "admin.tab.audit", path: "/admin/audit", icon: "scroll-text", help: "auditLog" },
  { label: "admin.tab.documents", path: "/admin/documents", icon: "file-text", help: "disabling" },
  { label: "admin.tab.nodes", path: "/admin/nodes", icon: "server", help: "nodes", needsLog: true },
  { label: "admin.tab.backups", path: "/admin/backups", icon: "archive", help: "backups" },
  { label: "admin.tab.errors", path: "/admin/errors", icon: "triangle-alert", help: "troubleshooting" },
  { label: "admin.tab.settings", path: "/admin/settings", icon: "settings", help: "settings" },
] as const satisfies readonly { label: LabelKey; path: string; icon: IconName; help: HelpTopic; needsLog?: true }[];

/** A page of the administration: the key of its label. */
export type AdminTab = (typeof ADMIN_TABS)[number]["label"];

/** The context of an administrator. */
export interface AdminPageContext {
  readonly c: PageContext;
  readonly grant: UserGrant;
}

/** Runs the handler for a signed-in administrator; others get "Access denied". */
export const withAdmin = (c: PageContext, handler: (visit: AdminPageContext) => Response | Promise<Response>) =>
  withSignedInUser(c, (grant) => {
    if (grant.actor.isAdmin) return handler({ c, grant });
    const t = pageTexts(c);
    const text = t("admin.denied");
    const status = errorPageStatus(c, new AppError("forbidden", text));
    return renderPage(c, <ErrorPage title={t("problem.denied.title")} text={text} user={grant.actor} />, status);
  });

/** The result of a form. */
export interface FormOutcome {
  readonly done?: string | undefined;
  readonly problem?: Child | undefined;
}

export const AdminPage: FC<FormOutcome & { visit: AdminPageContext; tab: AdminTab; children?: Child }> = (props) => {
  const t = useTexts();
  const hasLog = props.visit.c.env.call.ctx.replication !== null;
  const pages = ADMIN_TABS.filter((page) => hasLog || !("needsLog" in page));
  const help = ADMIN_TABS.find(({ label }) => label === props.tab)?.help;
  return (
    <Page
      title={t("admin.titleOf", { page: t(props.tab) })}
      user={props.visit.grant.actor}
      here="/admin"
      bundle="admin"
      broad
      sidebar={
        <SidebarGroup label={t("admin.title")} isTitled>
          {pages.map(({ label, path, icon }) => (
            <SidebarEntry to={path} icon={icon} isCurrent={label === props.tab} label={t(label)} />
          ))}
          {help && (
            <SidebarEntry
              to={HELP_LINKS[help]}
              icon="circle-question-mark"
              isCurrent={false}
              label={t("base.menu.help")}
            />
          )}
        </SidebarGroup>
      }
      crumbs={[{ to: "/admin", label: t("admin.title") }]}
      name={t(props.tab)}
      heading={<h1 class="in-bar">{t(props.tab)}</h1>}
    >
      {props.done && <StatusMessage text={props.done} />}
      {props.problem && <StatusMessage text={props.problem} problem />}
      {props.children}
    </Page>
  );
};

/** Page size of long lists; further entries are found by searching. */
export const MAX_RESULTS = 100;

interface SearchProps {
  action: string;
  /** What is searched: accessible name and placeholder. */
  label: string;
  search: string;
  shownCount: number;
  total: number;
}

/** A search form, with the number of results. */
export const SearchForm: FC<SearchProps> = ({ action, label, search, shownCount, total }) => {
  const t = useTexts();
  const result =
    shownCount < total
      ? t("admin.search.part", { shown: shownCount, total })
      : search === ""
        ? t("admin.search.all", { total })
        : t("admin.search.found", { total });
  return (
    <div class="admin-search">
      <form role="search" class="search" action={action} aria-label={label}>
        <Icon name="search" />
        <input type="search" name="q" aria-label={label} placeholder={label} value={search} maxlength={200} />
      </form>
      <p class="quiet">
        {search === ""
          ? result
          : t.rich("admin.search.showAll", { result, link: (content) => <a href={action}>{content}</a> })}
      </p>
    </div>
  );
};

/** The search text, cut to a sensible length. */
export const searchQuery = ({ req }: PageContext): string => (req.query("q") ?? "").slice(0, 200);
