/** The frame of the administration pages, and their shared parts. */
import type { Child, FC } from "hono/jsx";
import type { UserGrant } from "../../../authorization.ts";
import { AppError } from "../../../errors.ts";
import type { PageContext } from "../../base/page-context.ts";
import { withSignedInUser } from "../../base/page-guards.tsx";
import { Page } from "../../base/layout.tsx";
import { Icon, StatusMessage } from "../../base/components.tsx";
import { ErrorPage, errorPageStatus } from "../../base/error-page.tsx";

export const ADMIN_TABS = [
  { name: "Overview", path: "/admin" },
  { name: "Users", path: "/admin/users" },
  { name: "Documents", path: "/admin/documents" },
  { name: "Errors", path: "/admin/errors" },
  { name: "Backups", path: "/admin/backups" },
  { name: "Settings", path: "/admin/settings" },
] as const;

export type AdminTab = (typeof ADMIN_TABS)[number]["name"];

/** The context of an administrator. */
export interface AdminPageContext {
  readonly c: PageContext;
  readonly grant: UserGrant;
}

/** Runs the handler for a signed-in administrator; others get "Access denied". */
export const withAdmin = (c: PageContext, handler: (visit: AdminPageContext) => Response | Promise<Response>) =>
  withSignedInUser(c, (grant) => {
    if (grant.actor.isAdmin) return handler({ c, grant });
    const text = "Only administrators of the installation can open this page.";
    const status = errorPageStatus(c, new AppError("forbidden", text));
    return c.html(<ErrorPage title="Access denied" text={text} user={grant.actor} />, status);
  });

/** The result of a form. */
export interface FormOutcome {
  readonly done?: string | undefined;
  readonly problem?: string | undefined;
}

export const AdminPage: FC<FormOutcome & { visit: AdminPageContext; tab: AdminTab; children?: Child }> = (props) => (
  <Page
    title={props.tab === "Overview" ? "Administration" : `${props.tab} – Administration`}
    user={props.visit.grant.actor}
    here="/admin"
    bundle="admin"
    broad
    heading={
      <h1>
        Administration
        {props.tab !== "Overview" && <span class="unseen"> – {props.tab}</span>}
      </h1>
    }
  >
    <nav class="tabs" aria-label="Administration">
      <ul>
        {ADMIN_TABS.map(({ name, path }) => (
          <li>
            <a href={path} {...(name === props.tab && { "aria-current": "page" })}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
    {props.done && <StatusMessage text={props.done} />}
    {props.problem && <StatusMessage text={props.problem} problem />}
    {props.children}
  </Page>
);

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
export const SearchForm: FC<SearchProps> = ({ action, label, search, shownCount, total }) => (
  <div class="admin-search">
    <form role="search" class="search" action={action} aria-label={label}>
      <Icon name="search" />
      <input type="search" name="q" aria-label={label} placeholder={label} value={search} maxlength={200} />
    </form>
    <p class="quiet">
      {shownCount < total ? `${shownCount} of ${total} shown` : `${total} ${search === "" ? "in all" : "found"}`}
      {search !== "" && (
        <>
          {" "}
          · <a href={action}>Show all</a>
        </>
      )}
    </p>
  </div>
);

/** The search text, cut to a sensible length. */
export const searchQuery = ({ req }: PageContext): string => (req.query("q") ?? "").slice(0, 200);
