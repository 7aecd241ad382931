import type { Child, FC } from "hono/jsx";
import { allows } from "../../../authorization.ts";
import { AppError } from "../../../errors.ts";
import { changesToState, describeHistory } from "../../../services/documents/history.ts";
import type { History } from "../../../wire/documents/history.ts";
import { DocumentPage } from "../../base/document-page.tsx";
import type { PageContext } from "../../base/page-context.ts";
import { type DocumentPageContext, withDocument, renderErrorPage } from "../../base/page-guards.tsx";
import { Icon, MarkedText, Note } from "../../base/components.tsx";
import { errorPageText } from "../../base/error-page.tsx";
import { readDocumentSettings } from "../../base/document-settings.ts";
import { RestoreButton, ChangeAuthor } from "./components.tsx";
import type { ChangedTable } from "./changed-rows.ts";
import { ChangedTables } from "./changed-tables.tsx";
import { showComparison } from "./compare-page.tsx";
import { findState, type FoundState } from "./find-state.ts";
import { readMetadata, readPastMetadata } from "./past-metadata.ts";
import { joinWithAnd } from "./joined-names.ts";
import { PastSchema, type StateNames, schemasByState } from "./past-schema.ts";
import { presentNames } from "./present-names.ts";
import { readChangedTables } from "./read-changed-tables.ts";
import { readRowRange, RowPages, type RowRange } from "./row-pages.tsx";
import { summarizeState, changedSettings } from "./summaries.ts";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";

type State = History["states"][number];

interface StatePageData extends FoundState {
  readonly isNewest: boolean;
  readonly names: StateNames;
  readonly tables: readonly ChangedTable[];
  readonly range: RowRange;
  /** The present names, as JSON. */
  readonly presentNames: string;
  /** Why changed rows cannot be shown. */
  readonly error: Child;
}

/** The changes of one state: rows before and after. */
export function showState(c: PageContext): Promise<Response> {
  if (c.req.query("with") !== undefined) return showComparison(c);
  return withDocument(c, "viewers", async (visit) => {
    try {
      return await renderPage(c, <StatePage visit={visit} {...await readStatePage(c, visit)} />);
    } catch (error) {
      return renderErrorPage(c, error, visit.user);
    }
  });
}

async function readStatePage(c: PageContext, { grant }: DocumentPageContext): Promise<StatePageData> {
  const { ctx } = c.env.call;
  const t = pageTexts(c);
  const n = Number(c.req.param("state"));
  const range = readRowRange(c);
  const found = await findState(ctx, grant, n);
  const later = await describeHistory(ctx, grant, { before: n + 2, limit: 1 });
  const { state, hasOlder } = found;
  const isNewest = later.states[0]?.n === n;
  const names = await readNames(c, grant, state);
  const shown = { ...found, isNewest, names, range, presentNames: "{}" };
  if (!hasOlder) return { ...shown, tables: [], error: n === 1 ? null : t("history.previousNotKept") };
  try {
    const { tableDeltas } = await changesToState(ctx, grant, { h: state.h, maxRows: range.readRows });
    const [metadata, settings] = await Promise.all([readMetadata(ctx, grant), readDocumentSettings(ctx, grant)]);
    const current = new PastSchema(t, metadata);
    const tables = await readChangedTables(ctx, grant, { t, settings, current, ...names, tableDeltas, range });
    return { ...shown, presentNames: presentNames(current), tables, error: null };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    return { ...shown, tables: [], error: errorPageText(t, error) };
  }
}

/** The most states that are read to find out how tables and columns were called then. */
const MAX_NAMED_STATES = 100;

/** Returns the names at a state; for one with more newer states, as far as the current names tell. */
async function readNames(c: PageContext, grant: DocumentPageContext["grant"], state: State): Promise<StateNames> {
  const { ctx } = c.env.call;
  const newest = (await describeHistory(ctx, grant, { before: null, limit: 1 })).states[0]?.n ?? state.n;
  const limit = newest - state.n + 1;
  const isNear = limit > 1 && limit <= MAX_NAMED_STATES;
  const { states } = isNear ? await describeHistory(ctx, grant, { before: null, limit }) : { states: [state] };
  const isComplete = states.some(({ n }) => n === state.n);
  return schemasByState(pageTexts(c), await readPastMetadata(ctx, grant, isComplete ? states : [state]))(state.n);
}

const StatePage: FC<StatePageData & { visit: DocumentPageContext }> = (props) => {
  const t = useTexts();
  const { visit, state, names, isNewest, hasOlder, tables, range, error } = props;
  const address = `${visit.prefix}/docs/${visit.document.uuid}/history`;
  const sentences = summarizeState(t, state, names);
  const settings = changedSettings(t, state.tables);
  const canRestore = allows(visit.role, "editors");
  return (
    <DocumentPage visit={visit} page="history" title={t("history.state", { n: state.n })} bundle="history" wide>
      <div id="newer" class="problem-place" />
      <div
        id="history"
        data-document={visit.document.uuid}
        data-back={address}
        data-from={state.n - 1}
        data-seen={state.n}
        {...(canRestore && { "data-names": props.presentNames })}
      >
        <nav class="bar states-nav" aria-label={t("history.states.nav")}>
          <a class="button plain small" href={`${address}#state-${state.n}`}>
            <Icon name="chevron-left" />
            {t("history.all")}
          </a>
          <span class="grow" />
          {hasOlder && (
            <a class="button plain small" href={`${address}/${state.n - 1}`}>
              {t("history.olderOne")}
            </a>
          )}
          {!isNewest && (
            <a class="button plain small" href={`${address}/${state.n + 1}`}>
              {t("history.newerOne")}
            </a>
          )}
          {!isNewest && (
            <a class="button plain small" href={`${address}/${state.n}?with=now`}>
              {t("history.compare.withNow")}
            </a>
          )}
        </nav>
        <div class="bar state-head">
          <h2 class="grow">{t("history.state", { n: state.n })}</h2>
          {visit.role === "owners" && !isNewest && <RestoreButton n={state.n} summary={joinWithAnd(t, sentences)} />}
        </div>
        <p class="quiet">
          <ChangeAuthor state={state} />
        </p>
        <ul class="sentences">
          {sentences.map((sentence) => (
            <li>
              <MarkedText text={sentence} />
            </li>
          ))}
        </ul>
        {error && (
          <Note
            text={
              <>
                {t("history.noRows")} {error}
              </>
            }
          />
        )}
        <ChangedTables
          tables={tables}
          sides={[t("history.before"), t("history.after")]}
          canRestore={canRestore}
          paging={(table) => <RowPages table={table} range={range} here={`${address}/${state.n}`} />}
        />
        {!error && tables.length === 0 && <p class="quiet">{t("history.noRowsChanged")}</p>}
        {settings.length > 0 && <p class="quiet">{t("history.alsoChanged", { subjects: joinWithAnd(t, settings) })}</p>}
      </div>
    </DocumentPage>
  );
};
