import type { Child, FC } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { changesToState, describeHistory } from "../../../services/documents/history.ts";
import type { History } from "../../../wire/documents/history.ts";
import { DocumentPage } from "../../base/document-page.tsx";
import type { PageContext } from "../../base/page-context.ts";
import { type DocumentPageContext, withDocument, renderErrorPage } from "../../base/page-guards.tsx";
import type { LabelKey } from "../../texts/texts.ts";
import { Icon, MarkedText, Name, Note, ShortName } from "../../base/components.tsx";
import { errorPageText } from "../../base/error-page.tsx";
import { withCurrentRows } from "./current-rows.ts";
import { readDocumentSettings } from "../../base/document-settings.ts";
import { RestoreButton, ChangeAuthor } from "./components.tsx";
import { type ChangedCell, type ChangedTable, summarizeTable } from "./changed-rows.ts";
import { readMetadata, readPastMetadata } from "./past-metadata.ts";
import { PastSchema, schemasByState } from "./past-schema.ts";
import { isMetadata, joinWithAnd, type StateNames, summarizeState, changedSettings } from "./summaries.ts";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";

/** Number of rows of each table that are shown, first and after each "Show more". */
const ROW_LIMITS = [20, 100, 500, 2000] as const;

type State = History["states"][number];

interface StateInList {
  readonly state: State;
  readonly isNewest: boolean;
  /** The previous state is kept: changes can be shown. */
  readonly hasOlder: boolean;
}

interface StatePageData extends StateInList {
  readonly names: StateNames;
  readonly tables: readonly ChangedTable[];
  readonly rowLimit: number;
  /** Why changed rows cannot be shown. */
  readonly error: Child;
}

/** The changes of one state: rows before and after. */
export function showState(c: PageContext): Promise<Response> {
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
  const requestedRows = Number(c.req.query("rows"));
  const rowLimit = ROW_LIMITS.find((most) => most >= requestedRows) ?? ROW_LIMITS[0];
  const located = await findState(c, grant, n);
  const names = await readNames(c, grant, located.state);
  const shown = { ...located, names, rowLimit };
  const { state, hasOlder } = shown;
  if (!hasOlder) return { ...shown, tables: [], error: n === 1 ? null : t("history.previousNotKept") };
  try {
    const { tableDeltas } = await changesToState(ctx, grant, { h: state.h, maxRows: rowLimit });
    const own = Object.entries(tableDeltas).filter(([name]) => !isMetadata(name.replace(/^-/, "")));
    const [metadata, settings] = await Promise.all([readMetadata(ctx, grant), readDocumentSettings(ctx, grant)]);
    const { before, after } = names;
    const current = new PastSchema(t, metadata);
    const tables = await withCurrentRows({ ctx, grant }, { t, settings, current, past: [after, before] }, (rows) =>
      own.map(([name, delta]) => summarizeTable(name, delta, { t, settings, ...names, ...rows, maxRows: rowLimit })),
    );
    return { ...shown, tables: tables.filter((table) => table.rows.length > 0), error: null };
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

/** @throws AppError `notFound` */
async function findState(c: PageContext, grant: DocumentPageContext["grant"], n: number): Promise<StateInList> {
  const { ctx } = c.env.call;
  if (Number.isSafeInteger(n) && n > 0) {
    const { states, before } = await describeHistory(ctx, grant, { before: n + 1, limit: 1 });
    const later = await describeHistory(ctx, grant, { before: n + 2, limit: 1 });
    const [state] = states;
    if (state?.n === n) return { state, isNewest: later.states[0]?.n === n, hasOlder: before !== null };
  }
  throw new AppError("state.not_found", "State not found in the history of the document");
}

const StatePage: FC<StatePageData & { visit: DocumentPageContext }> = (props) => {
  const t = useTexts();
  const { visit, state, names, isNewest, hasOlder, tables, rowLimit, error } = props;
  const address = `${visit.prefix}/docs/${visit.document.uuid}/history`;
  const sentences = summarizeState(t, state, names);
  const settings = changedSettings(t, state.tables);
  return (
    <DocumentPage visit={visit} page="history" title={t("history.state", { n: state.n })} bundle="history" wide>
      <div id="history" data-document={visit.document.uuid} data-back={address}>
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
        {tables.map((table) => (
          <Table table={table} more={moreRowsUrl(`${address}/${state.n}`, rowLimit)} />
        ))}
        {!error && tables.length === 0 && <p class="quiet">{t("history.noRowsChanged")}</p>}
        {settings.length > 0 && <p class="quiet">{t("history.alsoChanged", { subjects: joinWithAnd(t, settings) })}</p>}
      </div>
    </DocumentPage>
  );
};

function moreRowsUrl(address: string, rows: number): string | null {
  const next = ROW_LIMITS.find((most) => most > rows);
  return next === undefined ? null : `${address}?rows=${next}`;
}

const ROW_KINDS = {
  added: "history.row.added",
  changed: "history.row.changed",
  deleted: "history.row.deleted",
} as const satisfies Record<ChangedTable["rows"][number]["kind"], LabelKey>;

const Table: FC<{ table: ChangedTable; more: string | null }> = ({ table, more }) => {
  const t = useTexts();
  const { title, isDeleted, columns, rows } = table;
  const id = `table-${table.id}`;
  return (
    <div class="changed">
      <h3 id={id}>
        {isDeleted ? t.rich("history.deletedTable", { table: <ShortName text={title} /> }) : <Name text={title} />}
      </h3>
      <div class="table-box" tabindex={0} role="region" aria-labelledby={id}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("base.grid.row")}</th>
              {columns.map((column) => (
                <th scope="col" translate="no">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ title: row, kind, cells }) => (
              <tr class={kind}>
                <th scope="row">
                  {row ? (
                    <ShortName text={row} />
                  ) : (
                    t(row === null ? "history.cell.missingRow" : "history.row.untitled")
                  )}{" "}
                  <span class="kind">{t(ROW_KINDS[kind])}</span>
                </th>
                {cells.map((cell) => (
                  <td translate="no">{cell && <ChangedCellView cell={cell} />}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {table.omittedRows > 0 && (
        <p class="bar">
          <span class="quiet">{t("history.moreRows", { count: table.omittedRows })}</span>
          {more && <a href={more}>{t("history.showMore")}</a>}
        </p>
      )}
    </div>
  );
};

const ChangedCellView: FC<{ cell: ChangedCell }> = ({ cell: { before, after } }) => {
  if (before !== null && before === after) return <>{after}</>;
  return (
    <>
      {before && <del>{before}</del>} {after && <ins>{after}</ins>}
    </>
  );
};
