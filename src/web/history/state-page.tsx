import type { FC } from "hono/jsx";
import { AppError } from "../../errors.ts";
import { count } from "../../lib/sizes.ts";
import { changesToState, describeHistory } from "../../services/history.ts";
import type { History } from "../../wire/history.ts";
import { DocumentPage } from "../document-page.tsx";
import type { PageContext } from "../env.ts";
import { type DocumentVisit, forDocument, refusedPage } from "../guard.tsx";
import { Icon, Note, Time } from "../parts.tsx";
import { refusalText } from "../problem.tsx";
import type { ShownCell } from "./cell-text.ts";
import { type CurrentColumns, readCurrentColumns } from "./column-labels.ts";
import { RestoreButton, Who } from "./parts.tsx";
import { type ChangedCell, type ChangedTable, changedTable } from "./changed-rows.ts";
import { isMetadata, listed, sentencesOf, settingsOf, tablesOf } from "./sentences.ts";

/** Rows of each table that are shown, first and after each "Show more". */
const ROWS = [20, 100, 500, 2000] as const;

type State = History["states"][number];

interface Place {
  readonly state: State;
  readonly isNewest: boolean;
  /** The state before it is kept: what changed can be told. */
  readonly hasOlder: boolean;
}

interface Shown extends Place {
  readonly columns: CurrentColumns;
  readonly tables: readonly ChangedTable[];
  readonly rows: number;
  /** Why rows cannot be told. */
  readonly trouble: string | null;
}

/** What changed with one state: rows before and after. */
export function showState(c: PageContext): Promise<Response> {
  return forDocument(c, "viewers", async (visit) => {
    try {
      return await c.html(<StatePage visit={visit} {...await read(c, visit)} />);
    } catch (error) {
      return refusedPage(c, error, visit.user);
    }
  });
}

async function read(c: PageContext, { grant }: DocumentVisit): Promise<Shown> {
  const { ctx } = c.env.call;
  const n = Number(c.req.param("state"));
  const asked = Number(c.req.query("rows"));
  const rows = ROWS.find((most) => most >= asked) ?? ROWS[0];
  const place = await find(c, grant, n);
  const columns = await readCurrentColumns(ctx, grant, tablesOf([place.state]));
  const shown = { ...place, columns, rows };
  const { state, hasOlder } = shown;
  if (!hasOlder) return { ...shown, tables: [], trouble: n === 1 ? null : "the state before this one is not kept" };
  try {
    const { tableDeltas } = await changesToState(ctx, grant, { h: state.h, maxRows: rows });
    const own = Object.entries(tableDeltas).filter(([name]) => !isMetadata(name.replace(/^-/, "")));
    const tables = own.map(([name, delta]) =>
      changedTable(name, delta, { most: rows, columns: columns.get(name) ?? new Map() }),
    );
    return { ...shown, tables: tables.filter((table) => table.rows.length > 0), trouble: null };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    return { ...shown, tables: [], trouble: refusalText(error) };
  }
}

/** @throws AppError `notFound` */
async function find(c: PageContext, grant: DocumentVisit["grant"], n: number): Promise<Place> {
  const { ctx } = c.env.call;
  if (Number.isSafeInteger(n) && n > 0) {
    const { states, before } = await describeHistory(ctx, grant, { before: n + 1, limit: 1 });
    const later = await describeHistory(ctx, grant, { before: n + 2, limit: 1 });
    const [state] = states;
    if (state?.n === n) return { state, isNewest: later.states[0]?.n === n, hasOlder: before !== null };
  }
  throw new AppError("state.not_found", "This state is not kept in the history of the document");
}

const StatePage: FC<Shown & { visit: DocumentVisit }> = (props) => {
  const { visit, state, columns, isNewest, hasOlder, tables, rows, trouble } = props;
  const address = `${visit.prefix}/docs/${visit.document.uuid}/history`;
  const sentences = sentencesOf(state, columns);
  const settings = settingsOf(state.tables);
  return (
    <DocumentPage visit={visit} tab="History" bundle="history" wide>
      <div id="history" data-document={visit.document.uuid} data-back={address}>
        <nav class="bar states-nav" aria-label="States">
          <a class="button plain small" href={`${address}#state-${state.n}`}>
            <Icon name="back" />
            All states
          </a>
          <span class="grow" />
          {hasOlder && (
            <a class="button plain small" href={`${address}/${state.n - 1}`}>
              Older
            </a>
          )}
          {!isNewest && (
            <a class="button plain small" href={`${address}/${state.n + 1}`}>
              Newer
            </a>
          )}
        </nav>
        <div class="bar state-head">
          <h2 class="grow">State {state.n}</h2>
          {visit.role === "owners" && !isNewest && <RestoreButton n={state.n} sentence={listed(sentences)} />}
        </div>
        <p class="quiet">
          <Who state={state} />
        </p>
        <ul class="sentences">
          {sentences.map((sentence) => (
            <li>{sentence}</li>
          ))}
        </ul>
        {trouble && <Note text={`What changed in rows cannot be shown: ${trouble}`} />}
        {tables.map((table) => (
          <Table table={table} more={moreAddress(`${address}/${state.n}`, rows)} />
        ))}
        {!trouble && tables.length === 0 && <p class="quiet">No rows changed.</p>}
        {settings.length > 0 && <p class="quiet">Also changed: {listed(settings)}.</p>}
      </div>
    </DocumentPage>
  );
};

function moreAddress(address: string, rows: number): string | null {
  const next = ROWS.find((most) => most > rows);
  return next === undefined ? null : `${address}?rows=${next}`;
}

const Table: FC<{ table: ChangedTable; more: string | null }> = ({ table, more }) => {
  const { name, isGone, columns, rows } = table;
  const id = `table-${name}`;
  return (
    <div class="changed">
      <h3 id={id}>
        {name}
        {isGone && " (deleted)"}
      </h3>
      <div class="table-box" tabindex={0} role="region" aria-labelledby={id}>
        <table>
          <thead>
            <tr>
              <th scope="col">Row</th>
              {columns.map((column) => (
                <th scope="col">{column}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, kind, cells }) => (
              <tr class={kind}>
                <th scope="row">
                  {id} <span class="kind">{kind}</span>
                </th>
                {cells.map((cell) => (
                  <td>{cell && <Cell cell={cell} />}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {table.more > 0 && (
        <p class="bar">
          <span class="quiet">{count(table.more, "more row", "more rows")}.</span>
          {more && <a href={more}>Show more</a>}
        </p>
      )}
    </div>
  );
};

const Cell: FC<{ cell: ChangedCell }> = ({ cell: { before, after } }) => {
  if (before && after && JSON.stringify(before) === JSON.stringify(after)) return <Value value={after} />;
  return (
    <>
      {before && !isEmpty(before) && (
        <del>
          <Value value={before} />
        </del>
      )}{" "}
      {after && !isEmpty(after) && (
        <ins>
          <Value value={after} />
        </ins>
      )}
    </>
  );
};

const isEmpty = (value: ShownCell): boolean => "text" in value && value.text === "";

const Value: FC<{ value: ShownCell }> = ({ value }) =>
  "time" in value ? <Time at={value.time} as="time" /> : <>{value.text}</>;
