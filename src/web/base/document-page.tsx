import type { Child, FC } from "hono/jsx";
import { allows, type Role } from "../../authorization.ts";
import { DOCUMENT_TABS, type DocumentTabName } from "./document-tabs.ts";
import type { DocumentPageContext } from "./page-guards.tsx";
import { Page } from "./layout.tsx";
import { Badge, HelpLink, Icon, ROLE_NAMES } from "./components.tsx";
import { useTexts } from "./page-texts.tsx";

interface DocumentPageProps {
  visit: DocumentPageContext;
  tab: DocumentTabName;
  /** Name of the page's own script and styles, as for `Page`. */
  bundle?: string;
  /** The current table, which other pages preselect. */
  table?: string | null;
  /** For content that fills the window. */
  wide?: boolean;
  children?: Child;
}

/** The frame of all pages of a document: breadcrumb, name, and tabs. */
export const DocumentPage: FC<DocumentPageProps> = ({ visit, tab, bundle, table, wide = false, children }) => {
  const t = useTexts();
  const { document, user, role, prefix } = visit;
  const { name, workspace } = document;
  const { label, help } = DOCUMENT_TABS.find((each) => each.name === tab) ?? {};
  const page = tab === "data" || label === undefined ? null : t(label);
  const title = page === null ? name : t("base.document.title", { document: name, page });
  const heading = (
    <div class="document-top" data-document={document.uuid} data-role={role}>
      {user && (
        <nav class="crumbs" aria-label={t("base.document.location")}>
          <a href={`${prefix}/#workspace-${workspace.id}`} translate="no">
            <Icon name="back" />
            {workspace.name}
          </a>
        </nav>
      )}
      <h1>
        <span translate="no">{name}</span>
        {page !== null && <span class="unseen"> – {page}</span>}
      </h1>
      {role !== "owners" && <Badge text={t(ROLE_NAMES[role])} />}
      {help && <HelpLink topic={help} />}
    </div>
  );
  return (
    <Page title={title} user={user} wide heading={heading} {...(bundle && { bundle })}>
      <Tabs
        documentUrl={`${prefix}/docs/${document.uuid}`}
        activeTab={tab}
        role={role}
        isSignedIn={user !== null}
        table={table ?? null}
      />
      {wide ? children : <div class="measure">{children}</div>}
    </Page>
  );
};

interface TabsProps {
  documentUrl: string;
  activeTab: DocumentTabName;
  role: Role;
  isSignedIn: boolean;
  table: string | null;
}

const Tabs: FC<TabsProps> = ({ documentUrl, activeTab, role, isSignedIn, table }) => {
  const t = useTexts();
  return (
    <nav class="tabs" aria-label={t("base.document.pages")}>
      <ul>
        {DOCUMENT_TABS.filter(
          ({ requiredRole, signedIn }) => allows(role, requiredRole) && (isSignedIn || !signedIn),
        ).map(({ name, label, path, takesTable }) => (
          <li>
            <a
              href={`${documentUrl}${path}${takesTable && table ? `?table=${encodeURIComponent(table)}` : ""}`}
              {...(name === activeTab && { "aria-current": "page" })}
            >
              {t(label)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
};
