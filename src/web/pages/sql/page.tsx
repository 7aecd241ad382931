import { raw } from "hono/html";
import type { FC } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { listTables, mayCopy } from "../../../services/documents/content.ts";
import { DocumentPage } from "../../base/document-page.tsx";
import type { PageContext } from "../../base/page-context.ts";
import { type DocumentPageContext, withDocument, renderErrorPage } from "../../base/page-guards.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { EmptyState, Icon } from "../../base/components.tsx";
import { parseRendered } from "../../base/parse-rendered.ts";
import type { SqlPageData } from "./data.ts";
import type { ColumnListing, TableListing } from "../../base/table-data.ts";

export const sqlRoutes: PageRoutes = (app) => {
  app.get("/docs/:docId/sql", showSql);
};

type TableWithColumns = TableListing & { readonly columns: readonly ColumnListing[] };

function showSql(c: PageContext): Promise<Response> {
  return withDocument(c, "viewers", async (visit) => {
    const { ctx, config } = c.env.call;
    const { grant, document } = visit;
    try {
      await mayCopy(ctx, grant, null);
    } catch (error) {
      if (error instanceof AppError && error.code === "forbidden")
        return c.html(<AccessDeniedPage visit={visit} />, 403);
      return renderErrorPage(c, error, visit.user);
    }
    try {
      const listed = await listTables(ctx, grant, { expandColumns: true });
      const { tables } = await parseRendered<{ tables: readonly TableWithColumns[] }>(ctx, grant, listed);
      const data = { docId: grant.uuid, name: document.name, timeoutMs: config.sqlTimeoutMs };
      return await c.html(<SqlPage visit={visit} tables={tables} data={data} initialQuery={c.req.query("q") ?? ""} />);
    } catch (error) {
      return renderErrorPage(c, error, visit.user);
    }
  });
}

/** For users restricted by access rules: a query would see all data. */
const AccessDeniedPage: FC<{ visit: DocumentPageContext }> = ({ visit }) => (
  <DocumentPage visit={visit} tab="SQL">
    <EmptyState title="Access denied" icon="lock">
      <p>
        This document has access rules, and SQL queries bypass them. An owner can grant you permission to copy the whole
        document, or run queries for you.
      </p>
    </EmptyState>
  </DocumentPage>
);

interface SqlPageProps {
  visit: DocumentPageContext;
  tables: readonly TableWithColumns[];
  data: SqlPageData;
  /** A query in the URL. */
  initialQuery: string;
}

const SqlPage: FC<SqlPageProps> = ({ visit, tables, data, initialQuery }) => (
  <DocumentPage visit={visit} tab="SQL" bundle="sql" wide>
    <div class="queries">
      <SchemaTree tables={tables} />
      <div class="desk">
        <QueryEditor asked={initialQuery} timeoutMs={data.timeoutMs} />
        <section class="result" aria-labelledby="result-name">
          <div class="bar result-bar">
            <h2 id="result-name">Result</h2>
            <span id="result-status" class="quiet" role="status" />
            <span class="grow" />
            <button type="button" class="plain small" id="result-csv" hidden>
              <Icon name="download" />
              CSV
            </button>
          </div>
          <div id="result-place" class="result-place">
            <p class="quiet result-none">Run a query to see its results.</p>
          </div>
        </section>
      </div>
    </div>
    <script type="application/json" id="sql-data">
      {raw(JSON.stringify(data).replaceAll("<", "\\u003c"))}
    </script>
  </DocumentPage>
);

const QueryEditor: FC<{ asked: string; timeoutMs: number }> = ({ asked, timeoutMs }) => (
  <form id="query-form" class="editor">
    <label for="query">Query</label>
    <textarea
      id="query"
      class="code"
      rows={7}
      spellcheck={false}
      autocapitalize="off"
      autocomplete="off"
      aria-describedby="query-hint"
      placeholder="select * from …"
    >
      {asked}
    </textarea>
    <p class="hint" id="query-hint">
      One SQLite SELECT statement, for {timeoutMs < 1000 ? `${timeoutMs} ms` : `${timeoutMs / 1000} s`} at most.
      Ctrl+Enter or ⌘+Enter runs it. Tab indents; press Escape, then Tab to leave the editor.
    </p>
    <div id="query-problem" class="problem-place" />
    <div id="query-values" class="values" hidden />
    <div class="bar scripted">
      <button id="run">
        <Icon name="play" />
        Run
      </button>
      <button type="button" id="stop" class="plain" disabled>
        <Icon name="stop" />
        Cancel
      </button>
      <span class="grow" />
      <button type="button" id="schema-toggle" class="plain small" aria-controls="schema" aria-expanded="false">
        <Icon name="table" />
        Tables
      </button>
      <button type="button" id="last-queries" class="plain small">
        <Icon name="restore" />
        Recent queries
      </button>
    </div>
    <noscript>
      <p class="note">This page needs JavaScript. Programs can send queries to the API.</p>
    </noscript>
  </form>
);

/** Up to this number, tables are expanded initially. */
const MAX_EXPANDED_TABLES = 3;

const SchemaTree: FC<{ tables: readonly TableWithColumns[] }> = ({ tables }) => (
  <nav class="schema" id="schema" aria-label="Tables and columns to insert">
    {tables.length === 0 && <p class="quiet">This document has no tables yet.</p>}
    <ul>
      {tables.map(({ id, columns, fields }) => (
        <li>
          <div class="schema-table">
            <button
              type="button"
              class="bare"
              data-fold
              aria-label={`Columns of ${id}`}
              aria-controls={`columns-${fields.tableRef}`}
              aria-expanded={tables.length <= MAX_EXPANDED_TABLES ? "true" : "false"}
            >
              <Icon name="right" />
            </button>
            <button type="button" class="insert" data-table={id} title={`Insert ${id}`}>
              <Icon name="table" />
              <span class="name">{id}</span>
            </button>
          </div>
          <ul id={`columns-${fields.tableRef}`} hidden={tables.length > MAX_EXPANDED_TABLES}>
            {[
              { id: "id", type: "row number" },
              ...columns.map((column) => ({ id: column.id, type: column.fields.type })),
            ].map((column) => (
              <li>
                <button type="button" class="insert" data-column={column.id} title={`Insert ${column.id}`}>
                  <span class="name">{column.id}</span> <small>{column.type}</small>
                </button>
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  </nav>
);
