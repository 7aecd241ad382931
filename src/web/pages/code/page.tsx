import type { FC } from "hono/jsx";
import { allows, type Role } from "../../../authorization.ts";
import { listTables } from "../../../services/documents/content.ts";
import { createExamples, type Example, type ExampleGroup } from "./examples.ts";
import { type Language, LANGUAGES } from "./languages.ts";
import { DocumentPage } from "../../base/document-page.tsx";
import { publicUrl, type PageContext } from "../../base/page-context.ts";
import { type DocumentPageContext, withDocument, renderErrorPage } from "../../base/page-guards.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { EmptyState } from "../../base/components.tsx";
import { KeyPanel } from "../../base/key-panel.tsx";
import { parseRendered } from "../../base/parse-rendered.ts";
import type { ColumnListing, NamedTable, TableListing } from "../../base/table-data.ts";
import { titleOf } from "../../base/table-titles.ts";
import { renderPage, useTexts } from "../../base/page-texts.tsx";
import type { PlainTexts } from "../../texts/texts.ts";

export const codeRoutes: PageRoutes = (app) => {
  app.get("/docs/:docId/code", showCode);
};

type TableWithColumns = TableListing & { readonly columns: readonly ColumnListing[] };

function showCode(c: PageContext): Promise<Response> {
  return withDocument(c, "viewers", async (visit) => {
    const { ctx } = c.env.call;
    const { grant, prefix } = visit;
    try {
      const listed = await listTables(ctx, grant, { expandColumns: true });
      const { tables } = await parseRendered<{ tables: readonly TableWithColumns[] }>(ctx, grant, listed);
      const own = tables.find(({ fields }) => fields.summarySourceTable === 0);
      const requestedTable = c.req.query("table");
      const table = requestedTable ? tables.find(({ id }) => id === requestedTable) : (own ?? tables[0]);
      const language = LANGUAGES.find(({ id }) => id === c.req.query("lang")) ?? LANGUAGES[0];
      const address = `${publicUrl(c)}${prefix}/api/docs/${grant.uuid}`;
      return await renderPage(
        c,
        <CodePage
          visit={visit}
          tables={tables}
          table={table}
          language={language}
          address={address}
          now={ctx.clock.now()}
        />,
        table || tables.length === 0 ? 200 : 404,
      );
    } catch (error) {
      return renderErrorPage(c, error, visit.user);
    }
  });
}

interface CodePageProps {
  visit: DocumentPageContext;
  tables: readonly TableWithColumns[];
  /** Undefined when the document has no tables, or none with the requested name. */
  table: TableWithColumns | undefined;
  language: Language | undefined;
  address: string;
  /** Milliseconds since the epoch. */
  now: number;
}

const CodePage: FC<CodePageProps> = ({ visit, tables, table, language, address, now }) => {
  const t = useTexts();
  return (
    <DocumentPage visit={visit} page="api" bundle="code">
      <p class="quiet">{t.rich("code.about", { link: (content) => <a href="/reference">{content}</a> })}</p>
      {tables.length === 0 ? (
        <EmptyState title={t("code.noTables.title")} icon="table">
          <p>{t("code.noTables.text")}</p>
        </EmptyState>
      ) : (
        <>
          <Choice tables={tables} named={visit.tables} table={table} language={language} />
          {table && language ? (
            <>
              <KeyPanel isSignedIn={Boolean(visit.user)} />
              <div id="examples">
                <Examples
                  groups={visibleExamples(t, table, { role: visit.role, now })}
                  language={language}
                  address={address}
                />
              </div>
            </>
          ) : (
            <EmptyState title={t("code.tableNotFound.title")} icon="table">
              <p>{t("code.tableNotFound.text")}</p>
            </EmptyState>
          )}
        </>
      )}
    </DocumentPage>
  );
};

/** Returns the examples that the role allows. */
const visibleExamples = (
  t: PlainTexts,
  table: TableWithColumns,
  { role, now }: { role: Role; now: number },
): ExampleGroup[] =>
  createExamples(t, table, now)
    .map((group) => ({ ...group, examples: group.examples.filter(({ requiredRole }) => allows(role, requiredRole)) }))
    .filter(({ examples }) => examples.length > 0);

interface ExamplesProps {
  groups: readonly ExampleGroup[];
  language: Language;
  address: string;
}

const Examples: FC<ExamplesProps> = ({ groups, language, address }) => {
  const t = useTexts();
  return (
    <>
      <nav class="example-links" aria-label={t("code.contents")}>
        {groups.map(({ id, title, examples }) => (
          <div>
            <p id={`${id}-links`}>{title}</p>
            <ul aria-labelledby={`${id}-links`}>
              {examples.map(({ id, title }) => (
                <li>
                  <a href={`#${id}`}>{title}</a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      {groups.map((group) => (
        <section aria-labelledby={group.id}>
          <h2 id={group.id}>{group.title}</h2>
          {group.examples.map((example) => (
            <ExampleCard example={example} language={language} address={address} />
          ))}
        </section>
      ))}
    </>
  );
};

/** Works without a script, too. */
type ChoiceProps = Pick<CodePageProps, "tables" | "table" | "language"> & { named: readonly NamedTable[] };

/** Tables by name, beside the ids that the examples need. */
const Choice: FC<ChoiceProps> = ({ tables, named, table, language }) => {
  const t = useTexts();
  const label = (id: string): string => {
    const title = titleOf(t, id, named);
    return title === id ? id : t("base.nameWithId", { name: title, id });
  };
  return (
    <form method="get" class="code-choice row" id="code-choice">
      <label>
        {t("code.table")}
        <select name="table">
          {!table && <option value="">{t("code.table.none")}</option>}
          {tables.map(({ id }) => (
            <option value={id} selected={id === table?.id} translate="no">
              {label(id)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t("code.language")}
        <select name="lang">
          {LANGUAGES.map(({ id, name }) => (
            <option value={id} selected={id === language?.id} translate="no">
              {name}
            </option>
          ))}
        </select>
      </label>
      <button class="plain">{t("code.show")}</button>
    </form>
  );
};

const ExampleCard: FC<{ example: Example; language: Language; address: string }> = ({ example, language, address }) => {
  const t = useTexts();
  const { id, title, about } = example;
  return (
    <section class="card example" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <p>{about}</p>
      <pre data-example tabindex={0} translate="no" aria-label={t("code.label", { title, language: language.name })}>
        {language.render(example, address)}
      </pre>
    </section>
  );
};
