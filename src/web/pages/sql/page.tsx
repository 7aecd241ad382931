import { raw } from "hono/html";
import type { FC } from "hono/jsx";
import { allows } from "../../../authorization.ts";
import { AppError } from "../../../errors.ts";
import { listTables, mayCopy } from "../../../services/documents/content.ts";
import { DocumentPage } from "../../base/document-page.tsx";
import type { PageContext } from "../../base/page-context.ts";
import { type DocumentPageContext, withDocument, renderErrorPage } from "../../base/page-guards.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { EmptyState, Icon } from "../../base/components.tsx";
import { readDocumentSettings } from "../../base/document-settings.ts";
import { parseRendered } from "../../base/parse-rendered.ts";
import type { SqlPageData } from "./data.ts";
import { formatDuration } from "../../base/durations.ts";
import type { ColumnListing, NamedTable, TableListing } from "../../base/table-data.ts";
import { titleOf } from "../../base/table-titles.ts";
import { renderPage, useTexts } from "../../base/page-texts.tsx";

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
        return renderPage(c, <AccessDeniedPage visit={visit} />, 403);
      return renderErrorPage(c, error, visit.user);
    }
    try {
      const listed = await listTables(ctx, grant, { expandColumns: true });
      const { tables } = await parseRendered<{ tables: readonly TableWithColumns[] }>(ctx, grant, listed);
      const data = {
        docId: grant.uuid,
        name: document.name,
        settings: await readDocumentSettings(ctx, grant),
        timeoutMs: config.sqlTimeoutMs,
        canSave: allows(visit.role, "editors"),
      };
      return await renderPage(
        c,
        <SqlPage visit={visit} tables={tables} data={data} initialQuery={c.req.query("q") ?? ""} />,
      );
    } catch (error) {
      return renderErrorPage(c, error, visit.user);
    }
  });
}

/** For users restricted by access rules: a query would see all data. */
const AccessDeniedPage: FC<{ visit: DocumentPageContext }> = ({ visit }) => {
  const t = useTexts();
  return (
    <DocumentPage visit={visit} page="sql">
      <EmptyState title={t("sql.denied.title")} icon="lock">
        <p>{t("sql.denied.text")}</p>
      </EmptyState>
    </DocumentPage>
  );
};

interface SqlPageProps {
  visit: DocumentPageContext;
  tables: readonly TableWithColumns[];
  data: SqlPageData;
  /** A query in the URL. */
  initialQuery: string;
}

const SqlPage: FC<SqlPageProps> = ({ visit, tables, data, initialQuery }) => {
  const t = useTexts();
  return (
    <DocumentPage visit={visit} page="sql" bundle="sql" wide>
      <div class="queries">
        <SchemaTree tables={tables} named={visit.tables} />
        <div class="desk">
          <QueryEditor asked={initialQuery} data={data} />
          <section class="result" aria-labelledby="result-name">
            <div class="bar result-bar">
              <h2 id="result-name">{t("sql.result")}</h2>
              <span id="result-status" class="quiet" />
              <span class="grow" />
              <button type="button" class="plain small" id="result-csv" hidden>
                <Icon name="download" />
                {t("sql.csv")}
              </button>
            </div>
            <div id="result-place" class="result-place">
              <p class="quiet result-none">{t("sql.result.none")}</p>
            </div>
          </section>
        </div>
      </div>
      <script type="application/json" id="sql-data">
        {raw(JSON.stringify(data).replaceAll("<", "\\u003c"))}
      </script>
    </DocumentPage>
  );
};

const QueryEditor: FC<{ asked: string; data: SqlPageData }> = ({ asked, data: { timeoutMs, canSave } }) => {
  const t = useTexts();
  return (
    <form id="query-form" class="editor">
      <div class="query-head">
        <label for="query">{t("sql.query")}</label>
        <strong id="query-name" translate="no" />
      </div>
      <textarea
        id="query"
        class="code"
        rows={7}
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        aria-describedby="query-hint"
        translate="no"
        placeholder="select * from …"
      >
        {asked}
      </textarea>
      <p class="hint" id="query-hint">
        {t("sql.hint", { limit: formatDuration(t, timeoutMs) })}
      </p>
      <div id="query-problem" class="problem-place" />
      <div id="query-values" class="values" hidden />
      <div class="bar scripted">
        <button id="run">
          <Icon name="play" />
          {t("sql.run")}
        </button>
        <button type="button" id="stop" class="plain" disabled>
          <Icon name="square" />
          {t("base.cancel")}
        </button>
        <span class="grow" />
        <button type="button" id="schema-toggle" class="plain small" aria-controls="schema" aria-expanded="false">
          <Icon name="table" />
          {t("sql.tables")}
        </button>
        {canSave && (
          <button type="button" id="save-query" class="plain small">
            <Icon name="plus" />
            {t("sql.save.menu")}
          </button>
        )}
        <button type="button" id="saved-queries" class="plain small">
          <Icon name="folder" />
          {t("sql.saved")}
        </button>
        <button type="button" id="last-queries" class="plain small">
          <Icon name="rotate-ccw" />
          {t("sql.recent")}
        </button>
      </div>
      <noscript>
        <p class="note">{t("sql.noScript")}</p>
      </noscript>
    </form>
  );
};

/** Up to this number, tables are expanded initially. */
const MAX_EXPANDED_TABLES = 3;

interface SchemaTreeProps {
  tables: readonly TableWithColumns[];
  /** The tables by their titles. */
  named: readonly NamedTable[];
}

/** Names as people know them, beside the ids that queries need. */
const SchemaTree: FC<SchemaTreeProps> = ({ tables, named }) => {
  const t = useTexts();
  return (
    <nav class="schema" id="schema" aria-label={t("sql.insert")}>
      {tables.length === 0 && <p class="quiet">{t("sql.noTables")}</p>}
      <ul>
        {tables.map(({ id, columns, fields }) => (
          <li>
            <div class="schema-table">
              <button
                type="button"
                class="bare"
                data-fold
                aria-label={t("sql.columnsOf", { table: titleOf(t, id, named) })}
                aria-controls={`columns-${fields.tableRef}`}
                aria-expanded={tables.length <= MAX_EXPANDED_TABLES ? "true" : "false"}
              >
                <Icon name="chevron-right" />
              </button>
              <button type="button" class="insert" data-table={id} title={t("sql.insertName", { name: id })}>
                <Icon name="table" />
                <NameWithId name={titleOf(t, id, named)} id={id} />
              </button>
            </div>
            <ul id={`columns-${fields.tableRef}`} hidden={tables.length > MAX_EXPANDED_TABLES}>
              {[
                { id: "id", type: t("sql.rowNumber") },
                ...columns.map(({ id: column, fields: { label: name, type } }) => ({ id: column, name, type })),
              ].map((column) => (
                <li>
                  <button
                    type="button"
                    class="insert"
                    data-column={column.id}
                    title={t("sql.insertName", { name: column.id })}
                  >
                    <NameWithId name={("name" in column && column.name) || column.id} id={column.id} />{" "}
                    <small translate={column.id === "id" ? undefined : "no"}>{column.type}</small>
                  </button>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </nav>
  );
};

/** An id that is not the name follows it. */
const NameWithId: FC<{ name: string; id: string }> = ({ name, id }) => (
  <span class="name" translate="no">
    <bdi>{name}</bdi>
    {name !== id && (
      <>
        {" "}
        <code>{id}</code>
      </>
    )}
  </span>
);
