/** The sidebar of a document: its pages, its tables, and its tools. */
import type { FC } from "hono/jsx";
import { allows } from "../../../authorization.ts";
import { Name } from "../components.tsx";
import { HELP_LINKS } from "../help/help-links.ts";
import { DOCUMENT_PAGES, type DocumentPageName } from "../document-pages.ts";
import type { DocumentPageContext } from "../page-guards.tsx";
import type { PlainTexts } from "../../texts/texts.ts";
import { useSidebarState, useTexts } from "../page-texts.tsx";
import type { NamedTable } from "../table-data.ts";
import { PagesGroup } from "./page-tree.tsx";
import { SidebarEntry, SidebarGroup } from "./sidebar.tsx";

interface DocumentSidebarProps {
  visit: DocumentPageContext;
  page: DocumentPageName;
  /** The id of the current table. */
  table: string | null;
  /** The view of the current page. */
  view?: number | undefined;
}

export const DocumentSidebar: FC<DocumentSidebarProps> = ({ visit, page, table, view }) => {
  const t = useTexts();
  const { document, role, user, prefix, tables, pages } = visit;
  const { showsTables } = useSidebarState();
  const url = `${prefix}/docs/${document.uuid}`;
  const current = page === "data" && view === undefined ? table : null;
  const help = view === undefined ? DOCUMENT_PAGES.find(({ name }) => name === page)?.help : "pages";
  const tools = DOCUMENT_PAGES.filter(
    ({ name, requiredRole, signedIn }) =>
      name !== "data" && allows(role, requiredRole) && (user !== null || signedIn !== true),
  );
  return (
    <>
      <PagesGroup url={url} pages={pages} view={view} docId={document.uuid} mayEdit={allows(role, "editors")} />
      <SidebarGroup
        id="tables"
        label={t("base.document.tables")}
        isTitled
        data={{ "data-document": document.uuid }}
        {...(pages.length > 0 && { isFolded: current === null && !showsTables })}
      >
        {tables
          .filter(({ sourceRef }) => !tables.some(({ ref }) => ref === sourceRef))
          .map((entry) => (
            <TableEntry
              table={entry}
              summaries={tables.filter(({ sourceRef }) => sourceRef === entry.ref)}
              {...{ url, current }}
            />
          ))}
      </SidebarGroup>
      <SidebarGroup label={t("base.document.tools")} isTitled>
        {tools.map(({ name, label, path, icon, takesTable }) => (
          <SidebarEntry
            to={`${url}${path}${takesTable && table !== null ? `?table=${encodeURIComponent(table)}` : ""}`}
            icon={icon}
            isCurrent={name === page}
            label={t(label)}
          />
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
    </>
  );
};

interface TableEntryProps {
  table: NamedTable;
  summaries: readonly NamedTable[];
  /** The document's path. */
  url: string;
  /** The id of the current table. */
  current: string | null;
}

const TableEntry: FC<TableEntryProps> = ({ table, summaries, url, current }) => {
  const t = useTexts();
  const { id, title } = table;
  const to = (each: NamedTable): string => `${url}/tables/${encodeURIComponent(each.id)}`;
  return (
    <SidebarEntry
      to={to(table)}
      icon="table"
      isCurrent={id === current}
      label={table.sourceRef > 0 ? summaryTitle(t, table) : <Name text={title} />}
      data={{ "data-table": id, "data-title": title }}
    >
      {summaries.length > 0 &&
        summaries.map((summary) => (
          <SidebarEntry
            to={to(summary)}
            icon="sigma"
            isCurrent={summary.id === current}
            label={summaryTitle(t, summary)}
            data={{ "data-table": summary.id, "data-title": summaryTitle(t, summary), "data-summary": "" }}
          />
        ))}
    </SidebarEntry>
  );
};

/** Returns the name of a summary below its table: "By Status, Month", or its totals. */
const summaryTitle = (t: PlainTexts, { groupedBy }: NamedTable): string =>
  groupedBy.length === 0
    ? t("base.document.totals")
    : t("base.document.groupedBy", { columns: groupedBy.join(t("base.document.groupedBy.separator")) });
