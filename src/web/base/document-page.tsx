import type { Child, FC } from "hono/jsx";
import { DOCUMENT_PAGES, type DocumentPageName } from "./document-pages.ts";
import type { DocumentPageContext } from "./page-guards.tsx";
import { Page } from "./layout.tsx";
import { Badge, Icon, Name, ROLE_NAMES } from "./components.tsx";
import { displayName } from "./document-table.tsx";
import { useTexts } from "./page-texts.tsx";
import { workspacePath } from "./shell/home-sidebar.tsx";
import { DocumentSidebar } from "./shell/document-sidebar.tsx";
import { HereButton } from "./shell/place.tsx";
import { tableTitle } from "./table-titles.ts";

interface DocumentPageProps {
  visit: DocumentPageContext;
  page: DocumentPageName;
  /** Name of the page's own script and styles, as for `Page`. */
  bundle?: string;
  /** The id of the current table, which other pages preselect. */
  table?: string | null;
  /** The view of the current page of the document. */
  view?: number;
  /** Names what the page shows, if that is more than its entry in the sidebar tells. */
  title?: string;
  /** Id of the element that the skip link leads to, for pages of data; by default, the grid. */
  skipTo?: string;
  /** For content that fills the window: tables, editors. */
  wide?: boolean;
  children?: Child;
}

/** The frame of all pages of a document. The page of a table has its own heading. */
export const DocumentPage: FC<DocumentPageProps> = (props) => {
  const { visit, page, bundle, table = null, view, wide = false, children } = props;
  const t = useTexts();
  const { document, user, role, tables } = visit;
  const { label } = DOCUMENT_PAGES.find((each) => each.name === page) ?? {};
  const shown = tables.find(({ id }) => id === table);
  const here = page === "data" ? (props.title ?? (shown && tableTitle(t, shown, tables))) : label && t(label);
  const title = t("base.document.title", {
    page: props.title ?? here ?? t("base.document.tables"),
    document: displayName(t, document.name),
  });
  const heading = page !== "data" && <h1 class="in-bar">{here}</h1>;
  return (
    <Page
      title={title}
      user={user}
      wide
      heading={heading}
      place={
        <DocumentPlace
          visit={visit}
          here={page === "data" ? <Name text={here ?? document.name} /> : (here ?? document.name)}
        />
      }
      commands={
        role === "owners" && <a href={`${visit.prefix}/docs/${document.uuid}/sharing`}>{t("base.document.share")}</a>
      }
      data={{ "data-document": document.uuid, "data-role": role }}
      sidebar={<DocumentSidebar visit={visit} page={page} table={table} view={view} />}
      {...(page === "data" && { skipTo: props.skipTo ?? "grid-host" })}
      {...(bundle && { bundle })}
    >
      {wide ? children : <div class="measure">{children}</div>}
    </Page>
  );
};

/** The document's place, and what belongs to the whole document; phones show the page's name instead. */
const DocumentPlace: FC<{ visit: DocumentPageContext; here: Child }> = ({ visit, here }) => {
  const t = useTexts();
  const { document, user, role, prefix } = visit;
  const { name, workspace, uuid } = document;
  return (
    <>
      <nav class="crumbs" aria-label={t("base.document.location")}>
        {user && workspace.access !== null && (
          <a class="wide-only" href={`${prefix}${workspacePath(workspace.id)}`}>
            <Name text={workspace.name} />
          </a>
        )}
        <a class="document-name" href={`${prefix}/docs/${uuid}`}>
          <Name text={name} />
        </a>
      </nav>
      <HereButton>{here}</HereButton>
      {role !== "owners" && <Badge text={t(ROLE_NAMES[role])} />}
      <span class="grow" />
      {role === "owners" && (
        <a class="button plain small share" href={`${prefix}/docs/${uuid}/sharing`}>
          <Icon name="users" />
          <span class="text">{t("base.document.share")}</span>
        </a>
      )}
    </>
  );
};
