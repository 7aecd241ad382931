import type { FC } from "hono/jsx";
import { describeHistory } from "../../../services/documents/history.ts";
import type { History } from "../../../wire/documents/history.ts";
import { DocumentPage } from "../../base/document-page.tsx";
import { readDocumentSettings } from "../../base/document-settings.ts";
import type { PageContext } from "../../base/page-context.ts";
import { type DocumentPageContext, withDocument, renderErrorPage } from "../../base/page-guards.tsx";
import { CompareForm } from "./compare-form.tsx";
import { redirectToComparison } from "./compare-page.tsx";
import { filterQuery, HistoryFilter, type HistoryFilters, readFilters } from "./filters.tsx";
import { withCurrentRows } from "./current-rows.ts";
import { readMetadata, readPastMetadata } from "./past-metadata.ts";
import { type NamesByState, PastSchema, schemasByState } from "./past-schema.ts";
import { SessionItem } from "./session-item.tsx";
import { groupIntoSessions } from "./sessions.ts";
import { showState } from "./state-page.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { EmptyState } from "../../base/components.tsx";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";

export const historyRoutes: PageRoutes = (app) => {
  app.get("/docs/:docId/history", showHistory);
  app.get("/docs/:docId/history/compare", redirectToComparison);
  app.get("/docs/:docId/history/:state", showState);
};

const STATES_PER_PAGE = 50;

function showHistory(c: PageContext): Promise<Response> {
  return withDocument(c, "viewers", async (visit) => {
    const { ctx } = c.env.call;
    try {
      const filters = readFilters(c, visit);
      const { before, row, user } = filters;
      const table = filters.formerly ?? filters.table;
      const history = await describeHistory(ctx, visit.grant, { before, limit: STATES_PER_PAGE, table, row, user });
      const names = await readNames(c, visit, { history, filters });
      const rowText = await readRowText(c, visit, filters);
      return await renderPage(c, <HistoryPage {...{ visit, history, names, filters, rowText }} />);
    } catch (error) {
      return renderErrorPage(c, error, visit.user);
    }
  });
}

/** The most states that are read for the names of a filtered list. */
const MAX_NAMED_STATES = 100;

/** Returns the names of tables and columns; other states than the listed ones can have changed them. */
async function readNames(
  c: PageContext,
  { grant }: DocumentPageContext,
  { history, filters }: { history: History; filters: HistoryFilters },
): Promise<NamesByState> {
  const { ctx } = c.env.call;
  const near = filters.isFiltered
    ? (await describeHistory(ctx, grant, { before: filters.before, limit: MAX_NAMED_STATES })).states
    : [];
  const oldest = near.at(-1)?.n ?? Infinity;
  const states = [...near, ...history.states.filter(({ n }) => n < oldest)];
  return schemasByState(pageTexts(c), await readPastMetadata(ctx, grant, states));
}

/** Returns the text of the chosen row. */
async function readRowText(
  c: PageContext,
  { grant }: DocumentPageContext,
  { table, row }: HistoryFilters,
): Promise<string | undefined> {
  if (table === undefined || row === undefined) return undefined;
  const { ctx } = c.env.call;
  const t = pageTexts(c);
  const [metadata, settings] = await Promise.all([readMetadata(ctx, grant), readDocumentSettings(ctx, grant)]);
  const current = new PastSchema(t, metadata);
  return withCurrentRows({ ctx, grant }, { t, settings, current, past: [current] }, ({ rowText }) =>
    rowText(table, 0, row),
  );
}

interface HistoryPageProps {
  visit: DocumentPageContext;
  history: History;
  names: NamesByState;
  filters: HistoryFilters;
  /** The text of the chosen row, if it exists. */
  rowText: string | undefined;
}

const HistoryPage: FC<HistoryPageProps> = ({ visit, history, names, filters, rowText }) => {
  const t = useTexts();
  const { document, role, prefix } = visit;
  const address = `${prefix}/docs/${document.uuid}/history`;
  const { isFirst, isFiltered } = filters;
  const newest = isFirst && !isFiltered ? history.states[0]?.n : undefined;
  const second = history.states[1]?.n ?? history.states[0]?.n;
  return (
    <DocumentPage visit={visit} page="history" bundle="history">
      <h2 class="unseen">{t("history.states")}</h2>
      <p class="quiet">{t(ABOUT[role])}</p>
      <HistoryFilter visit={visit} history={history} filters={filters} address={address} rowText={rowText} />
      <div id="newer" class="problem-place" />
      <div id="history" data-document={document.uuid} data-live={isFirst && !isFiltered ? "" : undefined}>
        {second !== undefined && (
          <details class="compare-choice">
            <summary>{t("history.compare.choose")}</summary>
            <CompareForm address={address} states={history.states} left={second} right={null} />
          </details>
        )}
        {history.states.length === 0 ? (
          <EmptyState title={t(isFiltered ? "history.none.matching" : "history.none.title")} icon="rotate-ccw">
            <p>{t(isFiltered ? "history.none.filtered" : isFirst ? "history.none.text" : "history.none.older")}</p>
          </EmptyState>
        ) : (
          <ol class="states">
            {groupIntoSessions(history.states).map((states) => (
              <SessionItem
                states={states}
                names={names}
                address={address}
                newest={newest}
                isOwner={role === "owners"}
              />
            ))}
          </ol>
        )}
        <Paging address={address} history={history} filters={filters} />
      </div>
    </DocumentPage>
  );
};

const ABOUT = {
  owners: "history.aboutOwner",
  editors: "history.aboutEditor",
  viewers: "history.about",
} as const;

const Paging: FC<{ address: string; history: History; filters: HistoryFilters }> = ({ address, history, filters }) => {
  const t = useTexts();
  const { before, table } = history;
  return (
    <nav class="bar paging" aria-label={t("history.pages")}>
      {!filters.isFirst && (
        <a class="button plain" href={`${address}${filterQuery(filters)}`}>
          {t("history.newest")}
        </a>
      )}
      {before !== null && (
        <a class="button plain" href={`${address}${filterQuery(filters, { before, formerly: table })}`}>
          {t("history.older")}
        </a>
      )}
    </nav>
  );
};
