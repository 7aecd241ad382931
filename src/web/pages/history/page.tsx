import type { FC } from "hono/jsx";
import { describeHistory } from "../../../services/documents/history.ts";
import type { History } from "../../../wire/documents/history.ts";
import { DocumentPage } from "../../base/document-page.tsx";
import type { PageContext } from "../../base/page-context.ts";
import { type DocumentPageContext, withDocument, renderErrorPage } from "../../base/page-guards.tsx";
import { RestoreButton, ChangeAuthor } from "./components.tsx";
import { readPastMetadata } from "./past-metadata.ts";
import { type NamesByState, schemasByState } from "./past-schema.ts";
import { joinWithAnd, type StateNames, summarizeState } from "./summaries.ts";
import { showState } from "./state-page.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { Badge, EmptyState, MarkedText } from "../../base/components.tsx";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";

export const historyRoutes: PageRoutes = (app) => {
  app.get("/docs/:docId/history", showHistory);
  app.get("/docs/:docId/history/:state", showState);
};

const STATES_PER_PAGE = 50;

type State = History["states"][number];

function showHistory(c: PageContext): Promise<Response> {
  return withDocument(c, "viewers", async (visit) => {
    const requestedBefore = Number(c.req.query("before"));
    const before = Number.isSafeInteger(requestedBefore) && requestedBefore > 0 ? requestedBefore : null;
    try {
      const history = await describeHistory(c.env.call.ctx, visit.grant, { before, limit: STATES_PER_PAGE });
      const metadata = await readPastMetadata(c.env.call.ctx, visit.grant, history.states);
      const names = schemasByState(pageTexts(c), metadata);
      return await renderPage(c, <HistoryPage {...{ visit, history, names }} isFirst={before === null} />);
    } catch (error) {
      return renderErrorPage(c, error, visit.user);
    }
  });
}

interface HistoryPageProps {
  visit: DocumentPageContext;
  history: History;
  names: NamesByState;
  isFirst: boolean;
}

const HistoryPage: FC<HistoryPageProps> = ({ visit, history, names, isFirst }) => {
  const t = useTexts();
  const address = `${visit.prefix}/docs/${visit.document.uuid}/history`;
  const newest = isFirst ? history.states[0]?.n : undefined;
  return (
    <DocumentPage visit={visit} page="history" bundle="history">
      <h2 class="unseen">{t("history.states")}</h2>
      <p class="quiet">{t(visit.role === "owners" ? "history.aboutOwner" : "history.about")}</p>
      <div id="newer" class="problem-place" />
      <div id="history" data-document={visit.document.uuid} data-live={isFirst ? "" : undefined}>
        {history.states.length === 0 ? (
          <EmptyState title={t("history.none.title")} icon="rotate-ccw">
            <p>{t(isFirst ? "history.none.text" : "history.none.older")}</p>
          </EmptyState>
        ) : (
          <ol class="states">
            {history.states.map((state) => (
              <StateItem
                state={state}
                names={names(state.n)}
                address={address}
                isNewest={state.n === newest}
                isOwner={visit.role === "owners"}
              />
            ))}
          </ol>
        )}
        <nav class="bar paging" aria-label={t("history.pages")}>
          {!isFirst && (
            <a class="button plain" href={address}>
              {t("history.newest")}
            </a>
          )}
          {history.before !== null && (
            <a class="button plain" href={`${address}?before=${history.before}`}>
              {t("history.older")}
            </a>
          )}
        </nav>
      </div>
    </DocumentPage>
  );
};

interface StateItemProps {
  state: State;
  names: StateNames;
  address: string;
  isNewest: boolean;
  isOwner: boolean;
}

const MAX_SUMMARIES = 3;

const StateItem: FC<StateItemProps> = ({ state, names, address, isNewest, isOwner }) => {
  const t = useTexts();
  const summaries = summarizeState(t, state, names);
  const more = summaries.length - MAX_SUMMARIES;
  const shownSummaries = summaries.slice(0, MAX_SUMMARIES);
  return (
    <li>
      <div class="what">
        <a href={`${address}/${state.n}`} id={`state-${state.n}`}>
          <MarkedText text={shownSummaries[0] ?? ""} />
        </a>
        {shownSummaries.slice(1).map((sentence) => (
          <span class="also">
            <MarkedText text={sentence} />
          </span>
        ))}
        {more > 0 && <span class="also quiet">{t("history.more", { count: more })}</span>}
        <small>
          <ChangeAuthor state={state} /> <span class="number">{t("history.state", { n: state.n })}</span>
        </small>
      </div>
      {isNewest ? (
        <Badge text={t("history.now")} kind="good" />
      ) : (
        isOwner && <RestoreButton n={state.n} summary={joinWithAnd(t, shownSummaries)} />
      )}
    </li>
  );
};
