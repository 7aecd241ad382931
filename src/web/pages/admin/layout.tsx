/** The frame of the administration pages, and their shared parts. */
import type { Child, FC } from "hono/jsx";
import type { UserGrant } from "../../../authorization.ts";
import { AppError } from "../../../errors.ts";
import type { PageContext } from "../../base/page-context.ts";
import { withSignedInUser } from "../../base/page-guards.tsx";
import { Page } from "../../base/layout.tsx";
import { Icon, Name, StatusMessage } from "../../base/components.tsx";
import { ErrorPage, errorPageStatus, errorPageText } from "../../base/error-page.tsx";
import type { IconName } from "../../base/icons.ts";
import type { Crumb } from "../../base/shell/place.tsx";
import { SidebarEntry, SidebarGroup } from "../../base/shell/sidebar.tsx";
import { HELP_LINKS, type HelpTopic } from "../../base/help/help-links.ts";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";
import type { LabelKey } from "../../texts/texts.ts";

export const ADMIN_TABS = [
  { label: "admin.tab.overview", path: "/admin", icon: "gauge", help: "monitoring" },
  { label: "admin.tab.users", path: "/admin/users", icon: "users", help: "administration" },
  { label: "admin.tab.groups", path: "/admin/groups", icon: "group", help: "groups" },
  { label: "admin.tab.signIn", path: "/admin/providers", icon: "key-round", help: "singleSignOn" },
  { label: "admin.tab.email", path: "/admin/email", icon: "mail", help: "email" },
  { label: "admin.tab.audit", path: "/admin/audit", icon: "scroll-text", help: "auditLog" },
  { label: "admin.tab.jobs", path: "/admin/jobs", icon: "list-checks", help: "jobs" },
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

/** A page below one of the sidebar. */
interface SubPage {
  /** As plain text, for the browser's title. */
  readonly title: string;
  /** Whether the title is a name, which browsers do not translate. */
  readonly isName?: boolean;
  readonly crumb: Crumb;
}

interface AdminPageProps extends FormOutcome {
  visit: AdminPageContext;
  tab: AdminTab;
  page?: SubPage;
  children?: Child;
}

export const AdminPage: FC<AdminPageProps> = (props) => {
  const t = useTexts();
  const { page } = props;
  const title = page?.title ?? t(props.tab);
  const name = page?.isName ? <Name text={title} /> : title;
  const hasLog = props.visit.c.env.call.ctx.replication !== null;
  const pages = ADMIN_TABS.filter((page) => hasLog || !("needsLog" in page));
  const help = ADMIN_TABS.find(({ label }) => label === props.tab)?.help;
  return (
    <Page
      title={t("admin.titleOf", { page: title })}
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
      crumbs={[{ to: "/admin", label: t("admin.title") }, ...(page ? [page.crumb] : [])]}
      name={name}
      heading={<h1 class="in-bar">{name}</h1>}
    >
      {props.done && <StatusMessage text={props.done} />}
      {props.problem && <StatusMessage text={props.problem} problem />}
      {props.children}
    </Page>
  );
};

/** A card with a title. */
export const Section: FC<{ id: string; title: string; children?: Child }> = ({ id, title, children }) => (
  <section class="card" aria-labelledby={`${id}-title`}>
    <h2 id={`${id}-title`}>{title}</h2>
    {children}
  </section>
);

/** Renders a page about one record; an error page where the record does not exist. */
export async function renderRecord(
  { c, grant }: AdminPageContext,
  render: () => Response | Promise<Response>,
): Promise<Response> {
  try {
    return await render();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const t = pageTexts(c);
    const page = <ErrorPage title={t("problem.notFound.title")} text={errorPageText(t, error)} user={grant.actor} />;
    return renderPage(c, page, errorPageStatus(c, error));
  }
}

/** Page size of long lists; further entries are found by searching. */
export const MAX_RESULTS = 100;

interface SearchProps {
  action: string;
  /** What is searched: accessible name and placeholder. */
  label: string;
  search: string;
  shownCount: number;
  total: number;
  /** Parameters of the address that a search keeps. */
  kept?: readonly (readonly [name: string, value: string])[];
  /** The main command of the page. */
  children?: Child;
}

/** A search form, with the number of results. */
export const SearchForm: FC<SearchProps> = ({ action, label, search, shownCount, total, kept = [], children }) => {
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
        {kept.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <input type="search" name="q" aria-label={label} placeholder={label} value={search} maxlength={200} />
      </form>
      <p class="quiet">
        {search === ""
          ? result
          : t.rich("admin.search.showAll", { result, link: (content) => <a href={action}>{content}</a> })}
      </p>
      {children}
    </div>
  );
};

/** The search text, cut to a sensible length. */
export const searchQuery = ({ req }: PageContext): string => (req.query("q") ?? "").slice(0, 200);

interface PagingProps {
  /** The accessible name. */
  label: string;
  /** Addresses of the pages before and after; null for none. */
  previous: string | null;
  next: string | null;
  /** Labels, for lists in the order of time. */
  labels?: { readonly previous: LabelKey; readonly next: LabelKey };
}

/** Links to the pages before and after. */
export const Paging: FC<PagingProps> = ({ label, previous, next, labels }) => {
  const t = useTexts();
  if (previous === null && next === null) return null;
  return (
    <nav class="admin-paging" aria-label={label}>
      {previous !== null && (
        <a class="button plain" href={previous} rel="prev">
          {t(labels?.previous ?? "admin.paging.previous")}
        </a>
      )}
      {next !== null && (
        <a class="button plain" href={next} rel="next">
          {t(labels?.next ?? "admin.paging.next")}
        </a>
      )}
    </nav>
  );
};
